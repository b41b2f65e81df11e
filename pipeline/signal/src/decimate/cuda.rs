//! The array's decimator on a card; twin of [`super::ArrayDecimator`], kernels in `kernels/cuda/decimate.cu`.
//!
//! For the default chain only: tables and sums of its shape are built into the kernels. Rows go up as they were sent, are
//! turned into words of each channel's time, filtered, and come back as frames in grid order: for 1024 channels
//! 4096 bytes up and as many down for each frame. History stays on the card. The bus, not the kernels, sets the
//! pace.

use super::error::DecimateError;
use super::rows::ROWS;
use crate::filter_design::{Design, Specification};
use dsp_core::Progress;
use dsp_core::decimator::{CIC_IMPULSE, SETTLING, SHIFT, TAPS};
use dsp_core::pdm::TileLayout;
use kernels::abi::decimate::{Batch, CIC_NIBBLES, Chain, FIR_TAPS, HISTORY};
use kernels::decimate::{Decimate, Places};
use kernels::{Buffer, Device, Stream, size32};

/// Frames that cross the bus at a time: 4 MiB of rows for 1024 channels.
const BLOCK: usize = 1024;

const _: () = assert!(SETTLING == HISTORY && TAPS.len() == FIR_TAPS && CIC_IMPULSE.len() == 4 * CIC_NIBBLES);

/// The default chain's numbers as the kernels want them.
pub fn chain() -> Chain {
    let share = |nibble: usize, bits: usize| {
        // The newest bit of a nibble is its highest and meets its first tap.
        let taps = CIC_IMPULSE[4 * nibble..][..4].iter().rev().enumerate();
        let sum: i64 = taps.filter(|(bit, _)| bits >> bit & 1 == 1).map(|(_, tap)| tap).sum();
        u32::try_from(sum).expect("the CIC's taps are positive and make 2^15 together")
    };
    let zeros = CIC_IMPULSE.iter().sum::<i64>() / 2;
    Chain {
        start: (1 << (SHIFT - 1)) - zeros * TAPS.iter().map(|&h| i64::from(h)).sum::<i64>(),
        shares: std::array::from_fn(|nibble| std::array::from_fn(|bits| share(nibble, bits))),
        taps: std::array::from_fn(|i| TAPS[i]),
        shift: SHIFT,
    }
}

/// The decimator of a whole array, with its state on the card.
#[derive(Debug)]
pub struct ArrayDecimator {
    stream: Stream,
    kernels: Decimate<i32>,
    chain: Chain,
    places: Places,
    rows: Buffer<u8>,
    words: Buffer<u32>,
    samples: Buffer<i32>,
    frames: Buffer<i32>,
    channels: usize,
}

impl ArrayDecimator {
    /// A decimator for `design` on an array of `layout`; every channel has been idle for ever.
    pub fn new(device: &Device, design: &Design, layout: &TileLayout) -> Result<Self, DecimateError> {
        if !is_default(design) {
            return Err(DecimateError::NotDefault);
        }
        let mut stream = device.stream()?;
        let channels = layout.channels() as usize;
        let indices: Vec<u32> = (0..layout.channels()).filter_map(|p| layout.index_of(p)).collect();
        Ok(Self {
            kernels: Decimate::new(device)?,
            chain: chain(),
            places: Places::new(&mut stream, &indices)?,
            rows: Buffer::zeros(&mut stream, "rows", BLOCK * ROWS * layout.row_bytes())?,
            words: Decimate::<i32>::idle_words(&mut stream, channels, HISTORY + BLOCK)?,
            samples: Buffer::zeros(&mut stream, "samples", BLOCK * channels)?,
            frames: Buffer::zeros(&mut stream, "frames", BLOCK * channels)?,
            channels,
            stream,
        })
    }

    /// Channels of a frame.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Rows for one frame.
    pub fn rate(&self) -> usize {
        ROWS
    }

    /// Takes whole groups of [`ROWS`] rows (bytes, as sent) and appends their frames to `frames`; counts rows and frames.
    /// After an error neither `frames` nor the decimator are of use.
    pub fn process(&mut self, rows: &[u8], frames: &mut Vec<i32>) -> Result<Progress, kernels::Error> {
        let group = ROWS * self.channels / 8;
        let count = rows.len() / group;
        let start = frames.len();
        frames.resize(start + count * self.channels, 0);
        let blocks = rows[..count * group].chunks(BLOCK * group);
        for (rows, frames) in blocks.zip(frames[start..].chunks_mut(BLOCK * self.channels)) {
            self.block(rows, frames)?;
        }
        Ok(Progress { consumed: count * ROWS, produced: count })
    }

    /// At most [`BLOCK`] frames.
    fn block(&mut self, rows: &[u8], frames: &mut [i32]) -> Result<(), kernels::Error> {
        let batch = Batch {
            positions: size32("channels", self.channels)?,
            frames: size32("frames", frames.len() / self.channels)?,
            word_pitch: size32("words", HISTORY + BLOCK)?,
            sample_pitch: size32("samples", BLOCK)?,
        };
        let Self { stream, kernels, .. } = self;
        stream.upload_front(rows, &mut self.rows)?;
        kernels.transpose_rows(stream, &self.rows, &batch, &mut self.words)?;
        kernels.decimate(stream, &self.words, &self.chain, &batch, &mut self.samples)?;
        kernels.carry_history(stream, &batch, &mut self.words)?;
        kernels.to_frames(stream, &self.samples, &self.places, &batch, &mut self.frames)?;
        stream.download_front(&self.frames, frames)
    }
}

/// Whether the chain is that of [`dsp_core::decimator`], at whatever rate its bits come.
fn is_default(design: &Design) -> bool {
    let (s, d) = (&design.specification, Specification::DEFAULT);
    let shape = (s.cic_order, s.cic_rate, s.fir_rate, s.tap_bits);
    shape == (d.cic_order, d.cic_rate, d.fir_rate, d.tap_bits) && design.taps == TAPS
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers make the chain: idle bits are zero, ones are full scale, and the last share fits the byte that the kernel
    /// gives it.
    #[test]
    fn the_chain_has_unit_gain_and_no_offset() {
        let Chain { start, shares, taps, shift } = chain();
        assert!(shares[CIC_NIBBLES - 1][15] < 1 << 8);
        let weight = 2 * taps[..46].iter().map(|&h| i64::from(h)).sum::<i64>() + i64::from(taps[46]);
        let settled = |bits: usize| {
            let u: u32 = shares.iter().map(|nibble| nibble[bits]).sum();
            (start + weight * i64::from(u)) >> shift
        };
        let full = i64::from(super::super::FULL_SCALE);
        assert_eq!([0b1111, 0b0000, 0b0101, 0b1010].map(settled), [full, -full, 0, 0]);
        // A single bit meets each tap once.
        for (j, tap) in CIC_IMPULSE.iter().enumerate() {
            assert_eq!(i64::from(shares[j / 4][1 << (3 - j % 4)]), *tap, "tap {j}");
        }
    }

    #[test]
    fn only_the_default_chain_is_taken() {
        let design = Design::with_taps(Specification::DEFAULT, TAPS.to_vec());
        assert!(is_default(&design));
        assert!(is_default(&Design {
            specification: Specification { bit_rate_hz: 1e6, ..Specification::DEFAULT },
            ..design.clone()
        }));
        let mut other = design.clone();
        other.taps[46] += 1;
        assert!(!is_default(&other));
        let specification = Specification { tap_bits: 21, ..Specification::DEFAULT };
        assert!(!is_default(&Design { specification, ..design }));
    }
}
