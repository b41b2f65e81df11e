//! The definitions as direct sums over unpacked bits in `f64`: slow, and what every fast path is proved against.

use super::settings::Taper;
use dsp_core::decimator::{CIC_IMPULSE, CIC_RATE, FULL_SCALE, LENGTH_BITS, RATE, SHIFT, TAPS};
use dsp_core::pdm::TileLayout;
use dsp_core::walsh::{Order, Walsh};
use num_complex::Complex;
use std::f64::consts::{PI, TAU};

/// The values +1 and -1 of the microphone with grid index `index`, one a row.
pub fn signal(rows: &[u8], layout: &TileLayout, index: usize) -> Vec<f64> {
    let position = layout.position_of(index as u32).map_or(0, |p| p as usize);
    let bit = |row: &[u8]| row[position / 8] >> (position % 8) & 1;
    rows.chunks_exact(layout.row_bytes()).map(|row| 2.0 * f64::from(bit(row)) - 1.0).collect()
}

/// The window of `n` samples.
pub fn window(taper: Taper, n: usize) -> Vec<f64> {
    let hann = |t: usize| (PI * t as f64 / n as f64).sin().powi(2);
    (0..n).map(|t| if taper == Taper::Hann { hann(t) } else { 1.0 }).collect()
}

/// Peak amplitude of bin `k`: `2/sum(w) sum_t w[t] x[t] exp(-j 2 pi k t/N)`.
pub fn amplitude(x: &[f64], k: usize, taper: Taper) -> Complex<f64> {
    let n = x.len();
    let window = window(taper, n);
    let turn = |t: usize| Complex::cis(-TAU * (k * t % n) as f64 / n as f64);
    let sum: Complex<f64> = x.iter().zip(&window).enumerate().map(|(t, (x, w))| turn(t) * (x * w)).sum();
    2.0 * sum / window.iter().sum::<f64>()
}

/// The default chain as one convolution, rounded to its integer codes; outputs whose history lies within `x` only.
pub fn decimate(x: &[f64]) -> Vec<f64> {
    let mut h = vec![0.0; LENGTH_BITS];
    for (i, tap) in TAPS.iter().enumerate() {
        for (j, c) in CIC_IMPULSE.iter().enumerate() {
            h[CIC_RATE * i + j] += f64::from(*tap) * *c as f64;
        }
    }
    // Integers below 2^53 all the way; the CIC's full units have one bit more than the half units of SHIFT.
    let code = |end: usize| {
        let sum: f64 = h.iter().zip(x[..end].iter().rev()).map(|(h, x)| h * x).sum();
        (sum / f64::from(2u32 << SHIFT) + 0.5).floor()
    };
    let ends = (RATE..=x.len()).step_by(RATE).filter(|&end| end >= LENGTH_BITS);
    ends.map(|end| code(end) / f64::from(FULL_SCALE)).collect()
}

/// Means of 32 bits.
pub fn average(x: &[f64]) -> Vec<f64> {
    x.chunks_exact(RATE).map(|word| word.iter().sum::<f64>() / RATE as f64).collect()
}

/// The weights `(a, b)` of all Walsh functions in the amplitude of bin `k`: their sums with the windowed cosine and
/// sine, in sequency order.
pub fn walsh_weights(k: usize, n: usize, taper: Taper) -> Vec<(f64, f64)> {
    let window = window(taper, n);
    let scale = 2.0 / window.iter().sum::<f64>();
    let tone: Vec<(f64, f64)> = (0..n)
        .map(|t| {
            let (sine, cosine) = (TAU * (k * t % n) as f64 / n as f64).sin_cos();
            (scale * window[t] * cosine, scale * window[t] * sine)
        })
        .collect();
    (0..n)
        .map(|s| {
            let signed = tone.iter().enumerate().map(|(t, x)| (sign(s, t, n), x));
            signed.fold((0.0, 0.0), |(a, b), (sign, x)| (a + sign * x.0, b + sign * x.1))
        })
        .collect()
}

/// The amplitude of bin `k` from the `coefficients` Walsh functions with the largest weights; of equals (to 12
/// decimals) those of lower sequency.
pub fn walsh(x: &[f64], k: usize, taper: Taper, coefficients: usize) -> Complex<f64> {
    let n = x.len();
    let weights = walsh_weights(k, n, taper);
    let size = |s: usize| (weights[s].0.hypot(weights[s].1) * 1e12).round();
    let mut index: Vec<usize> = (0..n).collect();
    index.sort_by(|&i, &j| size(j).total_cmp(&size(i)));
    let term = |&s: &usize| {
        let coefficient = x.iter().enumerate().map(|(t, x)| sign(s, t, n) * x).sum::<f64>() / n as f64;
        Complex::new(weights[s].0, -weights[s].1) * coefficient
    };
    index[..coefficients].iter().map(term).sum()
}

/// `WAL(s, t)` of `n` samples.
fn sign(s: usize, t: usize, n: usize) -> f64 {
    let walsh = Walsh::new(s, n.trailing_zeros(), Order::Sequency);
    if walsh.is_negative(t) { -1.0 } else { 1.0 }
}
