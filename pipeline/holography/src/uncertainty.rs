//! How far the noise of the microphones carries into the source plane: a standard deviation for every point.
//!
//! From the padded hologram on, the chain is a convolution with b = IDFT(F B). Independent noise of variance v on the
//! microphones therefore gives the source plane the variance
//!
//! ```text
//! V(x, y) = sum |b(x - x', y - y')|^2 v(x', y')
//! ```
//!
//! which is one more convolution. v is [`super::noise::Noise::variance`] of the measured values, plus what an interpolated
//! microphone adds. Not in it: what the filter takes from the field, and the error of padding, which is felt within a few
//! pitches of the border.

use super::design::{Grid, KFilter, vertical_wavenumber};
use super::fft2::Fft2;
use num_complex::Complex;

/// Standard deviation of the pressure on the source plane, `[y][x]` of the aperture, for microphones of `variance`
/// `[y][x]`, at wavenumber `k` and `standoff` metres.
pub fn standard_deviation(
    grid: &Grid,
    k: f64,
    standoff: f64,
    filter: &KFilter,
    variance: &[f64],
) -> Vec<f64> {
    let fft = Fft2::new(grid.rows, grid.cols);
    let (ky, kx) = grid.wavenumbers();
    let mut kernel: Vec<Complex<f64>> = ky
        .iter()
        .flat_map(|y| kx.iter().map(move |x| x.hypot(*y)))
        .map(|radius| {
            let kz = vertical_wavenumber(k, radius);
            Complex::from_polar(filter.gain_times_exp(radius, -kz.im * standoff), kz.re * standoff)
        })
        .collect();
    fft.inverse(&mut kernel);
    kernel.iter_mut().for_each(|b| *b = b.norm_sqr().into());
    fft.forward(&mut kernel);
    let mut plane = vec![Complex::new(0.0, 0.0); grid.len()];
    let (top, left, measured) = (grid.top(), grid.left(), grid.aperture.cols);
    for (y, line) in variance.chunks_exact(measured).enumerate() {
        for (x, v) in line.iter().enumerate() {
            plane[(top + y) * grid.cols + left + x] = (*v).into();
        }
    }
    fft.forward(&mut plane);
    plane.iter_mut().zip(&kernel).for_each(|(v, b)| *v *= b);
    fft.inverse(&mut plane);
    let row = |y: usize| &plane[(top + y) * grid.cols + left..][..measured];
    // A sum of squares; rounding of the transforms may leave it a hair below zero.
    (0..grid.aperture.rows).flat_map(row).map(|v| v.re.max(0.0).sqrt()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::design::{Aperture, Medium};
    use super::super::testing::Random;
    use super::super::{Padding, Settings, cpu};
    use super::*;

    /// With zeros around the aperture the chain is linear, and noise alone must come out with the deviation predicted.
    #[test]
    fn equals_what_noise_does_to_the_chain() {
        const RUNS: usize = 400;
        let aperture = Aperture { rows: 12, cols: 16, pitch: 0.02 };
        let grid = Grid::triple(aperture).unwrap();
        let (frequency, standoff, filter) = (900.0, 0.04, KFilter { cutoff: 70.0, slope: 0.1 });
        let settings = Settings { padding: Padding::Zero, ..Settings::new(grid, standoff) };
        let mut plan = cpu::Plan::<f64>::new(&settings, &[frequency], filter).unwrap();
        let mut random = Random::new(4);
        let variance: Vec<f64> = (0..aperture.len()).map(|_| random.between(0.1, 2.0)).collect();
        let mut power = vec![0.0; aperture.len()];
        let mut source = vec![Complex::new(f64::NAN, f64::NAN); aperture.len()];
        for _ in 0..RUNS {
            let noise: Vec<Complex<f64>> = variance.iter().map(|v| random.complex() * v.sqrt()).collect();
            plan.execute(&noise, &mut source, None).unwrap();
            power.iter_mut().zip(&source).for_each(|(sum, p)| *sum += p.norm_sqr() / RUNS as f64);
        }
        let k = Medium::default().wavenumber(frequency);
        let predicted = standard_deviation(&grid, k, standoff, &filter, &variance);
        // |p|^2 is exponential: its mean over 400 runs deviates by 5 %, the root by 2.5 %; 192 points: 4.5 deviations.
        for (power, predicted) in power.iter().zip(&predicted) {
            assert!((power.sqrt() / predicted - 1.0).abs() < 4.5 * 0.025, "{} {predicted}", power.sqrt());
        }
    }
}
