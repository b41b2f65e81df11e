//! `nearfield info`: describe a recording, check its metadata and size, and look for stuck microphones.

use super::args::Info;
use super::exit::usage;
use super::progress::Progress;
use super::{Context, Result};
use dsp_core::pdm::TileLayout;
use pipeline::files::sigmf::{Holes, Recording};
use pipeline::signal::level;
use serde_json::json;

/// Rows read at a time.
const ROWS: usize = 8192;

/// Fewer time samples say nothing about a microphone: even a good one may repeat a bit for a while.
const LEAST_SAMPLES: u64 = 1000;

/// Holes that are named one by one.
const NAMED_HOLES: usize = 8;

/// Characters of a description that are shown.
const LONGEST_TEXT: usize = 300;

pub fn run(context: &Context, arguments: &Info) -> Result<()> {
    let mut recording = Recording::open(&arguments.recording)?;
    let meta = recording.meta().clone();
    let layout = layout(&meta)?;
    let samples = recording.samples();
    let ones = count_ones(context, &mut recording)?;
    let health = Health::of(&ones, samples, &layout);
    let seconds = samples as f64 / meta.sample_rate_hz;
    context.say(format!("{}", recording.data_path().display()));
    if let Some(text) = &meta.description {
        context.say(format!("  {}", printable(text)));
    }
    let (rows, cols, side) = (meta.rows, meta.cols, meta.tile_side);
    context.say(format!(
        "  array       {rows} x {cols} microphones, tiles of {side} x {side}, pitch {} mm",
        1e3 * meta.pitch_m
    ));
    context
        .say(format!("  bits        {samples} time samples at {} Hz, {seconds:.6} s", meta.sample_rate_hz));
    if meta.unfinished {
        context.say("  unfinished  the recorder was stopped before it could close the recording; these are its whole time samples; \
             holes of its last second may not be listed");
    }
    let holes = recording.holes();
    say_holes(context, holes);
    context.say(format!("  history     {} time samples before the analysed window", meta.first_valid));
    if let Some((lowest, highest)) = health.offset {
        context.say(format!("  offset      {lowest:+.4} to {highest:+.4} of full scale"));
    }
    for (name, list) in [("stuck at 0", &health.stuck_low), ("stuck at 1", &health.stuck_high)] {
        if !list.is_empty() {
            let text: Vec<String> = list.iter().map(u32::to_string).collect();
            context.say(format!("  {name}  {} microphones: {}", list.len(), text.join(" ")));
        }
    }
    context.emit(&json!({
        "recording": recording.data_path(),
        "description": meta.description,
        "grid": [rows, cols],
        "tile_side": side,
        "pitch_m": meta.pitch_m,
        "sample_rate_hz": meta.sample_rate_hz,
        "samples": samples,
        "duration_s": seconds,
        "first_valid": meta.first_valid,
        "unfinished": meta.unfinished,
        "holes": holes.count,
        "hole_samples": holes.samples,
        "holes_listed": holes.listed,
        "offset_min_fs": health.offset.map(|(lowest, _)| lowest),
        "offset_max_fs": health.offset.map(|(_, highest)| highest),
        "stuck_at_0": health.stuck_low,
        "stuck_at_1": health.stuck_high,
    }));
    Ok(())
}

/// The holes, the first few one by one.
fn say_holes(context: &Context, holes: &Holes) {
    let (count, samples) = (holes.count, holes.samples);
    if count > 0 {
        context.say(format!("  holes       {count}, {samples} time samples that are not the sensor's:"));
    }
    for (first, length) in holes.listed.iter().take(NAMED_HOLES) {
        context.say(format!("              {length} from {first} on"));
    }
    if count > NAMED_HOLES as u64 {
        context.say("              and so on; --json lists them");
    }
}

/// 1 bits of every stream position.
fn count_ones(context: &Context, recording: &mut Recording) -> Result<Vec<u64>> {
    let row_bytes = recording.row_bytes();
    let total = recording.samples();
    let mut ones = vec![0u64; 8 * row_bytes];
    let mut buffer = vec![0; ROWS * row_bytes];
    let mut progress = Progress::new(context, "checking", total);
    let mut at = 0;
    while at < total {
        let rows = recording.read_rows(at, &mut buffer)?;
        level::count_ones(&buffer[..rows * row_bytes], &mut ones);
        at += rows as u64;
        progress.at(at)?;
    }
    Ok(ones)
}

/// What the bits say about the microphones; indices are those of the grid.
struct Health {
    /// Lowest and highest mean of the working microphones, of full scale.
    offset: Option<(f64, f64)>,
    stuck_low: Vec<u32>,
    stuck_high: Vec<u32>,
}

impl Health {
    fn of(ones: &[u64], samples: u64, layout: &TileLayout) -> Self {
        let mut health = Self { offset: None, stuck_low: Vec::new(), stuck_high: Vec::new() };
        if samples < LEAST_SAMPLES {
            return health;
        }
        for (position, &count) in (0..).zip(ones) {
            let index = layout.index_of(position).unwrap_or(position);
            match count {
                0 => health.stuck_low.push(index),
                n if n == samples => health.stuck_high.push(index),
                n => {
                    let mean = 2.0 * n as f64 / samples as f64 - 1.0;
                    let (lowest, highest) = health.offset.unwrap_or((mean, mean));
                    health.offset = Some((lowest.min(mean), highest.max(mean)));
                }
            }
        }
        health.stuck_low.sort_unstable();
        health.stuck_high.sort_unstable();
        health
    }
}

/// Somebody's text without control characters, which could play tricks on a terminal.
fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(LONGEST_TEXT).collect()
}

/// The tile layout that the metadata describes.
pub fn layout(meta: &pipeline::files::sigmf::Meta) -> Result<TileLayout> {
    let layout = TileLayout::new(meta.rows, meta.cols, meta.tile_side);
    layout.map_err(|e| usage(format!("nearfield:grid: {e}")))
}
