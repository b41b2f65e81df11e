//! Spectrum of one channel by Welch's method: the mean power of Hann-windowed pieces that overlap by half.
//!
//! A tone of amplitude A (full scale 1) that falls on a bin reads 20 log10 A there, so 0 dBFS is a full-scale sine.
//! Noise of density S reads S times [`Spectrum::noise_bandwidth_hz`].

use dsp_core::window::{Window, noise_bandwidth};
use num_complex::Complex;
use numerics::real::Real;

/// Level against frequency.
#[derive(Debug, Clone, PartialEq)]
pub struct Spectrum {
    /// Centre of each bin, Hz.
    pub frequency_hz: Vec<f64>,
    /// Level of each bin, dBFS.
    pub level_dbfs: Vec<f64>,
    /// Width of the rectangle that passes as much noise as a bin, Hz.
    pub noise_bandwidth_hz: f64,
}

/// The spectrum of `samples` (full scale 1) in pieces of at most `longest`, a power of two; `None` under two samples.
pub fn welch(samples: &[f32], sample_rate_hz: f64, longest: usize) -> Option<Spectrum> {
    let n = longest.min(1 << samples.len().checked_ilog2()?);
    if n < 2 {
        return None;
    }
    let mut window = vec![0.0f64; n];
    Window::Hann.periodic(&mut window);
    let mean = samples.iter().map(|&x| f64::from(x)).sum::<f64>() / samples.len() as f64;
    let [fft, _] = &f64::transforms(&[n])[0];
    let mut values = vec![Complex::default(); n];
    let mut scratch = vec![Complex::default(); fft.get_inplace_scratch_len()];
    let mut power = vec![0.0; n / 2 + 1];
    let mut pieces = 0.0;
    for piece in samples.windows(n).step_by(n / 2) {
        for ((x, sample), w) in values.iter_mut().zip(piece).zip(&window) {
            *x = Complex::new((f64::from(*sample) - mean) * w, 0.0);
        }
        fft.process_with_scratch(&mut values, &mut scratch);
        for (p, x) in power.iter_mut().zip(&values) {
            *p += x.norm_sqr();
        }
        pieces += 1.0;
    }
    let scale = 2.0 / window.iter().sum::<f64>();
    let resolution = sample_rate_hz / n as f64;
    Some(Spectrum {
        frequency_hz: (0..power.len()).map(|k| k as f64 * resolution).collect(),
        level_dbfs: power.iter().map(|p| 10.0 * (p / pieces * scale * scale).log10()).collect(),
        noise_bandwidth_hz: noise_bandwidth(&window) * resolution,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_reads_its_level() {
        let samples: Vec<f32> = (0..4096)
            .map(|n| 0.1 * (f64::from(n) * std::f64::consts::TAU * 32.0 / 1024.0).sin() as f32 + 0.3)
            .collect();
        let spectrum = welch(&samples, 1024.0, 1024).unwrap();
        // f32 samples: rounding noise of 0.4 * 2^-25 rms against 0.1 changes the level by under 1e-5 dB.
        assert!((spectrum.level_dbfs[32] + 20.0).abs() < 1e-5);
        assert_eq!(spectrum.frequency_hz[32], 32.0);
        assert!((spectrum.noise_bandwidth_hz - 1.5).abs() < 1e-12);
        assert!(spectrum.level_dbfs[100] < -120.0);
    }

    #[test]
    fn too_little_gives_nothing() {
        assert!(welch(&[], 1.0, 1024).is_none());
        assert!(welch(&[1.0], 1.0, 1024).is_none());
    }
}
