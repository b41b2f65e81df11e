//! Type 3 on a card.

use super::{coordinates, noise, slices, values, wide};
use crate::devices;
use kernels::{Buffer, Device};
use num_complex::Complex;
use pipeline::nufft::cuda::type_3::Plan;
use pipeline::nufft::{Error, Precision, Settings, Sign, cpu, reference, type_3};

/// Coordinates: centre and half extent along every axis.
fn scattered(seed: u64, count: usize, extents: &[[f64; 2]]) -> Vec<Vec<f64>> {
    let mut next = noise(seed);
    extents.iter().map(|[centre, half]| (0..count).map(|_| centre + half * next()).collect()).collect()
}

/// Relative error (l2), of what values without order would make where a few are small by chance; NaN is an error.
fn error<T: Precision>(found: &[Complex<T>], expected: &[Complex<f64>], given: &[Complex<T>]) -> f64 {
    let power = |values: &[Complex<f64>]| values.iter().map(Complex::norm_sqr).sum::<f64>();
    let apart: Vec<_> = wide(found).iter().zip(expected).map(|(a, b)| a - b).collect();
    (power(&apart) / power(expected).max(power(&wide(given)) * found.len() as f64)).sqrt()
}

/// Sum and adjoint, each twice into memory full of NaN: the same bits.
fn on_card<T: Precision>(
    plan: &mut Plan<T>,
    input: &[Complex<T>],
    length: usize,
    adjoint: bool,
) -> Vec<Complex<T>> {
    let from = Buffer::from_slice(plan.stream(), "input", input).unwrap();
    let [first, second] = [(); 2].map(|()| {
        let mut to = Buffer::poisoned(plan.stream(), "output", length).unwrap();
        match adjoint {
            false => plan.execute(&from, &mut to).unwrap(),
            true => plan.execute_adjoint(&from, &mut to).unwrap(),
        }
        let mut found = vec![Complex::new(T::nan(), T::nan()); length];
        plan.stream().download(&to, &mut found).unwrap();
        found
    });
    assert!(first == second, "not the same bits");
    first
}

/// Errors of the sum and of its adjoint.
fn errors<T: Precision>(
    device: &Device,
    points: &[Vec<f64>],
    targets: &[Vec<f64>],
    settings: &Settings,
) -> [f64; 2] {
    let (points, targets) = (slices(points), slices(targets));
    let (c, f) = (values::<T>(points[0].len(), 21), values::<T>(targets[0].len(), 22));
    let mut plan = Plan::<T>::new(device, points.len(), settings).unwrap();
    plan.set_points(&points, &targets).unwrap();
    let to = on_card(&mut plan, &c, f.len(), false);
    let back = on_card(&mut plan, &f, c.len(), true);
    let s = if settings.sign.is_positive() { 1.0 } else { -1.0 };
    [
        error(&to, &reference::type_3(&points, &wide(&c), &targets, s), &c),
        error(&back, &reference::type_3(&targets, &wide(&f), &points, -s), &f),
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
fn small_type_3_meets_its_tolerances() {
    for device in devices("nufft::type_3::small_type_3_meets_its_tolerances") {
        for (number, (x, s)) in cases().into_iter().enumerate() {
            let seed = 31 + number as u64;
            let (points, targets) = (scattered(seed, 150, &x), scattered(seed + 10, 130, &s));
            let check = |found: [f64; 2], precision: &str, tolerance: f64| {
                eprintln!("case {number} {precision} {tolerance:e}: {:.1e}, {:.1e}", found[0], found[1]);
                assert!(
                    found.iter().all(|e| *e <= tolerance),
                    "case {number} {precision} {tolerance:e}: {found:?}"
                );
            };
            for tolerance in [1e-3, 1e-7, 1e-13] {
                let settings = Settings::new(tolerance, Sign::Negative);
                check(errors::<f64>(&device, &points, &targets, &settings), "double", tolerance);
            }
            for tolerance in [1e-3, 1e-6] {
                let settings = Settings::new(tolerance, Sign::Positive);
                check(errors::<f32>(&device, &points, &targets, &settings), "single", tolerance);
            }
        }
    }
}

#[test]
fn small_extents_may_vanish_and_ends_are_as_good() {
    for device in devices("nufft::type_3::small_extents_may_vanish_and_ends_are_as_good") {
        let settings = Settings::new(1e-10, Sign::Positive);
        let (same, spread) = (vec![2.0; 9], (0..9).map(f64::from).collect::<Vec<_>>());
        let ends = vec![-9.0, 9.0];
        for points in [&same, &spread, &ends, &vec![0.0], &vec![1e-300, -1e-300]] {
            for targets in [&same, &spread, &ends, &vec![0.0], &vec![1e-300, -1e-300]] {
                for error in errors::<f64>(
                    &device,
                    std::slice::from_ref(points),
                    std::slice::from_ref(targets),
                    &settings,
                ) {
                    assert!(error <= 1e-10, "{points:?} {targets:?}: {error:e}");
                }
            }
        }
        // Nothing at either side.
        let mut plan = Plan::<f64>::new(&device, 1, &settings).unwrap();
        plan.set_points(&[&[]], &[&spread]).unwrap();
        assert!(on_card(&mut plan, &[], 18, false).iter().all(|v| *v == Complex::default()));
        plan.set_points(&[&spread], &[&[]]).unwrap();
        assert!(on_card(&mut plan, &[], 9, true).iter().all(|c| *c == Complex::default()));
        assert!(on_card(&mut plan, &values(9, 23), 0, false).is_empty());
    }
}

/// Stacked right-hand sides, from host to host, on either device; and many points.
#[test]
fn type_3_is_that_of_the_cpu() {
    for device in devices("nufft::type_3::type_3_is_that_of_the_cpu") {
        let settings = Settings::new(1e-9, Sign::Positive);
        for (axes, count) in [(1, 30_000), (2, 30_000), (3, 4_000)] {
            let points = coordinates(axes, count, super::Spread::Everywhere);
            let targets = scattered(5, count / 2, &[[3.0, 20.0], [-1.0, 15.0], [0.0, 4.0]][..axes]);
            let (points, targets) = (slices(&points), slices(&targets));
            let c = values::<f64>(2 * count, 24);
            let nan = Complex::new(f64::NAN, f64::NAN);
            let [cpu, card] = [
                type_3::Plan::on_cpu(axes, &settings).unwrap(),
                type_3::Plan::on_cuda(&device, axes, &settings).unwrap(),
            ]
            .map(|mut plan| {
                plan.set_points(&points, &targets).unwrap();
                let mut values = vec![nan; count / 2 * 2];
                plan.execute(&c, &mut values).unwrap();
                values
            });
            // Both are within the tolerance of the truth.
            let apart = error(&card, &cpu, &c);
            assert!(apart <= 2e-9, "{axes} axes: {apart:e}");
        }
    }
}

#[test]
fn what_makes_no_sense_is_refused_as_on_the_cpu() {
    for device in devices("nufft::type_3::what_makes_no_sense_is_refused_as_on_the_cpu") {
        let settings = Settings::new(1e-6, Sign::Negative);
        let mut plan = Plan::<f64>::new(&device, 1, &settings).unwrap();
        let mut other = cpu::type_3::Plan::<f64>::new(1, &settings).unwrap();
        for far in [1e6, 1e99] {
            let refused = plan.set_points(&[&[-far, far]], &[&[-far, far]]);
            assert!(matches!(refused, Err(Error::Extents { .. })), "{refused:?}");
        }
        for (points, targets) in [(f64::NAN, 0.0), (0.0, f64::INFINITY), (1e101, 0.0)] {
            let refused = plan.set_points(&[&[0.0, points]], &[&[targets]]).unwrap_err();
            let expected = other.set_points(&[&[0.0, points]], &[&[targets]]).unwrap_err();
            assert_eq!(refused.to_string(), expected.to_string());
        }
        plan.set_points(&[&[0.0, 1.0]], &[&[0.0, 2.0, 3.0]]).unwrap();
        for (from, to) in [(1, 3), (2, 2), (4, 3), (3, 3)] {
            let refused =
                plan.execute_on_host(&vec![Complex::default(); from], &mut vec![Complex::default(); to]);
            assert!(matches!(refused, Err(Error::Length { .. })), "{from} to {to}: {refused:?}");
        }
    }
}
