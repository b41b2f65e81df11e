//! Terms whose amplitudes change from knot to knot: moving sources and noises, for the 32 channels of a bank.
//!
//! A track owns some consecutive terms of a bank. Between two knots their amplitudes are constant, and the
//! terms' phasors carry the interpolation (see [`crate::terms`]); at every knot the amplitudes move up by one
//! and the newest is computed. Knots are [`Track::spacing`] samples apart.

use dsp_core::modulator::{FULL_SCALE, LANES};
use num_complex::Complex;

use crate::interpolation::TAPS;
use crate::moving::{KNOTS, Moving};
use crate::noise::{Delay, FlowBank, Signal};

/// What multiplies a term's cosine and sine, for every channel, in units of the modulators' input.
pub type Coefficients = [[f32; LANES]; 2];

/// What makes the amplitude at a knot.
#[derive(Clone, Debug)]
pub enum Feed {
    /// A moving tone: every channel's place and complex gain (of full scale per pascal).
    Moving { source: Moving, rate_hz: f64, lanes: Vec<([f64; 3], Complex<f64>)> },
    /// A point noise: every channel's delay and gain.
    Point { signal: usize, lanes: Vec<Delay> },
    /// Flow noise of its own for every channel.
    Flow { bank: Box<FlowBank>, gains: Box<[f32; LANES]> },
}

/// Terms that follow a feed.
#[derive(Clone, Debug)]
pub struct Track {
    /// The first of its terms.
    pub first_term: usize,
    /// Samples between knots, a power of two.
    pub spacing: i64,
    feed: Feed,
    primed: bool,
}

impl Track {
    /// A track that has not begun.
    pub fn new(first_term: usize, spacing: u64, feed: Feed) -> Self {
        Self { first_term, spacing: spacing.cast_signed(), feed, primed: false }
    }

    /// Its terms: the knots that one sample needs.
    pub fn knots(&self) -> usize {
        match self.feed {
            Feed::Moving { .. } => KNOTS,
            Feed::Point { .. } | Feed::Flow { .. } => TAPS,
        }
    }

    /// Brings the terms to the segment that begins with knot `segment`.
    #[inline(always)]
    pub fn roll(&mut self, segment: i64, signals: &[Signal], terms: &mut [Coefficients]) {
        let knots = self.knots();
        let earlier = if self.primed { 0 } else { knots as i64 - 1 };
        self.primed = true;
        for segment in segment - earlier..=segment {
            terms.rotate_left(1);
            if let Some(newest) = terms.last_mut() {
                self.knot(segment + knots as i64 / 2, signals, newest);
            }
        }
    }

    /// Amplitudes at a knot.
    #[inline(always)]
    fn knot(&mut self, knot: i64, signals: &[Signal], [cosine, sine]: &mut Coefficients) {
        let unit = f64::from(FULL_SCALE);
        match &mut self.feed {
            Feed::Moving { source, rate_hz, lanes } => {
                let t = (knot * self.spacing) as f64 / *rate_hz;
                for (lane, (place, gain)) in lanes.iter().enumerate() {
                    let a = source.envelope(*place, t) * gain * unit;
                    (cosine[lane], sine[lane]) = (a.re as f32, -a.im as f32);
                }
            }
            Feed::Point { signal, lanes } => {
                let Some(signal) = signals.get(*signal) else { return };
                for (cosine, delay) in cosine.iter_mut().zip(lanes) {
                    *cosine = (delay.at(signal, knot) * unit) as f32;
                }
            }
            Feed::Flow { bank, gains } => {
                bank.step(cosine);
                for (value, gain) in cosine.iter_mut().zip(gains.iter()) {
                    *value *= *gain * FULL_SCALE as f32;
                }
            }
        }
    }
}
