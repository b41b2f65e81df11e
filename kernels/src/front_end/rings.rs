//! What a stream leaves on the card between two launches, and which windows of it a launch takes.

use super::sizes::{CHANNELS, NEWEST};
use crate::abi::State;
use crate::error::Error;
use crate::mail::{self, Mail};
use crate::memory::Buffer;
use crate::stream::Stream;
use num_complex::Complex;

/// What a stream leaves on the card between two launches.
#[derive(Debug)]
pub struct Rings {
    /// Rows that do not fill a word yet, `[byte of a row][32]`.
    pub pending: Buffer<u8>,
    /// `[channel][capacity]`.
    pub words: Buffer<u32>,
    /// `[channel][capacity]`.
    pub samples: Buffer<f32>,
    /// Rows that were fetched from host memory, `[row][parcel][unit]`, as `cuda/mail.cuh` says.
    pub inbox: Buffer<u64>,
    /// What the old words add to the bins of the next window, `[bin][channel]`.
    pub kept: Buffer<Complex<f32>>,
    /// And to its new samples, `[word][channel]`, coarse and fine.
    pub shares: Buffer<i32>,
    /// Where the stream stands.
    pub state: Buffer<State>,
    /// Words and samples of a channel.
    pub capacity: usize,
}

impl Rings {
    /// Channels that have been idle for ever, for mail of up to `rows` rows, those that may be skipped included, and so many bins.
    pub fn idle(
        stream: &mut Stream,
        channels: usize,
        capacity: usize,
        rows: usize,
        bins: usize,
    ) -> Result<Self, Error> {
        let words = vec![0x5555_5555; channels * capacity];
        Ok(Self {
            pending: Buffer::zeros(stream, "pending rows", 32 * channels / CHANNELS)?,
            words: Buffer::from_slice(stream, "ring of words", &words)?,
            samples: Buffer::zeros(stream, "ring of samples", channels * capacity)?,
            inbox: Buffer::zeros(stream, "inbox", inbox_units(rows, channels / CHANNELS))?,
            kept: Buffer::poisoned(stream, "kept bins", bins * channels)?,
            shares: Buffer::zeros(stream, "kept shares", 2 * NEWEST * channels)?,
            state: Buffer::zeros(stream, "state of the stream", 1)?,
            capacity,
        })
    }
}

/// Units of the inbox for so many rows: three in a parcel.
pub(crate) fn inbox_units(rows: usize, row_bytes: usize) -> usize {
    rows * 3 * row_bytes.div_ceil(mail::BYTES)
}

/// Which windows a launch takes.
#[derive(Debug, Clone, Copy)]
pub enum Windows<'a> {
    /// The next one of a stream, before its rows are there: what its old words add is kept for [`Windows::Live`], which must
    /// follow with as many rows.
    Next {
        /// Rows to come.
        count: usize,
    },
    /// The newest of a stream: takes the rows and adds to what is kept; or takes what it is told to skip ([`Mail::skip`]).
    Live {
        /// Where they come; the launch waits for them.
        mail: &'a Mail,
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
