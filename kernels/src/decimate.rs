//! `cuda/decimate.cu`: bits of all channels to samples of all channels.

use crate::abi::decimate::{Batch, Chain, HISTORY};
use crate::call::Call;
use crate::calls::{self, sources};
use crate::device::Device;
use crate::error::Error;
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::plain::Plain;
use crate::program::{Define, Program, Signature};
use crate::stream::Stream;
use std::marker::PhantomData;

/// The source.
pub const PROGRAM: Program =
    Program { samples: &[&<i32 as Sample>::CONSTANTS, &<f32 as Sample>::CONSTANTS], ..sources::DECIMATE };

/// Threads of a block and blocks for each multiprocessor, as the source's bounds and its registers allow; blocks take
/// work until there is no more.
const TUNED: (usize, usize) = (128, 3);
const OTHERS: (usize, usize) = (256, 4);

/// Time samples in a word.
const WORD: usize = 32;

mod sealed {
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for f32 {}
}

/// A sample as it is stored: an integer code with full scale 2^23 (`i32`), or that code times 2^-23 (`f32`, as exact).
pub trait Sample: Plain<Unit = Self> + sealed::Sealed {
    /// Constants of the source.
    const CONSTANTS: [Define; 1];
}

impl Sample for i32 {
    const CONSTANTS: [Define; 1] = [("FLOAT", 0)];
}

impl Sample for f32 {
    const CONSTANTS: [Define; 1] = [("FLOAT", 1)];
}

/// The kernels, ready to run. Arrays may be longer than a [`Batch`] needs.
#[derive(Debug, Clone)]
pub struct Decimate<T> {
    transpose_rows: Kernel,
    decimate_direct: Kernel,
    decimate: Kernel,
    carry_history: Kernel,
    to_frames: Kernel,
    samples: PhantomData<T>,
}

/// Where each channel of the stream goes in a frame; checked when it is made.
#[derive(Debug)]
pub struct Places(Buffer<u32>);

impl Places {
    /// `indices` are those of the stream's channels in a frame of as many samples.
    pub fn new(stream: &mut Stream, indices: &[u32]) -> Result<Self, Error> {
        let beyond = indices.iter().find(|&&index| index as usize >= indices.len());
        if let Some(index) = beyond {
            let problem = format!("place {index} in a frame of {} samples", indices.len());
            return Err(argument(&calls::TO_FRAMES, "grid", problem));
        }
        Buffer::from_slice(stream, "places in a frame", indices).map(Self)
    }
}

impl<T: Sample> Decimate<T> {
    /// Compiles and prepares the kernels for `device`.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let module = Module::load(device, &PROGRAM, &T::CONSTANTS)?;
        let prepare = |signature, (threads, blocks): (usize, usize)| {
            let grid = [device.properties().multiprocessors * blocks, 1, 1];
            module.prepare(signature, Geometry::new(grid, threads, 0)?)
        };
        Ok(Self {
            transpose_rows: prepare(&calls::TRANSPOSE_ROWS, OTHERS)?,
            decimate_direct: prepare(&calls::DECIMATE_DIRECT, OTHERS)?,
            decimate: prepare(&calls::DECIMATE, TUNED)?,
            carry_history: prepare(&calls::CARRY_HISTORY, OTHERS)?,
            to_frames: prepare(&calls::TO_FRAMES, OTHERS)?,
            samples: PhantomData,
        })
    }

    /// Words of `positions` channels that have been idle for ever, `word_pitch` each.
    pub fn idle_words(
        stream: &mut Stream,
        positions: usize,
        word_pitch: usize,
    ) -> Result<Buffer<u32>, Error> {
        const IDLE: u8 = 0x55;
        let length =
            positions.checked_mul(word_pitch).ok_or(Error::Size { what: "words", value: positions })?;
        let words = Buffer::zeros(stream, "words in time", length)?;
        stream.fill(&words, IDLE)?;
        Ok(words)
    }

    /// Rows as sent, `[time][byte]`, to the new words of every channel.
    pub fn transpose_rows(
        &self,
        stream: &mut Stream,
        rows: &Buffer<u8>,
        batch: &Batch,
        words: &mut Buffer<u32>,
    ) -> Result<(), Error> {
        let signature = &calls::TRANSPOSE_ROWS;
        let [positions, frames] = shape(signature, batch)?;
        at_least(signature, "rows", rows.len(), positions / 8 * WORD * frames)?;
        check_words(signature, batch, words)?;
        launch(&self.transpose_rows, stream, batch, calls::transpose_rows(rows, words, batch))
    }

    /// Words to samples, `[position][sample_pitch]`: the readable rung.
    pub fn decimate_direct(
        &self,
        stream: &mut Stream,
        words: &Buffer<u32>,
        chain: &Chain,
        batch: &Batch,
        samples: &mut Buffer<T>,
    ) -> Result<(), Error> {
        check_decimate(&calls::DECIMATE_DIRECT, words, batch, samples)?;
        let call = calls::decimate_direct(words, samples, chain, batch);
        launch(&self.decimate_direct, stream, batch, call)
    }

    /// Words to samples, `[position][sample_pitch]`.
    pub fn decimate(
        &self,
        stream: &mut Stream,
        words: &Buffer<u32>,
        chain: &Chain,
        batch: &Batch,
        samples: &mut Buffer<T>,
    ) -> Result<(), Error> {
        check_decimate(&calls::DECIMATE, words, batch, samples)?;
        launch(&self.decimate, stream, batch, calls::decimate(words, samples, chain, batch))
    }

    /// The last words of a batch become the history of the next.
    pub fn carry_history(
        &self,
        stream: &mut Stream,
        batch: &Batch,
        words: &mut Buffer<u32>,
    ) -> Result<(), Error> {
        check_words(&calls::CARRY_HISTORY, batch, words)?;
        launch(&self.carry_history, stream, batch, calls::carry_history(words, batch))
    }

    /// Samples by channels to frames, `[frame][place]`.
    pub fn to_frames(
        &self,
        stream: &mut Stream,
        samples: &Buffer<T>,
        places: &Places,
        batch: &Batch,
        frames: &mut Buffer<T>,
    ) -> Result<(), Error> {
        let signature = &calls::TO_FRAMES;
        let [positions, count] = shape(signature, batch)?;
        check_samples(signature, batch, samples)?;
        if places.0.len() != positions {
            return Err(argument(
                signature,
                "grid",
                format!("{} places for {positions} channels", places.0.len()),
            ));
        }
        at_least(signature, "frames", frames.len(), positions * count)?;
        launch(&self.to_frames, stream, batch, calls::to_frames(samples, &places.0, frames, batch))
    }
}

/// An empty batch is no work.
fn launch(kernel: &Kernel, stream: &mut Stream, batch: &Batch, call: Call) -> Result<(), Error> {
    if batch.frames == 0 { Ok(()) } else { kernel.launch(stream, call) }
}

fn argument(signature: &Signature, argument: &str, problem: String) -> Error {
    Error::Argument { module: signature.module, kernel: signature.name, argument: argument.into(), problem }
}

fn at_least(signature: &Signature, name: &str, given: usize, needed: usize) -> Result<(), Error> {
    let problem = || format!("{given} values given, {needed} needed");
    if given >= needed { Ok(()) } else { Err(argument(signature, name, problem())) }
}

/// Channels and frames of a batch that the kernels can count.
fn shape(signature: &Signature, batch: &Batch) -> Result<[usize; 2], Error> {
    let Batch { positions, frames, word_pitch, sample_pitch } = *batch;
    let problem = if positions == 0 || !positions.is_multiple_of(8) {
        format!("{positions} channels do not fill whole bytes")
    } else if positions.checked_mul(frames).is_none_or(|count| count > i32::MAX as u32) {
        format!("{positions} channels of {frames} frames are more than {}", i32::MAX)
    } else if (word_pitch as usize) < HISTORY + frames as usize {
        format!("{word_pitch} words a channel, and {HISTORY} of history and {frames} new ones are needed")
    } else if sample_pitch < frames || !sample_pitch.is_multiple_of(4) {
        format!("{sample_pitch} samples a channel; a multiple of 4 and at least {frames} are needed")
    } else {
        return Ok([positions as usize, frames as usize]);
    };
    Err(argument(signature, "batch", problem))
}

fn check_words(signature: &Signature, batch: &Batch, words: &Buffer<u32>) -> Result<(), Error> {
    let [positions, _] = shape(signature, batch)?;
    at_least(signature, "words", words.len(), positions * batch.word_pitch as usize)
}

fn check_samples<T: Sample>(signature: &Signature, batch: &Batch, samples: &Buffer<T>) -> Result<(), Error> {
    let [positions, _] = shape(signature, batch)?;
    at_least(signature, "samples", samples.len(), positions * batch.sample_pitch as usize)
}

fn check_decimate<T: Sample>(
    signature: &Signature,
    words: &Buffer<u32>,
    batch: &Batch,
    samples: &Buffer<T>,
) -> Result<(), Error> {
    check_words(signature, batch, words)?;
    check_samples(signature, batch, samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_that_kernels_cannot_do_are_refused() {
        let good = Batch { positions: 1024, frames: 300, word_pitch: 324, sample_pitch: 300 };
        assert_eq!(shape(&calls::DECIMATE, &good), Ok([1024, 300]));
        for (bad, why) in [
            (Batch { positions: 0, ..good }, "whole bytes"),
            (Batch { positions: 12, ..good }, "whole bytes"),
            (Batch { positions: 1 << 23, frames: 1 << 10, ..good }, "more than"),
            (Batch { word_pitch: 323, ..good }, "300 new ones"),
            (Batch { sample_pitch: 302, ..good }, "multiple of 4"),
            (Batch { sample_pitch: 296, ..good }, "at least 300"),
        ] {
            let error = shape(&calls::DECIMATE, &bad).unwrap_err().to_string();
            assert!(error.contains("module decimate, kernel decimate, argument batch"), "{error}");
            assert!(error.contains(why), "{error}");
        }
    }
}
