//! What a stream leaves on the card between two launches, and which windows of it a launch takes.

use super::CHANNELS;
use crate::abi::State;
use crate::error::Error;
use crate::memory::{Buffer, Mapped};
use crate::stream::Stream;

/// What a stream leaves on the card between two launches.
#[derive(Debug)]
pub struct Rings {
    /// Rows that do not fill a word yet, `[byte of a row][32]`.
    pub pending: Buffer<u8>,
    /// `[channel][capacity]`.
    pub words: Buffer<u32>,
    /// `[channel][capacity]`.
    pub samples: Buffer<f32>,
    /// Rows that were fetched from host memory, `[byte of a row][group of four rows]`, as `cuda/ingest.cuh` says.
    pub inbox: Buffer<u64>,
    /// Where the stream stands.
    pub state: Buffer<State>,
    /// Words and samples of a channel.
    pub capacity: usize,
}

impl Rings {
    /// Channels that have been idle for ever, for launches of up to `rows` rows.
    pub fn idle(stream: &mut Stream, channels: usize, capacity: usize, rows: usize) -> Result<Self, Error> {
        let words = vec![0x5555_5555; channels * capacity];
        Ok(Self {
            pending: Buffer::zeros(stream, "pending rows", 32 * channels / CHANNELS)?,
            words: Buffer::from_slice(stream, "ring of words", &words)?,
            samples: Buffer::zeros(stream, "ring of samples", channels * capacity)?,
            inbox: Buffer::zeros(stream, "inbox", inbox_units(rows, channels / CHANNELS))?,
            state: Buffer::zeros(stream, "state of the stream", 1)?,
            capacity,
        })
    }
}

/// Units of the inbox for so many rows: four rows of a byte each.
pub(crate) fn inbox_units(rows: usize, row_bytes: usize) -> usize {
    rows.div_ceil(4) * row_bytes
}

/// Which windows a launch takes.
#[derive(Debug, Clone, Copy)]
pub enum Windows<'a> {
    /// The newest, after new rows were taken.
    Live {
        /// The rows, in host memory.
        rows: &'a Mapped<u8>,
        /// Their number, at most [`MOST_ROWS`](super::MOST_ROWS).
        count: usize,
    },
    /// Some of arrays that are complete.
    Of {
        /// First word of the first window.
        first: usize,
        /// Words from one to the next.
        stride: usize,
        /// How many.
        count: usize,
    },
}
