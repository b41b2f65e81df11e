//! `cuda/walsh.cu`: the chosen bins of every channel from some Walsh coefficients of its bits. It is launched as one of the
//! [`front ends`](crate::front_end).

use crate::abi;
use crate::calls::sources;
use crate::error::{Error, same, size32};
use crate::front_end::{CHANNELS, LONGEST, NEWEST, SHORTEST, THREADS};
use crate::memory::Buffer;
use crate::program::{Define, Program};
use crate::stream::Stream;
use num_complex::Complex;
use std::collections::BTreeSet;

/// The source.
pub const PROGRAM: Program = Program {
    samples: &[
        &constants(64, true),
        &constants(64, false),
        &constants(1024, true),
        &constants(1024, false),
        &constants(2048, true),
        &constants(2048, false),
        &constants(4096, true),
        &constants(4096, false),
    ],
    ..sources::WALSH
};

/// The source's constants.
pub(crate) const fn constants(samples: usize, fresh: bool) -> [Define; 2] {
    [("SAMPLES", samples as i64), ("FRESH", fresh as i64)]
}

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
/// Shared memory for weights of new words, at most.
const MOST_ROOM: usize = 16 << 10;
/// New words whose weights have room: those of 75 rows.
const NEAR: usize = 3;
/// Terms during which the next kernel does better not to begin, at most (`docs/measured/pnah_cuda.md`).
const BRIEF: usize = 1024;
/// Words of a term.
const TERM: usize = 4;
/// Terms that a thread takes together.
const FOUR: usize = 4;

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

/// Tables of the kernel.
#[derive(Debug)]
pub struct Tables {
    pub(crate) patterns: Buffer<u32>,
    /// Columns, rows, starts and terms, as the source describes them.
    pub(crate) tables: Buffer<u32>,
    /// `[last words of a window][pattern][bin]`.
    pub(crate) newest: Buffer<Complex<f32>>,
    pub(crate) settings: abi::Walsh,
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
        let longest = bins.iter().map(Vec::len).max().unwrap_or(0);
        same("at least one term", usize::from(longest > 0), 1)?;
        let properties = stream.device().properties();
        let columns = columns(bins, properties.counts_bits());
        let groups = columns.len().div_ceil(COLUMNS);
        let sharing = sharing(samples, bins.len(), longest);
        let room = (8 * NEAR * patterns.len() * bins.len()).min(MOST_ROOM);
        let free = properties.shared_memory.min(MOST_SHARED) - DECLARED;
        // A quarter is for tables.
        let together = together(samples, bins.len(), groups, free - free / 4);
        let rounds = Rounds::new(samples, together, &columns, bins, FOUR << sharing)?;
        let mut tables = column_words(&columns, patterns);
        let rows_at = append(&mut tables, &rounds.rows);
        let starts_at = append(&mut tables, &rounds.starts);
        let terms_at = append(&mut tables, &rounds.terms);
        let fits = bytes(samples, bins.len(), together) + 4 * tables.len() <= free;
        let settings = abi::Walsh {
            patterns: size32("patterns", patterns.len())?,
            groups: size32("groups of columns", groups)?,
            together: size32("groups together", together)?,
            rounds: size32("rounds", groups.div_ceil(together))?,
            rows: size32("rows", rows_at)?,
            starts: size32("starts", starts_at)?,
            terms: size32("terms", terms_at)?,
            staged: size32("tables", if fits { tables.len() } else { starts_at })?,
            sharing,
            room: size32("room", room)?,
            early: u32::from(rounds.terms.len() > TERM * BRIEF),
        };
        Ok(Self {
            patterns: Buffer::from_slice(stream, "patterns", patterns)?,
            tables: Buffer::from_slice(stream, "tables", &tables)?,
            newest: Buffer::from_slice(stream, "newest weights", &newest(samples, patterns.len(), bins))?,
            settings,
            samples,
            bins: bins.len(),
        })
    }

    /// Dynamic shared memory of a block.
    pub(crate) fn shared(&self) -> usize {
        let Self { settings, samples, bins, .. } = self;
        let old = bytes(*samples, *bins, settings.together as usize) + 4 * settings.staged as usize;
        old.max(settings.room as usize)
    }

    pub(crate) fn check(&self, samples: usize, bins: usize) -> Result<(), Error> {
        same("words of a window", self.samples, samples)?;
        same("bins", self.bins, bins)
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

/// Shared memory of transforms and sums.
fn bytes(samples: usize, bins: usize, together: usize) -> usize {
    4 * lines(samples) * (together * samples + 4) + 8 * CHANNELS * bins
}

/// Groups at a time in so much shared memory, about as many in each round; one where not even that fits.
fn together(samples: usize, bins: usize, groups: usize, free: usize) -> usize {
    let most = (1..=groups).rev().find(|&count| bytes(samples, bins, count) <= free).unwrap_or(1);
    groups.div_ceil(groups.div_ceil(most))
}

/// Transforms of a group.
fn lines(samples: usize) -> usize {
    if samples <= PACKED { CHANNELS / 2 } else { CHANNELS }
}

/// Logarithm of the threads that share the `longest` bin's terms, where there are threads enough and more than four terms
/// each.
fn sharing(samples: usize, bins: usize, longest: usize) -> u32 {
    let threads = (THREADS / (lines(samples) * bins)).checked_ilog2().unwrap_or(0);
    let fours = longest.div_ceil(FOUR).next_power_of_two().ilog2();
    threads.min(fours).min(5)
}

/// Bits of a word's number that the first pass transforms beside the lowest 3, as in the source.
const fn bits_1(samples: usize) -> u32 {
    match samples.ilog2() {
        11.. => 3,
        9 | 10 => 2,
        levels => levels - 6,
    }
}

/// Place of number `i` of a transform, as in the source.
fn place_of(samples: usize, i: usize) -> usize {
    let stride = samples >> bits_1(samples);
    let (high, low) = (i / stride * stride, i % stride);
    let spread = low % COLUMNS * (stride / COLUMNS) + low / COLUMNS;
    high + (spread ^ (spread >> 3 & 28))
}

/// Puts `table` behind `tables` at a multiple of four words; where that is.
fn append(tables: &mut Vec<u32>, table: &[u32]) -> usize {
    let at = tables.len();
    tables.extend(table);
    tables.resize(tables.len().next_multiple_of(4), 0);
    at
}

/// Tables in the order of the rounds.
struct Rounds {
    rows: Vec<u32>,
    starts: Vec<u32>,
    terms: Vec<u32>,
}

impl Rounds {
    /// Every bin's terms are filled up to a multiple of `whole`.
    fn new(
        samples: usize,
        together: usize,
        columns: &[Column],
        bins: &[Vec<Term>],
        whole: usize,
    ) -> Result<Self, Error> {
        let stride = samples >> bits_1(samples);
        let (mut rows, mut terms) = (Vec::new(), Vec::new());
        let (mut row_starts, mut term_starts) = (vec![0], vec![0]);
        for round in columns.chunks(together * COLUMNS) {
            let mut used = BTreeSet::new();
            for bin in bins {
                for term in bin {
                    let Ok(column) = round.binary_search(&term.column()) else { continue };
                    let function = term.function - term.function % COLUMNS + column % COLUMNS;
                    let number = column / COLUMNS * samples + function;
                    used.insert(size32("row of a term", number / stride * COLUMNS + column % COLUMNS)?);
                    let Complex { re, im } = term.weight;
                    let place = size32("place of a term", place_of(samples, number))?;
                    terms.push([place, (re as f32).to_bits(), (im as f32).to_bits(), 0]);
                }
                terms.resize(terms.len().next_multiple_of(whole), [0; 4]);
                term_starts.push(size32("terms", terms.len())?);
            }
            rows.extend(used);
            row_starts.push(size32("rows", rows.len())?);
        }
        row_starts.extend(term_starts);
        Ok(Self { rows, starts: row_starts, terms: terms.concat() })
    }
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

#[cfg(test)]
mod tests;
