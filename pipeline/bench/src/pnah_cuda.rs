//! The rows of `nearfield bench pnah --device cuda`: an iteration from rows in host memory to fields in host memory, its
//! stages, batches, decimation and the automatic filter, each tuned kernel beside its readable rung.
//!
//! An iteration is timed by the host's clock from "the new rows are in host memory" to "all fields are in host memory";
//! its stages by the card's clock. Batches are timed by the card's events.

use crate::context::{Context, Result};
use crate::dsp::noise_bytes;
use crate::meter::{Meter, Unit, repeated, timed};
use crate::pnah_cpu::{ROW_BYTES, SAMPLES, bins};
use dsp_core::pdm::TileLayout;
use holography::camera::cuda::{Camera, Settings};
use holography::cuda::Plan;
use holography::cutoff::cuda::Chooser;
use holography::design::{Aperture, Grid, KFilter};
use holography::{self, Padding};
use kernels::abi::decimate::{Batch, HISTORY};
use kernels::clocks::{AFTERWARDS, STAGES};
use kernels::decimate::Decimate;
use kernels::front_end::Rings;
use kernels::{Buffer, Device, Stream};
use num_complex::Complex;
use serde_json::json;
use signal::decimate::cuda::{ArrayDecimator, chain};
use signal::filter_design::{Design, Specification};
use signal::front_end::{self, Method};
use std::time::{Duration, Instant};

/// Iterations before the clock counts.
const WARM: usize = 500;
/// Iterations for each second of the meter's time, at least: 1e5 in two.
const RATE: f64 = 5e4;
/// Windows of a batch.
const WINDOWS: usize = 512;
/// Runs of a batch; the best counts.
const RUNS: usize = 20;
/// Seconds of the instrument's stream that are decimated in device memory.
const STREAM_S: f64 = 1.0;
/// Bits of the instrument's stream in a second.
const BITS_PER_S: f64 = 1024.0 * BIT_RATE;
/// Rows of the instrument's stream in a second.
const BIT_RATE: f64 = 1.5e6;

pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    Meter::run(context, rayon::current_num_threads(), |meter| rows(meter, device)).map(drop)
}

fn rows(meter: &mut Meter<'_>, device: &Device) -> Result<()> {
    let methods = [
        Method::Nominal,
        Method::Dot,
        Method::Average,
        Method::Walsh { coefficients: Some(10) },
        Method::Walsh { coefficients: Some(40) },
        Method::Bits,
    ];
    for method in methods {
        for n in [1, 5, 10, 20, 50] {
            iteration(meter, device, method, n, 32, When::AtOnce)?;
        }
    }
    for (n, hop) in [(1, 32), (10, 32), (1, 75), (10, 75)] {
        for when in [When::AtOnce, When::AtPace, When::Behind] {
            iteration(meter, device, Method::Nominal, n, hop, when)?;
        }
    }
    for (n, hop) in [(20, 75), (50, 75)] {
        iteration(meter, device, Method::Nominal, n, hop, When::AtPace)?;
    }
    for (n, hop) in [(1, 32), (10, 32), (20, 75), (50, 75)] {
        for k in [10, 40] {
            iteration(meter, device, Method::Walsh { coefficients: Some(k) }, n, hop, When::AtPace)?;
        }
    }
    batches(meter, device)?;
    decimation(meter, device)?;
    filters(meter, device)
}

fn settings() -> Result<holography::Settings> {
    let grid = Grid::triple(Aperture::CAMERA)?;
    Ok(holography::Settings { padding: Padding::Lpbp { order: 8 }, ..holography::Settings::new(grid, 0.04) })
}

fn name(method: Method) -> String {
    match method {
        Method::Walsh { coefficients: Some(k) } => format!("walsh with {k}"),
        other => other.to_string(),
    }
}

/// When the rows of an iteration come, and when it is launched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// Rows when the fields of the hop before are there; launched ahead of them.
    AtOnce,
    /// Rows as the instrument sends them, [`BIT_RATE`]; launched ahead of them.
    AtPace,
    /// Rows when the fields of the hop before are there; launched behind them.
    Behind,
}

impl When {
    fn name(self) -> &'static str {
        match self {
            Self::AtOnce => "",
            Self::AtPace => ", at the instrument's pace",
            Self::Behind => ", launched behind the rows",
        }
    }
}

/// Hop after hop for the meter's time, and at least [`RATE`] of them a second.
fn iteration(
    meter: &mut Meter,
    device: &Device,
    method: Method,
    n: usize,
    hop: usize,
    when: When,
) -> Result<()> {
    let front_end = front_end::Settings::camera(method, bins(n));
    let settings = Settings { front_end, pnah: settings()?, filter: KFilter::THESIS, hop };
    let mut camera = Camera::new(device, &settings)?;
    let noise = noise_bytes(4096 * ROW_BYTES);
    let rows = |i: usize| &noise[i * 7 % (4096 - hop) * ROW_BYTES..][..hop * ROW_BYTES];
    let mut stages = [0.0; STAGES.len() + AFTERWARDS.len()];
    let mut looks = 0.0;
    for i in 0..WARM {
        camera.execute(rows(i))?;
        if i % 10 == 0 {
            let clocks = camera.clocks()?;
            looks += 1.0;
            for (sum, (_, from, to)) in stages.iter_mut().zip(STAGES.into_iter().chain(AFTERWARDS)) {
                *sum += clocks[to].wrapping_sub(clocks[from]).cast_signed() as f64 * 1e-3;
            }
        }
    }
    camera.wait_ahead(when != When::Behind)?;
    let pace = Duration::from_secs_f64(hop as f64 / BIT_RATE);
    let least = (meter.context.seconds * RATE) as usize;
    let (mut times, start) = (Vec::new(), Instant::now());
    let mut due = start;
    for i in 0.. {
        due += pace;
        while when == When::AtPace && Instant::now() < due {
            std::hint::spin_loop();
        }
        let before = if when == When::AtPace { due } else { Instant::now() };
        camera.execute(rows(i))?;
        if i > WARM {
            times.push(before.elapsed().as_secs_f64());
        }
        if start.elapsed().as_secs_f64() > meter.context.seconds && times.len() > least {
            break;
        }
        meter.context.check_interrupt()?;
    }
    times.sort_by(f64::total_cmp);
    let title = format!("iteration, {}, n = {n}, hop {hop}{}", name(method), when.name());
    let stages: Vec<(&str, f64)> =
        STAGES.iter().chain(&AFTERWARDS).zip(stages).map(|((stage, ..), us)| (*stage, us / looks)).collect();
    let text: Vec<String> = stages.iter().map(|(stage, us)| format!("{stage} {us:.2}")).collect();
    meter.context.detail(format!("  {title}, us: {}", text.join(", ")));
    let object: serde_json::Map<String, serde_json::Value> =
        stages.iter().map(|(stage, us)| ((*stage).to_owned(), json!(us))).collect();
    meter.context.emit(&json!({ "name": title, "unit": "us", "stages": object }));
    meter.record(title, Unit::Times, times);
    Ok(())
}

/// Seconds of the best of some runs, by the card's clock.
fn best(stream: &mut Stream, mut work: impl FnMut(&mut Stream) -> Result<()>) -> Result<f64> {
    let mut least = f64::INFINITY;
    for _ in 0..RUNS {
        let mut outcome = Ok(());
        let seconds = stream.time(|stream| {
            outcome = work(stream);
            Ok(())
        })?;
        outcome?;
        least = least.min(seconds);
    }
    Ok(least)
}

/// Windows of samples that are on the card: bins, holography, and both.
fn batches(meter: &mut Meter, device: &Device) -> Result<()> {
    let mut stream = device.stream()?;
    for n in [1, 10] {
        let windows = WINDOWS / n;
        let settings_f = front_end::Settings::camera(Method::Nominal, bins(n));
        let front_end = front_end::cuda::FrontEnd::new(&mut stream, &settings_f, None, windows)?;
        let mut rings = Rings::idle(&mut stream, 1024, SAMPLES + windows, 1, 1)?;
        let noise = noise_bytes(4 * 1024 * (SAMPLES + windows));
        let values: Vec<f32> =
            noise.as_chunks::<4>().0.iter().map(|b| f32::from(b[0]) / 128.0 - 1.0).collect();
        stream.upload(&values, &mut rings.samples)?;
        let mut holograms = Buffer::poisoned(&mut stream, "holograms", windows * n * 1024)?;
        let frequencies: Vec<f64> =
            (0..windows).flat_map(|_| bins(n)).map(|k| settings_f.frequency_hz(k)).collect();
        let mut plan = Plan::<f32>::new(&mut stream, &settings()?, &frequencies, KFilter::THESIS)?;
        let mut rung = Plan::<f32>::staged(&mut stream, &settings()?, &frequencies, KFilter::THESIS)?;
        let mut fields = Buffer::poisoned(&mut stream, "fields", windows * n * 1024)?;
        let count = (windows * n) as f64;
        let bins_s = best(&mut stream, |stream| {
            Ok(front_end.execute_device(stream, &mut rings, 0, 1, &mut holograms)?)
        })?;
        let fused_s =
            best(&mut stream, |stream| Ok(plan.execute_device(stream, &holograms, &mut fields)?))?;
        let rung_s = best(&mut stream, |stream| Ok(rung.execute_device(stream, &holograms, &mut fields)?))?;
        for (what, seconds) in [
            ("bins", bins_s),
            ("holography, fused", fused_s),
            ("holography, readable rung", rung_s),
            ("from samples to fields", bins_s + fused_s),
        ] {
            let title = format!("batch of {windows} windows, n = {n}: {what}");
            rate(meter, &title, "holograms/s", count / seconds, seconds);
        }
    }
    Ok(())
}

/// The whole array's stream: words and samples in device memory, and from host memory to host memory.
fn decimation(meter: &mut Meter, device: &Device) -> Result<()> {
    let mut stream = device.stream()?;
    let frames = (STREAM_S * 1.5e6 / 32.0) as usize / 4 * 4;
    let pitch = HISTORY + frames;
    let rows = Buffer::from_slice(&mut stream, "rows", &noise_bytes(frames * 32 * ROW_BYTES))?;
    let kernels = Decimate::<i32>::new(device)?;
    let mut words = Decimate::<i32>::idle_words(&mut stream, 1024, pitch)?;
    let mut samples = Buffer::<i32>::poisoned(&mut stream, "samples", 1024 * frames)?;
    let size = |n: usize| kernels::size32("frames", n);
    let batch = Batch {
        positions: 1024,
        frames: size(frames)?,
        word_pitch: size(pitch)?,
        sample_pitch: size(frames)?,
    };
    let chain = chain();
    let bits = (frames * 32 * 1024) as f64;
    let transpose =
        best(&mut stream, |stream| Ok(kernels.transpose_rows(stream, &rows, &batch, &mut words)?))?;
    let tuned =
        best(&mut stream, |stream| Ok(kernels.decimate(stream, &words, &chain, &batch, &mut samples)?))?;
    let direct = best(&mut stream, |stream| {
        Ok(kernels.decimate_direct(stream, &words, &chain, &batch, &mut samples)?)
    })?;
    for (what, seconds) in [
        ("rows to words", transpose),
        ("words to samples", tuned),
        ("words to samples, readable rung", direct),
        ("rows to samples", transpose + tuned),
    ] {
        rate(meter, &format!("decimation, {what}"), "x real time", bits / seconds / BITS_PER_S, seconds);
    }
    let mut array = ArrayDecimator::new(device, &Design::new(Specification::DEFAULT)?, &TileLayout::CAMERA)?;
    let noise = noise_bytes(frames * 8 * ROW_BYTES);
    let mut out = Vec::new();
    let seconds = repeated(meter.context, 0.0, 5, || {
        out.clear();
        let (seconds, outcome) = timed(|| array.process(&noise, &mut out));
        Ok(outcome.map(|_| seconds)?)
    })?[0];
    let times_real = bits / 4.0 / seconds / BITS_PER_S;
    rate(meter, "decimation, host memory to host memory", "x real time", times_real, seconds);
    Ok(())
}

/// The automatic k-filter of ten holograms.
fn filters(meter: &mut Meter, device: &Device) -> Result<()> {
    let mut stream = device.stream()?;
    let front_end = front_end::Settings::camera(Method::Nominal, bins(10));
    let frequencies: Vec<f64> = front_end.bins.iter().map(|&k| front_end.frequency_hz(k)).collect();
    let noise = noise_bytes(2 * 10 * 1024);
    let values: Vec<Complex<f32>> = noise
        .as_chunks::<2>()
        .0
        .iter()
        .enumerate()
        .map(|(i, b)| Complex::cis(i as f32 * 0.1) + Complex::new(f32::from(b[0]), f32::from(b[1])) * 1e-4)
        .collect();
    let holograms = Buffer::from_slice(&mut stream, "holograms", &values)?;
    let mut chooser = Chooser::new(&mut stream, &settings()?, &frequencies, 1)?;
    let seconds = best(&mut stream, |stream| Ok(chooser.choose(stream, &holograms)?))?;
    rate(meter, "automatic filter, n = 10", "holograms/s", 10.0 / seconds, seconds);
    Ok(())
}

/// A rate by the card's clock.
fn rate(meter: &mut Meter, name: &str, unit: &str, value: f64, seconds: f64) {
    meter.context.say(format!("{name:<56} {value:>14.4e} {unit:<14} {:>10.4} ms", 1e3 * seconds));
    meter
        .context
        .emit(&json!({ "name": name, "unit": unit, "best": value, "ms": 1e3 * seconds, "runs": RUNS }));
}
