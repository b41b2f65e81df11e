//! The parts of an instrument from its settings: source, chain, recorder, controller, page, and their numbers.

use super::clock::Clock;
use super::compute::{Label, Shape};
use super::controller::Controller;
use super::error::Error;
use super::intake;
use super::plan::Figures;
use super::recorder::{self, Place, Switch, Tape};
use super::settings::Settings;
use super::source::{self, Open, Source, file, frames, udp};
use super::span::Policy;
use files::sigmf::Recording;
use holography::chain::Chain;
use numerics::random::SplitMix64;
use signal::front_end::Method;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use viewer::{self, Limits, Metrics, Publisher, Server};

/// Hops of a rehearsal.
const REHEARSAL: usize = 16;
/// Of its noise.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether the folders for recordings and files are there: an instrument that runs for days must not find out in the night.
pub fn check_folders(settings: &Settings) -> Result<(), Error> {
    let record = settings.record.as_ref().map(|record| {
        let parent = record.name.parent().filter(|parent| !parent.as_os_str().is_empty());
        ("[record] name", parent.unwrap_or_else(|| Path::new(".")))
    });
    let files = settings.files.as_ref().map(|files| ("[files] folder", files.folder.as_path()));
    match record.into_iter().chain(files).find(|(_, path)| !path.is_dir()) {
        Some((field, path)) => Err(Error::Folder { field, path: path.into() }),
        None => Ok(()),
    }
}

/// Opens the source.
pub fn open(settings: &Settings, clock: Clock) -> Result<Open, Error> {
    let rate = settings.bit_rate_hz;
    Ok(match &settings.source {
        Source::Udp { address, buffer } => {
            Open::Udp(udp::Receiver::bind(*address, *buffer, clock)?.spinning(settings.realtime.spins()))
        }
        Source::Recording { path, speed } => {
            let recording = Recording::open(path).map_err(source::Error::from)?;
            let meta = recording.meta();
            let found = ([meta.rows, meta.cols, meta.tile_side], meta.sample_rate_hz);
            same_array(settings, recording.data_path().display().to_string(), found)?;
            Open::File(file::Rows::new(recording, *speed))
        }
        Source::Capture { path, speed } => {
            Open::Frames(Box::new(frames::Datagrams::of_capture(path, rate, *speed, clock)?))
        }
        Source::Simulator { scene, repeat_s, speed } => {
            let bench = hil_sim::file::load(scene).map_err(source::Error::from)?;
            let layout = bench.array.layout;
            let found = ([layout.rows(), layout.cols(), layout.tile_side()], bench.settings.bit_rate_hz);
            same_array(settings, scene.clone(), found)?;
            Open::Frames(Box::new(frames::Datagrams::of_bench(&bench, *repeat_s, *speed, clock)?))
        }
    })
}

/// Refuses a source of another array than that of the settings: its rows, columns and side of a tile, and its rate.
fn same_array(settings: &Settings, source: String, found: ([u16; 3], f64)) -> Result<(), source::Error> {
    let layout = settings.layout;
    let expected = ([layout.rows(), layout.cols(), layout.tile_side()], settings.bit_rate_hz);
    if found == expected {
        return Ok(());
    }
    let told = |([rows, cols, side], rate): ([u16; 3], f64)| {
        format!("{rows} x {cols} microphones in tiles of {side} at {rate} Hz")
    };
    Err(source::Error::OtherArray { source_name: source, found: told(found), expected: told(expected) })
}

/// A chain that has run.
pub struct Rehearsed {
    pub chain: Box<Chain>,
    /// Shortest and second longest of some hops on noise, s.
    pub times_s: [f64; 2],
}

/// Runs a chain on noise.
pub fn rehearse(mut chain: Chain, settings: &Settings) -> Result<Rehearsed, Error> {
    let times_s = times_of_hops(settings, |rows| {
        chain.push(rows);
        chain.holograms().map(drop)
    })?;
    Ok(Rehearsed { chain: Box::new(chain), times_s })
}

/// Shortest and second longest time of some hops on noise, s.
pub fn times_of_hops<E>(
    settings: &Settings,
    mut hop: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<[f64; 2], E> {
    let mut noise = SplitMix64::new(SEED);
    let bytes = settings.hop_rows as usize * settings.layout.row_bytes();
    let rows: Vec<u8> = (0..bytes).map(|_| noise.integer() as u8).collect();
    let mut times = Vec::with_capacity(REHEARSAL);
    for _ in 0..REHEARSAL + 2 {
        let start = Instant::now();
        hop(&rows)?;
        times.push(start.elapsed().as_secs_f64());
    }
    // The first two fill caches. On a shared machine single hops are interrupted: the second longest counts.
    times.drain(..2);
    times.sort_by(f64::total_cmp);
    let best_s = times.first().copied().unwrap_or(0.0);
    let stage_s = times.iter().rev().nth(1).or(times.last()).copied().unwrap_or(0.0);
    Ok([best_s, stage_s])
}

pub fn figures(settings: &Settings) -> Figures {
    Figures {
        pace_hz: settings.pace_hz,
        row_bytes: settings.layout.row_bytes(),
        span_rows: settings.span_rows,
        ring_spans: settings.ring_spans,
        behind_spans: settings.behind_spans,
        recorder_spans: settings.record.as_ref().map_or(0, |record| record.ring_spans),
        hop_rows: settings.hop_rows,
        bound_s: settings.bound_s,
        live: settings.source.is_live(),
    }
}

pub fn intake_shape(settings: &Settings) -> intake::Shape {
    let longest_gap = settings.chain.as_ref().map_or(1 << 20, holography::chain::Settings::rows_needed);
    intake::Shape { layout: settings.layout, pace_hz: settings.pace_hz, longest_gap }
}

pub fn shape(settings: &Settings, on_card: bool) -> Shape {
    let hop = settings.hop_rows;
    let (needed, window) = settings
        .chain
        .as_ref()
        .map_or((hop, hop), |chain| (chain.rows_needed(), chain.front_end.window_rows() as u64));
    let refinement = settings.chain.as_ref().map_or(1, |chain| chain.pnah.refinement);
    Shape {
        row_bytes: settings.layout.row_bytes(),
        hop,
        // A card takes whole hops.
        needed: if on_card { needed.next_multiple_of(hop) } else { needed },
        window,
        // Stamps are by this machine's clock.
        pace_hz: settings.pace_hz,
        most_waiting: if settings.source.is_live() { settings.behind_spans } else { usize::MAX },
        pitch_m: (settings.pitch_m / refinement as f64) as f32,
        every: settings.files.as_ref().map_or(0, |files| files.every),
    }
}

pub fn label(settings: &Settings) -> Label {
    match &settings.chain {
        None => Label { number: 0, frequencies: Vec::new(), method: Method::Dot, shape: (1, 1) },
        Some(chain) => {
            let (aperture, u) = (chain.pnah.grid.aperture, chain.pnah.refinement);
            Label {
                number: 0,
                frequencies: chain.front_end.frequencies_hz(),
                method: chain.front_end.method,
                shape: (aperture.rows * u, aperture.cols * u),
            }
        }
    }
}

pub fn recorder_of(
    settings: &Settings,
    policy: Policy,
    switch: &Arc<Switch>,
) -> (Option<Tape>, Option<recorder::Recorder>) {
    let Some(record) = &settings.record else { return (None, None) };
    switch.set(record.at_start);
    let place = Place { name: record.name.clone(), meta: settings.meta() };
    let (tape, recorder) = recorder::recorder(place, record.ring_spans, policy, switch);
    (Some(tape), Some(recorder))
}

pub fn controller(settings: &Settings, (rows, cols): (usize, usize)) -> Result<Option<Controller>, Error> {
    let Some((to, values)) = &settings.controller else { return Ok(None) };
    let made = Controller::new(*to, values, rows, cols);
    made.map(Some).map_err(|reason| Error::Controller { to: *to, reason })
}

pub fn page(
    settings: &Settings,
    label: &Label,
    publisher: &Publisher,
    metrics: &Metrics,
) -> Result<Option<(Server, viewer::Controls)>, Error> {
    let (Some(viewer), Some(chain)) = (&settings.viewer, &settings.chain) else { return Ok(None) };
    let (aperture, medium) = (&chain.pnah.grid.aperture, &chain.pnah.medium);
    let highest_hz = holography::design::highest_frequency(medium, aperture)
        .min(chain.front_end.frequency_hz(chain.front_end.highest_bin()));
    let limits = Limits {
        highest_hz,
        highest_bin: (highest_hz / chain.front_end.frequency_hz(1)) as usize,
        most_frequencies: viewer::MOST_FREQUENCIES,
        rows: label.shape.0,
        cols: label.shape.1,
    };
    let places = chain.array.geometry().positions();
    let microphones = places.iter().map(|[x, y]| [*x as f32, *y as f32]).collect();
    let page = viewer::Settings {
        address: viewer.address,
        token: viewer.token.clone(),
        ..viewer::Settings::new(settings.title.clone(), limits, microphones)
    };
    Ok(Some(Server::start(page, publisher, metrics.clone())?))
}
