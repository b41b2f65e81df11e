//! Rows that are run for a fixed time, and the table of them.
//!
//! Cycles are seconds times the clock rate, which is measured by a chain of dependent 64-bit multiplications and
//! rotations (three cycles and one on every large processor of the last ten years); the chain runs before and after,
//! and the faster counts.

use crate::context::Context;
use serde_json::json;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// What one pass through the work is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One-bit samples of a whole array.
    Bits,
    /// Samples of one channel.
    Samples,
    /// The work as a whole.
    Times,
    /// Evaluations of a function.
    Evaluations,
}

pub(crate) struct Row {
    name: String,
    unit: Unit,
    /// Seconds an item, from the shortest run to the longest.
    pub(crate) times_s: Vec<f64>,
}

impl Row {
    /// Time that the `part` of all runs does not exceed.
    fn quantile_s(&self, part: f64) -> f64 {
        self.times_s[(part * (self.times_s.len() - 1) as f64).round() as usize]
    }
}

/// Measures rows.
pub(crate) struct Meter<'a> {
    pub(crate) context: &'a Context<'a>,
    clock_hz: f64,
    pub(crate) time: Duration,
    pub(crate) rows: Vec<Row>,
}

impl<'a> Meter<'a> {
    /// Runs `rows` on as many threads and prints them; gives what came out with the threads.
    pub(crate) fn run(
        context: &'a Context<'_>,
        threads: usize,
        rows: impl FnOnce(&mut Meter<'a>) -> anyhow::Result<()> + Send,
    ) -> anyhow::Result<(Self, rayon::ThreadPool)> {
        let time = Duration::from_secs_f64(context.seconds);
        let mut meter = Self { context, clock_hz: clock_hz(), time, rows: Vec::new() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        pool.install(|| rows(&mut meter))?;
        meter.print(threads);
        Ok((meter, pool))
    }

    /// Times `work`, which handles `count` items, and keeps the seconds an item.
    pub(crate) fn row(
        &mut self,
        name: impl Into<String>,
        unit: Unit,
        count: usize,
        mut work: impl FnMut(),
    ) -> anyhow::Result<()> {
        work();
        let start = Instant::now();
        let mut times = Vec::new();
        while start.elapsed() < self.time || times.len() < 3 {
            let before = Instant::now();
            work();
            times.push(before.elapsed().as_secs_f64() / count as f64);
            self.context.check_interrupt()?;
        }
        times.sort_by(f64::total_cmp);
        self.rows.push(Row { name: name.into(), unit, times_s: times });
        Ok(())
    }

    /// Keeps times that were taken elsewhere, shortest first.
    pub(crate) fn record(&mut self, name: String, unit: Unit, times_s: Vec<f64>) {
        self.rows.push(Row { name, unit, times_s });
    }

    /// Times work that may fail, as a whole.
    pub(crate) fn try_row(
        &mut self,
        name: impl Into<String>,
        mut work: impl FnMut() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut outcome = Ok(());
        self.row(name, Unit::Times, 1, || {
            if outcome.is_ok() {
                outcome = work();
            }
        })?;
        outcome
    }

    fn print(&mut self, threads: usize) {
        self.clock_hz = self.clock_hz.max(clock_hz());
        let plural = if threads == 1 { "" } else { "s" };
        self.context.say(format!("{threads} thread{plural}, clock about {:.2} GHz", self.clock_hz / 1e9));
        let mut last = None;
        for row in &self.rows {
            if last.replace(row.unit) != Some(row.unit) {
                self.heading(row.unit);
            }
            match row.unit {
                Unit::Bits => self.rate(row, 1e9, "Gbit/s", threads),
                Unit::Samples => self.rate(row, 1e6, "MS/s", threads),
                Unit::Times => self.time(row, threads),
                Unit::Evaluations => self.evaluations(row, threads),
            }
        }
    }

    fn heading(&self, unit: Unit) {
        let columns = match unit {
            Unit::Times => ["best ms", "p50 ms", "p99 ms", "p99.9 ms"].map(|c| format!("{c:>10}")).join(" "),
            Unit::Bits | Unit::Samples => {
                ["best", "median", "cycles/sample"].map(|c| format!("{c:>14}")).join(" ")
            }
            Unit::Evaluations => ["best 1/s", "median 1/s", "best ms"].map(|c| format!("{c:>12}")).join(" "),
        };
        let width = if unit == Unit::Evaluations { WIDE } else { 56 };
        self.context.say(format!("{:<width$} {columns}", ""));
    }

    fn rate(&self, row: &Row, scale: f64, unit: &str, threads: usize) {
        let (best_s, median_s) = (row.quantile_s(0.0), row.quantile_s(0.5));
        let (best, median) = (1.0 / best_s / scale, 1.0 / median_s / scale);
        let cycles = best_s * self.clock_hz;
        self.context
            .say(format!("{:<56} {best:>7.2} {unit:<6} {median:>7.2} {unit:<6} {cycles:>14.3}", row.name));
        self.context.emit(&json!({
            "name": row.name, "unit": unit, "best": best, "median": median, "cycles_per_sample": cycles,
            "clock_hz": self.clock_hz, "threads": threads, "runs": row.times_s.len(),
        }));
    }

    fn time(&self, row: &Row, threads: usize) {
        let ms = [0.0, 0.5, 0.99, 0.999].map(|part| 1e3 * row.quantile_s(part));
        let columns = ms.map(|t| format!("{t:>10.4}")).join(" ");
        self.context.say(format!("{:<56} {columns}", row.name));
        self.context.emit(&json!({
            "name": row.name, "unit": "ms", "best": ms[0], "p50": ms[1], "p99": ms[2], "p99_9": ms[3],
            "clock_hz": self.clock_hz, "threads": threads, "runs": row.times_s.len(),
        }));
    }

    fn evaluations(&self, row: &Row, threads: usize) {
        let (best_s, median_s) = (row.quantile_s(0.0), row.quantile_s(0.5));
        let (best, median) = (1.0 / best_s, 1.0 / median_s);
        self.context.say(format!("{:<WIDE$} {best:>12.4} {median:>12.4} {:>12.4}", row.name, 1e3 * best_s));
        self.context.emit(&json!({
            "name": row.name, "unit": "1/s", "best": best, "median": median, "best_ms": 1e3 * best_s,
            "threads": threads, "runs": row.times_s.len(),
        }));
    }
}

/// Columns of the names of evaluations.
const WIDE: usize = 112;

/// The clock rate by dependent multiplications; the rotation keeps the compiler from gathering the factors.
fn clock_hz() -> f64 {
    const STEPS: u32 = 3_000_000;
    let factor = black_box(0x9e37_79b9_7f4a_7c15_u64);
    let seconds = (0..9)
        .map(|_| {
            let start = Instant::now();
            let mut x = black_box(3u64);
            for _ in 0..STEPS {
                x = x.wrapping_mul(factor).rotate_left(17);
            }
            black_box(x);
            start.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min);
    4.0 * f64::from(STEPS) / seconds
}
