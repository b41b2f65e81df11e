//! Window functions: Hann, Hamming, Blackman-Harris, Kaiser, Tukey.
//!
//! With the span M and the folded index i = min(n, M - n), a sample is
//!
//! ```text
//! cosine sums      w = a0 - a1 cos t + a2 cos 2t - a3 cos 3t,   t = 2 pi i / M
//!   Hann             0.5, 0.5
//!   Hamming          0.54, 0.46
//!   Blackman-Harris  0.35875, 0.48829, 0.14128, 0.01168
//! Kaiser(beta)     w = I0(beta sqrt(1 - (2 i / M - 1)^2)) / I0(beta)
//! Tukey(alpha)     w = 0.5 - 0.5 cos(2 pi i / (alpha M)) for 2 i < alpha M, otherwise 1
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | N | length of the output |
//! | M | N for [`Window::periodic`] (spectra), N - 1 for [`Window::symmetric`] (filters, tapers) |
//! | beta | Kaiser's shape, 0 is rectangular; valid for \|beta\| <= 700, where I0 fits an `f64` |
//! | alpha | tapered part of Tukey's window; 0 or less is rectangular, 1 or more is Hann |
//! | I0 | modified Bessel function of the first kind, order zero |
//!
//! `periodic` of N samples is `symmetric` of N + 1 without its last, bit for bit. Lengths 0 and 1
//! are scipy's: nothing, and a single 1.
//!
//! Everything is computed in `f64` and rounded once. Cost: one to three cosines a sample, for
//! Kaiser about 1.5 beta + 20 multiplications; meant for set-up, not for streaming.

use core::f64::consts::PI;

/// A number that a window can be written in.
pub trait Real: Copy + Into<f64> {
    /// The nearest value.
    fn from_f64(x: f64) -> Self;
}

impl Real for f32 {
    #[inline]
    fn from_f64(x: f64) -> Self {
        x as f32
    }
}

impl Real for f64 {
    #[inline]
    fn from_f64(x: f64) -> Self {
        x
    }
}

/// A window's shape; the module documentation has the formulas.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Window {
    /// Raised cosine, noise bandwidth 1.5 bins.
    Hann,
    /// Raised cosine on a pedestal of 0.08, noise bandwidth 1.36 bins.
    Hamming,
    /// Four-term minimum side lobes (-92 dB), noise bandwidth 2.00 bins.
    BlackmanHarris,
    /// Kaiser's near-optimal window.
    Kaiser {
        /// Trades width of the main lobe for side lobes.
        beta: f64,
    },
    /// Flat with cosine tapers.
    Tukey {
        /// Share of the length that is tapered, both ends together.
        alpha: f64,
    },
}

impl Window {
    /// Fills `out` with one period of the window, for spectra.
    pub fn periodic<T: Real>(self, out: &mut [T]) {
        self.fill(out, out.len());
    }

    /// Fills `out` with the window that ends as it starts, for filters and tapers.
    pub fn symmetric<T: Real>(self, out: &mut [T]) {
        self.fill(out, out.len().saturating_sub(1));
    }

    fn fill<T: Real>(self, out: &mut [T], span: usize) {
        if let [single] = out {
            *single = T::from_f64(1.0);
            return;
        }
        for (n, w) in out.iter_mut().enumerate() {
            *w = T::from_f64(self.at(n, span));
        }
    }

    /// Sample n of a window with span M = `span`; n <= M.
    fn at(self, n: usize, span: usize) -> f64 {
        if span == 0 {
            return 1.0;
        }
        // Folding makes the two halves equal bit for bit.
        let i = n.min(span - n) as f64;
        let span = span as f64;
        match self {
            Self::Hann => cosine_sum([0.5, 0.5, 0.0, 0.0], i / span),
            Self::Hamming => cosine_sum([0.54, 0.46, 0.0, 0.0], i / span),
            Self::BlackmanHarris => cosine_sum([0.35875, 0.48829, 0.14128, 0.01168], i / span),
            Self::Kaiser { beta } => {
                let x = 2.0 * i / span - 1.0;
                bessel_i0(beta * libm::sqrt(1.0 - x * x)) / bessel_i0(beta)
            }
            Self::Tukey { alpha } => {
                let taper = alpha.min(1.0) * span;
                if 2.0 * i < taper { cosine_sum([0.5, 0.5, 0.0, 0.0], i / taper) } else { 1.0 }
            }
        }
    }
}

/// a0 - a1 cos t + a2 cos 2t - a3 cos 3t with t = 2 pi `turns`.
fn cosine_sum(a: [f64; 4], turns: f64) -> f64 {
    let c = libm::cos(2.0 * PI * turns);
    // Chebyshev: cos 2t = 2 c^2 - 1, cos 3t = 4 c^3 - 3 c.
    a[0] - a[1] * c + a[2] * (2.0 * c * c - 1.0) - a[3] * (4.0 * c * c - 3.0) * c
}

/// I0(x) = sum over k of ((x/2)^k / k!)^2.
///
/// All terms are positive, so nothing cancels. Term k carries at most 3k roundings and weighs most
/// near k = |x|/2; with the at most 1.5 |x| + 20 additions the relative error stays below
/// (3 |x| + 20) 2^-53.
fn bessel_i0(x: f64) -> f64 {
    let quarter_square = 0.25 * x * x;
    let (mut sum, mut term, mut k) = (1.0, 1.0, 0.0);
    while term > sum * f64::EPSILON / 8.0 {
        k += 1.0;
        term *= quarter_square / (k * k);
        sum += term;
    }
    sum
}

/// Coherent gain: the mean of the window, the factor by which it lowers a tone's amplitude.
///
/// NaN for an empty window.
pub fn coherent_gain<T: Real>(window: &[T]) -> f64 {
    sum(window, |w| w) / window.len() as f64
}

/// Equivalent noise bandwidth in bins, N sum w^2 / (sum w)^2: white noise in a bin relative to that
/// of a rectangular window of the same coherent gain.
///
/// NaN for an empty window.
pub fn noise_bandwidth<T: Real>(window: &[T]) -> f64 {
    let total = sum(window, |w| w);
    window.len() as f64 * sum(window, |w| w * w) / (total * total)
}

fn sum<T: Real>(window: &[T], f: impl Fn(f64) -> f64) -> f64 {
    window.iter().map(|&w| f(w.into())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    const ALL: [Window; 5] = [
        Window::Hann,
        Window::Hamming,
        Window::BlackmanHarris,
        Window::Kaiser { beta: 8.6 },
        Window::Tukey { alpha: 0.4 },
    ];

    /// A few roundings of numbers of order one: cosine argument, cosine, four products and sums.
    const ROUNDINGS: f64 = 16.0 * f64::EPSILON;

    fn periodic(w: Window, n: usize) -> Vec<f64> {
        let mut out = std::vec![f64::NAN; n];
        w.periodic(&mut out);
        out
    }

    fn symmetric(w: Window, n: usize) -> Vec<f64> {
        let mut out = std::vec![f64::NAN; n];
        w.symmetric(&mut out);
        out
    }

    fn assert_near(got: &[f64], expected: &[f64], tolerance: f64) {
        assert_eq!(got.len(), expected.len());
        for (i, (g, e)) in got.iter().zip(expected).enumerate() {
            assert!((g - e).abs() <= tolerance, "sample {i}: {g} and {e}");
        }
    }

    #[test]
    fn periodic_is_symmetric_of_one_more() {
        for w in ALL {
            for n in 2..70 {
                assert_eq!(periodic(w, n), symmetric(w, n + 1)[..n], "{w:?} {n}");
                let mut mirrored = symmetric(w, n);
                mirrored.reverse();
                assert_eq!(symmetric(w, n), mirrored, "{w:?} {n}");
            }
        }
    }

    #[test]
    fn lengths_zero_and_one_follow_scipy() {
        for w in ALL {
            assert_eq!((periodic(w, 0), symmetric(w, 0)), (Vec::new(), Vec::new()));
            assert_eq!((periodic(w, 1), symmetric(w, 1)), (std::vec![1.0], std::vec![1.0]));
        }
        assert_eq!(symmetric(Window::Hann, 2), [0.0, 0.0]);
        assert_eq!(periodic(Window::Hann, 2), [0.0, 1.0]);
    }

    #[test]
    fn cosine_sums_have_their_closed_forms() {
        // Over a period: sum w = N a0, sum w^2 = N (a0^2 + sum of a_k^2 / 2).
        let cases = [
            (Window::Hann, 0.5, 1.5),
            (Window::Hamming, 0.54, (0.54 * 0.54 + 0.46 * 0.46 / 2.0) / (0.54 * 0.54)),
            (Window::BlackmanHarris, 0.35875, 2.004_352_938_217_047_5),
        ];
        for (w, gain, bandwidth) in cases {
            for n in [8, 64, 1000, 4096] {
                let samples = periodic(w, n);
                // Each of N samples and N additions rounds once or a few times.
                let tolerance = n as f64 * ROUNDINGS;
                assert!((coherent_gain(&samples) - gain).abs() < tolerance, "{w:?} {n}");
                assert!((noise_bandwidth(&samples) - bandwidth).abs() < 8.0 * tolerance, "{w:?} {n}");
            }
        }
        let hann: f64 = periodic(Window::Hann, 1024).iter().sum();
        assert!((hann - 512.0).abs() < 1024.0 * ROUNDINGS);
    }

    #[test]
    fn blackman_harris_is_the_sum_of_four_cosines() {
        let direct = |t: f64| {
            let c = |k: f64| libm::cos(2.0 * PI * k * t);
            0.35875 - 0.48829 * c(1.0) + 0.14128 * c(2.0) - 0.01168 * c(3.0)
        };
        let expected: Vec<f64> = (0..100).map(|n| direct(f64::from(n) / 99.0)).collect();
        // The third harmonic's argument reaches 6 pi: one rounding there is 2^-49.
        assert_near(&symmetric(Window::BlackmanHarris, 100), &expected, 64.0 * f64::EPSILON);
    }

    #[test]
    fn bessel_i0_agrees_with_scipy() {
        // scipy.special.i0 (1.17).
        let table = [
            (0.0, 1.0),
            (0.5, 1.0634833707413234),
            (1.0, 1.2660658777520082),
            (2.0, 2.279585302336067),
            (5.0, 27.239871823604442),
            (8.6, 750.4611595631659),
            (14.0, 129418.56270064856),
            (30.0, 781672297823.9775),
            (100.0, 1.0737517071310738e42),
        ];
        for (x, expected) in table {
            // The stated bound, and as much again for scipy's own Chebyshev fit.
            let tolerance = 2.0 * (3.0 * x + 20.0) * f64::EPSILON / 2.0;
            assert!((bessel_i0(x) / expected - 1.0).abs() < tolerance, "{x}: {}", bessel_i0(x));
        }
    }

    #[test]
    fn kaiser_agrees_with_scipy() {
        // scipy.signal.windows.kaiser(8, 8.6) and kaiser(7, 14, sym=False), first halves.
        let symmetric_8 =
            [0.0013325139979024198, 0.09113651292826536, 0.45964377459338085, 0.9204615832581574];
        let periodic_7 = [7.726866835270368e-6, 0.017964073497790785, 0.2727720681863426, 0.8708037315729595];
        // Two I0, each (3 beta + 20) 2^-53, doubled for scipy's.
        let tolerance = 4.0 * (3.0 * 14.0 + 20.0) * f64::EPSILON / 2.0;
        assert_near(&symmetric(Window::Kaiser { beta: 8.6 }, 8)[..4], &symmetric_8, tolerance);
        assert_near(&periodic(Window::Kaiser { beta: 14.0 }, 7)[..4], &periodic_7, tolerance);
        assert_eq!(symmetric(Window::Kaiser { beta: 0.0 }, 5), [1.0; 5]);
    }

    #[test]
    fn tukey_is_flat_inside_and_a_cosine_outside() {
        let w = symmetric(Window::Tukey { alpha: 2.0 / 3.0 }, 96);
        assert!(w[32..=63].iter().all(|&w| w == 1.0));
        let alpha = 1.0 - 32.0 / 96.0;
        let taper: Vec<f64> =
            (0..32).map(|i| 0.5 * (1.0 - libm::cos(2.0 * PI * f64::from(i) / (alpha * 95.0)))).collect();
        assert_near(&w[..32], &taper, ROUNDINGS);
        // scipy.signal.windows.tukey(96, 2/3) at 5, 31 and 64.
        let expected = [0.06026312439675552, 0.9989068136093873, 0.9989068136093873];
        assert_near(&[w[5], w[31], w[64]], &expected, ROUNDINGS);
        // The limits of alpha.
        assert_eq!(symmetric(Window::Tukey { alpha: 0.0 }, 9), [1.0; 9]);
        assert_eq!(symmetric(Window::Tukey { alpha: 3.0 }, 9), symmetric(Window::Hann, 9));
    }

    #[test]
    fn f32_is_the_rounded_f64() {
        for w in ALL {
            let mut narrow = [0f32; 33];
            w.symmetric(&mut narrow);
            let rounded: Vec<f32> = symmetric(w, 33).iter().map(|&x| x as f32).collect();
            assert_eq!(narrow[..], rounded);
        }
    }
}
