//! Which Walsh coefficients a bin takes, with which weights, and the passes over the bits that give them.
//!
//! ```text
//! no taper:  a = a_k,  b = b_k             the rows of bin k, c_k = 2 (dsp_core::walsh::fourier)
//! Hann:      a = a_k - a_(k-1)/c_(k-1) - a_(k+1)/c_(k+1),   b likewise
//! ```
//!
//! Hann's window is three exponentials, so its rows are those of three bins. The rows give `2 X[k]/sum(w)`: the Hann
//! window halves the sum of the weights.

use super::tree::Tree;
use crate::front_end::settings::Taper;
use crate::front_end::strip::{BLOCKS, Pattern};
use dsp_core::walsh::{Order, Walsh, WalshError, convert, fourier_rows, select};
use num_complex::Complex;
use numerics::real::Real;

/// Words, or sums of words, of all passes of a batch: 4 MiB of counts for a strip. Measured: more room for
/// counts saves reading the rows again.
const BATCH: usize = 4096;

/// One coefficient's part in a bin.
pub struct Term<T> {
    /// Where the tree puts the coefficient.
    pub slot: usize,
    /// Weight in the real part.
    pub re: T,
    /// Weight in the imaginary part.
    pub im: T,
}

/// One pass over the bits: all functions with one pattern within a word.
pub struct Pass {
    /// Where in a word the functions are negative.
    pub pattern: Pattern,
    /// The transform over the words.
    pub tree: Tree,
}

/// Terms of every bin from one pass.
pub type Terms<T> = Vec<Vec<Term<T>>>;

pub struct Plan<T> {
    pub bits: usize,
    /// Passes over the bits, short transforms first.
    pub passes: Vec<Pass>,
    /// What bins take from each of them.
    pub terms: Vec<Terms<T>>,
    /// What every bin starts with: `-N` of the functions that do not change from word to word.
    pub constants: Vec<Complex<T>>,
}

/// A coefficient and its weights.
pub struct Weighted {
    /// Dyadic index of the function.
    pub dyadic: usize,
    /// Weight in the real part.
    pub a: f64,
    /// Weight in the imaginary part, negative.
    pub b: f64,
}

impl<T: Real> Plan<T> {
    /// The passes for `bins` of `n` bits, a power of two.
    pub fn new(
        n: usize,
        bins: &[usize],
        taper: Taper,
        coefficients: Option<usize>,
    ) -> Result<Self, WalshError> {
        let chosen: Vec<Vec<Weighted>> =
            bins.iter().map(|&k| choose(k, n, taper, coefficients)).collect::<Result<_, _>>()?;
        let words = n / 32;
        let mut patterns: Vec<usize> = chosen.iter().flatten().map(|w| w.dyadic / words).collect();
        patterns.sort_unstable();
        patterns.dedup();
        let constant = |list: &Vec<Weighted>| {
            let within: Vec<&Weighted> = list.iter().filter(|w| w.dyadic % words == 0).collect();
            let sum = |f: fn(&Weighted) -> f64| T::of(-within.iter().map(|w| f(w)).sum::<f64>());
            Complex::new(sum(|w| w.a), sum(|w| -w.b))
        };
        let mut passes: Vec<_> = patterns.into_iter().map(|p| pass(p, n, &chosen)).collect();
        passes.sort_by_key(|(pass, _)| pass.tree.length);
        let (passes, terms) = passes.into_iter().unzip();
        Ok(Self { bits: n, passes, terms, constants: chosen.iter().map(constant).collect() })
    }
}

impl<T> Plan<T> {
    /// Passes that read the rows together: of one length, and with counts that stay in the cache.
    pub fn batches(&self) -> impl Iterator<Item = (&[Pass], &[Terms<T>])> {
        let equal = self.passes.chunk_by(|a, b| a.tree.length == b.tree.length);
        let batches = equal.flat_map(|passes| passes.chunks((BATCH / passes[0].tree.length).max(1)));
        batches.scan(&self.terms[..], |rest, batch| {
            let (terms, others) = rest.split_at(batch.len());
            *rest = others;
            Some((batch, terms))
        })
    }

    /// Lines of counts of the largest batch.
    pub fn count_lines(&self) -> usize {
        let lines = |batch: &[Pass]| BLOCKS * batch.len() * (batch[0].tree.length + 1);
        self.batches().map(|(batch, _)| lines(batch)).max().unwrap_or(0)
    }
}

/// The largest coefficients of a bin, without those that vanish.
pub fn choose(
    k: usize,
    n: usize,
    taper: Taper,
    coefficients: Option<usize>,
) -> Result<Vec<Weighted>, WalshError> {
    let (row_a, row_b) = rows(k, n, taper)?;
    let count = coefficients.unwrap_or(n);
    let mut index: Vec<usize> = (0..count).collect();
    if count < n {
        let (mut a, mut b) = (vec![0.0; count], vec![0.0; count]);
        select(&row_a, &row_b, &mut index, &mut a, &mut b)?;
    }
    let m = n.trailing_zeros();
    let weighted = |s: usize| Weighted {
        dyadic: convert(s, m, Order::Sequency, Order::Dyadic),
        a: row_a[s],
        b: row_b[s],
    };
    Ok(index.into_iter().map(weighted).filter(|w| w.a != 0.0 || w.b != 0.0).collect())
}

/// The rows of `a` and `b`, in sequency order.
fn rows(k: usize, n: usize, taper: Taper) -> Result<(Vec<f64>, Vec<f64>), WalshError> {
    let rows = |k: usize| {
        let (mut a, mut b) = (vec![0.0; n], vec![0.0; n]);
        fourier_rows(k, &mut a, &mut b)?;
        Ok((a, b))
    };
    let (mut a, mut b) = rows(k)?;
    if taper == Taper::Hann {
        for neighbour in [k - 1, k + 1] {
            let (next_a, next_b) = rows(neighbour)?;
            let factor = if neighbour == 0 { 1.0 } else { 0.5 };
            let subtract =
                |row: &mut [f64], next: &[f64]| row.iter_mut().zip(next).for_each(|(x, y)| *x -= factor * y);
            subtract(&mut a, &next_a);
            subtract(&mut b, &next_b);
        }
    }
    Ok((a, b))
}

/// The pass for the functions of one pattern.
fn pass<T: Real>(pattern: usize, n: usize, chosen: &[Vec<Weighted>]) -> (Pass, Terms<T>) {
    let words = n / 32;
    let of_pattern = |list: &&Weighted| list.dyadic / words == pattern;
    let mut wanted: Vec<usize> =
        chosen.iter().flatten().filter(of_pattern).map(|w| w.dyadic % words).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let tree = Tree::new(&wanted);
    let scale = -2.0 / n as f64;
    let term = |w: &Weighted| {
        let slot = tree.slot(w.dyadic % words)?;
        Some(Term { slot, re: T::of(scale * w.a), im: T::of(-scale * w.b) })
    };
    let terms = chosen.iter().map(|list| list.iter().filter(of_pattern).filter_map(term).collect()).collect();
    let function = Walsh::new(pattern * words, n.trailing_zeros(), Order::Dyadic);
    (Pass { pattern: Pattern::new(function.word(0)), tree }, terms)
}
