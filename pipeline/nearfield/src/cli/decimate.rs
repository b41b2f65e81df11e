//! `nearfield decimate`: the bits of a recording to samples in a file that other tools read.

use super::args::{Chain, Decimate};
use super::progress::Progress;
use super::{Context, Result, info};
use crate::cli::exit::refuse;
use dsp_core::pdm::TileLayout;
use pipeline::files::sigmf::Recording;
use pipeline::files::sink::create_sink;
use pipeline::signal::decimate::{Plan, ROWS, full_scale_parts};
use pipeline::signal::filter_design::{Design, Specification};
use serde_json::json;
use std::time::Instant;

/// Rows read at a time: 2 MiB for the camera.
const BLOCK: usize = 512 * ROWS;

/// Pass band as a fraction of the output rate, unless given: 18 kHz at 46.875 kHz.
const PASS_FRACTION: f64 = 0.384;

impl Chain {
    /// The specification for bits at `bit_rate_hz`.
    pub fn specification(&self, bit_rate_hz: f64) -> Specification {
        let rate = f64::from(self.cic_rate.saturating_mul(self.fir_rate));
        Specification {
            bit_rate_hz,
            cic_order: self.cic_order,
            cic_rate: self.cic_rate,
            fir_rate: self.fir_rate,
            pass_hz: self.pass_hz.unwrap_or(PASS_FRACTION * bit_rate_hz / rate),
            ripple_db: self.ripple_db,
            stop_db: self.stop_db,
            tap_bits: self.tap_bits,
        }
    }
}

pub fn run(context: &Context, arguments: &Decimate) -> Result<()> {
    let start = Instant::now();
    let mut recording = Recording::open(&arguments.recording)?;
    let meta = recording.meta().clone();
    let design = Design::new(arguments.chain.specification(meta.sample_rate_hz))?;
    let layout = info::layout(&meta)?;
    let decimator = match context.device() {
        None => Plan::on_cpu(&design, &layout)?,
        Some(device) => Plan::on_cuda(device, &design, &layout)?,
    };
    let output_rate_hz = design.specification.output_rate_hz();
    let expected = recording.samples() / decimator.rate() as u64;
    if expected == 0 {
        let (path, samples, rate) = (recording.data_path().display(), recording.samples(), decimator.rate());
        refuse!("{path}: {samples} time samples make no output; it takes {rate} for each");
    }
    context.check_interrupt()?;
    warn_of_aliases(context, &design);
    let holes = recording.holes();
    if holes.count > 0 {
        context.warn(format!(
            "{} time samples in {} holes are not the sensor's: its recorder had lost them, and they are silent",
            holes.samples, holes.count
        ));
    }
    let mut sink = create_sink(&arguments.out, decimator.channels(), output_rate_hz, expected)?;
    let written = stream(context, &mut recording, decimator, &layout, |samples| Ok(sink.write(samples)?))?;
    sink.finish()?;
    let channels = layout.channels();
    context.say(format!(
        "{}: {written} samples of {channels} channels at {output_rate_hz} Hz, full scale 1.0",
        arguments.out.display()
    ));
    let left_over = recording.samples()
        - written * u64::from(design.specification.cic_rate * design.specification.fir_rate);
    if left_over > 0 {
        context.detail(format!("  the last {left_over} time samples make no whole output"));
    }
    let (taps, delay, rejection) = (design.taps.len(), design.delay_bits(), design.alias_rejection_db());
    let (ripple, pass) = (design.ripple_db(), design.specification.pass_hz);
    context.detail(format!(
        "  {taps} taps, flat to {ripple:.4} dB up to {pass} Hz, aliases {rejection:.1} dB down, delay {delay} bits"
    ));
    context.emit(&json!({
        "out": arguments.out,
        "samples": written,
        "channels": channels,
        "sample_rate_hz": output_rate_hz,
        "delay_bits": delay,
        "alias_rejection_db": rejection,
        "filter": design.specification,
        "taps": taps,
        "settings": context.settings(),
        "elapsed_s": start.elapsed().as_secs_f64(),
    }));
    Ok(())
}

/// The FIR cannot reject what the CIC has already folded into the band.
pub fn warn_of_aliases(context: &Context, design: &Design) {
    let (rejection, wanted) = (design.alias_rejection_db(), design.specification.stop_db);
    // The default chain is meant to lose 2 dB to its CIC.
    if rejection < wanted - 3.0 {
        context.warn(format!(
            "the CIC folds signals into the band only {rejection:.1} dB down, not {wanted} dB: \
             use a higher --cic-order or a lower --cic-rate"
        ));
    }
}

/// Sends the whole recording through `decimator`; returns the frames handed to `write`.
fn stream(
    context: &Context,
    recording: &mut Recording,
    mut decimator: Plan,
    layout: &TileLayout,
    mut write: impl FnMut(&[f32]) -> Result<()>,
) -> Result<u64> {
    let total = recording.samples();
    let mut rows = vec![0; BLOCK * layout.row_bytes()];
    let mut codes = Vec::new();
    let mut progress = Progress::new(context, "decimating", total);
    let (mut at, mut written) = (0, 0);
    while at < total {
        let count = recording.read_rows(at, &mut rows)?;
        at += count as u64;
        codes.clear();
        // Only the last block can be cut inside a group of rows; what is left over makes no whole sample.
        written += decimator.process(&rows[..count * layout.row_bytes()], &mut codes)?.produced as u64;
        write(&full_scale_parts(&codes))?;
        progress.at(at)?;
    }
    Ok(written)
}
