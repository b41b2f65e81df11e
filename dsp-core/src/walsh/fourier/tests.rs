//! The Walsh-to-Fourier rows against the thesis, closed forms and an independent FFT.

use super::super::low_coefficients;
use super::*;
use crate::pdm::TimeWord;
use num_complex::Complex;
use proptest::prelude::*;
use rustfft::algorithm::Radix4;
use rustfft::{Fft, FftDirection};
use std::vec;
use std::vec::Vec;

const N: usize = 32768;

/// DFT bin `X[k]` of `n` samples from unscaled coefficients `W` and their weights.
///
/// The slices run in parallel, over all `n` functions for the exact bin or over the selected ones.
fn bin_from_coefficients(
    k: usize,
    n: usize,
    weight_a: &[f64],
    weight_b: &[f64],
    coefficients: &[i32],
) -> Result<Complex<f64>, WalshError> {
    same_length(coefficients.len(), weight_a.len())?;
    same_length(coefficients.len(), weight_b.len())?;
    let c = terms(k, n)?;
    let (mut a, mut b) = (0.0, 0.0);
    for ((&w, wa), wb) in coefficients.iter().zip(weight_a).zip(weight_b) {
        a += wa * f64::from(w);
        b += wb * f64::from(w);
    }
    Ok(Complex::new(a / c, -b / c))
}

fn rows(k: usize, n: usize) -> (Vec<f64>, Vec<f64>) {
    let (mut a, mut b) = (vec![f64::NAN; n], vec![f64::NAN; n]);
    fourier_rows(k, &mut a, &mut b).unwrap();
    (a, b)
}

/// `A_8^-1` with its rows in the thesis's order: a0, b1, a1, b2, a2, b3, a3, a4.
fn inverse_8() -> [Vec<f64>; 8] {
    let [(a0, _), (a1, b1), (a2, b2), (a3, b3), (a4, _)] = [0, 1, 2, 3, 4].map(|k| rows(k, 8));
    [a0, b1, a1, b2, a2, b3, a3, a4]
}

/// The matrix of equation 5.11 with its two irrational entries left open.
fn equation_5_11(large: f64, small: f64) -> [[f64; 8]; 8] {
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, large, -0.5, 0.0, 0.0, -0.5, -small, 0.0],
        [0.0, 0.5, large, 0.0, 0.0, -small, 0.5, 0.0],
        [0.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, small, 0.5, 0.0, 0.0, 0.5, -large, 0.0],
        [0.0, 0.5, -small, 0.0, 0.0, large, 0.5, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ]
}

fn assert_matrix(expected: [[f64; 8]; 8], tolerance: f64) {
    for (row, expected) in inverse_8().iter().zip(expected) {
        for (value, expected) in row.iter().zip(expected) {
            assert!((value - expected).abs() <= tolerance, "{row:?}");
        }
    }
}

#[test]
fn a_8_inverse_of_the_thesis() {
    // Printed to four decimals.
    assert_matrix(equation_5_11(1.2071, 0.2071), 0.5e-4);
    // (1 + sqrt 2)/2 and (sqrt 2 - 1)/2. Eight terms of 1/4 at most, off by 2^-54 each, and three levels of
    // sums, each level adding 2^-53 at most: 5 * 2^-53.
    let root = core::f64::consts::SQRT_2;
    assert_matrix(equation_5_11((1.0 + root) / 2.0, (root - 1.0) / 2.0), 2.5 * f64::EPSILON);
}

#[test]
fn quarter_turns_are_exact() {
    for n in [4usize, 8, 1024, N] {
        assert_eq!(sin_cos_turn(0, n), (0.0, 1.0));
        assert_eq!(sin_cos_turn(n / 4, n), (1.0, -0.0));
        assert_eq!(sin_cos_turn(n / 2, n), (-0.0, -1.0));
        assert_eq!(sin_cos_turn(3 * n / 4, n), (-1.0, 0.0));
    }
    for r in 0..1000 {
        let (sine, cosine) = sin_cos_turn(r, 1000);
        let angle = 2.0 * PI * r as f64 / 1000.0;
        // The plain angle is below 8 and rounded twice: 8 * 2^-52.
        assert!((sine - libm::sin(angle)).abs() < 8.0 * f64::EPSILON);
        assert!((cosine - libm::cos(angle)).abs() < 8.0 * f64::EPSILON);
    }
}

fn random_words(mut state: u32, count: usize) -> Vec<TimeWord> {
    core::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        TimeWord(state)
    })
    .take(count)
    .collect()
}

fn fft(words: &[TimeWord]) -> Vec<Complex<f64>> {
    let mut x: Vec<Complex<f64>> =
        (0..32 * words.len()).map(|t| Complex::new(words[t / 32].value(t as u32).into(), 0.0)).collect();
    // Not of a planner, which would be compiled with all algorithms that there are.
    Radix4::new(x.len(), FftDirection::Forward).process(&mut x);
    x
}

fn all_coefficients(words: &[TimeWord]) -> Vec<i32> {
    let mut coefficients = vec![0; 32 * words.len()];
    low_coefficients(words, &mut coefficients).unwrap();
    coefficients
}

/// The DFT of the bits through all Walsh coefficients, to 1e-12 (required) of the RMS of a bin, `sqrt N`.
#[test]
fn dft_through_all_walsh_coefficients() {
    let words = random_words(0x1234_5678, N / 32);
    let (spectrum, coefficients) = (fft(&words), all_coefficients(&words));
    for k in (0..=N / 2).step_by(61).chain([1, 2, 3, 22, 64, 1000, 8191, 8192, 16383, N / 2]) {
        let (a, b) = rows(k, N);
        let bin = bin_from_coefficients(k, N, &a, &b, &coefficients).unwrap();
        let error = (bin - spectrum[k]).norm() / libm::sqrt(N as f64);
        assert!(error < 1e-12, "bin {k}: {error:e}");
    }
}

#[test]
fn every_bin_of_short_transforms() {
    for length in [1usize, 2, 8] {
        let words = random_words(0xdead_beef, length);
        let (n, spectrum, coefficients) = (32 * length, fft(&words), all_coefficients(&words));
        for (k, expected) in spectrum.iter().enumerate().take(n / 2 + 1) {
            let (a, b) = rows(k, n);
            let bin = bin_from_coefficients(k, n, &a, &b, &coefficients).unwrap();
            assert!((bin - expected).norm() < 1e-12 * libm::sqrt(n as f64));
        }
    }
}

/// The thesis finds 10 coefficients above 0.1 at 91, 183, .. Hz and 40 at 1007 Hz (bin 22).
#[test]
fn counts_of_large_weights() {
    let large = |k| {
        let (a, b) = rows(k, N);
        a.iter().zip(&b).filter(|(a, b)| a.abs() > 0.1 || b.abs() > 0.1).count()
    };
    for k in [2, 4, 8, 16, 32, 64] {
        assert_eq!(large(k), 10, "bin {k}");
    }
    assert_eq!(large(22), 40);
}

fn selected(a: &[f64], b: &[f64], k: usize) -> (Vec<usize>, Vec<f64>, Vec<f64>) {
    let (mut index, mut wa, mut wb) = (vec![0; k], vec![0.0; k], vec![0.0; k]);
    select(a, b, &mut index, &mut wa, &mut wb).unwrap();
    (index, wa, wb)
}

/// The definition: a stable sort by rounded size.
fn by_sorting(a: &[f64], b: &[f64], k: usize) -> Vec<usize> {
    let size = |s: usize| libm::rint(libm::hypot(a[s], b[s]) * 1e12);
    let mut all: Vec<usize> = (0..a.len()).collect();
    all.sort_by(|&p, &q| size(q).total_cmp(&size(p)));
    all.truncate(k);
    all.sort_unstable();
    all
}

#[test]
fn selection_of_a_row() {
    for (k, count) in [(2, 10), (22, 40), (22, 1), (64, 100)] {
        let (a, b) = rows(k, N);
        let (index, wa, wb) = selected(&a, &b, count);
        assert_eq!(index, by_sorting(&a, &b, count));
        assert!(index.iter().zip(&wa).all(|(&s, &w)| a[s] == w));
        assert!(index.iter().zip(&wb).all(|(&s, &w)| b[s] == w));
    }
}

/// The 40 functions of bin 22 as the numpy reference selects them: pairs s, s + 1.
#[test]
fn selection_of_bin_22_is_that_of_the_reference() {
    const ODD: [usize; 20] =
        [3, 11, 19, 27, 35, 43, 51, 59, 67, 75, 83, 91, 99, 107, 115, 171, 203, 211, 235, 467];
    let (a, b) = rows(22, N);
    let (index, _, _) = selected(&a, &b, 40);
    assert_eq!(index, ODD.map(|s| [s, s + 1]).concat());
}

proptest! {
    /// Few distinct sizes, so that ties are the rule; some differ only beyond the twelfth decimal.
    #[test]
    fn selection_with_ties(
        levels in proptest::collection::vec(0u8..6, 1..60),
        share in 0.0f64..=1.0,
    ) {
        let a: Vec<f64> = levels.iter().enumerate()
            .map(|(s, &level)| f64::from(level) * 0.25 + 1e-15 * (s % 3) as f64)
            .collect();
        let b = vec![0.0; a.len()];
        let k = (share * a.len() as f64) as usize;
        let (index, wa, _) = selected(&a, &b, k);
        prop_assert_eq!(&index, &by_sorting(&a, &b, k));
        prop_assert!(index.iter().zip(&wa).all(|(&s, &w)| a[s] == w));
    }
}

#[test]
fn bad_arguments_are_refused() {
    let mut row = [0.0; 8];
    let bin = WalshError::Bin { bin: 5, samples: 8 };
    assert_eq!(fourier_rows(5, &mut row, &mut [0.0; 8]), Err(bin));
    let mismatch = WalshError::Mismatch { expected: 8, found: 4 };
    assert_eq!(fourier_rows(1, &mut row, &mut [0.0; 4]), Err(mismatch));
    let length = WalshError::Length(6);
    assert_eq!(fourier_rows(1, &mut [0.0; 6], &mut [0.0; 6]), Err(length));
    let many = WalshError::TooMany { coefficients: 9, samples: 8 };
    let refused = select(&row, &row, &mut [0; 9], &mut [0.0; 9], &mut [0.0; 9]);
    assert_eq!(refused, Err(many));
    assert_eq!(bin_from_coefficients(5, 8, &row, &row, &[0; 8]), Err(bin));
    assert_eq!(
        bin_from_coefficients(1, 8, &row, &row, &[0; 4]),
        Err(WalshError::Mismatch { expected: 4, found: 8 })
    );
}
