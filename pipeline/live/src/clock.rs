//! One clock for all stamps, and what the sensor's clock says on it.

use std::time::Instant;

/// Drift that the estimate follows, parts of one: two crystals of 100 ppm.
const DRIFT: f64 = 200e-6;
/// Difference to the estimate that no way explains, s: several times what the system holds of the camera for us.
const IMPLAUSIBLE_S: f64 = 1.0;
/// Frames in a row after which a stamp is no accident: 0.5 ms of the camera.
const MANY: u32 = 64;

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
/// The sensor counts its samples, and the count by the pace is its clock. A frame arrives later than its last sample by what link,
/// kernel and queues take: the smallest difference ever seen is the offset of the two clocks (and the shortest way, which
/// cannot be told from it). It may grow by `DRIFT`, so that a slower sensor is followed.
///
/// Counters may be wrong. One that differs from the estimate by more than `IMPLAUSIBLE_S` changes nothing; `MANY` in a row are
/// another clock, which is learnt anew, if they are ahead or if no frame has agreed with the first. Counters that stand still, or fall behind (a sensor
/// slower than the pace says), say nothing about when a sample was taken: from then on it is when its frame came, until the sensor restarts.
#[derive(Debug, Clone, Copy, Default)]
pub struct SensorClock {
    /// None before the first frame.
    estimate: Option<Estimate>,
    /// Implausible stamps in a row.
    odd: u32,
    /// The stamps say nothing.
    useless: bool,
}

#[derive(Debug, Clone, Copy)]
struct Estimate {
    /// Offset in seconds, and when it was last looked at.
    offset: f64,
    at: f64,
    /// The last stamp that was plausible.
    stamp: f64,
    /// Whether another frame than the first had a plausible one.
    agreed: bool,
}

impl SensorClock {
    /// When the sample at `sensor` (s of the sensor's clock) was taken, if its frame came at `arrived` (s); never later than that.
    pub fn taken(&mut self, sensor: f64, arrived: f64) -> f64 {
        let seen = arrived - sensor;
        let first = Estimate { offset: seen, at: arrived, stamp: sensor, agreed: false };
        let known = *self.estimate.get_or_insert(first);
        if self.useless || known.at == arrived && known.stamp == sensor {
            return arrived;
        }
        let offset = known.offset + DRIFT * (arrived - known.at).max(0.0);
        let still = sensor <= known.stamp;
        if still || (seen - offset).abs() > IMPLAUSIBLE_S {
            self.odd += 1;
            if self.odd >= MANY {
                self.learn(first, !still && (seen < offset || !known.agreed));
            }
            if !known.agreed {
                return arrived;
            }
        } else {
            self.odd = 0;
            self.estimate =
                Some(Estimate { offset: seen.min(offset), at: arrived, stamp: sensor, agreed: true });
        }
        arrived.min(sensor + seen.min(offset))
    }

    /// The estimate was wrong for many frames: another clock from `first` on, or none.
    fn learn(&mut self, first: Estimate, another: bool) {
        (self.odd, self.useless) = (0, !another);
        self.estimate = Some(first);
    }

    /// The sensor started again: its clock is another one.
    pub fn reset(&mut self) {
        *self = Self::default();
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

    /// Frames of 1 ms over a way of 2 ms, with stamps by `stamp`; the latency of each.
    fn latencies(clock: &mut SensorClock, from: u32, stamp: impl Fn(f64) -> f64) -> Vec<f64> {
        let times = (from..from + 5000).map(|i| 1e-3 * f64::from(i));
        times.map(|t| t + 2e-3 - clock.taken(stamp(t), t + 2e-3)).collect()
    }

    #[test]
    fn a_stamp_from_the_future_changes_nothing_and_many_are_another_clock() {
        for poisoned in [0.0, 1.0] {
            let mut clock = SensorClock::default();
            let found = latencies(&mut clock, 0, |t| if t == poisoned { 1e9 } else { t });
            assert!(found.iter().all(|late| (0.0..1e-3).contains(late)), "{found:?}");
            let found = latencies(&mut clock, 5000, |t| t + 1e6);
            assert!(found.iter().all(|late| (0.0..1e-3).contains(late)));
        }
    }

    #[test]
    fn stamps_that_stand_still_or_fall_behind_are_left() {
        let mut clock = SensorClock::default();
        let found = latencies(&mut clock, 0, |_| 0.0);
        assert!(found[MANY as usize..].iter().all(|late| *late == 0.0), "{found:?}");
        let mut clock = SensorClock::default();
        let found = latencies(&mut clock, 0, |t| 0.1 * t);
        let most = found.iter().copied().fold(0.0, f64::max);
        assert!(most < IMPLAUSIBLE_S + 2e-3 * f64::from(MANY) && found[4999] == 0.0, "{most}");
        clock.reset();
        assert!(latencies(&mut clock, 5000, |t| t).iter().all(|late| *late < 1e-3));
    }
}
