use super::super::design::Kind;
use super::super::{Sign, reference};
use super::*;

type C = Complex<f64>;

struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    fn points(&mut self, axes: usize, count: usize) -> Vec<Vec<f64>> {
        (0..axes).map(|_| (0..count).map(|_| std::f64::consts::PI * self.next()).collect()).collect()
    }

    fn values(&mut self, count: usize) -> Vec<C> {
        (0..count).map(|_| C::new(self.next(), self.next())).collect()
    }
}

/// Relative l2 error of what was made of `given`.
fn error(found: &[C], expected: &[C], given: &[C]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let apart: f64 = found.iter().zip(expected).map(|(a, b)| (a - b).norm_sqr()).sum();
    let power = |values: &[C]| values.iter().map(|c| c.norm_sqr()).sum::<f64>();
    // What random data make on average, where a few values may be small by chance.
    (apart / power(expected).max(power(given) * found.len() as f64)).sqrt()
}

fn rounded<T: Real>(values: &[C]) -> Vec<Complex<T>> {
    values.iter().map(|c| Complex::new(T::of(c.re), T::of(c.im))).collect()
}

fn exact<T: Real>(values: &[Complex<T>]) -> Vec<C> {
    values.iter().map(|c| C::new(c.re.to_f64(), c.im.to_f64())).collect()
}

/// Errors of types 1 and 2, run twice into NaN.
fn errors<T: Real>(modes: &[usize], count: usize, settings: &Settings) -> [f64; 2] {
    let mut random = Random(modes.iter().sum::<usize>() as u64 + count as u64);
    let points = random.points(modes.len(), count);
    let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
    let (strengths, f) = (random.values(count), random.values(modes.iter().product()));
    let sign = if settings.sign.is_positive() { 1.0 } else { -1.0 };
    let mut plan = Plan::<T>::new(modes, settings).unwrap();
    plan.set_points(&points).unwrap();
    let nan = Complex::new(T::nan(), T::nan());
    let (mut ours, mut values) = (vec![nan; f.len()], vec![nan; count]);
    let (given, coefficients) = (rounded::<T>(&strengths), rounded::<T>(&f));
    for _ in 0..2 {
        plan.type_1(&given, &mut ours).unwrap();
        plan.type_2(&coefficients, &mut values).unwrap();
    }
    [
        error(&exact(&ours), &reference::type_1(&points, &exact(&given), modes, sign), &strengths),
        error(&exact(&values), &reference::type_2(&points, &exact(&coefficients), modes, sign), &f),
    ]
}

#[test]
fn double_precision_is_within_the_tolerance() {
    let shapes: [&[usize]; 7] = [&[1], &[50], &[97], &[20, 31], &[1, 40], &[9, 10, 13], &[1, 1, 7]];
    let mut worst: f64 = 0.0;
    for window in [Kind::Prolate, Kind::Semicircle] {
        for oversampling in [2.0, 1.5] {
            for exponent in 2..=14 {
                let tolerance = 10f64.powi(-exponent);
                let sign = if exponent % 2 == 0 { Sign::Negative } else { Sign::Positive };
                let settings = Settings { window, oversampling, ..Settings::new(tolerance, sign) };
                for modes in shapes {
                    if Window::new(window, tolerance, oversampling, modes).is_err() {
                        continue;
                    }
                    for error in errors::<f64>(modes, 300, &settings) {
                        assert!(
                            error <= tolerance,
                            "{window} {oversampling} {tolerance:e} {modes:?}: {error:e}"
                        );
                        worst = worst.max(error / tolerance);
                    }
                }
            }
        }
    }
    println!("worst error over tolerance {worst:.2}");
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
        let mut random = Random(9);
        let points = random.points(modes.len(), 20_000);
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let strengths = random.values(20_000);
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut plan = Plan::<f64>::new(modes, &settings).unwrap();
                plan.set_points(&points).unwrap();
                let (mut f, mut values) = (vec![C::default(); plan.modes()], vec![C::default(); 20_000]);
                plan.type_1(&strengths, &mut f).unwrap();
                plan.type_2(&f, &mut values).unwrap();
                (f, values)
            })
        };
        let one = run(1);
        assert!((2..=5).all(|threads| run(threads) == one), "{modes:?}");
    }
}

#[test]
fn adjoints_are_adjoint() {
    for modes in [&[40][..], &[13, 18], &[7, 8, 9]] {
        let mut random = Random(5);
        let points = random.points(modes.len(), 200);
        let points: Vec<&[f64]> = points.iter().map(Vec::as_slice).collect();
        let mut plan = Plan::<f64>::new(modes, &Settings::new(1e-6, Sign::Positive)).unwrap();
        plan.set_points(&points).unwrap();
        let (c, f) = (random.values(200), random.values(plan.modes()));
        let (mut to, mut back) = (vec![C::default(); f.len()], vec![C::default(); c.len()]);
        plan.type_1(&c, &mut to).unwrap();
        plan.adjoint_1(&f, &mut back).unwrap();
        let dot = |a: &[C], b: &[C]| a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<C>();
        // Both use the same windows, so that rounding is all that is between them.
        let (left, right) = (dot(&f, &to), dot(&back, &c));
        assert!((left - right).norm() < 1e-12 * left.norm(), "{modes:?}: {left} {right}");
        plan.type_2(&f, &mut back).unwrap();
        plan.adjoint_2(&c, &mut to).unwrap();
        let (left, right) = (dot(&c, &back), dot(&to, &f));
        assert!((left - right).norm() < 1e-12 * left.norm(), "{modes:?}: {left} {right}");
    }
}

#[test]
fn edges_clusters_and_no_points() {
    use std::f64::consts::PI;
    let modes = [31, 16];
    let settings = Settings::new(1e-9, Sign::Negative);
    let mut plan = Plan::<f64>::new(&modes, &settings).unwrap();
    let mut f = vec![C::new(f64::NAN, 0.0); plan.modes()];
    plan.set_points(&[&[], &[]]).unwrap();
    plan.type_1(&[], &mut f).unwrap();
    assert!(f.iter().all(|f| *f == C::default()));
    plan.type_2(&f, &mut []).unwrap();
    // Ends of the period, beyond it, and many at one place.
    let ends = [PI, -PI, 0.0, -0.0, 2.0 * PI, -7.5 * PI, 1e-300, -1e-300, PI.next_down()];
    for (x, y) in [(ends.to_vec(), ends.iter().rev().copied().collect()), (vec![1.0; 400], vec![-2.0; 400])] {
        let points: [&[f64]; 2] = [&x, &y];
        let c = Random(3).values(x.len());
        plan.set_points(&points).unwrap();
        plan.type_1(&c, &mut f).unwrap();
        let found = error(&f, &reference::type_1(&points, &c, &modes, -1.0), &c);
        assert!(found < 1e-9, "{found:e}");
    }
}

/// On the fine grid's points the transform is an FFT.
#[test]
fn on_the_grid_it_is_a_dft() {
    let n = 24;
    let mut plan = Plan::<f64>::new(&[n], &Settings::new(1e-12, Sign::Negative)).unwrap();
    let x: Vec<f64> = (0..n).map(|i| std::f64::consts::TAU * i as f64 / n as f64).collect();
    let c = Random(8).values(n);
    plan.set_points(&[&x]).unwrap();
    let mut f = vec![C::default(); n];
    plan.type_1(&c, &mut f).unwrap();
    let mut expected = c.clone();
    FftPlanner::new().plan_fft_forward(n).process(&mut expected);
    expected.rotate_right(n / 2);
    assert!(error(&f, &expected, &c) < 1e-12);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let settings = Settings::new(1e-6, Sign::Negative);
    let refused = |modes: &[usize], settings: &Settings| Plan::<f64>::new(modes, settings).err().unwrap();
    assert_eq!(refused(&[], &settings), Error::Axes(0));
    assert_eq!(refused(&[1, 2, 3, 4], &settings), Error::Axes(4));
    assert_eq!(refused(&[4, 0], &settings), Error::Modes { axis: 1 });
    for tolerance in [0.0, -1.0, f64::NAN, 1e-17] {
        let settings = Settings { tolerance, ..settings.clone() };
        assert!(matches!(refused(&[9], &settings), Error::Tolerance { .. }), "{tolerance}");
    }
    for oversampling in [1.0, 9.0, f64::NAN] {
        let settings = Settings { oversampling, ..settings.clone() };
        assert!(matches!(refused(&[9], &settings), Error::Oversampling(_)));
    }
    assert!(matches!(refused(&[usize::MAX; 3], &settings), Error::Memory { needed: u128::MAX, .. }));
    let huge = refused(&[1 << 20, 1 << 20], &settings);
    assert!(matches!(&huge, Error::Memory { grid, .. } if *grid == [2_097_152, 2_097_152]), "{huge}");
    let mut plan = Plan::<f64>::new(&[9, 9], &settings).unwrap();
    assert!(matches!(plan.set_points(&[&[0.0]]), Err(Error::Length { given: 1, needed: 2, .. })));
    assert!(matches!(plan.set_points(&[&[0.0], &[]]), Err(Error::Length { .. })));
    let bad = plan.set_points(&[&[0.0, 1.0], &[0.0, f64::NAN]]);
    assert!(matches!(bad, Err(Error::Point { index: 1, axis: 1, .. })), "{bad:?}");
    assert!(matches!(plan.type_1(&[C::default()], &mut [C::default(); 81]), Err(Error::Length { .. })));
    assert!(matches!(plan.type_2(&[C::default(); 80], &mut []), Err(Error::Length { .. })));
}

#[test]
fn every_instruction_set_is_right() {
    let mut sets = vec![pulp::Arch::Scalar];
    #[cfg(target_arch = "x86_64")]
    sets.extend(pulp::x86::V3::try_new().map(pulp::Arch::V3));
    for arch in sets {
        crate::simd::ARCH.set(arch);
        for error in errors::<f64>(&[20, 31], 300, &Settings::new(1e-10, Sign::Positive)) {
            assert!(error < 1e-10, "{arch:?}: {error:e}");
        }
    }
}
