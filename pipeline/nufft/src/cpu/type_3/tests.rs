use super::super::super::Sign;
use super::super::super::design::Kind;
use super::super::super::testing::{C, Random, dot, error, exact, poison, rounded, slices, wavenumbers};
use super::super::super::{reference, reference::type_3};
use super::*;
use std::slice::from_ref;

impl<T: Precision> Scratch<T> {
    /// What a run must not depend on.
    fn poison(&mut self) {
        let nan = Complex::new(T::nan(), T::nan());
        self.inside.poison();
        self.grid.fill([T::nan(); 2]);
        self.modes.fill(nan);
        self.turned.fill(nan);
    }
}

/// Points and targets: centre and half extent of each along every axis.
fn scattered(random: &mut Random, count: usize, extents: &[[f64; 2]]) -> Vec<Vec<f64>> {
    extents.iter().map(|[c, half]| (0..count).map(|_| c + half * random.next()).collect()).collect()
}

/// Errors of the sum and of its adjoint, run twice with NaN for scratch.
fn errors<T: Precision>(points: &[Vec<f64>], targets: &[Vec<f64>], settings: &Settings) -> [f64; 2] {
    let (points, targets) = (slices(points), slices(targets));
    let mut random = Random(11);
    let mut plan = Plan::<T>::new(points.len(), settings).unwrap();
    plan.set_points(&points, &targets).unwrap();
    let (c, f) = (random.values(points[0].len()), random.values(targets[0].len()));
    let (c, f) = (rounded::<T>(&c), rounded::<T>(&f));
    let mut scratch = plan.scratch();
    let [first, second] = [(); 2].map(|()| {
        let (mut values, mut strengths) = (poison(f.len()), poison(c.len()));
        scratch.poison();
        plan.execute(&c, &mut values, &mut scratch).unwrap();
        scratch.poison();
        plan.execute_adjoint(&f, &mut strengths, &mut scratch).unwrap();
        (values, strengths)
    });
    assert!(first == second, "two runs differ");
    let s = if settings.sign.is_positive() { 1.0 } else { -1.0 };
    let (c, f) = (exact(&c), exact(&f));
    [
        error(&exact(&first.0), &type_3(&points, &c, &targets, s), &c),
        error(&exact(&first.1), &type_3(&targets, &f, &points, -s), &f),
    ]
}

/// Centre and half extent of points and of targets.
type Case = (Vec<[f64; 2]>, Vec<[f64; 2]>);

fn cases() -> Vec<Case> {
    vec![
        (vec![[0.0, 1.0]], vec![[0.0, 30.0]]),
        (vec![[1e3, 40.0]], vec![[-2.0, 1.5]]),
        (vec![[0.3, 1e-3]], vec![[0.0, 1e-2]]),
        (vec![[0.0, 3.0], [5.0, 0.5]], vec![[0.0, 9.0], [8.0, 40.0]]),
        (vec![[0.0, 2.0], [1.0, 3.0], [0.0, 1e-6]], vec![[0.0, 5.0], [-3.0, 2.0], [1.0, 1.0]]),
    ]
}

#[test]
fn every_tolerance_is_met() {
    let mut worst: f64 = 0.0;
    for (number, (x, s)) in cases().into_iter().enumerate() {
        let mut random = Random(number as u64);
        let (points, targets) = (scattered(&mut random, 150, &x), scattered(&mut random, 130, &s));
        for window in [Kind::Prolate, Kind::Semicircle] {
            for exponent in 2..=14 {
                let tolerance = 10f64.powi(-exponent);
                let sign = if exponent % 2 == 0 { Sign::Negative } else { Sign::Positive };
                let settings = Settings { window, ..Settings::new(tolerance, sign) };
                if window == Kind::Semicircle && Plan::<f64>::new(x.len(), &settings).is_err() {
                    continue;
                }
                for error in errors::<f64>(&points, &targets, &settings) {
                    assert!(error <= tolerance, "case {number} {window} {tolerance:e}: {error:e}");
                    worst = worst.max(error / tolerance);
                }
            }
        }
        for tolerance in [1e-3, 1e-6, 5e-7] {
            for error in errors::<f32>(&points, &targets, &Settings::new(tolerance, Sign::Positive)) {
                assert!(error <= tolerance, "case {number} f32 {tolerance:e}: {error:e}");
            }
        }
    }
    println!("worst error over tolerance {worst:.2}");
}

/// Two points and two targets at the ends of their extents, where the windows are worst.
#[test]
fn ends_of_the_extents_are_as_good() {
    for exponent in 2..=13 {
        let tolerance = 10f64.powi(-exponent);
        for s in [3.0, 20.0, 71.0] {
            let points = vec![vec![-1.0, 1.0, 1.0], vec![1.0, -1.0, 1.0]];
            let targets = vec![vec![s, -s], vec![-s, s]];
            for error in errors::<f64>(&points, &targets, &Settings::new(tolerance, Sign::Negative)) {
                assert!(error <= tolerance, "{tolerance:e} {s}: {error:e}");
            }
        }
    }
}

#[test]
fn extents_may_vanish() {
    let settings = Settings::new(1e-10, Sign::Positive);
    let (one, spread) = (vec![2.0; 9], (0..9).map(f64::from).collect::<Vec<_>>());
    for points in [&one, &spread, &vec![0.0], &vec![1e-300, -1e-300], &vec![1e90, -1e90]] {
        for targets in [&one, &spread, &vec![0.0], &vec![1e-300, -1e-300]] {
            if points[0] == 1e90 && targets.len() == 9 {
                continue;
            }
            for error in errors::<f64>(from_ref(points), from_ref(targets), &settings) {
                assert!(error < 1e-10, "{points:?} {targets:?}: {error:e}");
            }
        }
    }
    // Nothing at either side.
    let mut plan = Plan::<f64>::new(1, &settings).unwrap();
    let mut nothing: [C; 0] = [];
    plan.execute(&[], &mut nothing, &mut plan.scratch()).unwrap();
    plan.set_points(&[&[]], &[&spread]).unwrap();
    let mut values = poison(18);
    plan.execute(&[], &mut values, &mut plan.scratch()).unwrap();
    assert!(values.iter().all(|v| *v == C::default()));
    plan.set_points(&[&spread], &[&[]]).unwrap();
    let mut strengths = poison(9);
    plan.execute_adjoint(&[], &mut strengths, &mut plan.scratch()).unwrap();
    assert!(strengths.iter().all(|c| *c == C::default()));
}

#[test]
fn whole_frequencies_are_modes_and_adjoints_adjoint() {
    let mut random = Random(4);
    let (points, modes) = (random.points(2, 60), [7, 8]);
    let targets: Vec<Vec<f64>> = (0..2).map(|axis| wavenumbers(&modes, axis)).collect();
    let mut plan = Plan::<f64>::new(2, &Settings::new(1e-9, Sign::Negative)).unwrap();
    plan.set_points(&slices(&points), &slices(&targets)).unwrap();
    let (c, f) = (random.values(2 * 60), random.values(2 * 56));
    let (mut to, mut back) = (poison(2 * 56), poison(2 * 60));
    let mut scratch = plan.scratch();
    plan.execute(&c, &mut to, &mut scratch).unwrap();
    plan.execute_adjoint(&f, &mut back, &mut scratch).unwrap();
    // Of stacked right-hand sides, each by itself.
    for (c, to) in c.chunks(60).zip(to.chunks(56)) {
        let found = error(to, &reference::type_1(&slices(&points), c, &modes, -1.0), c);
        assert!(found < 1e-9, "{found:e}");
    }
    let (left, right) = (dot(&f, &to), dot(&back, &c));
    assert!((left - right).norm() < 1e-12 * left.norm(), "{left} {right}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let settings = Settings::new(1e-6, Sign::Negative);
    assert_eq!(Plan::<f64>::new(0, &settings).err().unwrap(), Error::Axes(0));
    let impossible = Plan::<f64>::new(1, &Settings::new(1e-17, Sign::Negative)).err().unwrap();
    assert!(matches!(impossible, Error::Tolerance { tolerance: 1e-17, .. }), "{impossible}");
    let single = Plan::<f32>::new(1, &Settings::new(1e-8, Sign::Negative)).err().unwrap();
    assert!(matches!(single, Error::Rounding { .. }), "{single}");
    let mut plan = Plan::<f64>::new(1, &settings).unwrap();
    for far in [1e6, 1e99] {
        let refused = plan.set_points(&[&[-far, far]], &[&[-far, far]]);
        assert!(matches!(refused, Err(Error::Extents { .. })), "{refused:?}");
    }
    let endless = Settings { memory: u128::MAX, ..settings.clone() };
    let refused = Plan::<f64>::new(1, &endless).unwrap().set_points(&[&[-1e99, 1e99]], &[&[-1.0, 1.0]]);
    assert!(matches!(refused, Err(Error::Grid(_))), "{refused:?}");
    for value in [f64::NAN, f64::INFINITY, 1e101] {
        assert!(matches!(plan.set_points(&[&[value]], &[&[0.0]]), Err(Error::Point { index: 0, .. })));
        assert!(matches!(plan.set_points(&[&[0.0]], &[&[value]]), Err(Error::Point { index: 0, .. })));
    }
    assert!(matches!(plan.set_points(&[&[0.0], &[0.0]], &[&[0.0]]), Err(Error::Length { .. })));
    plan.set_points(&[&[0.0, 1.0]], &[&[0.0, 2.0, 3.0]]).unwrap();
    let mut scratch = plan.scratch();
    for (from, to) in [(1, 3), (2, 2), (4, 3), (0, 0), (3, 3)] {
        let (input, mut output) = (vec![C::default(); from], vec![C::default(); to]);
        let refused = plan.execute(&input, &mut output, &mut scratch);
        assert!(matches!(refused, Err(Error::Length { .. })), "{from} to {to}: {refused:?}");
    }
    let mut other = Plan::<f64>::new(1, &settings).unwrap().scratch();
    let refused = plan.execute(&[C::default(); 2], &mut [C::default(); 3], &mut other);
    assert!(matches!(refused, Err(Error::Length { .. })), "{refused:?}");
}
