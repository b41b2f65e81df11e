//! Dispersive media: the CPU against the definition, modes of a filled cavity against the roots of their dispersion relation, energy, and what is refused.

use super::super::dispersion::{Dispersion, Polarisation, permittivity};
use super::super::reference::{half_product, polarise, rates, total_energy};
use super::super::{Boundary, Error, Layers, Mode, PlaneWave, Pulse, cpu, lsrk, time_step};
use super::*;
use num_complex::Complex64;
use numerics::real::Real;
use numerics::simd;

const NOWHERE: State = State {
    e: Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN },
    h: Vec3 { x: f64::NAN, y: f64::NAN, z: f64::NAN },
};

/// One step of the definition with its poles.
fn step(design: &Design, fields: &mut [State], polarisations: &mut [Polarisation], dt: f64) {
    let mut residual =
        (vec![State::default(); fields.len()], vec![Polarisation::default(); polarisations.len()]);
    for stage in 0..lsrk::STAGES {
        let mut rate = rates(design, fields, 0.0);
        let polarisation_rate = polarise(design, fields, polarisations, &mut rate);
        let on = |q: &mut Vec3, r: &mut Vec3, f: Vec3| {
            *r = *r * lsrk::A[stage] + f * dt;
            *q += *r * lsrk::B[stage];
        };
        for ((q, r), f) in fields.iter_mut().zip(&mut residual.0).zip(rate) {
            on(&mut q.e, &mut r.e, f.e);
            on(&mut q.h, &mut r.h, f.h);
        }
        for ((q, r), f) in polarisations.iter_mut().zip(&mut residual.1).zip(polarisation_rate) {
            on(&mut q.p, &mut r.p, f.p);
            on(&mut q.j, &mut r.j, f.j);
        }
    }
}

/// Largest difference of polarisations; NaN is infinite.
fn apart(one: &[Polarisation], other: &[Polarisation]) -> f64 {
    let state = |it: &Polarisation| State { e: it.p, h: it.j };
    let [one, other] = [one, other].map(|list| list.iter().map(state).collect::<Vec<_>>());
    distance(&one, &other)
}

fn polarised(design: &Design, random: &mut Random) -> Vec<Polarisation> {
    let dispersion = design.dispersion.as_ref().unwrap();
    let nodes = design.element.node_count();
    let count = |element: &u32| dispersion.of(*element).len();
    let of = |element: &u32| {
        (0..nodes * dispersion.most).map(|at| at % dispersion.most < count(element)).collect::<Vec<_>>()
    };
    let is_there: Vec<bool> = dispersion.elements.iter().flat_map(of).collect();
    let each = is_there.into_iter().map(|is_there| {
        let found = Polarisation { p: random.vector(), j: random.vector() };
        if is_there { found } else { Polarisation::default() }
    });
    each.collect()
}

fn steps_agree<T: Real>() {
    let design = dispersive(2, 3, |settings| settings.upwinding = 0.7);
    let dispersion = design.dispersion.as_ref().unwrap();
    let counts = |count: usize| dispersion.poles.iter().filter(|poles| poles.len() == count).count();
    assert!(counts(2) > 10 && counts(3) > 10 && counts(2) + counts(3) + 10 < design.cells.len());
    let mut random = Random(4);
    let (start, before) = (random.states(design.states()), polarised(&design, &mut random));
    let (mut expected, mut polarisations, dt) = (start.clone(), before.clone(), 0.002);
    (0..5).for_each(|_| step(&design, &mut expected, &mut polarisations, dt));
    // One thread: the instruction set is that of this one.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
    pool.install(|| {
        for arch in super::plan::archs() {
            simd::choose(Some(arch));
            let plan = cpu::Plan::<T>::new(design.clone());
            let mut fields = plan.load(&start, 0.0).unwrap();
            plan.polarise(&mut fields, &before).unwrap();
            (0..5).for_each(|_| plan.step(&mut fields, dt));
            let mut found = vec![NOWHERE; expected.len()];
            plan.store(&fields, &mut found).unwrap();
            // Five steps of five stages, each with some hundred roundings of what does not cancel.
            let most = 5e3 * T::epsilon().to_f64();
            assert!(distance(&found, &expected) < most * largest(&expected), "{arch:?}");
            // P and J are as large as the fields times the rates of poles, up to 13.5/m^2, or smaller.
            assert!(apart(&plan.polarisations(&fields), &polarisations) < 14.0 * most, "{arch:?}");
        }
        simd::choose(None);
    });
}

#[test]
fn poles_are_those_of_the_definition_in_f64() {
    steps_agree::<f64>();
}

#[test]
fn poles_are_those_of_the_definition_in_f32() {
    steps_agree::<f32>();
}

/// eps(s) as textbooks have it, with times in m.
fn textbook(poles: &[Pole], s: Complex64) -> Complex64 {
    let chi = |pole: &Pole| match *pole {
        Pole::Debye { delta, relaxation } => delta / (1.0 + s * (relaxation * SPEED_OF_LIGHT)),
        Pole::Drude { plasma, collision } => {
            (plasma / SPEED_OF_LIGHT).powi(2) / (s * (s + collision / SPEED_OF_LIGHT))
        }
        Pole::Lorentz { delta, resonance, damping } => {
            let square = (resonance / SPEED_OF_LIGHT).powi(2);
            delta * square / (square + s * (damping / SPEED_OF_LIGHT) + s * s)
        }
    };
    FILLING.permittivity + poles.iter().map(chi).sum::<Complex64>()
}

const FILLING: Material = Material { permittivity: 1.5, permeability: 1.2, conductivity: 0.0 };

/// A root of s^2 eps(s) mu + k^2, by Newton's method.
fn root(poles: &[Pole], k: f64) -> Complex64 {
    let f = |s: Complex64| s * s * textbook(poles, s) * FILLING.permeability + k * k;
    let mut s = Complex64::new(-0.1, k);
    for _ in 0..50 {
        let h = 1e-6;
        s -= f(s) * (2.0 * h) / (f(s + h) - f(s - h));
    }
    assert!(f(s).norm() < 1e-9 && s.re < -1e-3 && s.im > 0.5, "{s}");
    s
}

/// Fields of a mode that goes as exp(s t), and what each pole has: E = Re(exp(s t)) u, H = Re(k/(mu s) exp(s t)) w, P = Re(chi exp(s t)) u.
struct Ringing {
    mode: Mode,
    poles: Vec<Pole>,
    s: Complex64,
}

impl Ringing {
    fn new(poles: &[Pole]) -> Self {
        let mode = Mode::new([1, 1, 1], Vec3::splat(SIDE), Vec3::new(1.0, 0.5, -1.5)).unwrap();
        Self { mode, poles: poles.to_vec(), s: root(poles, mode.wavenumber()) }
    }

    fn state(&self, place: Vec3, time: f64) -> State {
        let (k, grown) = (self.mode.wavenumber(), (self.s * time).exp());
        let quarter = std::f64::consts::FRAC_PI_2 / k;
        State {
            e: self.mode.at(place, 0.0).e * grown.re,
            h: self.mode.at(place, quarter).h * (k / (FILLING.permeability * self.s) * grown).re,
        }
    }

    fn polarisation(&self, pole: usize, place: Vec3, time: f64) -> Polarisation {
        let chi = textbook(&self.poles[pole..=pole], self.s) - FILLING.permittivity;
        let p = chi * (self.s * time).exp();
        let is_current = !matches!(self.poles[pole], Pole::Debye { .. });
        let (e, j) = (self.mode.at(place, 0.0).e, if is_current { (self.s * p).re } else { 0.0 });
        Polarisation { p: e * p.re, j: e * j }
    }

    fn polarisations(&self, design: &Design, time: f64) -> Vec<Polarisation> {
        let (nodes, count) = (design.element.node_count(), self.poles.len());
        let place = |at: usize| design.place(at / nodes, at % nodes);
        (0..design.states() * count)
            .map(|at| self.polarisation(at % count, place(at / count), time))
            .collect()
    }

    /// Root of the mean square of the error of fields over that of the fields, and the largest error of polarisations over the largest of them, after `TIME`.
    fn errors(&self, order: usize, cells: usize) -> [f64; 2] {
        let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, Vec3::splat(SIDE), [cells; 3])).unwrap();
        let mut settings = Settings::new(order);
        settings.materials = vec![("volume".into(), FILLING)];
        settings.poles = vec![("volume".into(), self.poles.clone())];
        let design = Design::new(mesh, &settings).unwrap();
        let steps = (TIME / time_step::limit(&design)).ceil();
        let plan = cpu::Plan::<f64>::new(design);
        let design = plan.design();
        let mut fields = plan.load(&design.sampled(|x| self.state(x, 0.0)), 0.0).unwrap();
        plan.polarise(&mut fields, &self.polarisations(design, 0.0)).unwrap();
        (0..steps as usize).for_each(|_| plan.step(&mut fields, TIME / steps));
        let mut found = vec![NOWHERE; design.states()];
        plan.store(&fields, &mut found).unwrap();
        let expected = design.sampled(|x| self.state(x, TIME));
        let wrong: Vec<State> =
            found.iter().zip(&expected).map(|(a, b)| State { e: a.e - b.e, h: a.h - b.h }).collect();
        let norm = |states: &[State]| half_product(design, states, states).sqrt();
        let (polarisations, exact) = (plan.polarisations(&fields), self.polarisations(design, TIME));
        let nothing = vec![Polarisation::default(); exact.len()];
        [norm(&wrong) / norm(&expected), apart(&polarisations, &exact) / apart(&nothing, &exact)]
    }
}

const SIDE: f64 = 2.0;

/// A quarter of a period and more, m.
const TIME: f64 = 0.7;

/// Each kind alone, and all of them.
fn media() -> [Vec<Pole>; 4] {
    [vec![POLES[0]], vec![POLES[1]], vec![POLES[2]], POLES.to_vec()]
}

#[test]
fn modes_of_a_filled_cavity_ring_as_their_dispersion_relation_has_it() {
    for poles in media() {
        let ringing = Ringing::new(&poles);
        for (order, cells) in [(1, [6, 10]), (2, [4, 6]), (3, [3, 5])] {
            let errors = cells.map(|cells| ringing.errors(order, cells)[0]);
            let slope = (errors[0] / errors[1]).ln() / (cells[1] as f64 / cells[0] as f64).ln();
            assert!((slope - (order + 1) as f64).abs() < 0.4, "{poles:?} order {order}: {slope}, {errors:?}");
        }
    }
}

#[test]
fn errors_of_fields_and_polarisations_fall_exponentially_with_the_order() {
    for poles in media() {
        let ringing = Ringing::new(&poles);
        let errors: Vec<[f64; 2]> = (1..=6).map(|order| ringing.errors(order, 2)).collect();
        // Order 1 has too few nodes for a largest error to mean anything; that is some ten times the mean.
        for (kind, first, last) in [(0, 0, 3e-4), (1, 1, 3e-3)] {
            let is_falling = errors[first..].windows(2).all(|pair| pair[1][kind] < 0.6 * pair[0][kind]);
            assert!(is_falling && errors[5][kind] < last, "{poles:?}: {errors:?}");
        }
    }
}

#[test]
fn permittivities_are_those_of_textbooks() {
    for wavenumber in [0.1, 1.0, 3.0, 40.0] {
        let expected = textbook(&POLES, Complex64::new(0.0, wavenumber));
        let found = permittivity(FILLING.permittivity, &POLES, wavenumber);
        assert!((found - expected).norm() < 1e-13 * expected.norm(), "{wavenumber}: {found}, {expected}");
        // Losses have a negative imaginary part with exp(+jwt).
        assert!(POLES.iter().all(|pole| pole.susceptibility(wavenumber).im < 0.0));
    }
}

/// Largest energy of fields and poles over the first, step by step; infinite where it is no number.
fn growth(design: Design, dt: f64, steps: usize) -> (f64, f64) {
    let mut random = Random(3);
    let (mut states, before) = (random.states(design.states()), polarised(&design, &mut random));
    let plan = cpu::Plan::<f64>::new(design);
    let mut fields = plan.load(&states, 0.0).unwrap();
    plan.polarise(&mut fields, &before).unwrap();
    let mut last = total_energy(plan.design(), &states, &before);
    let (first, mut most): (f64, f64) = (last, 0.0);
    for _ in 0..steps {
        plan.step(&mut fields, dt);
        plan.store(&fields, &mut states).unwrap();
        let now = total_energy(plan.design(), &states, &plan.polarisations(&fields));
        most = if now.is_finite() { most.max(now / last) } else { f64::INFINITY };
        last = now;
    }
    (most, last / first)
}

/// Poles far faster than waves in the elements.
fn stiff() -> Vec<Pole> {
    vec![
        Pole::Debye { delta: 5.0, relaxation: 5e-4 / SPEED_OF_LIGHT },
        Pole::Drude { plasma: 3e3 * SPEED_OF_LIGHT, collision: 0.0 },
        Pole::Lorentz { delta: 2.0, resonance: 2e3 * SPEED_OF_LIGHT, damping: 10.0 * SPEED_OF_LIGHT },
        Pole::Drude { plasma: 1.0 * SPEED_OF_LIGHT, collision: 1e3 * SPEED_OF_LIGHT },
    ]
}

#[test]
fn the_energy_of_fields_and_poles_never_grows_with_the_longest_step() {
    for upwinding in [1.0, 0.0] {
        let design = dispersive(3, 2, |settings| settings.upwinding = upwinding);
        let dt = time_step::limit(&design);
        let (most, left) = growth(design, dt, 300);
        // Rounding of sums of some thousand squares.
        assert!(most <= 1.0 + 1e-12 && left < 0.9, "alpha {upwinding}: {most}, {left}");
    }
}

#[test]
fn steps_shrink_with_stiff_poles_and_stay_stable() {
    for pole in stiff() {
        let design = dispersive(2, 2, |settings| settings.poles[0].1 = vec![pole]);
        let plain = Design { dispersion: None, ..design.clone() };
        let (dt, longer) = (time_step::limit(&design), time_step::limit(&plain));
        assert!(dt < 0.9 * longer, "{pole:?}: {dt:e}, {longer:e}");
        let (most, _) = growth(design.clone(), dt, 200);
        assert!(most <= 1.0 + 1e-12, "{pole:?}: {most}");
        // Twice the step of the pole alone is too long, so that the limit is not shorter than it must be by more.
        let radius = pole.rates().radius(GLASS.permittivity);
        let (_, left) = growth(design, 2.0 * time_step::LIMIT / radius, 200);
        assert!(left.is_nan() || left > 1e3, "{pole:?}: {left}");
    }
}

#[test]
fn numbers_that_no_medium_has_are_refused() {
    let refused = |pole: Pole| match pole.validate("water") {
        Err(Error::Value { what, given, .. }) => {
            assert!(what.contains("'water'"), "{what}");
            let names = [
                "delta_eps",
                "tau_s",
                "plasma_rad_per_s",
                "collision_per_s",
                "resonance_rad_per_s",
                "damping_per_s",
                "its fastest rate",
            ];
            let name = names.into_iter().find(|name| what.ends_with(&format!(": {name}"))).unwrap();
            (name, given.parse::<f64>().unwrap())
        }
        other => panic!("{pole:?}: {other:?}"),
    };
    assert_eq!(refused(Pole::Debye { delta: -1.0, relaxation: 1e-9 }), ("delta_eps", -1.0));
    assert_eq!(refused(Pole::Debye { delta: 1.0, relaxation: 0.0 }), ("tau_s", 0.0));
    assert!(refused(Pole::Debye { delta: f64::NAN, relaxation: 1e-9 }).1.is_nan());
    assert_eq!(refused(Pole::Debye { delta: 1.0, relaxation: 1e-320 }).0, "its fastest rate");
    assert_eq!(refused(Pole::Drude { plasma: -2.0, collision: 0.0 }), ("plasma_rad_per_s", -2.0));
    assert_eq!(refused(Pole::Drude { plasma: 2.0, collision: -1.0 }), ("collision_per_s", -1.0));
    assert_eq!(refused(Pole::Drude { plasma: 1e200, collision: 0.0 }).0, "its fastest rate");
    let lorentz = |delta, resonance, damping| Pole::Lorentz { delta, resonance, damping };
    assert_eq!(refused(lorentz(-1.0, 1.0, 1.0)), ("delta_eps", -1.0));
    assert_eq!(refused(lorentz(1.0, 0.0, 1.0)), ("resonance_rad_per_s", 0.0));
    assert_eq!(refused(lorentz(1.0, 1.0, f64::INFINITY)), ("damping_per_s", f64::INFINITY));
    assert!(POLES.iter().all(|pole| pole.validate("water").is_ok()));
    let mut settings = Settings::new(1);
    settings.poles = vec![("two".into(), vec![POLES[0]; 17])];
    assert_eq!(
        settings.validate(),
        Err(Error::value("number of poles of group 'two'", 17, "at most 16 can be computed"))
    );
}

#[test]
fn dispersive_media_are_refused_where_only_others_can_be() {
    let design = |change: &dyn Fn(&mut Settings)| {
        let mut settings = Settings::new(1);
        settings.poles = vec![("two".into(), POLES.to_vec())];
        change(&mut settings);
        Design::new(Mesh::new(crooked(3, 3)).unwrap(), &settings)
    };
    let refused = |change: &dyn Fn(&mut Settings)| match design(change) {
        Err(Error::Mesh(message)) => {
            assert!(message.contains("of the dispersive group 'two' is"), "{message}");
            message
        }
        other => panic!("{:?}", other.err()),
    };
    let layers = Layers::new(Vec3::splat(0.3), Vec3::splat(0.6));
    assert!(refused(&|s| s.layers = Some(layers)).contains("[upml]"));
    assert!(refused(&|s| s.outer = Some(Boundary::Absorbing)).contains("absorbing"));
    let pulse = Pulse::Sine { wavenumber: 1.0 };
    let (direction, polarisation) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0));
    let wave = PlaneWave::new(direction, polarisation, pulse, &Material::VACUUM).unwrap();
    for total in ["one", "two"] {
        let place = refused(&|s| (s.wave, s.total_field) = (Some(wave), vec![total.into()]));
        assert!(place.contains("Huygens"), "{place}");
    }
    // Walls are right for any medium, and so is a surface that has everything inside.
    assert!(design(&|s| s.outer = Some(Boundary::Pmc)).is_ok());
    let inside = |s: &mut Settings| (s.wave, s.total_field) = (Some(wave), vec!["one".into(), "two".into()]);
    assert!(design(&inside).is_ok());
    // Of a group that is named twice the last poles count, and none are none.
    let design = design(&|s| s.poles.push(("two".into(), Vec::new()))).unwrap();
    assert_eq!(design.dispersion, None::<Dispersion>);
}
