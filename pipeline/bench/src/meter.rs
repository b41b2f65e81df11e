//! Rows that are run for a fixed time, and the table of them.
//!
//! Cycles are seconds times the clock rate, which is measured by a chain of dependent 64-bit multiplications and
//! rotations (three cycles and one on every large processor of the last ten years); the chain runs before and after,
//! and the faster counts.

use crate::context::{Context, Result};
use numerics::failure::Failed;
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

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

impl Unit {
    /// Columns of the names of rows.
    fn name_width(self) -> usize {
        if self == Self::Evaluations { 112 } else { 56 }
    }
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

pub(crate) struct Meter<'a> {
    pub(crate) context: &'a Context<'a>,
    clock_hz: f64,
    pub(crate) rows: Vec<Row>,
}

impl<'a> Meter<'a> {
    /// Runs `rows` on as many threads and prints them; gives what came out with the threads.
    pub(crate) fn run(
        context: &'a Context<'_>,
        threads: usize,
        rows: impl FnOnce(&mut Meter<'a>) -> Result<()> + Send,
    ) -> Result<(Self, rayon::ThreadPool)> {
        let mut meter = Self { context, clock_hz: clock_hz(), rows: Vec::new() };
        let pool = pool(threads)?;
        pool.install(|| rows(&mut meter))?;
        meter.print(threads);
        Ok((meter, pool))
    }

    /// Times `work`, which handles `count` items, and keeps the seconds an item.
    pub(crate) fn measure(
        &mut self,
        name: impl Into<String>,
        unit: Unit,
        count: usize,
        mut work: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        work()?;
        let once = || {
            let (seconds, outcome) = timed(&mut work);
            outcome.map(|()| seconds / count as f64)
        };
        let times = repeated(self.context, self.context.seconds, 3, once)?;
        self.record(name.into(), unit, times);
        Ok(())
    }

    /// The same for work that cannot fail.
    pub(crate) fn row(&mut self, name: &str, unit: Unit, count: usize, mut work: impl FnMut()) -> Result<()> {
        self.measure(name, unit, count, || {
            work();
            Ok(())
        })
    }

    /// The same for work as a whole.
    pub(crate) fn try_row(
        &mut self,
        name: impl Into<String>,
        work: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        self.measure(name, Unit::Times, 1, work)
    }

    /// Keeps times that were taken elsewhere, shortest first.
    pub(crate) fn record(&mut self, name: String, unit: Unit, times_s: Vec<f64>) {
        self.rows.push(Row { name, unit, times_s });
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
            let (columns, mut figures) = match row.unit {
                Unit::Bits => self.rate(row, 1e9, "Gbit/s"),
                Unit::Samples => self.rate(row, 1e6, "MS/s"),
                Unit::Times => self.time(row),
                Unit::Evaluations => evaluations(row),
            };
            self.context.say(format!("{:<1$} {columns}", row.name, row.unit.name_width()));
            (figures["name"], figures["threads"]) = (row.name.as_str().into(), threads.into());
            figures["runs"] = row.times_s.len().into();
            self.context.emit(&figures);
        }
    }

    fn heading(&self, unit: Unit) {
        let (width, names) = match unit {
            Unit::Times => (10, &["best ms", "p50 ms", "p99 ms", "p99.9 ms"][..]),
            Unit::Bits | Unit::Samples => (14, &["best", "median", "cycles/sample"][..]),
            Unit::Evaluations => (12, &["best 1/s", "median 1/s", "best ms"][..]),
        };
        let columns: String = names.iter().map(|name| format!(" {name:>width$}")).collect();
        self.context.say(format!("{:<1$}{columns}", "", unit.name_width()));
    }

    fn rate(&self, row: &Row, scale: f64, unit: &str) -> (String, Value) {
        let [best, median] = [0.0, 0.5].map(|part| 1.0 / row.quantile_s(part) / scale);
        let cycles = row.quantile_s(0.0) * self.clock_hz;
        let figures = json!({
            "unit": unit, "best": best, "median": median, "cycles_per_sample": cycles,
            "clock_hz": self.clock_hz,
        });
        (format!("{best:>7.2} {unit:<6} {median:>7.2} {unit:<6} {cycles:>14.3}"), figures)
    }

    fn time(&self, row: &Row) -> (String, Value) {
        let ms = [0.0, 0.5, 0.99, 0.999].map(|part| 1e3 * row.quantile_s(part));
        let figures = json!({
            "unit": "ms", "best": ms[0], "p50": ms[1], "p99": ms[2], "p99_9": ms[3],
            "clock_hz": self.clock_hz,
        });
        (ms.map(|t| format!("{t:>10.4}")).join(" "), figures)
    }
}

fn evaluations(row: &Row) -> (String, Value) {
    let best_s = row.quantile_s(0.0);
    let (best, median) = (1.0 / best_s, 1.0 / row.quantile_s(0.5));
    let figures = json!({ "unit": "1/s", "best": best, "median": median, "best_ms": 1e3 * best_s });
    (format!("{best:>12.4} {median:>12.4} {:>12.4}", 1e3 * best_s), figures)
}

/// A pool of so many threads.
pub(crate) fn pool(threads: usize) -> Result<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failed::run)
}

/// Seconds that work took, and what it gave.
pub(crate) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed().as_secs_f64(), result)
}

/// Runs of `work`, which gives their seconds, for so many seconds and at least so often; the shortest first.
pub(crate) fn repeated(
    context: &Context<'_>,
    seconds: f64,
    least: usize,
    mut work: impl FnMut() -> Result<f64>,
) -> Result<Vec<f64>> {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < least || start.elapsed().as_secs_f64() < seconds {
        times.push(work()?);
        context.check_interrupt()?;
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Shortest and median of sorted times.
pub(crate) fn best_and_median(times: &[f64]) -> [f64; 2] {
    [times[0], times[times.len() / 2]]
}

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
