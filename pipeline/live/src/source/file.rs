//! Rows of a recording. Those that its recorder lost and filled are filled here as well: holograms over them are flagged.

use super::super::intake::Intake;
use super::error::Error;
use files::sigmf::{Holes, Recording};
use hil_sim::stream::Pace;

/// Rows of a read: 5 ms at 1.5 MHz.
const ROWS: usize = 8192;

/// A recording that is open.
pub struct Rows {
    recording: Recording,
    speed: Option<f64>,
}

impl Rows {
    /// Plays `recording` at `speed` times real time, or as fast as can be.
    pub fn new(recording: Recording, speed: Option<f64>) -> Self {
        Self { recording, speed }
    }

    /// What its recorder lost.
    pub fn holes(&self) -> &Holes {
        self.recording.holes()
    }

    pub(super) fn run(mut self, intake: &mut Intake) -> Result<(), Error> {
        let row_bytes = self.recording.row_bytes();
        let mut pace = Pace::new(self.speed.map(|speed| speed * self.recording.meta().sample_rate_hz));
        // A batch of the schedule, so that rows come as evenly as a sensor's.
        let rows = usize::try_from(pace.batch_samples()).unwrap_or(ROWS).clamp(1, ROWS);
        let (mut buffer, mut start) = (vec![0; rows * row_bytes], 0);
        while !intake.stopped() {
            let read = self.recording.read_rows(start, &mut buffer)?;
            if read == 0 {
                break;
            }
            let end = start + read as u64;
            pace.wait(end, &|| intake.stopped());
            let mut rest = &buffer[..read * row_bytes];
            while start < end {
                let (whole, until) = self.recording.holes().whole_at(start);
                let (part, after) = rest.split_at((until.min(end) - start) as usize * row_bytes);
                intake.rows(part, whole);
                (start, rest) = (until.min(end), after);
            }
            intake.publish();
        }
        Ok(())
    }
}
