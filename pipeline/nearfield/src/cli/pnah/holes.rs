//! Windows over time samples that the recorder had lost and filled: their holograms are not right, and are said to be so.

use super::super::Context;
use super::listed::listed;
use super::resolve::Run;
use pipeline::files::sigmf::Recording;
use serde_json::{Value, json};

/// What a recording's holes do to a run.
pub struct Holes {
    /// In the whole recording.
    count: u64,
    /// Time samples of the first window and its history that are not the sensor's.
    in_window: u64,
    /// Frames with such samples.
    frames: Vec<usize>,
    /// All frames.
    all: u64,
}

impl Holes {
    /// Looks at every frame's history and window.
    pub fn of(run: &Run, recording: &Recording) -> Self {
        let holes = recording.holes();
        let (history, window) = (run.front_end.history_rows() as u64, run.front_end.window_rows() as u64);
        let all = run.frames(recording.samples());
        let lost = |frame: u64| {
            let start = run.frame_start(frame);
            holes.within(start - history..start + window)
        };
        let frames = (0..all).zip(0..).filter(|(frame, _)| holes.count > 0 && lost(*frame) > 0);
        Self { count: holes.count, in_window: lost(0), frames: frames.map(|(_, n)| n).collect(), all }
    }

    /// Whether a frame is without them.
    pub fn spare(&self, frame: u64) -> bool {
        usize::try_from(frame).is_ok_and(|frame| self.frames.binary_search(&frame).is_err())
    }

    /// Warns of results that are not right.
    pub fn warn(&self, context: &Context) {
        if self.in_window > 0 {
            context.warn(format!(
                "{} time samples of the window are not the sensor's: its recorder had lost them; choose another window",
                self.in_window
            ));
        }
        if self.all > 1 && !self.frames.is_empty() {
            let (count, all, frames) = (self.frames.len(), self.all, listed(&self.frames));
            context.warn(format!(
                "{count} of {all} frames are over time samples that the recorder had lost: {frames}"
            ));
        }
    }

    pub fn to_json(&self) -> Value {
        json!({
            "in_recording": self.count, "time_samples_in_window": self.in_window,
            "frames_with_holes": self.frames,
        })
    }
}
