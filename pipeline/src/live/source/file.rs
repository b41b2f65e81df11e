//! Rows of a recording.

use super::super::intake::Intake;
use super::{Error, pace};
use crate::io::sigmf::Recording;

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

    pub(super) fn run(mut self, intake: &mut Intake) -> Result<(), Error> {
        let row_bytes = self.recording.row_bytes();
        let mut pace = pace(self.recording.meta().sample_rate_hz, self.speed);
        // A batch of the schedule, so that rows come as evenly as a sensor's.
        let rows = usize::try_from(pace.batch_samples()).unwrap_or(ROWS).clamp(1, ROWS);
        let (mut buffer, mut start) = (vec![0; rows * row_bytes], 0);
        while !intake.stopped() {
            let read = self.recording.read_rows(start, &mut buffer)?;
            if read == 0 {
                break;
            }
            start += read as u64;
            pace.wait(start, &|| intake.stopped());
            intake.rows(&buffer[..read * row_bytes]);
            intake.publish();
        }
        Ok(())
    }
}
