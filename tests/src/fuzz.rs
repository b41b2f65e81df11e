//! Hostile inputs for parsers: sound ones with wounds, the same in every run.
//!
//! An input is one of the seeds with one to four wounds: a flipped bit, a cut end, a missing or repeated piece, the tail of another seed, or, by the
//! [`Dialect`], what hurts texts (a number replaced by an [interesting](NUMBERS) one, a line missing, twice or from another seed, a stray bracket) or binary
//! formats (a field of 1 to 8 bytes overwritten). Most of an input is sound, so it gets past the first check and meets those behind it.
//!
//! [`fuzz`] counts what was accepted and what was refused. Both must happen: a parser that refuses everything was shown rubbish.

use pipeline::numerics::random::SplitMix64;
use std::time::Instant;

/// Inputs of a parser in an ordinary test; `FUZZ_INPUTS` says another number, and `cargo xtask fuzz` says a million.
const INPUTS: u64 = 10_000;

/// Longest input, bytes: repeated pieces of repeated pieces end here.
const LONGEST: usize = 1 << 16;

/// Numbers at which arithmetic goes wrong: limits of the types, the steps beyond them, and what is no number.
pub const NUMBERS: [&str; 32] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "4",
    "7",
    "31",
    "32",
    "64",
    "255",
    "256",
    "4096",
    "65528",
    "65535",
    "65536",
    "2097152",
    "2147483647",
    "4294967296",
    "576460752303423488",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "0.5",
    "1e-3",
    "5e-324",
    "1e9",
    "1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
];

/// Bytes that open, close or separate something in TOML or JSON.
const STRAY: &[u8] = b"[]{}\"',.:=#\n\\";

/// The kind of format that a seed is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Lines, words and numbers.
    Text,
    /// Fields of bytes.
    Binary,
}

/// Makes inputs from seeds.
#[derive(Debug)]
pub struct Mutator {
    random: SplitMix64,
    dialect: Dialect,
    seeds: Vec<Vec<u8>>,
}

impl Mutator {
    /// A mutator of at least one seed.
    pub fn new(dialect: Dialect, seeds: Vec<Vec<u8>>) -> Self {
        assert!(!seeds.is_empty() && seeds.iter().all(|seed| !seed.is_empty()), "seeds to start from");
        Self { random: SplitMix64::new(1), dialect, seeds }
    }

    /// A number below `n`, which is above 0.
    fn below(&mut self, n: usize) -> usize {
        (self.random.integer() % n as u64) as usize
    }

    /// The next input.
    fn input(&mut self) -> Vec<u8> {
        let seed = self.below(self.seeds.len());
        let mut input = self.seeds[seed].clone();
        for _ in 0..=self.below(4) {
            if input.is_empty() {
                break;
            }
            match (self.below(10), self.dialect) {
                (0, _) => self.flip(&mut input),
                (1, _) => input.truncate(self.below(input.len())),
                (2, _) => drop(input.drain(self.piece(&input))),
                (3, _) => self.repeat(&mut input),
                (4, _) => self.splice(&mut input),
                (5.., Dialect::Binary) => self.overwrite(&mut input),
                (5, Dialect::Text) => self.line(&mut input),
                (6, Dialect::Text) => self.stray(&mut input),
                (7.., Dialect::Text) => self.number(&mut input),
            }
        }
        input.truncate(LONGEST);
        input
    }

    fn flip(&mut self, input: &mut [u8]) {
        let (at, bit) = (self.below(input.len()), self.below(8));
        input[at] ^= 1 << bit;
    }

    /// Some neighbouring bytes.
    fn piece(&mut self, input: &[u8]) -> std::ops::Range<usize> {
        let at = self.below(input.len());
        at..(at + 1 + self.below(32)).min(input.len())
    }

    fn repeat(&mut self, input: &mut Vec<u8>) {
        let piece = self.piece(input);
        let times = 1 << self.below(8);
        let again = input[piece.clone()].repeat(times);
        input.splice(piece.end..piece.end, again);
    }

    /// The head of this input and the tail of a seed.
    fn splice(&mut self, input: &mut Vec<u8>) {
        let other = self.below(self.seeds.len());
        input.truncate(self.below(input.len()));
        let from = self.below(self.seeds[other].len());
        input.extend_from_slice(&self.seeds[other][from..]);
    }

    /// An integer of 1, 2, 4 or 8 bytes in either order.
    fn overwrite(&mut self, input: &mut [u8]) {
        let width = 1 << self.below(4);
        let value = match self.below(4) {
            0 => self.random.integer(),
            1 => (1u64 << self.below(64)).wrapping_sub(1),
            2 => 1 << self.below(64),
            _ => self.below(64) as u64,
        };
        let (little, big) = (value.to_le_bytes(), value.to_be_bytes());
        let field = if self.below(2) == 0 { &little[..width] } else { &big[8 - width..] };
        // Fields of such a width begin at its multiples in most formats.
        let at = self.below(input.len()) / width * width;
        input[at..].iter_mut().zip(field).for_each(|(byte, new)| *byte = *new);
    }

    /// A line is left out, twice there, or replaced by one of a seed.
    fn line(&mut self, input: &mut Vec<u8>) {
        let line = line_at(input, self.below(input.len()));
        let new = match self.below(3) {
            0 => Vec::new(),
            1 => input[line.clone()].repeat(2),
            _ => {
                let other = self.below(self.seeds.len());
                let at = self.below(self.seeds[other].len());
                let seed = &self.seeds[other];
                seed[line_at(seed, at)].to_vec()
            }
        };
        input.splice(line, new);
    }

    fn stray(&mut self, input: &mut Vec<u8>) {
        let (at, byte) = (self.below(input.len()), STRAY[self.below(STRAY.len())]);
        input.insert(at, byte);
    }

    /// A number becomes another one.
    fn number(&mut self, input: &mut Vec<u8>) {
        let part_of = |byte: &u8| byte.is_ascii_digit() || b"+-._".contains(byte);
        let from = self.below(input.len());
        let Some(start) = input[from..].iter().position(u8::is_ascii_digit).map(|n| from + n) else { return };
        let end = input[start..].iter().position(|b| !part_of(b)).map_or(input.len(), |n| start + n);
        let number = NUMBERS[self.below(NUMBERS.len())];
        input.splice(start..end, number.bytes());
    }
}

/// The line, with its end, that holds the byte at `at`.
fn line_at(text: &[u8], at: usize) -> std::ops::Range<usize> {
    let start = text[..at].iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    start..text[at..].iter().position(|&b| b == b'\n').map_or(text.len(), |n| at + n + 1)
}

/// Shows the input that a parser broke on.
struct Blame<'a> {
    parser: &'a str,
    number: u64,
    input: &'a [u8],
}

impl Drop for Blame<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}, input {}: b\"{}\"", self.parser, self.number, self.input.escape_ascii());
        }
    }
}

/// Gives a parser its inputs, `parse` says which it accepted, and prints the outcome.
///
/// # Panics
/// If the parser does, or if it did not both accept and refuse.
pub fn fuzz(parser: &str, mut mutator: Mutator, mut parse: impl FnMut(&mut Vec<u8>) -> bool) {
    let inputs = std::env::var("FUZZ_INPUTS")
        .map_or(INPUTS, |text| text.parse().expect("FUZZ_INPUTS is a whole number"));
    let begin = Instant::now();
    let mut accepted = 0;
    for number in 0..inputs {
        let input = mutator.input();
        let blame = Blame { parser, number, input: &input };
        accepted += u64::from(parse(&mut input.clone()));
        drop(blame);
    }
    let refused = inputs - accepted;
    let seconds = begin.elapsed().as_secs_f64();
    println!("{parser:<18} {inputs:>8} inputs {accepted:>8} accepted {refused:>8} refused {seconds:>7.1} s");
    assert!(accepted > 0 && refused > 0, "{parser}: {accepted} of {inputs} accepted");
}
