//! `cuda/walsh.cu`: the chosen bins of every channel from some Walsh coefficients of its bits. It is launched as one of the
//! [`front ends`](crate::front_end).

use crate::abi::{self, WalshTerm};
use crate::error::{Error, size32};
use crate::front_end::{CHANNELS, LONGEST, NEWEST, SHORTEST, same};
use crate::kernel::{Argument, value};
use crate::memory::Buffer;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Define, Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;
use std::collections::BTreeSet;

/// The source.
pub const PROGRAM: Program = Program {
    name: "walsh",
    source: include_str!("../cuda/walsh.cu"),
    kernels: &[&WALSH],
    samples: &[&constants(64), &constants(1024), &constants(2048), &constants(4096)],
};

/// The source's constants.
pub(crate) const fn constants(samples: usize) -> [Define; 1] {
    [("SAMPLES", samples as i64)]
}

pub(crate) const WALSH: Signature = Signature {
    module: "walsh",
    name: "walsh_bins",
    hot: true,
    capability: 80,
    parameters: &[
        Input("mail"),
        Input("patterns"),
        Input("columns"),
        Input("rows"),
        Input("starts"),
        Input("terms"),
        Input("newest"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("kept"),
        Output("bins_out"),
        Value("f", size_of::<abi::FrontEnd>()),
        Value("w", size_of::<abi::Walsh>()),
    ],
};

/// Patterns within a word.
const MOST_PATTERNS: usize = 32;
/// Columns of a group, words of a column, and functions of the lowest 3 bits.
const COLUMNS: usize = 8;
/// Longest window of which two channels share a number.
const PACKED: usize = 1024;
/// Shared memory that the source declares by itself, at most.
const DECLARED: usize = 17 << 10;
/// Shared memory of a block, at most: beside it the next kernel of a graph can begin.
const MOST_SHARED: usize = 160 << 10;
/// Shared memory for terms, and for the other tables, at most.
const MOST_ROOM: usize = 16 << 10;
/// New words whose weights have room: those of 75 rows.
const NEAR: usize = 3;

/// A Walsh function's part in a bin.
#[derive(Debug, Clone, Copy)]
pub struct Term {
    /// Number of the pattern in the list of patterns.
    pub pattern: usize,
    /// Function of the words: word t counts negative where `function & t` has an odd number of ones.
    pub function: usize,
    /// Weight.
    pub weight: Complex<f64>,
}

impl Term {
    fn narrow(&self, place: usize) -> Result<WalshTerm, Error> {
        let Complex { re, im } = self.weight;
        Ok(WalshTerm { place: size32("place of a term", place)?, re: re as f32, im: im as f32, alignment: 0 })
    }
}

/// Tables of the kernel.
#[derive(Debug)]
pub struct Tables {
    patterns: Buffer<u32>,
    /// `[group][column][8 words]`.
    columns: Buffer<u32>,
    /// `[round][row]`.
    rows: Buffer<u32>,
    /// `[round]` and the end of rows, `[round][bin]` and the end of terms.
    starts: Buffer<u32>,
    /// `[round][bin][term]`.
    terms: Buffer<WalshTerm>,
    /// `[last words of a window][pattern][bin]`.
    newest: Buffer<Complex<f32>>,
    settings: abi::Walsh,
    samples: usize,
    bins: usize,
}

impl Tables {
    /// For windows of `samples` words, a power of two: the `patterns` in use, at most 32, as words that are 1 where the
    /// functions are negative, and the terms of every bin.
    pub fn new(
        stream: &mut Stream,
        samples: usize,
        patterns: &[u32],
        bins: &[Vec<Term>],
    ) -> Result<Self, Error> {
        let fits = samples.is_power_of_two() && (SHORTEST..=LONGEST).contains(&samples);
        same("power of two from 64 to 4096", usize::from(fits), 1)?;
        same("1 to 32 patterns", usize::from((1..=MOST_PATTERNS).contains(&patterns.len())), 1)?;
        let inside = |term: &Term| term.pattern < patterns.len() && term.function < samples;
        same("terms of Walsh functions", usize::from(bins.iter().flatten().all(inside)), 1)?;
        let properties = stream.device().properties();
        let columns = columns(bins, properties.counts_bits());
        let count: usize = bins.iter().map(Vec::len).sum();
        same("at least one term", usize::from(count > 0), 1)?;
        let groups = columns.len().div_ceil(COLUMNS);
        let room = room(count, groups, patterns.len(), bins.len());
        let free = properties.shared_memory.min(MOST_SHARED) - DECLARED;
        let together = together(samples, bins.len(), groups, free.saturating_sub(room));
        let Rounds { rows, starts, longest, terms } = in_rounds(samples, together, &columns, bins)?;
        let settings = abi::Walsh {
            patterns: size32("patterns", patterns.len())?,
            groups: size32("groups of columns", groups)?,
            together: size32("groups together", together)?,
            rows: size32("rows", rows.len())?,
            longest,
            terms: size32("terms", terms.len())?,
            room: size32("room", room)?,
        };
        Ok(Self {
            patterns: Buffer::from_slice(stream, "patterns", patterns)?,
            columns: Buffer::from_slice(stream, "columns", &column_words(&columns, patterns))?,
            rows: Buffer::from_slice(stream, "rows", &rows)?,
            starts: Buffer::from_slice(stream, "starts of rows and terms", &starts)?,
            terms: Buffer::from_slice(stream, "terms", &terms)?,
            newest: Buffer::from_slice(stream, "newest weights", &newest(samples, patterns.len(), bins))?,
            settings,
            samples,
            bins: bins.len(),
        })
    }

    /// Dynamic shared memory of a block.
    pub(crate) fn shared(&self) -> usize {
        let Self { settings, samples, bins, .. } = self;
        bytes(*samples, *bins, settings.groups as usize, settings.together as usize) + settings.room as usize
    }

    pub(crate) fn check(&self, samples: usize, bins: usize) -> Result<(), Error> {
        same("words of a window", self.samples, samples)?;
        same("bins", self.bins, bins)
    }

    pub(crate) fn arguments(&self) -> [Argument<'_>; 6] {
        let Self { patterns, columns, rows, starts, terms, newest, .. } = self;
        [patterns.input(), columns.input(), rows.input(), starts.input(), terms.input(), newest.input()]
    }

    pub(crate) fn settings(&self) -> Argument<'_> {
        value(&self.settings)
    }
}

/// A pattern, and a function of the lowest 3 bits of a word's number.
type Column = (usize, usize);

impl Term {
    fn column(&self) -> Column {
        (self.pattern, self.function % COLUMNS)
    }
}

/// The columns that the terms need, in their order; of every such pattern all, if they cannot be `chosen` one by one.
fn columns(bins: &[Vec<Term>], chosen: bool) -> Vec<Column> {
    let mut columns: Vec<Column> = match chosen {
        true => bins.iter().flatten().map(Term::column).collect(),
        false => bins.iter().flatten().flat_map(|t| (0..COLUMNS).map(|low| (t.pattern, low))).collect(),
    };
    columns.sort_unstable();
    columns.dedup();
    columns
}

/// Eight words of every column, in whole groups.
fn column_words(columns: &[Column], patterns: &[u32]) -> Vec<u32> {
    let word = |&(pattern, low): &Column, t: usize| {
        let negative = (low & t).count_ones() % 2 == 1;
        if negative { !patterns[pattern] } else { patterns[pattern] }
    };
    let mut words: Vec<u32> = columns.iter().flat_map(|c| (0..COLUMNS).map(move |t| word(c, t))).collect();
    words.resize(columns.len().next_multiple_of(COLUMNS) * COLUMNS, 0);
    words
}

/// Shared memory for tables: terms, their starts, and weights of a few new words.
fn room(terms: usize, groups: usize, patterns: usize, bins: usize) -> usize {
    let terms = if 16 * terms <= MOST_ROOM { 16 * terms } else { 0 };
    // At most one round for each group, and each table begins at a multiple of 16.
    let others = 4 * (groups * (bins + 1) + 2) + 8 * NEAR * patterns * bins + 2 * 16;
    terms + others.min(MOST_ROOM).next_multiple_of(16)
}

/// Shared memory of words, transforms, sums, columns and rows.
fn bytes(samples: usize, bins: usize, groups: usize, together: usize) -> usize {
    let packed = samples <= PACKED;
    let words = if packed { CHANNELS * samples } else { 0 };
    let lines = if packed { CHANNELS / 2 } else { CHANNELS };
    let tables = groups * (COLUMNS * COLUMNS + most_rows(samples));
    4 * (words + lines * (together * samples + 4) + tables) + 8 * CHANNELS * bins
}

/// Groups at a time in so much shared memory, about as many in each round; one where not even that fits.
fn together(samples: usize, bins: usize, groups: usize, free: usize) -> usize {
    let most = (1..=groups).rev().find(|&count| bytes(samples, bins, groups, count) <= free).unwrap_or(1);
    groups.div_ceil(groups.div_ceil(most))
}

/// Bits of a word's number that the first pass transforms beside the lowest 3, as in the source.
const fn bits_1(samples: usize) -> u32 {
    match samples.ilog2() {
        11.. => 3,
        9 | 10 => 2,
        levels => levels - 6,
    }
}

/// Rows of a group, as many as there are numbers that the second pass takes apart.
const fn most_rows(samples: usize) -> usize {
    COLUMNS << bits_1(samples)
}

/// Tables in the order of the rounds.
struct Rounds {
    rows: Vec<u32>,
    starts: Vec<u32>,
    longest: u32,
    terms: Vec<WalshTerm>,
}

fn in_rounds(
    samples: usize,
    together: usize,
    columns: &[Column],
    bins: &[Vec<Term>],
) -> Result<Rounds, Error> {
    let stride = samples >> bits_1(samples);
    let (mut rows, mut terms) = (Vec::new(), Vec::new());
    let (mut row_starts, mut term_starts) = (vec![0], vec![0]);
    for round in columns.chunks(together * COLUMNS) {
        let mut used = BTreeSet::new();
        for bin in bins {
            for term in bin {
                let Ok(column) = round.binary_search(&term.column()) else { continue };
                let function = term.function - term.function % COLUMNS + column % COLUMNS;
                let place = column / COLUMNS * samples + function;
                used.insert(size32("row of a term", place / stride * COLUMNS + place % COLUMNS)?);
                terms.push(term.narrow(place)?);
            }
            term_starts.push(size32("terms", terms.len())?);
        }
        rows.extend(used);
        row_starts.push(size32("rows", rows.len())?);
    }
    let longest = term_starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
    row_starts.extend(term_starts);
    Ok(Rounds { rows, starts: row_starts, longest, terms })
}

/// What the last words of a window add to every bin, `[word][pattern][bin]`.
fn newest(samples: usize, patterns: usize, bins: &[Vec<Term>]) -> Vec<Complex<f32>> {
    let mut weights = vec![Complex::<f64>::ZERO; NEWEST * patterns * bins.len()];
    for (word, weights) in weights.chunks_mut(patterns * bins.len()).enumerate() {
        let t = samples - NEWEST + word;
        for (bin, terms) in bins.iter().enumerate() {
            for term in terms {
                let negative = (term.function & t).count_ones() % 2 == 1;
                weights[term.pattern * bins.len() + bin] += if negative { -term.weight } else { term.weight };
            }
        }
    }
    weights.into_iter().map(|w| Complex::new(w.re as f32, w.im as f32)).collect()
}
