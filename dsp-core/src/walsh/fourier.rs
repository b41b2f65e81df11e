//! From Walsh coefficients to Fourier bins: rows of `A_N^-1`, their largest weights, DFT bins.
//!
//! ```text
//! x[t] = a_0 + sum_k (a_k cos(2 pi k t/N) + b_k sin(2 pi k t/N)) + a_N/2 (-1)^t,   0 < k < N/2
//! row_a(s) = c/N sum_t WAL(s, t) cos(2 pi k t/N),   row_b(s) = c/N sum_t WAL(s, t) sin(2 pi k t/N)
//! a_k = sum_s row_a(s) A(s),   b_k = sum_s row_b(s) A(s),   A(s) = W(s)/N
//! X[k] = N (a_k - j b_k) / c
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `c` | 2, but 1 at `k = 0` and `k = N/2`, where `b_k` does not exist and its row is zero |
//! | `W`, `A` | Walsh coefficient in sequency order, unscaled and over `N` |
//! | `row_a`, `row_b` | two rows of `A_N^-1 = F_N^-1 W_N^T`; no inversion: each is one fast transform |
//! | `K` | number of coefficients kept |
//!
//! A bin is well described by few coefficients: those with the largest `hypot(row_a, row_b)`. Accuracy of a
//! row: angles are reduced exactly (`k t mod N`, then to an eighth of a turn), so what remains is the rounding of
//! the fast transform, `log2 N` additions deep. Cost: `2 N` sines and `2 N log2 N` additions.

use super::error::{WalshError, log2, same_length};
use super::fwht_sequency;
use core::f64::consts::PI;

/// Decimals to which weights are compared: symmetric weights are equal but for rounding.
const DECIMALS: f64 = 1e12;

/// Writes the rows of `a_k` and `b_k`; both slices have length `N`, a power of two, and `k <= N/2`.
pub fn fourier_rows(k: usize, row_a: &mut [f64], row_b: &mut [f64]) -> Result<(), WalshError> {
    let n = row_a.len();
    same_length(n, row_b.len())?;
    let scale = terms(k, n)? / n as f64;
    for (t, (a, b)) in row_a.iter_mut().zip(row_b.iter_mut()).enumerate() {
        // N is a power of two, so the product may wrap before the reduction.
        let (sine, cosine) = sin_cos_turn(k.wrapping_mul(t) & (n - 1), n);
        (*a, *b) = (scale * cosine, scale * sine);
    }
    [row_a, row_b].into_iter().try_for_each(fwht_sequency)
}

/// The factor `c`: how many complex exponentials, `k` and `N - k`, make up bin `k`.
fn terms(k: usize, n: usize) -> Result<f64, WalshError> {
    log2(n)?;
    if k > n / 2 {
        return Err(WalshError::Bin { bin: k, samples: n });
    }
    Ok(if k == 0 || k == n / 2 { 1.0 } else { 2.0 })
}

/// Sine and cosine of `2 pi r/n` for `r < n`, exact at multiples of a quarter turn.
fn sin_cos_turn(r: usize, n: usize) -> (f64, f64) {
    let (r, n) = (r as u64, n as u64);
    let (quadrant, rest) = (4 * r / n, 4 * r % n);
    // Within the quadrant, use whichever of the two complementary angles is below an eighth of a turn.
    let complement = 2 * rest > n;
    let eighths = if complement { n - rest } else { rest };
    let (sine, cosine) = libm::sincos(PI / 2.0 * (eighths as f64 / n as f64));
    let (sine, cosine) = if complement { (cosine, sine) } else { (sine, cosine) };
    match quadrant {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Selects the `K = index.len()` functions with the largest `hypot(row_a, row_b)`.
///
/// Weights that agree to 12 decimals count as equal, and of equals the lower index wins. `index` comes
/// out ascending, with the weights beside it. Cost: `N` square roots, and `K` moves for each change.
pub fn select(
    row_a: &[f64],
    row_b: &[f64],
    index: &mut [usize],
    weight_a: &mut [f64],
    weight_b: &mut [f64],
) -> Result<(), WalshError> {
    let (samples, k) = (row_a.len(), index.len());
    same_length(samples, row_b.len())?;
    same_length(k, weight_a.len())?;
    same_length(k, weight_b.len())?;
    if k > samples {
        return Err(WalshError::TooMany { coefficients: k, samples });
    }
    keep_largest(row_a, row_b, index);
    index.sort_unstable();
    let weights = weight_a.iter_mut().zip(weight_b);
    for (&s, (a, b)) in index.iter().zip(weights) {
        *a = row_a.get(s).copied().unwrap_or(0.0);
        *b = row_b.get(s).copied().unwrap_or(0.0);
    }
    Ok(())
}

/// Insertion into a list of bounded length, largest first; `index` is no longer than the rows.
fn keep_largest(row_a: &[f64], row_b: &[f64], index: &mut [usize]) {
    let size = |a: f64, b: f64| libm::rint(libm::hypot(a, b) * DECIMALS);
    let size_at = |&s: &usize| match (row_a.get(s), row_b.get(s)) {
        (Some(&a), Some(&b)) => size(a, b),
        _ => 0.0,
    };
    let mut kept = 0;
    for (s, (&a, &b)) in row_a.iter().zip(row_b).enumerate() {
        let size = size(a, b);
        let full = kept == index.len();
        if full && index.last().is_none_or(|last| size <= size_at(last)) {
            continue;
        }
        kept += usize::from(!full);
        let (list, _) = index.split_at_mut(kept);
        if let Some((_, earlier)) = list.split_last() {
            let at = earlier.partition_point(|other| size_at(other) >= size);
            let (_, moved) = list.split_at_mut(at);
            moved.rotate_right(1);
            if let Some(slot) = moved.first_mut() {
                *slot = s;
            }
        }
    }
}

#[cfg(test)]
mod tests;
