//! The last N samples of all channels, as a ring.
//!
//! ```text
//! [block of 32 channels][position in the ring][channel of the block]
//! ```
//!
//! A frame of all channels overwrites the oldest one, and nothing moves. A block's samples are contiguous, so a
//! transform streams through them; the transforms take the ring's start into account by indexing, because a Hann
//! window does not rotate. Blocks lie one line further apart than N, else all blocks' lines of one frame would fall
//! into the same sets of the cache.

use super::lanes::{LANES, Line, share, workers};
use crate::decimate::FULL_SCALE;
use numerics::real::Real;
use std::slice::ChunksExact;

/// The last N samples of all channels; zeros before the first.
pub struct Samples<T> {
    lines: Vec<Line<T>>,
    length: usize,
    channels: usize,
    /// Where the oldest frame is and the next one goes.
    start: usize,
    workers: Vec<()>,
}

numerics::compiled! { T: Real => Samples<T>: new, push }

impl<T: Real> Samples<T> {
    /// A ring of `length` frames of `channels` channels.
    #[inline(never)]
    pub fn new(length: usize, channels: usize) -> Self {
        let blocks = channels.div_ceil(LANES);
        Self {
            lines: vec![Line([T::zero(); LANES]); blocks * (length + 1)],
            length,
            channels,
            start: 0,
            workers: workers(blocks, ()),
        }
    }

    /// Frames, N.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Channels of a frame.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Blocks of channels.
    pub fn blocks(&self) -> usize {
        self.channels.div_ceil(LANES)
    }

    /// Lets `write` fill `group` blocks at a time; lines `length + 1` apart belong to the next block.
    pub(super) fn write_blocks(&mut self, group: usize, write: impl Fn(usize, &mut [Line<T>]) + Sync) {
        let size = group * (self.length + 1);
        share(&mut self.workers, &mut self.lines, size, |_, number, lines| write(number, lines));
    }

    /// Where the next frame goes.
    pub(super) fn next_position(&self) -> usize {
        self.start
    }

    /// Frames have been written from [`Self::next_position`] on.
    pub(super) fn advance(&mut self, frames: usize) {
        self.start = (self.start + frames) % self.length;
    }

    /// One block.
    pub(super) fn block(&self, number: usize) -> Block<'_, T> {
        Block { lines: &self.lines[number * (self.length + 1)..][..self.length], start: self.start }
    }

    /// Takes frames of the decimator's codes, `[frame][channel]`; full scale becomes 1.
    #[inline(never)]
    pub fn push(&mut self, frames: &[i32]) {
        let (channels, length, start) = (self.channels, self.length, self.start);
        // All blocks of a worker for one frame after the other: frames are read in order.
        let group = self.blocks().div_ceil(self.workers.len());
        self.write_blocks(group, |number, lines| {
            let frames = frames.chunks_exact(channels);
            put(frames, number * group * LANES, lines, [start, length]);
        });
        self.advance(frames.len() / channels);
    }
}

/// Writes the codes from `channel` on to the lines of a ring's blocks, its next position first.
fn put<T: Real>(frames: ChunksExact<'_, i32>, channel: usize, lines: &mut [Line<T>], ring: [usize; 2]) {
    let scale = T::of(1.0 / f64::from(FULL_SCALE));
    let [mut position, length] = ring;
    for frame in frames {
        let codes = frame[channel..].chunks(LANES);
        for (block, codes) in lines.chunks_exact_mut(length + 1).zip(codes) {
            for (x, &code) in block[position].0.iter_mut().zip(codes) {
                *x = T::from_i32(code).unwrap_or_default() * scale;
            }
        }
        position = if position + 1 == length { 0 } else { position + 1 };
    }
}

/// One block of a ring.
#[derive(Clone, Copy)]
pub struct Block<'a, T> {
    lines: &'a [Line<T>],
    start: usize,
}

impl<'a, T> Block<'a, T> {
    /// Sample `t` of all lanes, oldest first; `t` is at most N, which is the oldest again.
    #[inline(always)]
    pub fn at(&self, t: usize) -> &'a Line<T> {
        let position = self.start + t;
        let length = self.lines.len();
        &self.lines[if position >= length { position - length } else { position }]
    }

    /// Samples N.
    #[inline(always)]
    pub fn length(&self) -> usize {
        self.lines.len()
    }
}
