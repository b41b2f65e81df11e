//! The Fourier series of the power's kernel, for elements that lie on no lattice.
//!
//! Elements within |x| <= X have distances up to 2 X. On a period L = 4 X + T the kernel times a step, which falls from 1 at 2 X to
//! 0 at L - 2 X, has copies that reach no distance that occurs, so that its Fourier series is the kernel there:
//!
//! ```text
//! P = sum_k K_k |F(u_k)|^2,   u_k = k lambda/L,   |u_k| <= 1 + margin
//! ```
//! The step is half an error function of width s: it is off by erfc(T/(2 s)) at its ends, and its spectrum, which smears the edge of
//! the disc u^2 + v^2 = 1, falls as exp(-(pi s w)^2) at w = margin/lambda. With both exponents equal, s = T/(2 e) and margin =
//! 2 e^2 lambda/(pi T), e^2 = ln(1/tolerance); T makes (4 X + T)(1 + margin), the number of modes, least.

use super::Kernel;
use nufft::design::smooth;
use num_complex::Complex;
use numerics::quadrature::half_line;
use numerics::real::Real;
use std::f64::consts::{PI, TAU};

/// Modes and what they weigh.
#[derive(Debug, Clone)]
pub struct Spectrum {
    /// Periods along x and y, m.
    pub period: [f64; 2],
    /// Number of modes along x and y, odd: from -N/2 to N/2.
    pub modes: [usize; 2],
    /// K_k, `[ky][kx]`.
    pub weights: Vec<f64>,
}

impl Spectrum {
    /// For elements within `reach` (m) of the centre, along x and y.
    pub fn new(wavelength: f64, reach: [f64; 2], exponent: f64, tolerance: f64) -> Self {
        let axes = reach.map(|reach| Axis::new(wavelength, reach, tolerance));
        let modes = axes.map(|axis| axis.modes);
        let n = modes.map(|modes| smooth(modes + modes / 4));
        let beta = TAU / wavelength;
        let kernel = Kernel::new(exponent, beta * axes[0].period.hypot(axes[1].period));
        let copies = [0, 1].map(|axis: usize| {
            let at = |i: usize| i as f64 * axes[axis].period / n[axis] as f64;
            (0..=n[axis] / 2).map(|i| axes[axis].copies(at(i))).collect::<Vec<_>>()
        });
        let value = |row: usize, column: usize| {
            let pairs = copies[1][row].iter().flat_map(|y| copies[0][column].iter().map(move |x| (x, y)));
            pairs.map(|([x, along], [y, down])| along * down * kernel.value(beta * x.hypot(*y))).sum::<f64>()
        };
        // A quarter of the samples has them all.
        let half = n[0] / 2 + 1;
        let quarter: Vec<f64> = (0..=n[1] / 2)
            .flat_map(|row| (0..half).map(move |column| (row, column)))
            .map(|(r, c)| value(r, c))
            .collect();
        let all = (0..n[1])
            .flat_map(|row| (0..n[0]).map(move |column| (row.min(n[1] - row), column.min(n[0] - column))));
        let samples = all.map(|(row, column)| Complex::new(quarter[row * half + column], 0.0)).collect();
        Self { period: axes.map(|axis| axis.period), modes, weights: coefficients(samples, n, modes) }
    }
}

/// The Fourier coefficients of samples `[y][x]`, n of them along x and y, at the modes in the middle.
fn coefficients(mut samples: Vec<Complex<f64>>, n: [usize; 2], modes: [usize; 2]) -> Vec<f64> {
    let transforms = f64::transforms(&n);
    transforms[0][0].process(&mut samples);
    let mut turned: Vec<Complex<f64>> =
        (0..n[0]).flat_map(|x| (0..n[1]).map(move |y| (x, y))).map(|(x, y)| samples[y * n[0] + x]).collect();
    transforms[1][0].process(&mut turned);
    let scale = 1.0 / (n[0] * n[1]) as f64;
    let index = |i: usize, axis: usize| (i + n[axis] - modes[axis] / 2) % n[axis];
    let all = (0..modes[1]).flat_map(|ky| (0..modes[0]).map(move |kx| (kx, ky)));
    all.map(|(kx, ky)| scale * turned[index(kx, 0) * n[1] + index(ky, 1)].re).collect()
}

#[derive(Debug, Clone, Copy)]
struct Axis {
    /// L.
    period: f64,
    /// s.
    width: f64,
    modes: usize,
}

impl Axis {
    fn new(wavelength: f64, reach: f64, tolerance: f64) -> Self {
        let square = (1.0 / tolerance).ln();
        let spread = 2.0 * square * wavelength / PI;
        let fall = (4.0 * reach * spread).sqrt().max(spread);
        let period = 4.0 * reach + fall;
        let highest = (period / wavelength * (1.0 + spread / fall)).ceil() as usize;
        Self { period, width: 0.5 * fall / square.sqrt(), modes: 2 * highest + 1 }
    }

    /// Both copies of the kernel that reach `at`: their distances, and the step there.
    fn copies(self, at: f64) -> [[f64; 2]; 2] {
        let step = |at: f64| 0.5 - 0.5 * erf((at - 0.5 * self.period) / self.width);
        [at, self.period - at].map(|at| [at, step(at)])
    }
}

/// The error function, right to 1e-15: its integral by a rule that is exact for exp(-x^2) up to [`FAR`].
fn erf(x: f64) -> f64 {
    if x.abs() > FAR {
        return x.signum();
    }
    let (nodes, weights) = half_line(40);
    let sum: f64 = nodes.iter().zip(&weights).map(|(u, w)| w * (-(x * u) * (x * u)).exp()).sum();
    2.0 / PI.sqrt() * x * sum
}

/// 1 - erf is 2e-17 there.
const FAR: f64 = 6.0;

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun, table 7.1.
    #[test]
    fn the_error_function_is_that_of_the_table() {
        for (x, expected) in
            [(0.0, 0.0), (0.5, 0.520_499_877_8), (-1.0, -0.842_700_792_9), (2.0, 0.995_322_265_0)]
        {
            assert!((erf(x) - expected).abs() < 1e-10, "{x}: {}", erf(x));
        }
        assert!((erf(FAR - 1e-9) - 1.0).abs() < 1e-15);
    }

    /// The series is the kernel at all distances that occur, to the tolerance times a few: both ends of the step, and the modes left out.
    #[test]
    fn the_series_is_the_kernel() {
        let (wavelength, reach) = (0.021, [0.05, 0.12]);
        for (exponent, tolerance) in [(0.0, 1e-6), (0.0, 1e-11), (1.0, 1e-9)] {
            let spectrum = Spectrum::new(wavelength, reach, exponent, tolerance);
            let [nx, ny] = spectrum.modes;
            let kernel = Kernel::new(exponent, 200.0);
            let phase =
                |i: usize, n: usize, d: f64, period: f64| (i as f64 - (n / 2) as f64) * TAU * d / period;
            for (dx, dy) in [(0.0, 0.0), (0.1, 0.24), (-0.1, 0.01), (0.033, -0.2399), (0.0999, 0.0)] {
                let mut sum = 0.0;
                for ky in 0..ny {
                    for kx in 0..nx {
                        let wave =
                            phase(kx, nx, dx, spectrum.period[0]) + phase(ky, ny, dy, spectrum.period[1]);
                        sum += spectrum.weights[ky * nx + kx] * wave.cos();
                    }
                }
                let expected = kernel.value(TAU / wavelength * f64::hypot(dx, dy));
                assert!(
                    (sum - expected).abs() < 10.0 * tolerance,
                    "{dx} {dy}: {sum} {expected} {tolerance:e}"
                );
            }
        }
    }
}
