//! One clock for all stamps, and what the sensor's clock says on it.

use std::time::Instant;

/// Drift that the estimate follows, parts of one: two crystals of 100 ppm.
const DRIFT: f64 = 200e-6;

/// Seconds since the instrument started; copies are of the same clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    start: Instant,
}

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// Seconds since the start.
    pub fn now(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}

/// When a sample was taken, on the host's clock.
///
/// The sensor stamps its samples with a clock of its own. A frame arrives later than its last sample by what link,
/// kernel and queues take: the smallest difference ever seen is the offset of the two clocks (and the shortest way, which
/// cannot be told from it). It may grow by 200 ppm, so that a slower sensor is followed.
#[derive(Debug, Clone, Copy, Default)]
pub struct SensorClock {
    /// Offset in seconds, and when it was last looked at.
    offset: Option<(f64, f64)>,
}

impl SensorClock {
    /// When the sample with the sensor's stamp `sensor` (s) was taken, if its frame came at `arrived` (s).
    pub fn taken(&mut self, sensor: f64, arrived: f64) -> f64 {
        let seen = arrived - sensor;
        let offset = match self.offset {
            Some((offset, at)) => seen.min(offset + DRIFT * (arrived - at).max(0.0)),
            None => seen,
        };
        self.offset = Some((offset, arrived));
        sensor + offset
    }

    /// The sensor started again: its clock is another one.
    pub fn reset(&mut self) {
        self.offset = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_way_sets_the_offset_and_drift_is_followed() {
        let mut clock = SensorClock::default();
        assert_eq!(clock.taken(0.0, 5.003), 5.003);
        // A frame that came faster corrects the first one; slower ones change nothing but the drift's share.
        assert_eq!(clock.taken(1.0, 6.001), 6.001);
        assert!((clock.taken(2.0, 7.009) - 7.001).abs() < 2.0 * DRIFT);
        // A sensor that is slow by 100 ppm stays within the drift that is allowed.
        let mut clock = SensorClock::default();
        for second in 0..1000 {
            let (sensor, host) = (f64::from(second), 1.0001 * f64::from(second));
            assert!((clock.taken(sensor, host) - host).abs() < DRIFT, "second {second}");
        }
        clock.reset();
        assert_eq!(clock.taken(0.0, 9.0), 9.0);
    }
}
