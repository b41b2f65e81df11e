//! The run: frames from the source, through the link, to the socket, on time.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use hil_sim::board::BoardFrames;
use hil_sim::capture::Capture;
use hil_sim::frames::Frames;
use hil_sim::recording::{Meta, Recorded, Recorder, Recording};
use hil_sim::rows::{Ahead, Looped, Rows, whole_periods};
use hil_sim::stream::{BATCH_BYTES, Pace, Sender, Waiting};
use hil_sim::{Bench, FrameSource, Link, Simulator};

use super::exit::Interrupted;
use super::plan::{Board, Plan, Source};
use super::report::{Outcome, Progress, report};

/// Runs a plan and prints its report.
pub fn run(plan: &Plan) -> anyhow::Result<()> {
    let stop = interrupt_flag()?;
    if let Some(threads) = plan.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    let mut recorder = recorder(plan)?;
    let mut outcome = {
        let (mut frames, looped) = open(plan, recorder.as_mut())?;
        Run::new(plan, &stop)?.run(&mut *frames, looped)?
    };
    if let Some(recorder) = recorder {
        outcome.recording = Some(recorder.finish()?);
    }
    report(plan, &outcome)?;
    if outcome.interrupted { Err(Interrupted.into()) } else { Ok(()) }
}

/// Set by Ctrl-C and by a request to end.
fn interrupt_flag() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).context("cannot listen to Ctrl-C")?;
    Ok(stop)
}

fn recorder(plan: &Plan) -> anyhow::Result<Option<Recorder>> {
    let (Some(folder), Source::Bench(bench, _)) = (&plan.record, &plan.source) else { return Ok(None) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let description = format!("simulated by hil-sim, scene {}, seed {}", plan.name, plan.seed);
    let meta = Meta::new(&bench.array, bench.settings.bit_rate_hz, &description);
    Ok(Some(Recorder::create(&folder.join(&plan.name), meta)?))
}

/// The frames of the plan's source, and the time samples of a looped block.
fn open<'a>(
    plan: &Plan,
    recorder: Option<&'a mut Recorder>,
) -> anyhow::Result<(Box<dyn Frames + 'a>, Option<u64>)> {
    let (rows, looped): (Box<dyn Rows>, _) = match &plan.source {
        Source::Capture(path) => return Ok((Box::new(Capture::open(path)?), None)),
        Source::Recording(path, endless) => {
            let recording = Recording::open(path)?;
            let samples = recording.samples();
            if *endless {
                (Box::new(recording.endless()), Some(samples))
            } else {
                (Box::new(recording), None)
            }
        }
        Source::Bench(bench, None) => (Box::new(Ahead::new(Simulator::of(bench)?)), None),
        Source::Bench(bench, Some(seconds)) => {
            let block = looped_block(bench, *seconds)?;
            let samples = block.samples() as u64;
            (Box::new(block), Some(samples))
        }
    };
    let rows: Box<dyn Rows + 'a> = match recorder {
        Some(recorder) => Box::new(Recorded::new(rows, recorder)),
        None => rows,
    };
    if let Some(Board { name, mode, places }) = &plan.board {
        return Ok((Box::new(BoardFrames::start(*name, places, *mode, rows)?), looped));
    }
    let frames = FrameSource::of(rows, plan.frame_rows.unwrap_or(1), plan.bit_rate_hz)?;
    Ok((Box::new(frames.restarting(&plan.clock)), looped))
}

/// A block of whole periods.
fn looped_block(bench: &Bench, seconds: f64) -> Result<Looped, hil_sim::Error> {
    let samples = whole_periods(bench, (seconds * bench.settings.bit_rate_hz) as u64)?;
    Looped::new(&mut Simulator::of(bench)?, samples)
}

/// All that a run needs beside its frames.
struct Run<'a> {
    plan: &'a Plan,
    stop: &'a AtomicBool,
    link: Link,
    sender: Option<Sender>,
    waiting: Waiting,
    pace: Pace,
    progress: Progress,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, stop: &'a AtomicBool) -> anyhow::Result<Self> {
        let sender = plan.to.map(Sender::new).transpose().context("cannot open a UDP socket")?;
        Ok(Self {
            plan,
            stop,
            link: Link::new(plan.link, plan.seed)?,
            sender,
            waiting: Waiting::default(),
            pace: Pace::new(plan.speed.map(|speed| speed * plan.rate_hz()))
                .in_batches_of(plan.batch_s)
                .catching_up_at(plan.catch_up),
            progress: Progress::new(plan),
        })
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn run(mut self, frames: &mut dyn Frames, looped: Option<u64>) -> anyhow::Result<Outcome> {
        let limit = self.plan.seconds.map_or(u64::MAX, |s| (s * self.plan.bit_rate_hz).ceil() as u64);
        let start = Instant::now();
        let (mut datagram, mut sent) = (Vec::new(), 0);
        while frames.elapsed() < limit && !self.stopped() {
            let Some(content) = frames.next(&mut datagram)? else { break };
            self.link.push(&datagram, content, &mut |d| self.waiting.push(d));
            let gathered = frames.elapsed() - sent;
            let full = self.waiting.bytes() + datagram.len() > BATCH_BYTES;
            if full || gathered >= self.pace.batch_samples() {
                sent = frames.elapsed();
                self.send(sent)?;
            }
        }
        self.link.finish(&mut |d| self.waiting.push(d));
        self.send(frames.elapsed())?;
        Ok(Outcome {
            samples: frames.elapsed(),
            elapsed_s: start.elapsed().as_secs_f64(),
            injected: self.link.injected(),
            expected: self.link.expected(),
            kept: self.pace.kept(),
            stalls: self.sender.as_ref().map_or(0, Sender::stalls),
            looped,
            interrupted: self.stopped(),
            recording: None::<PathBuf>,
            board: frames.close()?,
        })
    }

    /// Waits for the time of sample `n`, then sends what is waiting.
    fn send(&mut self, n: u64) -> anyhow::Result<()> {
        let stop = self.stop;
        self.pace.wait(n, &|| stop.load(Ordering::Relaxed));
        if let (Some(sender), Some(to)) = (&mut self.sender, self.plan.to) {
            self.waiting.send(sender).with_context(|| format!("cannot send to {to}"))?;
        }
        self.waiting.clear();
        self.progress.at(n, &self.link, self.pace.kept());
        Ok(())
    }
}
