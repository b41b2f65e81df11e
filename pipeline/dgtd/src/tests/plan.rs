//! The CPU's plan against the definition.

use super::super::reference::rates;
use super::super::{Boundary, Error, Layers, Moment, PlaneWave, Pulse, Spectrum, Sums, cpu, lsrk, time_step};
use super::*;
use numerics::real::Real;
use numerics::simd;

fn wave() -> PlaneWave {
    let pulse = Pulse::Gauss { centre: 0.3, width: 0.4, wavenumber: 2.0 };
    PlaneWave::new(Vec3::new(1.0, 0.2, -0.4), Vec3::new(0.0, 1.0, 0.3), pulse, &Material::VACUUM).unwrap()
}

/// All that a side can look at: walls of every kind, two media, losses, a wave, total and scattered fields.
fn everything(order: usize) -> Design {
    mixed(order, 2, |settings| {
        settings.upwinding = 0.7;
        settings.background.conductivity = 0.003;
        settings.wave = Some(wave());
        settings.total_field = vec!["two".into()];
        let walls = [Boundary::Pmc, Boundary::Absorbing, Boundary::Incident];
        settings.boundaries = ["x_min", "y_max", "z_min"].map(String::from).into_iter().zip(walls).collect();
    })
}

/// Instruction sets of this machine.
pub(super) fn archs() -> Vec<pulp::Arch> {
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    sets.push(pulp::Arch::new());
    sets
}

/// Rounding of rates, over the largest: sums of up to 10 (p + 1)^3/6 products whose terms cancel to a tenth.
fn rounding<T: Real>(order: usize) -> f64 {
    T::epsilon().to_f64() * 10.0 * ((order + 1) as f64).powi(3)
}

fn rates_agree<T: Real>() {
    // One thread: the instruction set is that of this one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    pool.install(|| {
        for order in 1..=8 {
            let design = everything(order);
            let fields = Random(order as u64).states(design.states());
            let expected = rates(&design, &fields, 0.2);
            for arch in archs() {
                simd::choose(Some(arch));
                let plan = cpu::Plan::<T>::new(design.clone());
                let loaded = plan.load(&fields, 0.2).unwrap();
                for _ in 0..2 {
                    let mut found =
                        vec![State { e: Vec3::splat(f64::NAN), h: Vec3::splat(f64::NAN) }; fields.len()];
                    plan.rates(&loaded, &mut found).unwrap();
                    let wrong = distance(&found, &expected) / largest(&expected);
                    assert!(wrong < rounding::<T>(order), "order {order} {arch:?}: {wrong:e}");
                }
            }
            simd::choose(None);
        }
    });
}

#[test]
fn rates_are_those_of_the_definition_in_f64() {
    rates_agree::<f64>();
}

#[test]
fn rates_are_those_of_the_definition_in_f32() {
    rates_agree::<f32>();
}

#[test]
fn steps_are_those_of_the_definition() {
    let design = everything(3);
    let (dt, steps) = (0.002, 4);
    let mut expected = Random(4).states(design.states());
    let plan = cpu::Plan::<f64>::new(design.clone());
    let mut fields = plan.load(&expected, 0.1).unwrap();
    for i in 0..steps {
        lsrk::step(&mut expected, 0.1 + f64::from(i) * dt, dt, |q, t| rates(&design, q, t));
        plan.step(&mut fields, dt);
    }
    let mut found = vec![State::default(); expected.len()];
    plan.store(&fields, &mut found).unwrap();
    assert!((fields.time - 0.108).abs() < 1e-15);
    assert!(distance(&found, &expected) < 20.0 * rounding::<f64>(3) * largest(&expected));
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let design = everything(2);
    let start = Random(4).states(design.states());
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let plan = cpu::Plan::<f32>::new(design.clone());
            let mut fields = plan.load(&start, 0.0).unwrap();
            (0..3).for_each(|_| plan.step(&mut fields, 0.001));
            let mut found = start.clone();
            plan.store(&fields, &mut found).unwrap();
            found
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn fields_come_back_as_they_were_given_and_wrong_numbers_of_them_are_refused() {
    let design = everything(2);
    let states = Random(2).states(design.states());
    let plan = cpu::Plan::<f64>::new(design);
    let mut found = vec![State::default(); states.len()];
    plan.store(&plan.load(&states, 0.0).unwrap(), &mut found).unwrap();
    assert_eq!(found, states);
    let error = plan.load(&states[1..], 0.0).unwrap_err();
    assert_eq!(error, Error::Length { what: "states", given: states.len() - 1, needed: states.len() });
}

/// A plan that goes on from the moment of another one has its bits, sums included.
#[test]
fn a_plan_goes_on_from_a_moment_with_the_same_bits() {
    let design =
        mixed(2, 3, |settings| settings.layers = Some(Layers::new(Vec3::splat(0.3), Vec3::splat(0.6))));
    let start = Moment::start(&design, Random(4).states(design.states()));
    let (dt, spectrum) = (time_step::limit(&design), Spectrum::new(&design, &[1.0]));
    let sums = Sums { spectrum: Some(spectrum), terminals: None };
    let mut whole = crate::Plan::<f32>::on_cpu(design.clone(), &start, sums.clone()).unwrap();
    (0..2).for_each(|_| whole.step(dt).unwrap());
    let (moment, sums) = (whole.moment().unwrap(), whole.sums().unwrap().clone());
    let mut other = crate::Plan::<f32>::on_cpu(design, &start, sums.clone()).unwrap();
    other.load(&moment, sums).unwrap();
    for plan in [&mut whole, &mut other] {
        plan.step(dt).unwrap();
    }
    assert_eq!(other.moment().unwrap(), whole.moment().unwrap());
    assert_eq!(other.sums().unwrap(), whole.sums().unwrap());
    assert_eq!(other.energy().unwrap(), whole.energy().unwrap());
}
