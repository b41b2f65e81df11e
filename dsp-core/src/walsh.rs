//! Walsh functions and transforms of one-bit signals, and the way from them to Fourier bins.
//!
//! ```text
//! RAD(i, t) = (-1)^(bit m-i of t),  RAD(0, t) = 1
//! WAL(s, t) = product of RAD(k+1, t) over the set bits k of gray(s),  gray(s) = s ^ (s >> 1)
//! W(s)      = sum_t WAL(s, t) x[t]                       unscaled coefficient; A(s) = W(s) / N
//! a_k, b_k  = rows of A_N^-1 times A;  X[k] = N (a_k - j b_k) / 2
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N = 2^m` | samples per transform; `t` is the sample, `0..N` |
//! | `s` | sequency index: `WAL(s, t)` changes sign `s` times |
//! | `W`, `A` | coefficient, unscaled integer and divided by `N` |
//! | `k` | bin of the forward DFT, `0..=N/2`; `a`, `b` are its cosine and sine amplitudes |
//! | `X[k]` | `sum_t x[t] exp(-j 2 pi k t / N)` |
//!
//! - [`order`]: sequency, dyadic (Paley) and Hadamard (natural) indices and the maps between them;
//! - [`function`]: packed functions, a word of 32 samples at a time;
//! - [`transform`]: fast transforms in place, Hadamard or sequency order, `N log2 N` additions;
//! - [`coefficients`]: single coefficients by XOR and popcount; all low ones by block popcounts;
//! - [`fourier`]: rows of the Walsh-to-Fourier matrix without inversion, selection, DFT bins.
//!
//! Signals have bit 1 for +1. Packed Walsh functions are sign masks: bit 1 for **-1**, so that
//! `W = 2 popcount(x ^ wal) - N`.
//!
//! **What differs from the thesis** (chapter 5). Its eq. 5.1, the sign of a cosine, is not the Rademacher
//! function. Sequency `s` is Hadamard index `bitrev(gray(s))`. Eq. 5.12 lacks the `1/N`. Its
//! `c = (a + j b)/2` is the conjugate of the DFT bin over `N`. `A_N^-1 = F_N^-1 W_N^T`, and `F_N^-1` is a scaled
//! table of cosines and sines, so no matrix is ever inverted: a row is the fast Walsh transform of a cosine.
//! And popcounts of blocks give all low coefficients at once, at one popcount per word.

pub mod coefficients;
mod error;
pub mod fourier;
pub mod function;
pub mod order;
pub mod transform;

pub use coefficients::{coefficient, low_coefficients};
pub use error::WalshError;
pub use fourier::{fourier_rows, select};
pub use function::Walsh;
pub use order::{Order, convert};
pub use transform::{fwht, fwht_sequency};
