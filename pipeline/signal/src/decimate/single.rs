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
    ///
    pub fn process(&mut self, rows: &[u8], frames: &mut [i32]) {
        let row_bytes = 4 * self.words;
        let groups = rows.chunks_exact(ROWS * row_bytes).zip(frames.chunks_exact_mut(32 * self.words));
        let mut time = [[0; WORDS]; 32];
        for (group, frame) in groups {
            let states = self.states.as_chunks_mut::<{ 32 * WORDS }>().0;
            for (band, (states, samples)) in states.iter_mut().zip(frame.as_chunks_mut().0).enumerate() {
                transpose(group, row_bytes, band, &mut time);
                steps(&self.table, &time, states, samples);
            }
        }
    }
}

/// Words of time of a band of channels, `[channel of a word][word]`.
fn transpose(group: &[u8], row_bytes: usize, band: usize, time: &mut [[u32; WORDS]; 32]) {
    vectorised(
        #[inline(always)]
        || {
            for (words, row) in time.iter_mut().zip(group.chunks_exact(row_bytes)) {
                let bytes = row[4 * WORDS * band..][..4 * WORDS].as_chunks::<4>().0;
                for (word, bytes) in words.iter_mut().zip(bytes) {
                    *word = u32::from_le_bytes(*bytes);
                }
            }
            transpose32_lanes(time);
        },
    );
}

/// A step of every channel of a band. A state keeps the lane of the sample that has left. The next step
/// leaves that lane out, so that four lanes are read, added and written as one register.
///
/// The steps are not [`vectorised`], as the transposition is: the compiler would gather wide registers from
/// several channels. In a function of its own the compiler knows that nothing writes to the table.
#[inline(never)]
fn steps(
    table: &Lut<i32, 4, 4, 1>,
    time: &[[u32; WORDS]; 32],
    states: &mut [[i32; 4]; 32 * WORDS],
    samples: &mut [i32; 32 * WORDS],
) {
    for ((word, state), sample) in time.as_flattened().iter().zip(states).zip(samples) {
        let [_, a, b, c] = *state;
        let mut lanes = [a, b, c, 0];
        table.add(&mut lanes, word.to_le_bytes());
        *sample = lanes[0];
        *state = lanes;
    }
}
