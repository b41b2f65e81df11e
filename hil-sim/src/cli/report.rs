//! Progress and the report, for people and for programs.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Context;
use hil_sim::Link;
use hil_sim::link::{Expected, Injected};
use hil_sim::stream::Punctuality;
use serde_json::{Value, json};

use super::plan::{Plan, Source};

/// What a run has done.
pub struct Outcome {
    pub samples: u64,
    pub elapsed_s: f64,
    pub injected: Injected,
    pub expected: Expected,
    pub kept: Punctuality,
    pub stalls: u64,
    /// Time samples of the block that was repeated.
    pub looped: Option<u64>,
    pub interrupted: bool,
    /// Metadata file of the recording.
    pub recording: Option<PathBuf>,
    /// What the board counted.
    pub board: Option<Value>,
}

/// A line a second.
pub struct Progress {
    json: bool,
    silent: bool,
    rate_hz: f64,
    last: Instant,
}

impl Progress {
    pub fn new(plan: &Plan) -> Self {
        let silent = plan.quiet || (!plan.json && !std::io::stderr().is_terminal());
        Self { json: plan.json, silent, rate_hz: plan.bit_rate_hz, last: Instant::now() }
    }

    /// Says where the run is, at most once a second.
    pub fn at(&mut self, samples: u64, link: &Link, kept: Punctuality) {
        if self.silent || self.last.elapsed() < Duration::from_secs(1) {
            return;
        }
        self.last = Instant::now();
        let seconds = samples as f64 / self.rate_hz;
        let injected = link.injected();
        if self.json {
            let line =
                json!({"event": "progress", "seconds": seconds, "injected": injected, "schedule": kept});
            println!("{line}");
        } else {
            let behind = kept.last_s * 1e3;
            eprintln!("{seconds:.1} s of sound, {} datagrams, {behind:.1} ms behind", injected.datagrams);
        }
    }
}

/// Prints the report, and writes it beside a recording.
pub fn report(plan: &Plan, outcome: &Outcome) -> anyhow::Result<()> {
    let summary = summary(plan, outcome);
    if let Some(folder) = &plan.record {
        files::atomic::write(folder.join("summary.json"), |file| writeln!(file, "{summary:#}"))
            .with_context(|| format!("cannot write summary.json in {}", folder.display()))?;
    }
    if plan.json {
        println!("{summary}");
    } else {
        print(plan, outcome);
    }
    Ok(())
}

fn summary(plan: &Plan, outcome: &Outcome) -> Value {
    let (kind, channels, faulty) = match &plan.source {
        Source::Bench(bench, _) => ("scene", Some(bench.array.layout.channels()), bench.faulty()),
        Source::Recording(..) => ("recording", None, Vec::new()),
        Source::Capture(_) => ("capture", None, Vec::new()),
    };
    let sound_s = outcome.samples as f64 / plan.bit_rate_hz;
    json!({
        "event": "done",
        "program": "hil-sim",
        "version": env!("CARGO_PKG_VERSION"),
        "settings": {
            "source": kind, "name": plan.name, "seed": plan.seed, "to": plan.to, "speed": plan.speed,
            "bit_rate_hz": plan.bit_rate_hz, "true_rate_hz": plan.rate_hz(), "channels": channels,
            "frame_rows": plan.frame_rows, "link": plan.link, "loop_samples": outcome.looped,
            "faulty_microphones": faulty,
        },
        "elapsed_s": outcome.elapsed_s,
        "interrupted": outcome.interrupted,
        "samples": outcome.samples,
        "sound_s": sound_s,
        "rows_per_s": outcome.samples as f64 / outcome.elapsed_s,
        "times_real_time": sound_s / outcome.elapsed_s,
        "datagram_gbit_per_s": outcome.injected.bytes as f64 * 8e-9 / outcome.elapsed_s,
        "injected": outcome.injected,
        "expected": outcome.expected,
        "schedule": outcome.kept,
        "send_stalls": outcome.stalls,
        "recording": outcome.recording,
        "board": outcome.board,
    })
}

fn print(plan: &Plan, outcome: &Outcome) {
    let Outcome { samples, elapsed_s, injected, expected, kept, .. } = outcome;
    let sound_s = *samples as f64 / plan.bit_rate_hz;
    println!("{}: {sound_s:.3} s of sound ({samples} rows) in {elapsed_s:.3} s", plan.name);
    println!("  {:.2} times real time, {:.0} rows/s", sound_s / elapsed_s, *samples as f64 / elapsed_s);
    if let Some(block) = outcome.looped {
        println!("  a block of {block} rows again and again; its modulators' noise jumps at the seam");
    }
    if let Some(to) = plan.to {
        let rate = injected.bytes as f64 * 8e-9 / elapsed_s;
        println!("  {} datagrams to {to}, {rate:.3} Gbit/s with headers", injected.datagrams);
        let Punctuality { batches, behind, worst_s, last_s } = kept;
        let (worst, last) = (worst_s * 1e3, last_s * 1e3);
        println!("  schedule: {behind} of {batches} batches late, worst {worst:.2} ms, last {last:.2} ms");
    }
    let Injected { lost, burst_lost, corrupted, truncated, duplicated, reordered, garbage, foreign, .. } =
        injected;
    println!(
        "  injected: {lost} lost, {burst_lost} lost in bursts, {corrupted} corrupted, {truncated} truncated, \
         {duplicated} duplicated, {reordered} reordered, {garbage} garbage, {foreign} foreign"
    );
    let Expected { frames, lost_frames, lost_samples, bad_frames, late_frames, restarts, .. } = expected;
    println!(
        "  a receiver must report: {frames} frames, {lost_frames} lost ({lost_samples} rows), {bad_frames} bad, \
         {late_frames} late, {restarts} restarts"
    );
    if let Some(board) = &outcome.board {
        println!(
            "  board {}: {} blocks, {} lost, {} frames; {:.2} instructions and {:.2} cycles a bit",
            board["name"].as_str().unwrap_or_default(),
            board["blocks"],
            board["lost_blocks"],
            board["frames"],
            board["instructions_per_bit"].as_f64().unwrap_or(0.0),
            board["cycles_per_bit"].as_f64().unwrap_or(0.0),
        );
    }
    if let Some(path) = &outcome.recording {
        println!("  recorded: {}", path.display());
    }
}
