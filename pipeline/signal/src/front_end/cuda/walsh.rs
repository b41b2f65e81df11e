//! Which Walsh functions a card sums for every bin.
//!
//! ```text
//! 2 X[k]/S = sum_s 2/N (a - j b)(s) W(s)/2,      W(s)/2 = sum_m (-1)^popcount(i & m) (count_p[m] - 16)
//! h = 32 i + p
//! ```
//!
//! h is the Hadamard index of function s: p is its pattern within a word, i the function of the words. The other symbols are
//! those of [`Walsh`](super::super::Walsh).

use super::super::error::FrontEndError;
use super::super::settings::Settings;
use super::super::walsh::weighted;
use dsp_core::walsh::{Order, Walsh, convert};
use kernels::Stream;
use kernels::front_end::Tables;
use kernels::walsh::{self, Term};
use num_complex::Complex;

/// Bits of a word.
const WORD: usize = 32;

/// The kernel's tables for the `count` largest coefficients of every bin.
pub(super) fn tables(
    stream: &mut Stream,
    settings: &Settings,
    count: usize,
) -> Result<Tables, FrontEndError> {
    let n = settings.window_rows();
    if !(1..=n).contains(&count) {
        return Err(FrontEndError::Coefficients { coefficients: count, most: n });
    }
    let bits = n.trailing_zeros();
    let hadamard = |dyadic: usize| convert(dyadic, bits, Order::Dyadic, Order::Hadamard);
    let chosen: Vec<_> = settings
        .bins
        .iter()
        .map(|&k| weighted(k, n, settings.taper, Some(count)))
        .collect::<Result<_, _>>()?;
    let mut patterns: Vec<usize> = chosen.iter().flatten().map(|term| hadamard(term.dyadic) % WORD).collect();
    patterns.sort_unstable();
    patterns.dedup();
    let bins: Vec<Vec<Term>> = chosen
        .iter()
        .map(|terms| {
            let term = |dyadic: usize, a: f64, b: f64| Term {
                pattern: patterns.partition_point(|&p| p < hadamard(dyadic) % WORD),
                function: hadamard(dyadic) / WORD,
                weight: Complex::new(a, -b) * (2.0 / n as f64),
            };
            terms.iter().map(|w| term(w.dyadic, w.a, w.b)).collect()
        })
        .collect();
    let words: Vec<u32> = patterns.iter().map(|&p| Walsh::new(p, bits, Order::Hadamard).word(0)).collect();
    Ok(Tables::Walsh(walsh::Tables::new(stream, settings.samples, &words, &bins)?))
}
