//! Tables to settings.

use super::bounds;
use super::checks::{at_least, milliseconds, multiple};
use super::error::Error;
use super::tables::{
    ArrayTable, ControllerTable, HologramTable, MOST_SAMPLES, MOST_THREADS, SourceTable, Speed, Tables,
    ViewerTable,
};
use crate::controller::{MOST_VALUES, Values};
use crate::plan::HOPS;
use crate::settings::{Record, Settings, Viewer, first_filters};
use crate::source::Source;
use crate::{realtime, snapshots};
use dsp_core::pdm::TileLayout;
use files::case::within;
use files::sigmf::Recording;
use holography::Padding;
use holography::camera::FilterRule;
use holography::chain;
use holography::design::{Aperture, Grid, Medium, highest_frequency};
use signal::array::{Array, Calibration};
use signal::front_end::{self, Method};
use std::net::SocketAddr;
use std::path::Path;

/// Seconds of a simulated block that is repeated.
const REPEAT_S: f64 = 0.5;
/// MiB that the system may hold for the socket: 0.17 s of the camera.
const BUFFER_MIB: f64 = 32.0;
/// Rows of a span: 0.17 ms at 1.5 MHz.
const SPAN_ROWS: usize = 256;
/// Spans of the ring: 0.7 s of the camera, 128 MiB. A host that is slow for a second loses no row.
const RING_SPANS: usize = 4096;
/// Spans that may wait before holograms are left out: 22 ms of the camera.
const BEHIND_SPANS: usize = 128;
/// Rows of a hop: 1019 holograms a second of the camera.
const HOP_ROWS: u64 = 1472;

/// Grid, order and rate of the bits.
#[derive(Clone, Copy)]
struct Bits {
    layout: TileLayout,
    pitch_m: f64,
    rate_hz: f64,
    standoff_m: f64,
}

impl Tables {
    /// Checked settings; paths are relative to `folder`.
    pub fn resolve(&self, folder: &Path) -> Result<Settings, Error> {
        let source = source(&self.source, folder)?;
        let bits = bits(&self.array, &source)?;
        let array = array(&self.array, &bits, folder)?;
        let filter: FilterRule = match &self.hologram.filter {
            None => FilterRule::Auto,
            Some(text) => {
                text.parse().map_err(|e| Error::value("[hologram] filter", text, format!("valid: {e}")))?
            }
        };
        let chain = chain_settings(&self.hologram, &bits, array, filter)?;
        let threads = within("[hologram] threads", self.hologram.threads.unwrap_or(1), [1, MOST_THREADS])?;
        bounds::chain(&chain, threads)?;
        let hop_rows = multiple("[hologram] hop_rows", self.hologram.hop_rows.unwrap_or(HOP_ROWS))?;
        let span_rows =
            multiple("[buffers] span_rows", self.buffers.span_rows.unwrap_or(SPAN_ROWS) as u64)? as usize;
        let ring_spans = at_least("[buffers] ring_spans", self.buffers.ring_spans.unwrap_or(RING_SPANS), 2)?;
        let record = self.record.as_ref().map(|table| recorder(table, folder)).transpose()?;
        let spans = ring_spans.saturating_add(record.as_ref().map_or(0, |record| record.ring_spans));
        bounds::pool(spans, span_rows, &bits.layout)?;
        // Before a hop is rehearsed: with the pool it bounds a hop's bytes.
        let hop_spans = (hop_rows as usize).div_ceil(span_rows);
        if ring_spans < HOPS * hop_spans {
            let expected =
                format!("at least {}: the ring must hold {HOPS} hops of {hop_rows} rows", HOPS * hop_spans);
            return Err(Error::value("[buffers] ring_spans", ring_spans, expected));
        }
        let usual = BEHIND_SPANS.min(ring_spans / HOPS).max(hop_spans);
        let behind_spans = self.buffers.behind_spans.unwrap_or(usual);
        if !(hop_spans..=ring_spans).contains(&behind_spans) {
            let expected = format!("{hop_spans}, a hop, to {ring_spans}, the ring");
            return Err(Error::value("[buffers] behind_spans", behind_spans, expected));
        }
        let shape = (
            chain.pnah.grid.aperture.rows * chain.pnah.refinement,
            chain.pnah.grid.aperture.cols * chain.pnah.refinement,
        );
        let controller =
            self.controller.as_ref().map(|table| controller(table, shape, chain.front_end.bins.len()));
        let files = match &self.files {
            Some(table) => Some(snapshots::Settings {
                folder: folder.join(&table.folder),
                every: at_least("[files] every", table.every, 1)?,
            }),
            None => None,
        };
        Ok(Settings {
            title: self.title.clone().unwrap_or_else(|| "Nearfield".into()),
            source,
            layout: bits.layout,
            pitch_m: bits.pitch_m,
            bit_rate_hz: bits.rate_hz,
            pace_hz: bits.rate_hz * speed(&self.source)?.unwrap_or(1.0),
            chain: Some(chain),
            filter,
            hop_rows,
            span_rows,
            ring_spans,
            behind_spans,
            threads,
            deadline_s: milliseconds("[latency] deadline_ms", self.latency.deadline_ms)?,
            bound_s: milliseconds("[latency] bound_ms", self.latency.bound_ms)?,
            health: self.health.watch.unwrap_or(true),
            record,
            controller: controller.transpose()?,
            files,
            viewer: viewer(&self.viewer)?,
            realtime: realtime::Settings {
                priority: self
                    .realtime
                    .priority
                    .map(|priority| within("[realtime] priority", priority, [1, 99]))
                    .transpose()?,
                ..self.realtime.clone()
            },
        })
    }
}

/// Times real time; none for as fast as can be.
fn speed(table: &SourceTable) -> Result<Option<f64>, Error> {
    match &table.speed {
        None => Ok(Some(1.0)),
        Some(Speed::Word(word)) if word == "max" => Ok(None),
        Some(Speed::Times(times)) if (1e-6..=1e6).contains(times) => Ok(Some(*times)),
        Some(other) => {
            let expected = "\"max\" or a number from 1e-6 to 1e6";
            Err(Error::value("[source] speed", format!("{other:?}"), expected))
        }
    }
}

fn source(table: &SourceTable, folder: &Path) -> Result<Source, Error> {
    let SourceTable { udp, recording, capture, simulator, .. } = table;
    let given = [udp.is_some(), recording.is_some(), capture.is_some(), simulator.is_some()];
    let count = given.iter().filter(|given| **given).count();
    if count != 1 {
        let expected = "exactly one of udp, recording, capture and simulator";
        return Err(Error::value("[source]", format!("{count} sources"), expected));
    }
    let speed = speed(table)?;
    if udp.is_some() && table.speed.is_some() {
        let found = format!("{:?} with udp", table.speed);
        return Err(Error::value("[source] speed", found, "left out: a sensor has its own pace"));
    }
    let buffer_mib = table.buffer_mib.unwrap_or(BUFFER_MIB);
    if !(buffer_mib > 0.0 && buffer_mib <= 2047.0) {
        return Err(Error::value("[source] buffer_mib", buffer_mib, "above 0 and at most 2047"));
    }
    let repeat_s = within("[source] repeat_s", table.repeat_s.unwrap_or(REPEAT_S), [0.0, 60.0])?;
    let repeat_s = (repeat_s > 0.0).then_some(repeat_s);
    Ok(match (udp, recording, capture, simulator) {
        (Some(address), ..) => Source::Udp { address: *address, buffer: (buffer_mib * 1048576.0) as usize },
        (_, Some(path), ..) => Source::Recording { path: folder.join(path), speed },
        (_, _, Some(path), _) => Source::Capture { path: folder.join(path), speed },
        (.., scene) => Source::Simulator { scene: scene_name(scene.as_deref(), folder), repeat_s, speed },
    })
}

/// A built-in scene's name as it is, a file's relative to the folder.
fn scene_name(scene: Option<&str>, folder: &Path) -> String {
    let scene = scene.unwrap_or("demo");
    if hil_sim::Scene::names().any(|known| known == scene) {
        return scene.into();
    }
    folder.join(scene).to_string_lossy().into_owned()
}

/// What the table says, else what the source says, else the camera.
fn bits(table: &ArrayTable, source: &Source) -> Result<Bits, Error> {
    let camera = hil_sim::Array::CAMERA;
    let mut bits =
        Bits { layout: camera.layout, pitch_m: camera.pitch, rate_hz: 1.5e6, standoff_m: camera.standoff };
    match source {
        Source::Recording { path, .. } => {
            let recording = Recording::open(path)?;
            let meta = recording.meta();
            bits.layout = layout(meta.rows, meta.cols, meta.tile_side)?;
            (bits.pitch_m, bits.rate_hz) = (meta.pitch_m, meta.sample_rate_hz);
        }
        Source::Simulator { scene, .. } => {
            let bench = hil_sim::file::load(scene)?;
            (bits.layout, bits.pitch_m) = (bench.array.layout, bench.array.pitch);
            (bits.rate_hz, bits.standoff_m) = (bench.settings.bit_rate_hz, bench.array.standoff);
        }
        Source::Udp { .. } | Source::Capture { .. } => {}
    }
    let ArrayTable { rows, cols, tile_side, pitch_m, bit_rate_hz, .. } = table;
    if rows.is_some() || cols.is_some() || tile_side.is_some() {
        let old = bits.layout;
        bits.layout = layout(
            rows.unwrap_or(old.rows()),
            cols.unwrap_or(old.cols()),
            tile_side.unwrap_or(old.tile_side()),
        )?;
    }
    bits.pitch_m = pitch_m.unwrap_or(bits.pitch_m);
    bits.rate_hz = within("[array] bit_rate_hz", bit_rate_hz.unwrap_or(bits.rate_hz), [1e3, 1e9])?;
    Ok(bits)
}

fn layout(rows: u16, cols: u16, side: u16) -> Result<TileLayout, Error> {
    let found = format!("{rows} x {cols} microphones in tiles of {side}");
    let expected = "whole tiles, a multiple of 8 and at most 65528 microphones";
    match TileLayout::new(rows, cols, side) {
        Ok(layout) if layout.channels().is_multiple_of(8) && layout.channels() <= 65_528 => Ok(layout),
        _ => Err(Error::value("[array] rows, cols, tile_side", found, expected)),
    }
}

fn array(table: &ArrayTable, bits: &Bits, folder: &Path) -> Result<Array, Error> {
    let mut array = match &table.geometry {
        Some(path) => Array::from_file(&folder.join(path))?,
        None => Array::regular(bits.layout.rows().into(), bits.layout.cols().into(), bits.pitch_m)?,
    };
    let channels = array.channels();
    let mut calibration = match &table.calibration {
        Some(path) => Calibration::from_file(&folder.join(path), channels)?,
        None => Calibration::ideal(channels),
    };
    if let Some(sensitivity) = table.sensitivity_dbfs {
        calibration = calibration.with_sensitivity(sensitivity)?;
    }
    array = array.with_calibration(calibration)?;
    Ok(array.without(&table.exclude)?)
}

fn chain_settings(
    table: &HologramTable,
    bits: &Bits,
    array: Array,
    filter: FilterRule,
) -> Result<chain::Settings, Error> {
    let method = method(table)?;
    let base = front_end::Settings::camera(method, Vec::new());
    let most = MOST_SAMPLES.min(bounds::longest_window(&bits.layout));
    let samples = table.samples.unwrap_or(base.samples);
    if !(4..=most).contains(&samples) || !samples.is_multiple_of(4) {
        let expected = format!("a multiple of 4, at most {most} of {} microphones", bits.layout.channels());
        return Err(Error::value("[hologram] samples", samples, expected));
    }
    let mut front_end =
        front_end::Settings { samples, layout: bits.layout, bit_rate_hz: bits.rate_hz, ..base };
    let grid = array.grid();
    let aperture = Aperture { rows: grid.rows, cols: grid.cols, pitch: grid.pitch_m };
    let grid = match table.grid {
        None => Grid::triple(aperture)?,
        Some(side) => Grid::with_side(aperture, side)?,
    };
    let mut pnah = holography::Settings::new(grid, table.standoff_m.unwrap_or(bits.standoff_m));
    if let Some(celsius) = table.temperature_c {
        pnah.medium = Medium::air_at(celsius)?;
    }
    if let Some(text) = &table.pad {
        pnah.padding = padding(text, &aperture)?;
    }
    pnah.refinement = table.refine.unwrap_or(1);
    pnah.check()?;
    front_end.bins = bins(table, &front_end, highest_frequency(&pnah.medium, &aperture))?;
    let filters = first_filters(filter, front_end.bins.len());
    Ok(chain::Settings { front_end, array, pnah, filters })
}

fn method(table: &HologramTable) -> Result<Method, Error> {
    let name = table.method.as_deref().unwrap_or("dot");
    let method: Method =
        name.parse().map_err(|e| Error::value("[hologram] method", name, format!("valid: {e}")))?;
    match (method, table.coefficients) {
        (method, None) => Ok(method),
        (Method::Walsh { .. }, coefficients) => Ok(Method::Walsh { coefficients }),
        (_, Some(n)) => Err(Error::value("[hologram] coefficients", n, "left out: only walsh has them")),
    }
}

fn bins(table: &HologramTable, front_end: &front_end::Settings, limit: f64) -> Result<Vec<usize>, Error> {
    let highest =
        front_end.highest_bin().min(((limit / front_end.frequency_hz(1)).ceil() as usize).saturating_sub(1));
    let bins = match (&table.bins, &table.frequencies_hz) {
        (Some(_), Some(_)) => {
            return Err(Error::value("[hologram]", "frequencies_hz and bins", "one of the two"));
        }
        (Some(bins), None) => bins.clone(),
        (None, hz) => {
            let usual = vec![1000.0];
            let hz = hz.as_ref().unwrap_or(&usual);
            hz.iter().map(|f| (f / front_end.frequency_hz(1)).round().max(0.0) as usize).collect()
        }
    };
    if bins.is_empty() || bins.iter().any(|k| !(1..=highest).contains(k)) {
        let top = front_end.frequency_hz(highest);
        let expected = format!(
            "at least one, each in bins 1 to {highest} ({:.1} to {top:.1} Hz)",
            front_end.frequency_hz(1)
        );
        return Err(Error::value("[hologram] frequencies_hz", format!("bins {bins:?}"), expected));
    }
    bounds::frequencies(bins.len())?;
    Ok(bins)
}

fn padding(text: &str, aperture: &Aperture) -> Result<Padding, Error> {
    let wrong = || Error::value("[hologram] pad", text, "zero, lpbp, lpbp:ORDER, plpbp or plpbp:ORDER");
    Padding::named(text, Padding::usual(aperture).order().unwrap_or(1)).ok_or_else(wrong)
}

fn recorder(table: &Record, folder: &Path) -> Result<Record, Error> {
    at_least("[record] ring_spans", table.ring_spans, 1)?;
    if table.name.file_name().is_none() {
        return Err(Error::value("[record] name", table.name.display(), "a name, with or without a folder"));
    }
    Ok(Record { name: folder.join(&table.name), ..table.clone() })
}

fn controller(
    table: &ControllerTable,
    (rows, cols): (usize, usize),
    frequencies: usize,
) -> Result<(SocketAddr, Values), Error> {
    let values = match (&table.pixels, &table.modes) {
        (Some(pixels), None) => Values::Pixels(pixels.clone()),
        (None, Some(modes)) => Values::Modes(modes.clone()),
        _ => return Err(Error::value("[controller]", "pixels and modes", "one of the two")),
    };
    let good = match &values {
        Values::Pixels(list) => list.iter().all(|[row, col]| *row < rows && *col < cols),
        Values::Modes(list) => {
            list.iter().all(|[m, n]| (1..=cols as u32).contains(m) && (1..=rows as u32).contains(n))
        }
    };
    let fits = values.count() > 0 && values.count().saturating_mul(frequencies) <= MOST_VALUES;
    if good && fits {
        return Ok((table.to, values));
    }
    let expected = format!(
        "pixels within {rows} x {cols} points, or modes up to as many, 1 to {MOST_VALUES} values in all"
    );
    Err(Error::value("[controller]", format!("{values:?}"), expected))
}

fn viewer(table: &ViewerTable) -> Result<Option<Viewer>, Error> {
    if !table.serve.unwrap_or(true) {
        return Ok(None);
    }
    let address = table.address.unwrap_or_else(|| ([127, 0, 0, 1], 0).into());
    let token = table.token.as_deref().map(str::parse).transpose()?;
    Ok(Some(Viewer { address, token }))
}
