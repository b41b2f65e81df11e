//! NUFFTs on a card: against the sums by definition, against the CPU's plan, against the readable rungs; and the same bits each time.

mod direct;
mod memory;
mod tiny;
mod type_3;

use crate::devices;
use kernels::nufft::{Nufft, Rungs, Shape};
use kernels::{Buffer, Device};
use num_complex::Complex;
use pipeline::nufft::design::{Kind, Window};
use pipeline::nufft::{Error, Precision, Settings, Sign, Sum, Type, cpu, cuda, reference};
use std::f64::consts::PI;

/// Numbers from -1 to 1.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

#[derive(Debug, Clone, Copy)]
enum Spread {
    Everywhere,
    /// Within a bin or so.
    Crowd,
    /// All at one place.
    Same,
    /// At the ends of the period, and on fine points.
    Edges,
}

fn coordinates(axes: usize, count: usize, spread: Spread) -> Vec<Vec<f64>> {
    let mut next = noise(7);
    let edges = [0.0, -PI, PI, -0.0, PI * (1.0 - 1e-16), -1e-300, PI / 2.0, 2.0 * PI, -1e-9];
    let mut place = |i: usize| match spread {
        Spread::Everywhere => PI * next(),
        Spread::Crowd => 0.3 + 0.02 * next(),
        Spread::Same => 1.234,
        Spread::Edges => edges[i % edges.len()],
    };
    (0..axes).map(|_| (0..count).map(&mut place).collect()).collect()
}

fn values<T: Precision>(count: usize, seed: u64) -> Vec<Complex<T>> {
    let mut next = noise(seed);
    (0..count).map(|_| Complex::new(T::of(next()), T::of(next()))).collect()
}

fn wide<T: Precision>(values: &[Complex<T>]) -> Vec<Complex<f64>> {
    values.iter().map(|v| Complex::new(v.re.to_f64(), v.im.to_f64())).collect()
}

/// Relative error (l2); NaN is an error.
fn distance<T: Precision>(found: &[Complex<T>], expected: &[Complex<f64>]) -> f64 {
    let square = |sum: f64, z: Complex<f64>| sum + z.norm_sqr();
    let apart = wide(found).iter().zip(expected).map(|(a, b)| a - b).fold(0.0, square);
    (apart / expected.iter().copied().fold(0.0, square)).sqrt()
}

fn slices(points: &[Vec<f64>]) -> Vec<&[f64]> {
    points.iter().map(Vec::as_slice).collect()
}

/// What a card makes of it, twice, into memory full of NaN, by launches and then by a graph: the same bits.
fn on_card<T: Precision>(
    plan: &mut cuda::Plan<T>,
    kind: Type,
    input: &[Complex<T>],
    length: usize,
) -> Vec<Complex<T>> {
    let from = Buffer::from_slice(plan.stream(), "input", input).unwrap();
    let mut to = Buffer::poisoned(plan.stream(), "output", length).unwrap();
    let mut results = Vec::new();
    for _ in 0..3 {
        plan.execute(kind, &from, &mut to).unwrap();
        let mut values = vec![Complex::new(T::nan(), T::nan()); length];
        plan.stream().download(&to, &mut values).unwrap();
        results.push(values);
    }
    assert!(results[1] == results[0] && results[2] == results[0], "not the same bits");
    results.remove(0)
}

/// Both types against the definition; the largest error over the tolerance.
fn clearance<T: Precision>(
    device: &Device,
    modes: &[usize],
    count: usize,
    settings: &Settings,
    spread: Spread,
) -> f64 {
    let points = coordinates(modes.len(), count, spread);
    let points = slices(&points);
    let total: usize = modes.iter().product();
    let mut plan = cuda::Plan::<T>::new(device, modes, settings).unwrap();
    plan.set_points(&points).unwrap();
    let (c, f) = (values::<T>(count, 1), values::<T>(total, 2));
    let ones = on_card(&mut plan, Type::One, &c, total);
    let twos = on_card(&mut plan, Type::Two, &f, count);
    let sign = if settings.sign.is_positive() { 1.0 } else { -1.0 };
    let one = distance(&ones, &reference::type_1(&points, &wide(&c), modes, sign));
    let two = distance(&twos, &reference::type_2(&points, &wide(&f), modes, sign));
    assert!(one.is_finite() && two.is_finite(), "{modes:?} {spread:?}: {one} {two}");
    one.max(two) / settings.tolerance
}

/// Single precision holds the tolerance down to here.
const SINGLE: f64 = 1e-6;

/// Tolerances of both precisions and of the other window; every pair of width and precision is compiled by itself.
fn tolerances_are_met(test: &str, shapes: &[(&[usize], usize)]) {
    for device in devices(test) {
        for (modes, count) in shapes {
            let check = |window: Kind, tolerance: f64, single: bool| {
                let sign = if tolerance < 1e-8 { Sign::Positive } else { Sign::Negative };
                let settings = Settings { window, ..Settings::new(tolerance, sign) };
                let everywhere = Spread::Everywhere;
                let found = match single {
                    true => clearance::<f32>(&device, modes, *count, &settings, everywhere),
                    false => clearance::<f64>(&device, modes, *count, &settings, everywhere),
                };
                let precision = if single { "single" } else { "double" };
                eprintln!("{modes:?} {window} {precision} {tolerance:e}: error over tolerance {found:.2}");
                assert!(found <= 1.0, "{modes:?} {window} {precision} {tolerance:e}: {found}");
            };
            check(Kind::Prolate, 1e-2, false);
            check(Kind::Prolate, 1e-6, false);
            check(Kind::Prolate, 1e-12, false);
            check(Kind::Prolate, 1e-14, false);
            check(Kind::Semicircle, 1e-9, false);
            check(Kind::Prolate, 1e-3, true);
            check(Kind::Prolate, SINGLE, true);
        }
    }
}

#[test]
fn small_tolerances_are_met_along_a_line() {
    tolerances_are_met("nufft::small_tolerances_are_met_along_a_line", &[(&[301], 400), (&[1], 5)]);
}

#[test]
fn small_tolerances_are_met_in_the_plane() {
    let shapes: [(&[usize], usize); 3] = [(&[40, 31], 700), (&[1, 7], 50), (&[3, 5], 3)];
    tolerances_are_met("nufft::small_tolerances_are_met_in_the_plane", &shapes);
}

#[test]
fn small_tolerances_are_met_in_space() {
    tolerances_are_met("nufft::small_tolerances_are_met_in_space", &[(&[12, 10, 9], 500)]);
}

#[test]
fn small_points_may_crowd_coincide_or_lie_at_the_edges() {
    for device in devices("nufft::small_points_may_crowd_coincide_or_lie_at_the_edges") {
        for spread in [Spread::Crowd, Spread::Same, Spread::Edges] {
            let settings = Settings::new(1e-9, Sign::Negative);
            for (modes, count) in [(vec![50], 300), (vec![30, 20], 300), (vec![8, 9, 10], 200)] {
                // Neighbouring points add up: an error of the sum is one of the largest mode.
                let found = clearance::<f64>(&device, &modes, count, &settings, spread);
                assert!(found <= 3.0, "{modes:?} {spread:?}: {found}");
            }
        }
    }
}

#[test]
fn crowds_are_shared_by_blocks() {
    for device in devices("nufft::crowds_are_shared_by_blocks") {
        let settings = Settings::new(1e-8, Sign::Positive);
        for (modes, count) in [(vec![300], 20_000), (vec![64, 64], 20_000), (vec![16, 16, 16], 9_000)] {
            let points = coordinates(modes.len(), count, Spread::Crowd);
            let points = slices(&points);
            let total = modes.iter().product();
            let (c, f) = (values::<f64>(count, 3), values::<f64>(total, 4));
            let mut plan = cuda::Plan::<f64>::new(&device, &modes, &settings).unwrap();
            plan.set_points(&points).unwrap();
            let ones = on_card(&mut plan, Type::One, &c, total);
            let twos = on_card(&mut plan, Type::Two, &f, count);
            let mut other = cpu::Plan::<f64>::new(&modes, &settings).unwrap();
            other.set_points(&points).unwrap();
            let mut scratch = other.scratch();
            let nan = Complex::new(f64::NAN, f64::NAN);
            let (mut modes_out, mut values_out) = (vec![nan; total], vec![nan; count]);
            other.execute(Type::One, &c, &mut modes_out, &mut scratch).unwrap();
            other.execute(Type::Two, &f, &mut values_out, &mut scratch).unwrap();
            // Both are within the tolerance of the truth.
            let (one, two) = (distance(&ones, &modes_out), distance(&twos, &values_out));
            assert!(one < 2e-8 && two < 2e-8, "{modes:?}: {one} {two}");
        }
    }
}

#[test]
fn small_batches_adjoints_and_derivatives_are_those_of_the_cpu() {
    for device in devices("nufft::small_batches_adjoints_and_derivatives_are_those_of_the_cpu") {
        let settings = Settings::new(1e-10, Sign::Negative);
        let (modes, count, batch) = ([18, 25], 333, 3);
        let points = coordinates(2, count, Spread::Everywhere);
        let points = slices(&points);
        let total: usize = modes.iter().product();
        let (c, f) = (values::<f64>(batch * count, 5), values::<f64>(batch * total, 6));
        let mut plan = cuda::Plan::<f64>::new(&device, &modes, &settings).unwrap();
        plan.set_points(&points).unwrap();
        let mut other = cpu::Plan::<f64>::new(&modes, &settings).unwrap();
        other.set_points(&points).unwrap();
        let mut scratch = other.scratch();
        let nan = Complex::new(f64::NAN, f64::NAN);
        for (kind, derivative, adjoint) in [
            (Type::One, None, false),
            (Type::Two, None, false),
            (Type::One, None, true),
            (Type::Two, None, true),
            (Type::One, Some(0), false),
            (Type::Two, Some(1), false),
            (Type::One, Some(1), true),
            (Type::Two, Some(0), true),
        ] {
            let one = (kind == Type::One) != adjoint;
            let (input, length) = if one { (&c, batch * total) } else { (&f, batch * count) };
            let from = Buffer::from_slice(plan.stream(), "input", input).unwrap();
            let mut to = Buffer::poisoned(plan.stream(), "output", length).unwrap();
            let mut expected = vec![nan; length];
            let sum = Sum { kind, derivative, adjoint };
            plan.execute(sum, &from, &mut to).unwrap();
            other.execute(sum, input, &mut expected, &mut scratch).unwrap();
            let mut found = vec![nan; length];
            plan.stream().download(&to, &mut found).unwrap();
            let apart = distance(&found, &expected);
            // Both are within sqrt(3) of the tolerance of the truth.
            assert!(apart < 4e-10, "{kind:?} {derivative:?} {adjoint}: {apart}");
        }
    }
}

#[test]
fn small_rungs_spread_and_interpolate_the_same() {
    for device in devices("nufft::small_rungs_spread_and_interpolate_the_same") {
        for modes in [vec![90], vec![44, 36], vec![10, 9, 12]] {
            let count = 500;
            let window = Window::new(Kind::Prolate, 1e-9, 2.0, &modes).unwrap();
            let n: Vec<usize> =
                modes.iter().map(|n| (2 * n).max(2 * window.width).next_multiple_of(8)).collect();
            let factors: Vec<f64> =
                modes.iter().zip(&n).flat_map(|(modes, n)| window.factors(*modes, *n)).collect();
            let shape = Shape { n, modes: modes.clone(), width: window.width, degree: window.degree };
            let stream = &mut device.stream().unwrap();
            let nufft = Nufft::new(stream, &shape, &window.polynomials, &factors).unwrap();
            let mut points = nufft.points(stream, count).unwrap();
            let coordinates = coordinates(modes.len(), count, Spread::Everywhere);
            let buffers: Vec<_> =
                coordinates.iter().map(|x| Buffer::from_slice(stream, "x", x).unwrap()).collect();
            let sorted = nufft.sort(stream, &buffers.iter().collect::<Vec<_>>(), &mut points).unwrap();
            assert_eq!(sorted, None);
            let c = Buffer::from_slice(stream, "strengths", &values::<f64>(count, 8)).unwrap();
            let rungs = Rungs::new(stream, &nufft, &points).unwrap();
            let mut grids = Vec::new();
            for way in 0..3 {
                let mut grid = Buffer::poisoned(stream, "grid", nufft.fine_points()).unwrap();
                match way {
                    0 => nufft.spread(stream, &mut points, &c, 0, &mut grid).unwrap(),
                    _ => rungs.spread(stream, &nufft, &points, &c, way == 2, &mut grid).unwrap(),
                }
                let mut found = vec![Complex::new(f64::NAN, f64::NAN); nufft.fine_points()];
                stream.download(&grid, &mut found).unwrap();
                grids.push((grid, found));
            }
            // Rounding of some dozen sums.
            for (_, other) in &grids[1..] {
                assert!(distance(&grids[0].1, other) < 1e-14, "{modes:?}");
            }
            let mut results = Vec::new();
            for way in 0..2 {
                let mut to = Buffer::poisoned(stream, "values", count).unwrap();
                match way {
                    0 => nufft.interpolate(stream, &points, &grids[0].0, 0, &mut to).unwrap(),
                    _ => rungs.interpolate(stream, &nufft, &points, &grids[0].0, &mut to).unwrap(),
                }
                let mut found = vec![Complex::new(f64::NAN, f64::NAN); count];
                stream.download(&to, &mut found).unwrap();
                results.push(found);
            }
            assert!(distance(&results[0], &results[1]) < 1e-14, "{modes:?}");
        }
    }
}

#[test]
fn no_points_and_points_that_are_none() {
    for device in devices("nufft::no_points_and_points_that_are_none") {
        let settings = Settings::new(1e-6, Sign::Negative);
        let mut plan = cuda::Plan::<f32>::new(&device, &[20, 30], &settings).unwrap();
        plan.set_points(&[&[], &[]]).unwrap();
        let modes = on_card(&mut plan, Type::One, &[], 600);
        assert!(modes.iter().all(|f| *f == Complex::default()), "the sum of nothing");
        let error = plan.set_points(&[&[0.0, 1.0, 2.0], &[0.0, f64::NAN, f64::INFINITY]]).unwrap_err();
        assert!(matches!(error, Error::Point { index: 1, axis: 1, .. }), "{error}");
        assert_eq!(plan.points(), 0);
        // The same from memory of the card.
        let axes = [[0.0; 3], [0.0, 0.0, -2e9]].map(|x| Buffer::from_slice(plan.stream(), "x", &x).unwrap());
        let error = plan.set_points_on_card(&[&axes[0], &axes[1]]).unwrap_err();
        assert_eq!(error, Error::Point { index: 2, axis: 1, value: -2e9 });
        let error = plan.set_points(&[&[0.0, 1.0], &[0.0]]).unwrap_err();
        assert!(error.to_string().contains("array of coordinates"), "{error}");
        plan.set_points(&[&[0.5], &[-0.25]]).unwrap();
        let c = [Complex::new(2.0, -1.0)];
        let modes = on_card(&mut plan, Type::One, &c, 600);
        let expected = reference::type_1(&[&[0.5], &[-0.25]], &wide(&c), &[20, 30], -1.0);
        assert!(distance(&modes, &expected) < 1e-6);
    }
}

#[test]
fn tolerances_that_rounding_has_no_room_for_are_refused_on_both_devices() {
    for device in devices("nufft::tolerances_that_rounding_has_no_room_for_are_refused_on_both_devices") {
        let settings = Settings::new(1e-7, Sign::Negative);
        let refusals = [
            cuda::Plan::<f32>::new(&device, &[20], &settings).err(),
            cuda::type_3::Plan::<f32>::new(&device, 2, &settings).err(),
            cpu::Plan::<f32>::new(&[20], &settings).err(),
            cpu::type_3::Plan::<f32>::new(2, &settings).err(),
        ];
        for error in refusals {
            assert!(matches!(error, Some(Error::Rounding { precision: "f32", .. })), "{error:?}");
        }
        cuda::Plan::<f64>::new(&device, &[20], &settings).unwrap();
    }
}
