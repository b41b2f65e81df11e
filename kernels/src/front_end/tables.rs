//! The tables of each kernel of `cuda/front_end.cu`, and how much of them it keeps in shared memory.

use super::sizes::{CHANNELS, HISTORY, LONGEST, NEWEST, RESPONSE, SHORTEST, THREADS, WARPS};
use crate::error::{Error, same};
use crate::memory::Buffer;
use crate::program::Define;
use crate::walsh;
use num_complex::Complex;

/// Where channels go and what they are multiplied by.
#[derive(Debug)]
pub struct Destination {
    /// Grid index of every channel.
    pub places: Buffer<u32>,
    /// `[bin][channel]`.
    pub gains: Buffer<Complex<f32>>,
}

/// Which kernel, with its tables.
#[derive(Debug)]
pub enum Tables {
    /// Nominal: FFT.
    Fft {
        /// The decimator's impulse response, the newest bit first, [`RESPONSE`].
        response: Buffer<i32>,
        /// Window over the samples, divided by its sum.
        window: Buffer<f32>,
        /// Of all passes, as [`twiddle_turns`] orders them.
        twiddles: Buffer<Complex<f32>>,
        /// Weights of the last [`NEWEST`] samples in every bin, `[bin][t]`: twice the window, turned.
        newest: Buffer<Complex<f32>>,
        /// k of every bin.
        bins: Buffer<u32>,
    },
    /// Sums of samples with weights.
    Dot {
        /// The decimator's impulse response, the newest bit first, [`RESPONSE`].
        response: Buffer<i32>,
        /// `[bin][t]`.
        weights: Buffer<Complex<f32>>,
    },
    /// Sums of popcount(word) - 16 with weights.
    Counts {
        /// `[bin][t]`.
        weights: Buffer<Complex<f32>>,
    },
    /// The exact DFT of the bits.
    Exact {
        /// `[plain bin][byte][value]`.
        byte_sums: Buffer<Complex<f32>>,
        /// exp(-j 2 pi i/N).
        twiddles: Buffer<Complex<f32>>,
        /// k of every plain bin, `terms` for each result.
        plain: Buffer<u32>,
        /// What each term is multiplied by.
        mix: Buffer<f32>,
    },
    /// Walsh coefficients.
    Walsh(walsh::Tables),
}

impl Tables {
    /// Dynamic shared memory of a block.
    pub(super) fn shared(&self, samples: usize, bins: usize) -> usize {
        match self {
            Self::Fft { .. } => nominal_bytes(samples),
            Self::Dot { .. } | Self::Counts { .. } => {
                8 * CHANNELS * bins.max(4 * WARPS) + 4 * CHANNELS * samples
            }
            Self::Exact { plain, .. } => {
                8 * (samples + 4 * 256 + plain.len() * WARPS) + 4 * CHANNELS * samples
            }
            Self::Walsh(tables) => tables.shared(),
        }
    }

    /// Whether the old part of a window takes no longer by blocks that share a multiprocessor (`docs/measured/pnah_cuda.md`).
    pub(super) fn is_brief(&self, bins: usize) -> bool {
        match self {
            Self::Fft { .. } | Self::Walsh(_) => true,
            Self::Dot { .. } | Self::Counts { .. } => bins <= 5,
            Self::Exact { plain, .. } => plain.len() <= 3,
        }
    }

    /// Lengths for windows of so many samples and so many bins.
    pub(super) fn check(&self, n: usize, bins: usize) -> Result<(), Error> {
        match self {
            Self::Fft { response, window, twiddles, newest, bins: k } => {
                let power = usize::from(n.is_power_of_two() && (SHORTEST..=LONGEST).contains(&n));
                same("power of two from 64 to 4096", power, 1)?;
                same("response", response.len(), RESPONSE)?;
                same("window", window.len(), n)?;
                let [first, second, last] = radices(n);
                same("twiddles", twiddles.len(), first * (second - 1) + bins * last)?;
                same("newest weights", newest.len(), bins * NEWEST)?;
                same("bins", k.len(), bins)
            }
            Self::Dot { response, weights } => {
                same("response", response.len(), RESPONSE)?;
                same("weights", weights.len(), bins * n)
            }
            Self::Counts { weights } => same("weights", weights.len(), bins * n),
            Self::Exact { byte_sums, twiddles, plain, mix } => {
                same("sums of bytes", byte_sums.len(), plain.len() * 4 * 256)?;
                same("twiddles", twiddles.len(), n)?;
                same("plain bins", plain.len(), bins * mix.len())
            }
            Self::Walsh(tables) => tables.check(n, bins),
        }
    }
}

/// The source's constants; `source` is where `project_bins` takes its values from.
pub(super) const fn constants(samples: usize, source: i64, fresh: bool) -> [Define; 4] {
    [
        ("FRESH", fresh as i64),
        ("SAMPLES", samples as i64),
        ("SOURCE", source),
        ("NOMINAL_BYTES", nominal_bytes(samples) as i64),
    ]
}

/// Radices of the FFT's passes, as in the source.
const fn radices(samples: usize) -> [usize; 3] {
    let first = if samples >= 2048 { 16 } else { 8 };
    let second = if samples >= 4096 {
        16
    } else if samples >= 512 {
        8
    } else {
        4
    };
    [first, second, samples / (first * second)]
}

/// Bytes of `struct Nominal`; the source refuses to compile if it needs more.
const fn nominal_bytes(samples: usize) -> usize {
    let [first, second, last] = radices(samples);
    let ingest = 4 * (CHANNELS * (HISTORY + NEWEST) + RESPONSE + 3 * CHANNELS * NEWEST) + 8 * 32;
    let staged = THREADS / CHANNELS;
    let turns = first * (second - 1) + staged * last;
    ingest + 8 * (CHANNELS / 2 * (samples + samples / 8) + turns) + 4 * staged
}

/// The FFT's twiddles as its passes take them, as fractions of a turn: the second pass, then the last for every bin.
pub fn twiddle_turns(samples: usize, bins: &[usize]) -> Vec<f64> {
    let [first, second, last] = radices(samples);
    let turn = |i: usize, n: usize| (i % n) as f64 / n as f64;
    let second = (1..second).flat_map(|r| (0..first).map(move |i| turn(i * r, first * second)));
    let last = bins.iter().flat_map(|k| (0..last).map(move |r| turn(r * k, samples)));
    second.chain(last).collect()
}
