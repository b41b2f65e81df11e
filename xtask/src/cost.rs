//! What a step cost: wall time, and the CPU time of every process below this one.

use std::time::{Duration, Instant};

/// Unit of CPU times in `/proc`, seconds: Linux promises programs a hundred ticks a second (`USER_HZ`).
const TICK_S: f64 = 0.01;

/// Wall and CPU time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    /// Of the clock on the wall.
    pub wall: Duration,
    /// User and system time of all children that ended; none where the system does not say.
    pub cpu: Option<Duration>,
}

/// A measurement that runs.
pub struct Meter {
    begin: Instant,
    cpu: Option<Duration>,
}

impl Meter {
    /// Begins.
    pub fn start() -> Self {
        Self { begin: Instant::now(), cpu: children() }
    }

    /// What was spent since.
    pub fn read(&self) -> Cost {
        let cpu = children().zip(self.cpu).map(|(now, before)| now.saturating_sub(before));
        Cost { wall: self.begin.elapsed(), cpu }
    }
}

/// CPU time of the children that ended, and of theirs.
fn children() -> Option<Duration> {
    parse(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 16 and 17 of `/proc/PID/stat`; the name in field 2 may have blanks and ends with the last parenthesis.
fn parse(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(13).map(|field| field.parse::<u32>().ok());
    let ticks = times.next()?? + times.next()??;
    Some(Duration::from_secs_f64(TICK_S * f64::from(ticks)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_children_are_read_behind_a_name_with_blanks() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 150 50 20 0 1";
        assert_eq!(parse(stat), Some(Duration::from_secs(2)));
        assert_eq!(parse("7 (a) S 1 2"), None);
    }

    #[test]
    fn work_of_a_child_is_counted() {
        let meter = Meter::start();
        assert!(crate::command::succeeds("seq --equal-width 3000000"));
        let cost = meter.read();
        if let Some(cpu) = cost.cpu {
            assert!(cpu > Duration::ZERO && cost.wall > Duration::ZERO, "{cost:?}");
        }
    }
}
