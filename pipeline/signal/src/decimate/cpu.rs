//! The array's decimator on the host; its twin on a card is [`super::cuda`].
//!
//! Two engines, chosen once: `wide` (byte tables and multiply-add pairs over 256 channels at a time, for a CIC by
//! 8 and a FIR by 4) and `general` (any designed rate, one channel after the other).

use super::error::DecimateError;
use super::rows::{Engine, ROWS};
use super::{general, wide};
use crate::filter_design::Design;
use dsp_core::Progress;
use dsp_core::pdm::TileLayout;
use rayon::prelude::*;

/// Rows that all engines pass before the next ones: 128 KiB for 1024 channels, so that the second engine finds them in
/// the cache.
const BLOCK: usize = 1024;

/// The decimator of a whole array.
pub struct ArrayDecimator {
    engines: Vec<Box<dyn Engine>>,
    /// Where the engines' channels go, eight at a time.
    places: Vec<Place>,
    row_bytes: usize,
    channels: usize,
    rate: usize,
}

impl ArrayDecimator {
    /// A decimator for `design` on an array of `layout`; every channel has been idle for ever.
    pub fn new(design: &Design, layout: &TileLayout) -> Result<Self, DecimateError> {
        let channels = layout.channels();
        let rate = (design.specification.cic_rate * design.specification.fir_rate) as usize;
        let mut engines: Vec<Box<dyn Engine>> = Vec::new();
        if let Some(filter) = wide::Filter::new(design) {
            let filter = std::sync::Arc::new(filter);
            engines.extend(wide::Band::cover(&filter, channels).map(|band| Box::new(band) as _));
        } else {
            let groups = general::Group::cover(design, channels)?;
            engines.extend(groups.into_iter().map(|group| Box::new(group) as _));
        }
        Ok(Self {
            engines,
            places: places(layout),
            row_bytes: layout.row_bytes(),
            channels: channels as usize,
            rate,
        })
    }

    /// Channels of a frame.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Rows for one frame.
    pub fn rate(&self) -> usize {
        self.rate
    }

    /// Takes whole groups of [`ROWS`] rows (bytes, as sent) and appends their frames to `frames`; counts rows and
    /// frames. Engines share the threads of the current rayon pool.
    pub fn process(&mut self, rows: &[u8], frames: &mut Vec<i32>) -> Progress {
        let taken = rows.len() / (ROWS * self.row_bytes) * ROWS;
        let row_bytes = self.row_bytes;
        let before = frames.len();
        for block in rows[..taken * row_bytes].chunks(BLOCK * row_bytes) {
            let run = |engine: &mut Box<dyn Engine>| engine.process(block, row_bytes);
            if rayon::current_num_threads() > 1 {
                self.engines.par_iter_mut().for_each(run);
            } else {
                self.engines.iter_mut().for_each(run);
            }
            self.gather(frames);
        }
        Progress { consumed: taken, produced: (frames.len() - before) / self.channels }
    }

    /// Puts the engines' outputs into frames in grid order.
    fn gather(&self, frames: &mut Vec<i32>) {
        let outputs: Vec<(&[i32], usize)> = self.engines.iter().map(|engine| engine.output()).collect();
        let count = outputs.first().map_or(0, |(samples, width)| samples.len() / width);
        let start = frames.len();
        frames.resize(start + count * self.channels, 0);
        for (n, frame) in frames[start..].chunks_exact_mut(self.channels).enumerate() {
            let mut places = self.places.iter();
            for (samples, width) in &outputs {
                // The engine's row may be padded beyond the last channel; `places` ends there.
                let eights = samples[n * width..(n + 1) * width].as_chunks::<8>().0;
                for (eight, place) in eights.iter().zip(places.by_ref()) {
                    place.put(eight, frame);
                }
            }
        }
    }
}

/// Grid indices of eight successive stream positions.
enum Place {
    /// One run, as in tiles whose side is a multiple of eight.
    Run(usize),
    /// Anywhere.
    Scattered([usize; 8]),
}

impl Place {
    #[inline]
    fn put(&self, samples: &[i32; 8], frame: &mut [i32]) {
        match self {
            Self::Run(start) => frame[*start..start + 8].copy_from_slice(samples),
            Self::Scattered(indices) => {
                for (sample, index) in samples.iter().zip(indices) {
                    frame[*index] = *sample;
                }
            }
        }
    }
}

fn places(layout: &TileLayout) -> Vec<Place> {
    let index: Vec<usize> =
        (0..layout.channels()).filter_map(|p| layout.index_of(p)).map(|i| i as usize).collect();
    let place = |eight: &[usize; 8]| {
        let run = eight.iter().zip(eight[0]..).all(|(index, next)| *index == next);
        if run { Place::Run(eight[0]) } else { Place::Scattered(*eight) }
    };
    index.as_chunks::<8>().0.iter().map(place).collect()
}
