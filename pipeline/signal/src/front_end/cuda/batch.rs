//! Windows of a recording, one launch for all of them.
//!
//! ```text
//! rows -> words of each channel -> samples, for methods that decimate -> bins of all windows
//! ```
//! The first two steps are those of the decimator (`kernels/cuda/decimate.cu`), exact in integers.

use super::super::error::{FrontEndError, check_length};
use super::super::settings::Settings;
use super::kernel::{Complex32, front_end};
use crate::decimate::cuda::chain;
use dsp_core::decimator::{RATE, SETTLING};
use kernels::abi::decimate::{Batch, Chain, HISTORY};
use kernels::decimate::Decimate;
use kernels::front_end::{Rings, Windows};
use kernels::{Buffer, Stream, size32};
use num_complex::Complex;

// Words have so many before the first, samples have so many of the decimator's history: windows begin at the same place.
const _: () = assert!(SETTLING == HISTORY);

/// Rows of an array to the chosen bins of all its microphones, some windows at a time; twin of
/// [`FrontEnd<f32>`](super::super::FrontEnd).
#[derive(Debug)]
pub struct FrontEnd {
    settings: Settings,
    windows: usize,
    bins: kernels::front_end::FrontEnd,
    decimate: Decimate<f32>,
    chain: Chain,
    rows: Buffer<u8>,
    rings: Rings,
    out: Buffer<Complex32>,
}

impl FrontEnd {
    /// The plan for `settings` and so many windows a call on the stream's card, with `gains` (`[bin][grid index]`, over the
    /// settings' corrections) or none.
    pub fn new(
        stream: &mut Stream,
        settings: &Settings,
        gains: Option<&[Complex<f64>]>,
        windows: usize,
    ) -> Result<Self, FrontEndError> {
        let device = stream.device().clone();
        let bins = front_end(stream, settings, gains, Some(windows))?;
        let (channels, row_bytes) = (settings.layout.channels() as usize, settings.layout.row_bytes());
        let rows = windows * (settings.history_rows() + settings.window_rows());
        let capacity = HISTORY + rows / RATE;
        let samples = if settings.method.decimates() { channels * capacity } else { 1 };
        Ok(Self {
            settings: settings.clone(),
            windows,
            decimate: Decimate::new(&device)?,
            chain: chain(),
            rows: Buffer::zeros(stream, "rows", rows * row_bytes)?,
            rings: Rings {
                words: Buffer::zeros(stream, "words", channels * capacity)?,
                samples: Buffer::zeros(stream, "samples", samples)?,
                capacity,
                // For a live stream.
                ..Rings::idle(stream, channels, 1, 1, 1)?
            },
            out: Buffer::zeros(stream, "bins", windows * bins.bins() * channels)?,
            bins,
        })
    }

    /// The settings of the plan.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The amplitudes `P[k]` of all microphones, `[window][bin][grid index]`, from history and window of one window after
    /// the other, as sent.
    pub fn holograms(
        &mut self,
        stream: &mut Stream,
        rows: &[u8],
        out: &mut [Complex32],
    ) -> Result<(), FrontEndError> {
        check_length("bytes of rows", self.rows.len(), rows.len())?;
        check_length("results", self.out.len(), out.len())?;
        let words = self.rings.capacity - HISTORY;
        let batch = Batch {
            positions: self.settings.layout.channels(),
            frames: size32("words", words)?,
            word_pitch: size32("words", self.rings.capacity)?,
            sample_pitch: size32("samples", self.rings.capacity)?,
        };
        stream.upload(rows, &mut self.rows)?;
        let Rings { words: bits, samples, .. } = &mut self.rings;
        self.decimate.transpose_rows(stream, &self.rows, &batch, bits)?;
        if self.settings.method.decimates() {
            self.decimate.decimate(stream, bits, &self.chain, &batch, samples)?;
        }
        let (first, stride, count) = (HISTORY, words / self.windows, self.windows);
        self.bins.run(stream, Windows::Of { first, stride, count }, &mut self.rings, &mut self.out)?;
        Ok(stream.download(&self.out, out)?)
    }

    /// The last step alone, queued and not waited for: windows of words, or of samples for methods that decimate, that are
    /// on the card already. They begin at `first` and follow each other by `stride`; `bins` is `[window][bin][grid index]`.
    pub fn execute_device(
        &self,
        stream: &mut Stream,
        arrays: &mut Rings,
        first: usize,
        stride: usize,
        bins: &mut Buffer<Complex32>,
    ) -> Result<(), FrontEndError> {
        let windows = Windows::Of { first, stride, count: self.windows };
        Ok(self.bins.run(stream, windows, arrays, bins)?)
    }
}
