//! Walsh-Fourier: the chosen bins from popcounts, with any number of Walsh coefficients a bin.
//!
//! ```text
//! 2 X[k]/S = sum_s (a(s) - j b(s)) W(s)/N,      W(s) = sum_t WAL(s, t) x[t]
//! W = -2 Y - N [l = 0],                         Y = fast Walsh transform of -c_p at function l
//! c_p[m] = popcount(word m ^ p),                g = gray(s) = p 2^(log2 N - 5) + l
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | `N` | bits, a power of two; words have 32 |
//! | `s`, `g` | sequency and dyadic index of a Walsh function |
//! | `p` | pattern: the function within a word, one of 32; `l` is the function of the words |
//! | `a`, `b` | rows of the Walsh-to-Fourier matrix, see [`plan`]; a bin keeps the K largest |
//!
//! Functions of sequency below N/32 have pattern 0: one popcount a word serves all of them. Each further pattern in use
//! costs another pass of popcounts. Words are added up as long as the wanted functions do not tell them apart, and
//! [`tree`] computes what is wanted of the transform. Passes with short transforms share their way through the rows.
//! Vectors run across channels.
//!
//! `-c` keeps all sums within `i16` up to N = 32768: a node of m bits lies in `-m ..= 0` (no difference taken yet)
//! or `-m/2 ..= m/2`. Beyond, `i32` is used. All of it is exact; only the weights are rounded.
//!
//! **What differs from the thesis.** It takes one XOR and popcount over all words for every coefficient and finds
//! the method slower than decimation.

mod plan;
mod tree;

use super::error::{FrontEndError, check_length, check_window};
use super::lanes::{LANES, Line, Pair, scatter, share, workers, zero_pair};
use super::settings::Taper;
use super::strip::{self, BLOCKS, Counts, Cutter, Plane, ROWS, Strips};
use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch, multiply_add};
pub(super) use plan::choose as weighted;
use plan::{Pass, Plan, Term};
use tree::{Integer, Tree};

/// The plan of n bins, with room for the results.
pub struct Walsh<T> {
    plan: Plan<T>,
    layout: TileLayout,
    cutter: Cutter,
    places: Vec<usize>,
    order: Vec<usize>,
    sums: Vec<Pair<T>>,
    workers: Workers,
}

enum Workers {
    Narrow(Vec<Worker<i16>>),
    Wide(Vec<Worker<i32>>),
}

/// Most bits whose sums fit 16 bits.
const NARROW_BITS: usize = 1 << 15;

/// Most rows that 16-bit counters take at a time.
const LONGEST: usize = 1 << 15;

numerics::compiled! { T: Real => Walsh<T>: new, execute }

impl<T: Real> Walsh<T> {
    /// A plan for `bins` of N = 32 x `samples` bits, a power of two of at least 512; `coefficients` a bin, or all N.
    #[inline(never)]
    pub fn new(
        layout: &TileLayout,
        samples: usize,
        bins: &[usize],
        taper: Taper,
        coefficients: Option<usize>,
    ) -> Result<Self, FrontEndError> {
        check_window(samples, bins)?;
        if !samples.is_power_of_two() || samples < tree::LEAF {
            return Err(FrontEndError::Samples { samples, must: "a power of two from 16 up" });
        }
        let most = ROWS * samples;
        if let Some(coefficients) = coefficients.filter(|k| !(1..=most).contains(k)) {
            return Err(FrontEndError::Coefficients { coefficients, most });
        }
        let plan = Plan::new(most, bins, taper, coefficients)?;
        let strips = strip::strips(layout);
        let workers = if most <= NARROW_BITS {
            Workers::Narrow(workers(strips, Worker::new(&plan)))
        } else {
            Workers::Wide(workers(strips, Worker::new(&plan)))
        };
        Ok(Self {
            plan,
            layout: *layout,
            cutter: Cutter::new(layout),
            places: strip::places(layout),
            order: (0..bins.len()).collect(),
            sums: vec![zero_pair(); strips * BLOCKS * bins.len()],
            workers,
        })
    }

    /// Peak amplitudes `2 X[k]/sum(w)` of all channels, `[bin][grid index]`; `rows` as sent.
    #[inline(never)]
    pub fn execute(&mut self, rows: &[u8], out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let (row_bytes, n) = (self.layout.row_bytes(), self.order.len());
        check_length("bytes of rows", self.plan.bits * row_bytes, rows.len())?;
        check_length("results", n * self.layout.channels() as usize, out.len())?;
        let rows = self.cutter.cut(rows);
        let (plan, sums) = (&self.plan, &mut self.sums);
        match &mut self.workers {
            Workers::Narrow(workers) => share(workers, sums, BLOCKS * n, |worker, strip, sums| {
                worker.sum(plan, rows, strip, sums);
            }),
            Workers::Wide(workers) => share(workers, sums, BLOCKS * n, |worker, strip, sums| {
                worker.sum(plan, rows, strip, sums);
            }),
        }
        scatter(&self.sums, &self.order, &self.places, out);
        Ok(())
    }
}

/// Scratch memory of one thread.
#[derive(Clone)]
pub struct Worker<I> {
    /// The rows of the strip, if several batches read them.
    rows: Vec<u8>,
    /// `[pass][block][word or sum of words]`, blocks one line further apart than needed, else all blocks' lines
    /// of one word would fall into the same set of the cache.
    counts: Vec<Line<I>>,
    memory: Vec<Line<I>>,
    coefficients: Vec<Line<I>>,
}

impl<I: Integer> Worker<I> {
    fn new<T>(plan: &Plan<T>) -> Self {
        let most = |f: fn(&Pass) -> usize| {
            vec![Line([I::default(); LANES]); plan.passes.iter().map(f).max().unwrap_or(0)]
        };
        Self {
            rows: Vec::new(),
            counts: vec![Line([I::default(); LANES]); plan.count_lines()],
            memory: most(|pass| pass.tree.memory()),
            coefficients: most(|pass| pass.tree.coefficients()),
        }
    }

    /// The bins of a strip of the rows, `[block][bin]`.
    fn sum<T: Real>(&mut self, plan: &Plan<T>, rows: Strips<'_>, strip: usize, sums: &mut [Pair<T>]) {
        let n = plan.constants.len();
        for block in sums.chunks_exact_mut(n) {
            for ([re, im], constant) in block.iter_mut().zip(&plan.constants) {
                (re.0, im.0) = ([constant.re; LANES], [constant.im; LANES]);
            }
        }
        let Worker { rows: column, counts, memory, coefficients } = self;
        let (rows, strip) = match plan.batches().nth(1) {
            Some(_) => (rows.column(strip, column), 0),
            None => (rows, strip),
        };
        for (batch, terms) in plan.batches() {
            let length = batch[0].tree.length;
            dispatch(Count { batch, each: plan.bits / length, rows, strip, counts });
            let counts = counts.chunks_exact(BLOCKS * (length + 1));
            for ((Pass { tree, .. }, terms), counts) in batch.iter().zip(terms).zip(counts) {
                for (input, sums) in counts.chunks_exact(length + 1).zip(sums.chunks_exact_mut(n)) {
                    dispatch(Transform { tree, input: &input[..length], memory, coefficients });
                    dispatch(Weigh { terms, coefficients, sums });
                }
            }
        }
    }
}

/// The negative counts of some passes for all blocks of a strip, `[pass][block][word or sum of words]`.
struct Count<'a, I> {
    batch: &'a [Pass],
    /// Rows of a sum of words.
    each: usize,
    rows: Strips<'a>,
    strip: usize,
    counts: &'a mut [Line<I>],
}

impl<I: Integer> Kernel for Count<'_, I> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let Self { batch, each, rows, strip, counts } = self;
        let stride = batch[0].tree.length + 1;
        for (at, words) in rows.groups(each).enumerate() {
            for (pass, counts) in batch.iter().zip(counts.chunks_exact_mut(BLOCKS * stride)) {
                if each == ROWS {
                    let words = Counts::<8>::of(&words, strip, &pass.pattern);
                    for (number, block) in counts.chunks_exact_mut(stride).enumerate() {
                        block[at] = negative(words.block(number));
                    }
                    continue;
                }
                for (i, words) in words.groups(each.min(LONGEST)).enumerate() {
                    let words = Counts::<16>::of(&words, strip, &pass.pattern);
                    for (number, block) in counts.chunks_exact_mut(stride).enumerate() {
                        let count = negative::<I>(words.block(number));
                        block[at] = if i == 0 { count } else { sum(block[at], count) };
                    }
                }
            }
        }
    }
}

/// The wanted Walsh coefficients of a block.
struct Transform<'a, I> {
    tree: &'a Tree,
    input: &'a [Line<I>],
    memory: &'a mut [Line<I>],
    coefficients: &'a mut [Line<I>],
}

impl<I: Integer> Kernel for Transform<'_, I> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        self.tree.run(self.input, self.memory, self.coefficients);
    }
}

/// Adds a pass's weighted coefficients to the bins of a block.
struct Weigh<'a, T, I> {
    terms: &'a [Vec<Term<T>>],
    coefficients: &'a [Line<I>],
    sums: &'a mut [Pair<T>],
}

impl<T: Real, I: Integer> Kernel for Weigh<'_, T, I> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        for (terms, [re, im]) in self.terms.iter().zip(self.sums) {
            let (mut a, mut b) = ([T::zero(); LANES], [T::zero(); LANES]);
            for term in terms {
                let y = &self.coefficients[term.slot].0;
                for lane in 0..LANES {
                    let y = y[lane].real::<T>();
                    a[lane] = multiply_add::<T, FMA>(term.re, y, a[lane]);
                    b[lane] = multiply_add::<T, FMA>(term.im, y, b[lane]);
                }
            }
            for lane in 0..LANES {
                re.0[lane] += a[lane];
                im.0[lane] += b[lane];
            }
        }
    }
}

#[inline(always)]
fn negative<I: Integer>(counts: Plane) -> Line<I> {
    let mut line = Line([I::default(); LANES]);
    for lane in 0..LANES {
        line.0[lane] = I::negative(counts.0[lane]);
    }
    line
}

#[inline(always)]
fn sum<I: Integer>(mut a: Line<I>, b: Line<I>) -> Line<I> {
    for lane in 0..LANES {
        a.0[lane] = a.0[lane] + b.0[lane];
    }
    a
}
