//! One stage only: a CIC of order 4 by 32 for all channels, as byte tables.
//!
//! The cheapest look at an array: 11 dB of droop at 20 kHz and only 21 dB of alias rejection, so for monitoring and as
//! the yardstick of the benchmarks, not for measurements.

use super::general::cic_taps;
use super::rows::ROWS;
use dsp_core::lut::Lut;
use dsp_core::pdm::transpose32_lanes;
use numerics::simd::vectorised;

/// Full scale of an output: the CIC's gain, 32^4.
pub const GAIN: i32 = 1 << 20;

/// Words of a row that are transposed together.
const WORDS: usize = 8;

/// State of all channels.
pub struct SingleStage {
    table: Box<Lut<i32, 4, 4, 1>>,
    words: usize,
    states: Vec<[i32; 4]>,
}

impl SingleStage {
    /// `words` words a row, a multiple of 8: the camera has 32.
    pub fn new(words: usize) -> Option<Self> {
        let table = Box::new(Lut::<i32, 4, 4, 1>::new(&cic_taps(4, 32)).ok()?);
        (words > 0 && words.is_multiple_of(WORDS)).then(|| Self {
            table,
            words,
            states: vec![[0; 4]; 32 * words],
        })
    }

    /// Whole groups of 32 rows in; one frame a group out, in the order channel 32 (8 b + g) + j at 256 b + 8 j + g.
    pub fn process(&mut self, rows: &[u8], frames: &mut [i32]) {
        vectorised(
            #[inline(always)]
            || self.run(rows, frames),
        );
    }

    #[inline(always)]
    fn run(&mut self, rows: &[u8], frames: &mut [i32]) {
        let row_bytes = 4 * self.words;
        let groups = rows.chunks_exact(ROWS * row_bytes).zip(frames.chunks_exact_mut(32 * self.words));
        for (group, frame) in groups {
            let bands =
                self.states.as_chunks_mut::<{ 32 * WORDS }>().0.iter_mut().zip(frame.as_chunks_mut().0);
            for (band, (states, samples)) in bands.enumerate() {
                let samples: &mut [i32; 32 * WORDS] = samples;
                let mut time = [[0; WORDS]; 32];
                for (words, row) in time.iter_mut().zip(group.chunks_exact(row_bytes)) {
                    let bytes = row[4 * WORDS * band..].as_chunks::<4>().0;
                    for (word, bytes) in words.iter_mut().zip(bytes) {
                        *word = u32::from_le_bytes(*bytes);
                    }
                }
                transpose32_lanes(&mut time);
                for (word, state) in time.as_flattened().iter().zip(&mut *states) {
                    self.table.add(state, word.to_le_bytes());
                }
                for (state, sample) in states.iter_mut().zip(samples) {
                    [*sample] = self.table.shift(state);
                }
            }
        }
    }
}
