//! The engine for every other rate: one channel after the other, on the filters of `dsp-core`.

use super::error::DecimateError;
use super::rows::{Engine, ROWS};
use crate::filter_design::Design;
use dsp_core::cic::Cic;
use dsp_core::decimator::FULL_SCALE;
use dsp_core::fir::{FirError, Form, Sample, Symmetric};
use dsp_core::pdm::{TimeWord, transpose32};
use std::sync::Arc;

/// Taps of the CIC as a FIR at the bit rate: N boxes of R ones, convolved.
pub fn cic_taps(order: u32, rate: u32) -> Vec<i64> {
    (0..order).fold(vec![1], |taps, _| {
        (0..taps.len() + rate as usize - 1)
            .map(|n| taps[(n + 1).saturating_sub(rate as usize)..taps.len().min(n + 1)].iter().sum())
            .collect()
    })
}

/// A CIC of whichever order and rate: 32 bits of one channel in, CIC samples out.
trait Stage: Send {
    fn push(&mut self, word: TimeWord, samples: &mut Vec<i32>);
}

impl<const N: usize, const R: usize> Stage for Cic<i32, N, R, 1> {
    fn push(&mut self, word: TimeWord, samples: &mut Vec<i32>) {
        let mut out = [0; 32];
        let progress = self.process_bits(&[word], &mut out);
        samples.extend_from_slice(&out[..progress.produced]);
    }
}

fn stage(order: u32, rate: u32) -> Result<Box<dyn Stage>, DecimateError> {
    macro_rules! orders {
        ($($n:literal)*) => {
            Ok(match (order, rate) {
                $(
                    ($n, 4) => Box::new(Cic::<i32, $n, 4, 1>::new()),
                    ($n, 8) => Box::new(Cic::<i32, $n, 8, 1>::new()),
                    ($n, 16) => Box::new(Cic::<i32, $n, 16, 1>::new()),
                    ($n, 32) => Box::new(Cic::<i32, $n, 32, 1>::new()),
                )*
                _ => return Err(DecimateError::NoEngine { order, rate }),
            })
        };
    }
    orders!(1 2 3 4 5 6)
}

struct Channel {
    cic: Box<dyn Stage>,
    /// CIC samples: what the FIR still needs.
    line: Vec<i32>,
}

/// 32 channels: one word of a row.
pub struct Group {
    word: usize,
    channels: Vec<Channel>,
    taps: Arc<[i32]>,
    fir_rate: usize,
    shift: u32,
    output: Vec<i32>,
}

impl Group {
    /// Groups for `channels` channels.
    pub fn cover(design: &Design, channels: u32) -> Result<Vec<Self>, DecimateError> {
        let s = &design.specification;
        stage(s.cic_order, s.cic_rate)?;
        if !Symmetric::accepts(&design.taps) {
            return Err(FirError::WrongForm.into());
        }
        let gain_bits = s.cic_order * s.cic_rate.trailing_zeros();
        let shift = (gain_bits + s.tap_bits)
            .checked_sub(FULL_SCALE.trailing_zeros())
            .ok_or(DecimateError::TooFewBits { tap_bits: s.tap_bits, gain_bits })?;
        if !i32::sum_fits(&design.taps) {
            return Err(FirError::Overflow.into());
        }
        let taps: Arc<[i32]> = design.taps.clone().into();
        let channel = || -> Result<Channel, DecimateError> {
            let mut channel = Channel { cic: stage(s.cic_order, s.cic_rate)?, line: vec![0; taps.len() - 1] };
            channel.make_idle(s.cic_order);
            Ok(channel)
        };
        (0..channels.div_ceil(32) as usize)
            .map(|word| {
                let channels = (0..32).map(|_| channel()).collect::<Result<_, _>>()?;
                Ok(Self {
                    word,
                    channels,
                    taps: taps.clone(),
                    fir_rate: s.fir_rate as usize,
                    shift,
                    output: Vec::new(),
                })
            })
            .collect()
    }

    fn fir(&mut self) {
        let width = self.channels.len();
        let length = self.channels.first().map_or(0, |c| c.line.len());
        let count = (length + 1 - self.taps.len()) / self.fir_rate;
        self.output.clear();
        self.output.resize(count * width, 0);
        for (c, channel) in self.channels.iter_mut().enumerate() {
            // The first output's newest sample is the `fir_rate`-th new one.
            let windows =
                channel.line.windows(self.taps.len()).skip(self.fir_rate - 1).step_by(self.fir_rate);
            for (frame, window) in self.output.chunks_exact_mut(width).zip(windows) {
                frame[c] = i32::finish(Symmetric::dot(&self.taps, window), self.shift);
            }
            channel.line.drain(..count * self.fir_rate);
        }
    }
}

impl Engine for Group {
    fn process(&mut self, rows: &[u8], row_bytes: usize) {
        for group in rows.chunks_exact(ROWS * row_bytes) {
            let mut words = [0; 32];
            for (word, row) in words.iter_mut().zip(group.chunks_exact(row_bytes)) {
                let bytes = &row[4 * self.word..];
                *word = u32::from_le_bytes(std::array::from_fn(|b| bytes.get(b).copied().unwrap_or(0)));
            }
            transpose32(&mut words);
            for (channel, word) in self.channels.iter_mut().zip(words) {
                channel.cic.push(TimeWord(word), &mut channel.line);
            }
        }
        self.fir();
    }

    fn output(&self) -> (&[i32], usize) {
        (&self.output, self.channels.len())
    }
}

impl Channel {
    /// Feeds idle bits until nothing before them is felt; they leave the CIC as zeros, as in `line`.
    fn make_idle(&mut self, order: u32) {
        let mut ignored = Vec::new();
        for _ in 0..=order {
            self.cic.push(TimeWord::IDLE, &mut ignored);
        }
    }
}
