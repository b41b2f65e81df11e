//! The run: frames from the source, through the link, to the socket, on time.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::Context;
use files::sigmf::RecordingWriter;
use hil_sim::board::BoardFrames;
use hil_sim::capture::Capture;
use hil_sim::frames::Frames;
use hil_sim::recording::{Recorded, Recording, metadata};
use hil_sim::rows::{Ahead, Looped, Rows, whole_periods};
use hil_sim::stream::{Pace, Sender, Waiting, schedule};
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
        send(plan, &stop, &mut *frames, looped)?
    };
    if let Some(recorder) = recorder {
        outcome.recording = Some(recorder.path().into());
        recorder.finish().map_err(hil_sim::Error::from)?;
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

fn recorder(plan: &Plan) -> anyhow::Result<Option<RecordingWriter>> {
    let (Some(folder), Source::Bench(bench, _)) = (&plan.record, &plan.source) else { return Ok(None) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let description = format!("simulated by hil-sim, scene {}, seed {}", plan.name, plan.seed);
    let meta = metadata(&bench.array, bench.settings.bit_rate_hz, &description);
    let recorder = RecordingWriter::create(folder.join(&plan.name), meta);
    Ok(Some(recorder.map_err(hil_sim::Error::from)?))
}

/// The frames of the plan's source, and the time samples of a looped block.
fn open<'a>(
    plan: &Plan,
    recorder: Option<&'a mut RecordingWriter>,
) -> anyhow::Result<(Box<dyn Frames + 'a>, Option<u64>)> {
    let (rows, looped): (Box<dyn Rows>, _) = match &plan.source {
        Source::Capture(path) => return Ok((Box::new(Capture::open(path)?), None)),
        Source::Recording(path, endless) => {
            let recording = Recording::open(path)?;
            let samples = recording.samples();
            if *endless {
                (Box::new(Ahead::new(recording.endless())), Some(samples))
            } else {
                (Box::new(Ahead::new(recording)), None)
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

/// Frames through the link to the socket, on time.
fn send(
    plan: &Plan,
    stop: &AtomicBool,
    frames: &mut dyn Frames,
    looped: Option<u64>,
) -> anyhow::Result<Outcome> {
    let mut sender = plan.to.map(Sender::new).transpose().context("cannot open a UDP socket")?;
    let mut link = Link::new(plan.link, plan.seed)?;
    let mut pace = Pace::new(plan.speed.map(|speed| speed * plan.rate_hz()))
        .in_batches_of(plan.batch_s)
        .catching_up_at(plan.catch_up);
    let mut progress = Progress::new(plan);
    let stopped = || stop.load(Ordering::Relaxed);
    let limit = plan.seconds.map_or(u64::MAX, |s| (s * plan.bit_rate_hz).ceil() as u64);
    let start = Instant::now();
    let mut depart = |waiting: &Waiting, n: u64, link: &Link, kept| {
        if let (Some(sender), Some(to)) = (&mut sender, plan.to) {
            let failed = |e: io::Error| io::Error::new(e.kind(), format!("cannot send to {to}: {e}"));
            waiting.send(sender).map_err(failed)?;
        }
        progress.at(n, link, kept);
        Ok(())
    };
    let sent = schedule(frames, &mut link, &mut pace, limit, &stopped, &mut depart);
    // A source that fails is wrong input, a socket is not.
    sent.map_err(|e| e.downcast::<hil_sim::Error>().map_or_else(anyhow::Error::from, anyhow::Error::from))?;
    Ok(Outcome {
        samples: frames.elapsed(),
        elapsed_s: start.elapsed().as_secs_f64(),
        injected: link.injected(),
        expected: link.expected(),
        kept: pace.kept(),
        stalls: sender.as_ref().map_or(0, Sender::stalls),
        looped,
        interrupted: stopped(),
        recording: None,
        board: frames.close()?,
    })
}
