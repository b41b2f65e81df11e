mod derivatives;
mod edges;

use super::super::design::Kind;
use super::super::testing::{C, Random, dot, error, exact, poison, rounded, slices, wavenumbers};
use super::super::{Sign, reference};
use super::*;
use rayon::prelude::*;

impl<T: Precision> Scratch<T> {
    /// What a run must not depend on.
    pub fn poison(&mut self) {
        self.grid.fill([T::nan(); 2]);
        self.stages.iter_mut().for_each(|stage| stage.fill(Complex::new(T::nan(), T::nan())));
    }
}

/// A plan with `count` points, and these.
fn plan<T: Precision>(
    modes: &[usize],
    count: usize,
    settings: &Settings,
) -> (Plan<T>, Vec<Vec<f64>>, Random) {
    let mut random = Random(modes.iter().sum::<usize>() as u64 + count as u64);
    let points = random.points(modes.len(), count);
    let mut plan = Plan::new(modes, settings).unwrap();
    plan.set_points(&slices(&points)).unwrap();
    (plan, points, random)
}

const fn sign_of(settings: &Settings) -> f64 {
    if settings.sign.is_positive() { 1.0 } else { -1.0 }
}

/// Errors of types 1 and 2, run twice into NaN with NaN for scratch.
fn errors<T: Precision>(modes: &[usize], count: usize, settings: &Settings) -> [f64; 2] {
    let (plan, points, mut random) = plan::<T>(modes, count, settings);
    let (strengths, f) = (random.values(count), random.values(plan.modes()));
    let (given, coefficients) = (rounded::<T>(&strengths), rounded::<T>(&f));
    let mut scratch = plan.scratch();
    let mut twice = |kind: Type, input: &[Complex<T>], count: usize| {
        let runs = [(); 2].map(|()| {
            let mut output = poison::<T>(count);
            scratch.poison();
            plan.execute(kind, input, &mut output, &mut scratch).unwrap();
            output
        });
        assert!(runs[0] == runs[1], "type {kind:?}, {modes:?}: two runs differ");
        exact(&runs[0])
    };
    let (ours, values) = (twice(Type::One, &given, f.len()), twice(Type::Two, &coefficients, count));
    let (points, sign) = (slices(&points), sign_of(settings));
    [
        error(&ours, &reference::type_1(&points, &exact(&given), modes, sign), &strengths),
        error(&values, &reference::type_2(&points, &exact(&coefficients), modes, sign), &f),
    ]
}

/// The largest error over tolerance of what can be designed, which must be at most 1.
fn sweep<T: Precision>(
    shapes: &[&[usize]],
    exponents: std::ops::RangeInclusive<i32>,
    windows: &[Kind],
) -> f64 {
    let mut worst: f64 = 0.0;
    for &window in windows {
        for oversampling in [2.0, 1.5, 1.25] {
            for exponent in exponents.clone() {
                let tolerance = 10f64.powi(-exponent);
                let sign = if exponent % 2 == 0 { Sign::Negative } else { Sign::Positive };
                let settings = Settings { window, oversampling, ..Settings::new(tolerance, sign) };
                for modes in shapes {
                    // Single precision has little room where factors differ much.
                    let design = Window::new(window, tolerance, oversampling, modes);
                    if !design.is_ok_and(|design| settings.holds::<T>(&design, modes)) {
                        continue;
                    }
                    for error in errors::<T>(modes, 300, &settings) {
                        let what = format!("{window} {oversampling} {tolerance:e} {modes:?}");
                        assert!(error <= tolerance, "{what}: {error:e}");
                        worst = worst.max(error / tolerance);
                    }
                }
            }
        }
    }
    worst
}

const SHAPES: [&[usize]; 7] = [&[1], &[50], &[97], &[20, 31], &[1, 40], &[9, 10, 13], &[1, 1, 7]];

#[test]
fn double_precision_is_within_the_tolerance() {
    let worst = sweep::<f64>(&SHAPES, 2..=14, &[Kind::Prolate, Kind::Semicircle]);
    println!("worst error over tolerance {worst:.2}");
}

#[test]
fn single_precision_is_within_the_tolerance() {
    let worst = sweep::<f32>(&SHAPES, 2..=6, &[Kind::Prolate, Kind::Semicircle]);
    println!("worst error over tolerance {worst:.2}");
}

/// The oversampling of the least work keeps the tolerance as well.
#[test]
fn tuned_plans_are_within_the_tolerance() {
    for modes in [&[300][..], &[40, 31], &[12, 10, 13]] {
        for density in [0.05, 1.0, 30.0] {
            let points = (density * modes.iter().product::<usize>() as f64) as usize;
            for exponent in [2, 4, 6, 9, 12] {
                let tolerance = 10f64.powi(-exponent);
                let settings = Settings::new(tolerance, Sign::Negative);
                let tuned = settings.tuned::<f64>(modes, points).unwrap();
                let mut errors = errors::<f64>(modes, 400, &tuned).to_vec();
                if exponent <= 6 {
                    let tuned = settings.tuned::<f32>(modes, points).unwrap();
                    errors.extend(super::tests::errors::<f32>(modes, 400, &tuned));
                }
                for error in errors {
                    let sigma = tuned.oversampling;
                    assert!(error <= tolerance, "{modes:?} {tolerance:e} at {sigma}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn the_papers_window_is_within_what_it_says() {
    for k in 3..=6 {
        for modes in SHAPES {
            let kind = Kind::Kaiser(k);
            // What it reaches, from its own sum over copies.
            let tolerance = 2.0 * Window::new(kind, 0.1, 2.0, modes).unwrap().error_of(modes).max(1e-14);
            let settings = Settings { window: kind, ..Settings::new(tolerance, Sign::Negative) };
            for error in errors::<f64>(modes, 300, &settings) {
                assert!(error <= tolerance, "{kind} {modes:?}: {error:e} of {tolerance:e}");
            }
        }
    }
}

#[test]
fn single_precision_keeps_its_positions() {
    for modes in [&[4000][..], &[60, 80], &[300, 20], &[12, 14, 10]] {
        for tolerance in [1e-6, 3e-7] {
            for error in errors::<f32>(modes, 400, &Settings::new(tolerance, Sign::Positive)) {
                assert!(error < tolerance, "{modes:?} {tolerance:e}: {error:e}");
            }
        }
    }
}

#[test]
fn threads_change_no_bit() {
    let settings = Settings::new(1e-9, Sign::Negative);
    for modes in [&[3000][..], &[120, 200], &[30, 20, 60]] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let (plan, _, mut random) = plan::<f64>(modes, 20_000, &settings);
                let strengths = random.values(20_000);
                let (mut f, mut values) = (poison(plan.modes()), poison(20_000));
                let mut scratch = plan.scratch();
                plan.execute(Type::One, &strengths, &mut f, &mut scratch).unwrap();
                plan.execute(Type::Two, &f, &mut values, &mut scratch).unwrap();
                (f, values)
            })
        };
        let one = run(1);
        assert!((2..=5).all(|threads| run(threads) == one), "{modes:?}");
    }
}

/// Stacked right-hand sides are the same bits as one after the other.
#[test]
fn batches_are_their_members() {
    for modes in [&[33][..], &[16, 9], &[5, 6, 7]] {
        let (plan, _, mut random) = plan::<f32>(modes, 77, &Settings::new(1e-5, Sign::Positive));
        let mut scratch = plan.scratch();
        for (kind, from, to) in [(Type::One, 77, plan.modes()), (Type::Two, plan.modes(), 77)] {
            let input = rounded::<f32>(&random.values(3 * from));
            let mut all = poison(3 * to);
            plan.execute(kind, &input, &mut all, &mut scratch).unwrap();
            for (input, expected) in input.chunks(from).zip(all.chunks(to)) {
                let mut one = poison(to);
                plan.execute(kind, input, &mut one, &mut scratch).unwrap();
                assert!(one == expected, "{kind:?} {modes:?}");
            }
        }
    }
}

/// Clones of a plan share its design, and run in parallel on points of their own.
#[test]
fn small_problems_on_different_points_share_a_plan() {
    let (modes, tolerance) = ([12, 11], 1e-8);
    let plan = Plan::<f64>::new(&modes, &Settings::new(tolerance, Sign::Negative)).unwrap();
    let worst = (0..20_usize).into_par_iter().map_init(
        || plan.scratch(),
        |scratch, number| {
            let mut random = Random(number as u64);
            let (points, c) = (random.points(2, 5 * number), random.values(5 * number));
            let mut own = plan.clone();
            own.set_points(&slices(&points)).unwrap();
            let mut f = poison(own.modes());
            own.execute(Type::One, &c, &mut f, scratch).unwrap();
            let expected = reference::type_1(&slices(&points), &c, &modes, -1.0);
            if number == 0 { f64::from(u8::from(f != expected)) } else { error(&f, &expected, &c) }
        },
    );
    let worst = worst.reduce(|| 0.0, f64::max);
    assert!(worst <= tolerance && plan.points() == 0, "{worst:e}");
}

#[test]
fn adjoints_are_adjoint() {
    for modes in [&[40][..], &[13, 18], &[7, 8, 9]] {
        let (plan, _, mut random) = plan::<f64>(modes, 200, &Settings::new(1e-6, Sign::Positive));
        let mut scratch = plan.scratch();
        for (kind, from, to) in [(Type::One, 200, plan.modes()), (Type::Two, plan.modes(), 200)] {
            let (a, b) = (random.values(from), random.values(to));
            let (mut forth, mut back) = (poison(to), poison(from));
            plan.execute(kind, &a, &mut forth, &mut scratch).unwrap();
            plan.execute(Sum::from(kind).adjoint(), &b, &mut back, &mut scratch).unwrap();
            // Both use the same windows, so that rounding is all that is between them.
            let (left, right) = (dot(&b, &forth), dot(&back, &a));
            assert!((left - right).norm() < 1e-12 * left.norm(), "{kind:?} {modes:?}: {left} {right}");
        }
    }
}

#[test]
fn every_instruction_set_is_right() {
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    for arch in sets {
        numerics::simd::choose(Some(arch));
        for modes in [&[55][..], &[20, 31], &[7, 8, 6]] {
            for error in errors::<f64>(modes, 300, &Settings::new(1e-10, Sign::Positive)) {
                assert!(error < 1e-10, "{arch:?} {modes:?}: {error:e}");
            }
            for error in errors::<f32>(modes, 300, &Settings::new(1e-6, Sign::Negative)) {
                assert!(error < 1e-6, "{arch:?} {modes:?}: {error:e}");
            }
        }
    }
}
