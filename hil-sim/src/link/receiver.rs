//! What a receiver must report: the rule of the pipeline's ingest, applied to what is known to arrive.
//!
//! A receiver accepts sound frames in the order of their sample counters:
//! - the first frame sets the clock;
//! - a datagram that is not a sound frame of this array is bad;
//! - a sample counter that is before the one due by more than [`LATE`], or behind it by more than [`RESTART`], is a restart
//!   of the sensor: the frame is accepted and no gap is claimed;
//! - a frame from before the sample that is due is late and refused (nothing is sorted);
//! - else the samples between are lost, and of frames as many as the sequence numbers skip.
//!
//! The bench knows of every datagram whether it is sound, so nothing is decoded here; that a real receiver
//! comes to the same counts is for a test to show.

use serde::Serialize;

use super::stamp::Stamp;

/// A jump of the sample counter forward that means a restart.
pub const RESTART: u64 = 1 << 24;

/// A jump backward that means one.
pub const LATE: u64 = 1 << 17;

/// The counters of a receiver, under the names that it gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Expected {
    /// Frames accepted.
    pub frames: u64,
    /// Time samples accepted.
    pub samples: u64,
    /// Frames that never came, by their sequence numbers.
    pub lost_frames: u64,
    /// Time samples that never came, by their sample counters.
    pub lost_samples: u64,
    /// Datagrams refused: damaged, or not of this array.
    pub bad_frames: u64,
    /// Frames refused because their samples were already past.
    pub late_frames: u64,
    /// Times that the sensor started again.
    pub restarts: u64,
}

/// A receiver that knows which datagrams are sound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Receiver {
    /// Sequence number taken last, and the sample that is due.
    next: Option<(u32, u64)>,
    expected: Expected,
}

impl Receiver {
    /// What it has to report.
    pub fn expected(&self) -> Expected {
        self.expected
    }

    /// Takes one datagram: the counters of a sound frame, or none.
    pub fn take(&mut self, stamp: Option<Stamp>) {
        let Some(Stamp { sequence, first_sample, samples }) = stamp else {
            self.expected.bad_frames += 1;
            return;
        };
        if let Some((last, due)) = self.next {
            if first_sample > due.saturating_add(RESTART) || first_sample.saturating_add(LATE) < due {
                self.expected.restarts += 1;
            } else if first_sample < due {
                self.expected.late_frames += 1;
                return;
            } else {
                self.expected.lost_samples += first_sample - due;
                let skipped = sequence.wrapping_sub(last).wrapping_sub(1);
                // More than half the range is a sequence that went backwards, which says nothing.
                self.expected.lost_frames += if skipped < 1 << 31 { u64::from(skipped) } else { 0 };
            }
        }
        self.next = Some((sequence, first_sample.saturating_add(samples)));
        self.expected.frames += 1;
        self.expected.samples += samples;
    }
}
