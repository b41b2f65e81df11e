//! Blocks of bits to rows of a frame: which routine of `dsp-core` a mode calls, and where its results go.
//!
//! | mode | blocks a frame | rows of a frame | stride |
//! |---|---|---|---|
//! | bits | 4 | 128 time samples | 1 |
//! | decimate, cic, average | 4 | 4 time samples | 32 |
//! | walsh | 32 | 4 coefficients | 1024 |
//!
//! Every whole frame has 1024 bytes of payload; with its header it fits an Ethernet frame.

use crate::LINES;
use dsp_core::average::average;
use dsp_core::console::Mode;
use dsp_core::decimator::Decimator;
use dsp_core::frame::Kind;
use dsp_core::lut::Lut;
use dsp_core::pdm::{TimeWord, to_sample_words};
use dsp_core::walsh::low_coefficients;

/// Bits of a line in a block.
pub const BLOCK_BITS: usize = 32;

/// Blocks of a Walsh window.
pub const WINDOW: usize = 32;

/// Walsh coefficients that are sent.
pub const COEFFICIENTS: usize = 4;

/// Rows of samples in a frame.
const ROWS: usize = 4;

/// Payload bytes of a whole frame.
pub const PAYLOAD: usize = 4 * LINES * ROWS;

/// A CIC of order 4 by 32 has 125 taps.
type CicTable = Lut<i32, 4, 4, 1>;

static CIC: CicTable = match CicTable::new(&dsp_core::cic::Cic::<i32, 4, 32, 1>::taps::<125>()) {
    Ok(table) => table,
    Err(_) => panic!("125 taps fit four lanes"),
};

/// Payload bytes that begin at a word.
#[repr(C, align(4))]
struct Payload([u8; PAYLOAD]);

/// What to write before a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What the payload holds.
    pub kind: Kind,
    /// Bit clocks from row to row.
    pub stride: u16,
}

/// The state of every line in every mode.
pub struct Engine {
    mode: Mode,
    decimators: [Decimator; LINES],
    cic: [[i32; 4]; LINES],
    window: [[TimeWord; WINDOW]; LINES],
    payload: Payload,
    /// Blocks in the frame so far.
    blocks: usize,
}

impl Engine {
    /// Idle lines in mode [`Mode::Bits`].
    pub const fn new() -> Self {
        Self {
            mode: Mode::Bits,
            decimators: [const { Decimator::new() }; LINES],
            cic: [CIC.initial(); LINES],
            window: [[TimeWord(0); WINDOW]; LINES],
            payload: Payload([0; PAYLOAD]),
            blocks: 0,
        }
    }

    /// Begins anew in `mode`, with lines that have been idle for ever.
    pub fn reset(&mut self, mode: Mode) {
        self.mode = mode;
        self.decimators.iter_mut().for_each(|line| *line = Decimator::new());
        self.cic.fill(CIC.initial());
        self.blocks = 0;
    }

    /// Forgets the payload, which has been sent.
    pub fn clear(&mut self) {
        self.blocks = 0;
    }

    /// Kind and stride of the frames.
    pub fn shape(&self) -> Shape {
        let (kind, stride) = match self.mode {
            Mode::Bits => (Kind::Bits, 1),
            Mode::Decimate | Mode::Cic | Mode::Average => (Kind::Samples, BLOCK_BITS as u16),
            Mode::Walsh => (Kind::Walsh, (BLOCK_BITS * WINDOW) as u16),
        };
        Shape { kind, stride }
    }

    /// Blocks that wait in the payload.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// The rows so far; of a Walsh window that is not complete there are none.
    pub fn payload(&self) -> &[u8] {
        let whole = match self.mode {
            Mode::Walsh if self.blocks < WINDOW => 0,
            Mode::Walsh => PAYLOAD,
            _ => self.blocks * (PAYLOAD / ROWS),
        };
        self.payload.0.get(..whole).unwrap_or(&[])
    }

    /// Takes a block; whether the frame is complete.
    #[inline]
    pub fn push(&mut self, words: &[TimeWord; LINES]) -> bool {
        match self.mode {
            Mode::Bits => self.bits(words),
            Mode::Decimate => self.decimate(words),
            Mode::Cic => self.cic(words),
            Mode::Average => self.average(words),
            Mode::Walsh => return self.walsh(words),
        }
        self.blocks += 1;
        self.blocks >= ROWS
    }

    /// The part of the payload that belongs to the block that has come, word by word.
    fn rows(&mut self) -> &mut [[u8; 4]] {
        let rows = self.payload.0.as_chunks_mut::<4>().0;
        rows.get_mut(LINES * self.blocks..).unwrap_or(&mut [])
    }

    fn bits(&mut self, words: &[TimeWord; LINES]) {
        let (low, high) = words.split_at(LINES / 2);
        let mut lanes = [[TimeWord(0); 2]; 32];
        for (lane, (low, high)) in lanes.iter_mut().zip(low.iter().zip(high)) {
            *lane = [*low, *high];
        }
        let rows = to_sample_words(&lanes);
        for (slot, word) in self.rows().iter_mut().zip(rows.as_flattened()) {
            *slot = word.0.to_le_bytes();
        }
    }

    fn decimate(&mut self, words: &[TimeWord; LINES]) {
        let rows = self.payload.0.as_chunks_mut::<4>().0.iter_mut().skip(LINES * self.blocks);
        for ((line, word), slot) in self.decimators.iter_mut().zip(words).zip(rows) {
            *slot = line.push(*word).to_le_bytes();
        }
    }

    fn cic(&mut self, words: &[TimeWord; LINES]) {
        let rows = self.payload.0.as_chunks_mut::<4>().0.iter_mut().skip(LINES * self.blocks);
        for ((state, word), slot) in self.cic.iter_mut().zip(words).zip(rows) {
            let [sample] = CIC.step(state, word.to_bytes());
            *slot = sample.to_le_bytes();
        }
    }

    fn average(&mut self, words: &[TimeWord; LINES]) {
        for (word, slot) in words.iter().zip(self.rows()) {
            let mut sample = [0i32];
            let _ = average::<BLOCK_BITS, _>(core::slice::from_ref(word), &mut sample);
            let [sample] = sample;
            *slot = sample.to_le_bytes();
        }
    }

    fn walsh(&mut self, words: &[TimeWord; LINES]) -> bool {
        for (line, word) in self.window.iter_mut().zip(words) {
            if let Some(slot) = line.get_mut(self.blocks) {
                *slot = *word;
            }
        }
        self.blocks += 1;
        if self.blocks < WINDOW {
            return false;
        }
        let rows = self.payload.0.as_chunks_mut::<4>().0;
        for (line, window) in self.window.iter().enumerate() {
            let mut coefficients = [0; COEFFICIENTS];
            // The lengths are powers of two, so there is no error to report.
            let _ = low_coefficients(window, &mut coefficients);
            for (row, value) in rows.chunks_exact_mut(LINES).zip(coefficients) {
                if let Some(slot) = row.get_mut(line) {
                    *slot = value.to_le_bytes();
                }
            }
        }
        true
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests;
