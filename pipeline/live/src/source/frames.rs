//! Datagrams that are made in this process: a capture, or the bench.

use super::super::clock::Clock;
use super::super::intake::Intake;
use super::error::Error;
use hil_sim::capture::Capture;
use hil_sim::frames::{Frames, samples_in};
use hil_sim::rows::{Ahead, Looped, Rows, whole_periods};
use hil_sim::stream::Pace;
use hil_sim::{Bench, FrameSource, Link, Simulator};
use std::path::Path;
use std::sync::atomic::Ordering;

/// Datagrams of a jumbo frame, as a board would send them.
const DATAGRAM: usize = 8960;

/// Frames through a link.
pub struct Datagrams {
    frames: Box<dyn Frames + Send>,
    link: Link,
    rate_hz: f64,
    speed: Option<f64>,
    clock: Clock,
}

impl Datagrams {
    /// The datagrams of a capture as they are; it does not say its rate.
    pub fn of_capture(path: &Path, rate_hz: f64, speed: Option<f64>, clock: Clock) -> Result<Self, Error> {
        let link = Link::new(hil_sim::link::Rates::default(), 0)?;
        Ok(Self { frames: Box::new(Capture::open(path)?), link, rate_hz, speed, clock })
    }

    /// A bench with its faults; a block of `repeat_s` seconds again and again, or simulated as it goes.
    pub fn of_bench(
        bench: &Bench,
        repeat_s: Option<f64>,
        speed: Option<f64>,
        clock: Clock,
    ) -> Result<Self, Error> {
        let rows = bench_rows(bench, repeat_s)?;
        let samples = samples_in(&rows.layout(), DATAGRAM);
        let source = FrameSource::of(rows, samples, bench.settings.bit_rate_hz)?.restarting(&bench.clock);
        let link = Link::new(bench.link, bench.settings.seed)?;
        Ok(Self { frames: Box::new(source), link, rate_hz: bench.rate_hz(), speed, clock })
    }

    pub(super) fn run(mut self, intake: &mut Intake) -> Result<(), Error> {
        let mut pace = Pace::new(self.speed.map(|speed| speed * self.rate_hz));
        let (mut datagram, mut sent) = (Vec::new(), 0);
        while !intake.stopped() {
            let Some(content) = self.frames.next(&mut datagram)? else { break };
            // Without a schedule a batch is a datagram.
            if self.frames.elapsed() - sent >= pace.batch_samples().min(1 << 16) {
                sent = self.frames.elapsed();
                pace.wait(sent, &|| intake.stopped());
                intake.publish();
            }
            let now = self.clock.now();
            self.link.push(&datagram, content, &mut |datagram| take(intake, datagram, now));
        }
        let now = self.clock.now();
        self.link.finish(&mut |datagram| take(intake, datagram, now));
        Ok(())
    }
}

fn take(intake: &mut Intake, datagram: &[u8], now: f64) {
    intake.tally.bytes.fetch_add(datagram.len() as u64, Ordering::Relaxed);
    intake.datagram(datagram, now);
}

/// The rows of a bench.
pub fn bench_rows(bench: &Bench, repeat_s: Option<f64>) -> Result<Box<dyn Rows + Send>, hil_sim::Error> {
    let mut simulator = Simulator::of(bench)?;
    Ok(match repeat_s {
        None => Box::new(Ahead::new(simulator)),
        Some(seconds) => {
            let longest = (seconds * bench.rate_hz()) as u64;
            let samples = whole_periods(bench, longest)?;
            Box::new(Looped::new(&mut simulator, samples)?)
        }
    })
}
