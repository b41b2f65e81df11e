//! Derivatives with respect to the points.

use super::*;

/// Errors of both types' derivatives and of their adjoints, against the definition with i s k in it.
fn derivative_errors<T: Precision>(modes: &[usize], axis: usize, settings: &Settings) -> [f64; 4] {
    let count = 250;
    let (plan, points, mut random) = plan::<T>(modes, count, settings);
    let (points, s) = (slices(&points), sign_of(settings));
    let k = wavenumbers(modes, axis);
    let times =
        |f: &[C], s: f64| -> Vec<C> { f.iter().zip(&k).map(|(f, k)| C::new(0.0, s * k) * f).collect() };
    let (c, f) = (exact(&rounded::<T>(&random.values(count))), exact(&rounded::<T>(&random.values(k.len()))));
    let mut scratch = plan.scratch();
    let mut run = |kind: Type, adjoint: bool| {
        let to_modes = (kind == Type::One) != adjoint;
        let (input, length) = if to_modes { (&c, k.len()) } else { (&f, count) };
        let (input, mut output) = (rounded::<T>(input), poison::<T>(length));
        scratch.poison();
        let sum = Sum { adjoint, ..Sum::derivative(kind, axis) };
        plan.execute(sum, &input, &mut output, &mut scratch).unwrap();
        exact(&output)
    };
    let to_modes = |s: f64| times(&reference::type_1(&points, &c, modes, s), s);
    let to_points = |s: f64| reference::type_2(&points, &times(&f, s), modes, s);
    let relative = |found: &[C], expected: &[C]| error(found, expected, &[]);
    [
        relative(&run(Type::One, false), &to_modes(s)),
        relative(&run(Type::Two, false), &to_points(s)),
        relative(&run(Type::One, true), &to_points(-s)),
        relative(&run(Type::Two, true), &to_modes(-s)),
    ]
}

#[test]
fn derivatives_are_those_of_the_definition() {
    // The power of the copies rises towards the last modes, where k^2 is three times its mean.
    let more = 3f64.sqrt();
    let mut worst: f64 = 0.0;
    for modes in [&[60][..], &[17], &[20, 31], &[9, 10, 13]] {
        for axis in 0..modes.len() {
            for exponent in [2, 5, 9, 13] {
                let tolerance = 10f64.powi(-exponent);
                let settings = Settings::new(tolerance, Sign::Negative);
                for error in derivative_errors::<f64>(modes, axis, &settings) {
                    assert!(error <= more * tolerance, "{modes:?} axis {axis} {tolerance:e}: {error:e}");
                    worst = worst.max(error / tolerance);
                }
            }
            for error in derivative_errors::<f32>(modes, axis, &Settings::new(1e-6, Sign::Positive)) {
                assert!(error <= more * 1e-6, "{modes:?} axis {axis} f32: {error:e}");
            }
        }
    }
    println!("worst error over tolerance {worst:.2}");
}

/// A functional of type 1: half the squared distance to given modes.
#[test]
fn a_gradient_is_what_the_functional_changes_by() {
    let modes = [14, 11];
    let (plan, mut points, mut random) = plan::<f64>(&modes, 30, &Settings::new(1e-12, Sign::Positive));
    let (c, wanted) = (random.values(30), random.values(plan.modes()));
    let mut scratch = plan.scratch();
    let at = |points: &[Vec<f64>]| {
        let mut plan = plan.clone();
        plan.set_points(&slices(points)).unwrap();
        plan
    };
    let residual = |points: &[Vec<f64>], scratch: &mut Scratch<f64>| -> Vec<C> {
        let mut f = poison(wanted.len());
        at(points).execute(Type::One, &c, &mut f, scratch).unwrap();
        f.iter().zip(&wanted).map(|(f, wanted)| f - wanted).collect()
    };
    for (axis, j) in [(0, 4), (1, 21)] {
        let place = points[axis][j];
        let [before, after] = [-1e-5, 1e-5].map(|step| {
            points[axis][j] = place + step;
            0.5 * residual(&points, &mut scratch).iter().map(|r| r.norm_sqr()).sum::<f64>()
        });
        points[axis][j] = place;
        let (g, mut h) = (residual(&points, &mut scratch), poison(30));
        at(&points).execute(Sum::derivative(Type::One, axis).adjoint(), &g, &mut h, &mut scratch).unwrap();
        let (found, expected) = ((c[j].conj() * h[j]).re, (after - before) / 2e-5);
        // Central differences: (N/2 step)^2/6 of the derivative, and the functional's rounding over the step.
        assert!((found - expected).abs() < 1e-7 * expected.abs(), "axis {axis}: {found} {expected}");
    }
}
