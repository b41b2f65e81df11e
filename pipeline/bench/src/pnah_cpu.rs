//! The rows of `nearfield bench pnah`: an iteration as a whole, its stages, its growth, and the front ends.
//!
//! An iteration is what a live instrument does for every image: the newest samples enter the ring, the bins of the last
//! 1024 samples are taken, holograms padded, transformed, filtered, propagated, and transformed back. It begins with
//! decimated samples, as the thesis's does, whose decimator is an FPGA; what our decimator costs on the same
//! processor has a row of its own, and `with decimation` counts it in.

use crate::context::{Context, Result};
use crate::dsp::noise_bytes;
use crate::meter::Meter;
use dsp_core::pdm::TileLayout;
use holography::cutoff::Chooser;
use holography::design::{Aperture, Field, Grid, KFilter, Medium};
use holography::{self, Padding, cpu};
use num_complex::Complex;
use signal::decimate::ArrayDecimator;
use signal::filter_design::{Design, Specification};
use signal::front_end::{Average, Dot, Fft, FrontEnd, FrontEndError, Method, Samples, Settings, Taper};
use std::hint::black_box;

/// Samples of the window.
pub const SAMPLES: usize = 1024;
/// Rows that arrive between two images at about 1 kHz: 47 words of 32.
const HOP: usize = 1504;
/// Bytes of a row of 1024 channels.
pub const ROW_BYTES: usize = 128;
/// Frames in a hop.
const FRAMES: usize = HOP / 32;
/// Order of the linear prediction, the one that the accuracy figures are asked for.
const ORDER: usize = 8;

type Complex32 = Complex<f32>;

pub fn run(context: &Context<'_>) -> Result<()> {
    Meter::run(context, rayon::current_num_threads(), rows).map(drop)
}

fn rows(meter: &mut Meter<'_>) -> Result<()> {
    iterations(meter)?;
    stages(meter)?;
    growth(meter)?;
    paddings(meter)?;
    crossover(meter)?;
    front_ends(meter)
}

/// The first `n` of some bins between 90 Hz and 3 kHz.
pub fn bins(n: usize) -> Vec<usize> {
    (0..n).map(|i| 2 + i * 13 % 64).collect()
}

/// Decimated samples as codes, a hop of them.
fn codes(channels: usize) -> Vec<i32> {
    noise_bytes(2 * FRAMES * channels)
        .chunks_exact(2)
        .map(|b| i32::from(b[0]) * 256 - i32::from(b[1]))
        .collect()
}

/// A full ring.
fn ring(channels: usize) -> Samples<f32> {
    let (mut samples, codes) = (Samples::new(SAMPLES, channels), codes(channels));
    (0..SAMPLES.div_ceil(FRAMES)).for_each(|_| samples.push(&codes));
    samples
}

fn plan(side: usize, n: usize, padding: Padding) -> Result<cpu::Plan<f32>> {
    let grid = Grid::triple(Aperture { rows: side, cols: side, pitch: 0.02 })?;
    let settings = holography::Settings { padding, ..holography::Settings::new(grid, 0.04) };
    let spacing = Specification::DEFAULT.output_rate_hz() / SAMPLES as f64;
    let frequencies: Vec<f64> = bins(n).iter().map(|k| *k as f64 * spacing).collect();
    Ok(cpu::Plan::new(&settings, &frequencies, KFilter::THESIS)?)
}

const LPBP: Padding = Padding::Lpbp { order: ORDER };

/// The thesis's Table 7.2, and beyond.
fn iterations(meter: &mut Meter) -> Result<()> {
    let (mut samples, new) = (ring(1024), codes(1024));
    for n in [1, 2, 3, 4, 5, 10] {
        let mut plan = plan(32, n, LPBP)?;
        let mut holograms = vec![Complex32::default(); 1024 * n];
        let mut source = holograms.clone();
        // What makes the bins, and the way to the source plane after it.
        let mut row = |what: &str, fill: &mut dyn FnMut(&mut [Complex32]) -> Result<(), FrontEndError>| {
            meter.try_row(format!("iteration, {what}, n = {n}"), || {
                fill(&mut holograms)?;
                Ok(plan.execute(&holograms, &mut source, None)?)
            })
        };
        let mut fft = Fft::new(SAMPLES, 1024, &bins(n), Taper::Hann)?;
        row("nominal", &mut |holograms| {
            samples.push(black_box(&new));
            fft.execute(&samples, holograms)
        })?;
        let mut dot = Dot::new(SAMPLES, 1024, &bins(n), Taper::Hann)?;
        row("dot", &mut |holograms| {
            samples.push(black_box(&new));
            dot.execute(&samples, holograms)
        })?;
        let mut average = Average::new(&TileLayout::CAMERA, SAMPLES, &bins(n), Taper::None)?;
        let rows = noise_bytes(HOP * ROW_BYTES);
        row("average from bits", &mut |holograms| {
            average.push(black_box(&rows));
            average.execute(holograms)
        })?;
        let mut decimator = ArrayDecimator::new(&Design::new(Specification::DEFAULT)?, &TileLayout::CAMERA)?;
        let mut frames = Vec::new();
        row("dot with decimation", &mut |holograms| {
            frames.clear();
            let _ = decimator.process(black_box(&rows), &mut frames);
            samples.push(&frames);
            dot.execute(&samples, holograms)
        })?;
    }
    Ok(())
}

/// What the time of an iteration is made of.
fn stages(meter: &mut Meter) -> Result<()> {
    let rows = noise_bytes(HOP * ROW_BYTES);
    let mut decimator = ArrayDecimator::new(&Design::new(Specification::DEFAULT)?, &TileLayout::CAMERA)?;
    let mut frames = Vec::new();
    meter.try_row(format!("stage: decimate {HOP} rows"), || {
        frames.clear();
        let _ = decimator.process(black_box(&rows), &mut frames);
        Ok(())
    })?;
    let (mut samples, new) = (ring(1024), codes(1024));
    meter.try_row(format!("stage: {FRAMES} frames into the ring"), || {
        samples.push(black_box(&new));
        Ok(())
    })?;
    for n in [1, 10] {
        let mut plan = plan(32, n, LPBP)?;
        let mut holograms = vec![Complex32::default(); 1024 * n];
        let mut source = holograms.clone();
        let mut dot = Dot::new(SAMPLES, 1024, &bins(n), Taper::Hann)?;
        meter.try_row(format!("stage: dot products, n = {n}"), || {
            Ok(dot.execute(&samples, &mut holograms)?)
        })?;
        meter.try_row(format!("stage: padding, lpbp:{ORDER}, n = {n}"), || {
            Ok(plan.pad(black_box(&holograms))?)
        })?;
        meter.try_row(format!("stage: padding and FFT2, n = {n}"), || {
            plan.pad(black_box(&holograms))?;
            plan.transform();
            Ok(())
        })?;
        meter.try_row(format!("stage: filter, propagator, IFFT2, crop, n = {n}"), || {
            Ok(plan.propagate(Field::Pressure, &mut source)?)
        })?;
    }
    let chooser = Chooser::new(&Grid::triple(Aperture::CAMERA)?, LPBP)?;
    // A wave over the array with a thousandth of noise, so that there is something to choose.
    let wave = |(i, code): (usize, &i32)| {
        Complex::from_polar(1.0 / (1.0 + (i % 32) as f64), (i / 32) as f64) + f64::from(*code) * 3e-8
    };
    let hologram: Vec<Complex<f64>> = codes(1024)[..1024].iter().enumerate().map(wave).collect();
    let k = Medium::default().wavenumber(1000.0);
    meter.try_row("stage: automatic filter of one hologram (now and then)", || {
        black_box(chooser.choose(k, 0.04, &hologram)?);
        Ok(())
    })
}

/// Microphones a side.
fn growth(meter: &mut Meter) -> Result<()> {
    for side in [32, 64, 128] {
        let channels = side * side;
        let (mut samples, new) = (ring(channels), codes(channels));
        for n in [1, 10] {
            let mut plan = plan(side, n, LPBP)?;
            let mut holograms = vec![Complex32::default(); channels * n];
            let mut source = holograms.clone();
            let mut dot = Dot::new(SAMPLES, channels, &bins(n), Taper::Hann)?;
            meter.try_row(format!("growth: {side} x {side} microphones, dot, n = {n}"), || {
                samples.push(black_box(&new));
                dot.execute(&samples, &mut holograms)?;
                Ok(plan.execute(&holograms, &mut source, None)?)
            })?;
        }
    }
    Ok(())
}

/// From hologram to source plane with each kind of padding.
fn paddings(meter: &mut Meter) -> Result<()> {
    for n in [1, 10] {
        for (name, padding) in
            [("zero", Padding::Zero), ("lpbp:8", LPBP), ("plpbp:8", Padding::Plpbp { order: ORDER })]
        {
            let mut plan = plan(32, n, padding)?;
            let holograms = vec![Complex32::new(1.0, -0.5); 1024 * n];
            let mut source = holograms.clone();
            meter.try_row(format!("hologram to source plane, {name}, n = {n}"), || {
                Ok(plan.execute(black_box(&holograms), &mut source, None)?)
            })?;
        }
    }
    Ok(())
}

/// Dot products against the FFT.
fn crossover(meter: &mut Meter) -> Result<()> {
    let samples = ring(1024);
    for n in [1, 2, 5, 10, 20, 50, 100, 200] {
        let bins: Vec<usize> = (1..=n).collect();
        let mut out = vec![Complex32::default(); 1024 * n];
        let mut dot = Dot::new(SAMPLES, 1024, &bins, Taper::Hann)?;
        meter
            .try_row(format!("crossover: dot products, n = {n}"), || Ok(dot.execute(&samples, &mut out)?))?;
        let mut fft = Fft::new(SAMPLES, 1024, &bins, Taper::Hann)?;
        meter.try_row(format!("crossover: FFT, n = {n}"), || Ok(fft.execute(&samples, &mut out)?))?;
    }
    Ok(())
}

/// Whole windows of 32768 rows to bins, nothing kept from the window before.
fn front_ends(meter: &mut Meter) -> Result<()> {
    let coefficients = [Some(10), Some(40), Some(200), None];
    let walsh = coefficients.map(|coefficients| Method::Walsh { coefficients });
    for n in [1, 5, 10] {
        for method in
            [Method::Nominal, Method::Dot, Method::Average].into_iter().chain(walsh).chain([Method::Bits])
        {
            let mut front_end = FrontEnd::<f32>::new(&Settings::camera(method, bins(n)))?;
            let rows = noise_bytes((front_end.history_rows() + front_end.window_rows()) * ROW_BYTES);
            let mut out = vec![Complex32::default(); 1024 * n];
            let detail = match method {
                Method::Walsh { coefficients: Some(count) } => format!(" {count}"),
                Method::Walsh { coefficients: None } => " all".into(),
                _ => String::new(),
            };
            meter.try_row(format!("front end from bits: {method}{detail}, n = {n}"), || {
                Ok(front_end.holograms(black_box(&rows), &mut out)?)
            })?;
        }
    }
    Ok(())
}
