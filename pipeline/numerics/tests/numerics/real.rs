use numerics::real::{Real, widened};
use numerics::simd;
use rustfft::num_complex::Complex;
use std::f64::consts::TAU;

/// Transforms of two impulses are sums of two waves, by the instructions of this machine and by those of any.
///
/// Bluestein's algorithm is two transforms of up to 4 n and three products. Of their 27 steps at n = 1155
/// each errs by about two units of rounding.
fn transforms_are_sums_of_waves<T: Real>() {
    let tolerance = 64.0 * Real::to_f64(T::epsilon());
    for arch in [None, Some(pulp::Arch::Scalar)] {
        simd::choose(arch);
        for n in (1..=40).chain([48, 97, 160, 509, 1024, 1155]) {
            for (direction, fft) in T::transforms(&[n])[0].iter().enumerate() {
                let sign = [-1.0, 1.0][direction];
                let wave = |k: usize, j: usize| {
                    Complex::from_polar(1.0, sign * TAU * ((k * j) % n) as f64 / n as f64)
                };
                let (first, second) = (n / 3, n - 1);
                let mut values = vec![Complex::new(T::zero(), T::zero()); n];
                values[first] += Complex::new(T::one(), T::zero());
                values[second] += Complex::new(T::zero(), T::one());
                fft.process(&mut values);
                for (k, value) in values.iter().enumerate() {
                    let expected = wave(k, first) + Complex::<f64>::i() * wave(k, second);
                    let error = Complex::<f64>::norm(widened(value) - expected);
                    assert!(error < tolerance, "{arch:?} {n} {k}: {error:e}");
                }
            }
        }
    }
    simd::choose(None);
}

#[test]
fn transforms_are_sums_of_waves_in_single_precision() {
    transforms_are_sums_of_waves::<f32>();
}

#[test]
fn transforms_are_sums_of_waves_in_double_precision() {
    transforms_are_sums_of_waves::<f64>();
}
