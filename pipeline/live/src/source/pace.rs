//! The schedule of a source that is played.

use hil_sim::stream::Pace;

/// A schedule for `rate_hz` rows a second at `speed`.
pub fn pace(rate_hz: f64, speed: Option<f64>) -> Pace {
    Pace::new(speed.map(|speed| speed * rate_hz))
}
