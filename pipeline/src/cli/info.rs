//! `nearfield info`: describe a recording and check every byte of it.

use super::Context;
use super::args::Info;
use super::progress::Progress;
use anyhow::Context as _;
use dsp_core::pdm::TileLayout;
use pipeline::io::sigmf::Recording;
use serde_json::json;

/// Rows read at a time.
const ROWS: usize = 8192;

/// Runs the command.
pub fn run(context: &Context, arguments: &Info) -> anyhow::Result<()> {
    let mut recording = Recording::open(&arguments.recording)?;
    let meta = recording.meta().clone();
    let layout = layout(&meta)?;
    let samples = recording.samples();
    let ones = count_ones(context, &mut recording)?;
    let health = Health::of(&ones, samples, &layout);
    let seconds = samples as f64 / meta.sample_rate_hz;
    context.say(format!("{}", recording.data_path().display()));
    if let Some(text) = &meta.description {
        context.say(format!("  {text}"));
    }
    let (rows, cols, side) = (meta.rows, meta.cols, meta.tile_side);
    context.say(format!(
        "  array       {rows} x {cols} microphones, tiles of {side} x {side}, pitch {} mm",
        1e3 * meta.pitch_m
    ));
    context
        .say(format!("  bits        {samples} time samples at {} Hz, {seconds:.6} s", meta.sample_rate_hz));
    context.say(format!("  history     {} time samples before the analysed window", meta.first_valid));
    context.say(format!("  offset      {:+.4} to {:+.4} of full scale", health.lowest, health.highest));
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
        "offset_min_fs": health.lowest,
        "offset_max_fs": health.highest,
        "stuck_at_0": health.stuck_low,
        "stuck_at_1": health.stuck_high,
    }));
    Ok(())
}

/// 1 bits of every stream position.
fn count_ones(context: &Context, recording: &mut Recording) -> anyhow::Result<Vec<u64>> {
    let row_bytes = recording.row_bytes();
    let total = recording.samples();
    let mut ones = vec![0u64; 8 * row_bytes];
    let mut buffer = vec![0; ROWS * row_bytes];
    let mut progress = Progress::new(context, "checking", total);
    let mut at = 0;
    while at < total {
        let rows = recording.read_rows(at, &mut buffer)?;
        for row in buffer[..rows * row_bytes].chunks_exact(row_bytes) {
            for (byte, counts) in row.iter().zip(ones.as_chunks_mut::<8>().0) {
                for (bit, count) in counts.iter_mut().enumerate() {
                    *count += u64::from(byte >> bit & 1);
                }
            }
        }
        at += rows as u64;
        progress.at(at)?;
    }
    Ok(ones)
}

/// What the bits say about the microphones; indices are those of the grid.
struct Health {
    lowest: f64,
    highest: f64,
    stuck_low: Vec<u32>,
    stuck_high: Vec<u32>,
}

impl Health {
    fn of(ones: &[u64], samples: u64, layout: &TileLayout) -> Self {
        let mut health = Self { lowest: 0.0, highest: 0.0, stuck_low: Vec::new(), stuck_high: Vec::new() };
        for (position, &count) in (0..).zip(ones) {
            let index = layout.index_of(position).unwrap_or(position);
            match count {
                _ if samples == 0 => {}
                0 => health.stuck_low.push(index),
                n if n == samples => health.stuck_high.push(index),
                n => {
                    let mean = 2.0 * n as f64 / samples as f64 - 1.0;
                    health.lowest = health.lowest.min(mean);
                    health.highest = health.highest.max(mean);
                }
            }
        }
        health.stuck_low.sort_unstable();
        health.stuck_high.sort_unstable();
        health
    }
}

/// The tile layout that the metadata describes.
pub fn layout(meta: &pipeline::io::sigmf::Meta) -> anyhow::Result<TileLayout> {
    TileLayout::new(meta.rows, meta.cols, meta.tile_side).context("the grid in the metadata")
}
