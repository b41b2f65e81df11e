//! `nearfield bench`: how fast this machine is, every figure beside its baseline from the same run.
//!
//! Each row is run for a fixed time and reported by its best and its median run: the machine's noise only ever adds.
//! Cycles are seconds times the clock rate, which is measured by a chain of dependent 64-bit multiplications and
//! rotations (three cycles and one on every large processor of the last ten years); the chain runs before and after,
//! and the faster counts.

mod dsp;

use super::Context;
use super::args::{Bench, BenchKind};
use super::exit::usage;
use serde_json::json;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Runs the command.
pub fn run(context: &Context, arguments: &Bench) -> anyhow::Result<()> {
    if !(arguments.seconds > 0.0 && arguments.seconds <= 60.0) {
        return Err(usage(format!("--seconds {}: must be above 0 and at most 60", arguments.seconds)));
    }
    let mut meter = Meter {
        context,
        clock_hz: clock_hz(),
        time: Duration::from_secs_f64(arguments.seconds),
        rows: Vec::new(),
    };
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    one_thread.install(|| match arguments.what {
        BenchKind::Dsp => dsp::run(&mut meter),
    })?;
    meter.print();
    Ok(())
}

/// What one pass through the work is.
#[derive(Clone, Copy)]
enum Unit {
    /// One-bit samples of a whole array.
    Bits,
    /// Samples of one channel.
    Samples,
}

struct Row {
    name: &'static str,
    unit: Unit,
    best_s: f64,
    median_s: f64,
    runs: usize,
}

struct Meter<'a> {
    context: &'a Context,
    clock_hz: f64,
    time: Duration,
    rows: Vec<Row>,
}

impl Meter<'_> {
    /// Times `work`, which handles `count` items, and keeps the seconds an item.
    fn row(
        &mut self,
        name: &'static str,
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
        self.rows.push(Row {
            name,
            unit,
            best_s: times[0],
            median_s: times[times.len() / 2],
            runs: times.len(),
        });
        Ok(())
    }

    fn print(&mut self) {
        self.clock_hz = self.clock_hz.max(clock_hz());
        self.context.say(format!("one core, clock about {:.2} GHz", self.clock_hz / 1e9));
        self.context.say(format!("{:<48} {:>14} {:>14} {:>14}", "", "best", "median", "cycles/sample"));
        for row in &self.rows {
            let (scale, unit) = match row.unit {
                Unit::Bits => (1e9, "Gbit/s"),
                Unit::Samples => (1e6, "MS/s"),
            };
            let (best, median) = (1.0 / row.best_s / scale, 1.0 / row.median_s / scale);
            let cycles = row.best_s * self.clock_hz;
            self.context.say(format!(
                "{:<48} {best:>8.2} {unit:<6} {median:>7.2} {unit:<6} {cycles:>13.3}",
                row.name
            ));
            self.context.emit(&json!({
                "name": row.name,
                "unit": unit,
                "best": best,
                "median": median,
                "cycles_per_sample": cycles,
                "clock_hz": self.clock_hz,
                "runs": row.runs,
            }));
        }
    }
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
