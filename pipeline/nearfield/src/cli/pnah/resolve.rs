//! The run that the options of `pnah` ask for, settled against the recording.

use super::super::args::{ArrayChoice, MethodChoice, Pnah, Quantity};
use super::super::exit::usage;
use super::super::info::layout;
use super::super::{Context, Result};
use super::listed::listed;
use super::{memory, tones};
use crate::cli::exit::refuse;
use dsp_core::decimator::{RATE, SETTLING};
use pipeline::files::sigmf::Recording;
use pipeline::holography;
use pipeline::holography::camera::FilterRule;
use pipeline::holography::design::{Aperture, Grid, Medium, highest_frequency};
use pipeline::holography::{Direction, Padding};
use pipeline::signal::array::{Array, Calibration, stuck_bits};
use pipeline::signal::front_end::{self, Method};

/// Frames of a film at most: beyond, nobody watches to the end.
const MOST_FRAMES: u64 = 2000;
/// Pixels along the side of a picture.
const MOST_PIXELS: usize = 4096;
/// Time samples before the window for any method, so that all methods take the same window.
const HISTORY: u64 = (RATE * SETTLING) as u64;

pub struct Run {
    pub front_end: front_end::Settings,
    pub array: Array,
    /// Holograms by waves that are fitted to all microphones.
    pub waves: bool,
    pub pnah: holography::Settings,
    pub rule: FilterRule,
    /// First time sample of the (first) window.
    pub first: u64,
    /// Time samples from frame to frame, for a film.
    pub hop: Option<u64>,
    pub leave_out_suspects: bool,
    pub velocity: bool,
    pub intensity: bool,
}

impl Run {
    /// Reads history and window of the frame whose window begins with time sample `first`.
    pub fn read(&self, recording: &mut Recording, first: u64, rows: &mut [u8]) -> Result<()> {
        let from = first - self.front_end.history_rows() as u64;
        let count = recording.read_rows(from, rows)?;
        if count * self.row_bytes() != rows.len() {
            return Err(crate::cli::Failed::run("the recording has become shorter"));
        }
        Ok(())
    }

    pub fn row_bytes(&self) -> usize {
        self.front_end.layout.row_bytes()
    }

    /// Frames of the film that fit into a recording of `samples` time samples.
    pub fn frames(&self, samples: u64) -> u64 {
        let room = samples - self.first - self.front_end.window_rows() as u64;
        self.hop.map_or(1, |hop| 1 + room / hop)
    }

    /// First time sample of a frame's window.
    pub fn frame_start(&self, frame: u64) -> u64 {
        self.first + frame * self.hop.unwrap_or(0)
    }

    /// The array without the channels whose bits never change in `rows`.
    pub fn without_stuck(&self, context: &Context, rows: &[u8]) -> Result<Array> {
        let live = self.array.live();
        let stuck: Vec<usize> =
            stuck_bits(rows, &self.front_end.layout).into_iter().filter(|&channel| live[channel]).collect();
        if stuck.is_empty() {
            return Ok(self.array.clone());
        }
        if stuck.len() == live.iter().filter(|live| **live).count() {
            refuse!("the bits of no microphone change in this window: is the array connected?");
        }
        context.warn(format!("left out and interpolated, as their bits never change: {}", listed(&stuck)));
        Ok(self.array.clone().without(&stuck)?)
    }
}

/// Settles `arguments`; looks for tones in the recording if no frequency is given.
pub fn resolve(context: &Context, arguments: &Pnah, recording: &mut Recording) -> Result<Run> {
    let (what, how) = (&arguments.what, &arguments.how);
    let count = asked(arguments).unwrap_or(tones::MOST);
    let method = method(arguments, count)?;
    let mut front_end = front_end::Settings {
        method,
        taper: how.taper.unwrap_or_else(|| method.taper()),
        bins: Vec::new(),
        samples: samples(arguments, recording)?,
        layout: layout(recording.meta())?,
        bit_rate_hz: recording.meta().sample_rate_hz,
    };
    let first = first_sample(arguments, recording, &front_end)?;
    let (array, leave_out_suspects) = array(arguments, recording)?;
    let wants = |quantity| how.quantity.contains(&quantity);
    let (velocity, intensity) = (wants(Quantity::Velocity), wants(Quantity::Intensity));
    let pnah = settings(arguments, &array, velocity || intensity)?;
    memory::check(context.common.precision, &front_end, &pnah, count)?;
    front_end.bins = if asked(arguments).is_some() {
        bins(arguments, &front_end)?
    } else {
        let limit_hz = highest_frequency(&pnah.medium, &pnah.grid.aperture);
        tones::strongest(context, recording, &front_end, first, limit_hz)?
    };
    let mut run = Run {
        front_end,
        array,
        waves: arguments.where_.array == Some(ArrayChoice::Irregular),
        pnah,
        rule: how.filter,
        first,
        hop: None,
        leave_out_suspects,
        velocity,
        intensity,
    };
    if what.animate {
        run.hop = Some(hop(context, arguments, recording, &run)?);
    }
    Ok(run)
}

/// The number of frequencies asked for; `None` if they are left to the program.
fn asked(arguments: &Pnah) -> Option<usize> {
    let count = arguments.what.bins.len().max(arguments.what.frequency.len());
    (count > 0).then_some(count)
}

/// The length of the window, no longer than the recording.
fn samples(arguments: &Pnah, recording: &Recording) -> Result<usize> {
    let samples = arguments.what.samples;
    if samples == 0 || !samples.is_multiple_of(4) {
        refuse!("--samples {samples}: must be a multiple of 4 (for walsh a power of two)");
    }
    let most = recording.samples() / RATE as u64;
    if samples as u64 > most {
        let name = recording.data_path().display();
        refuse!(
            "--samples {samples}: {name} is too short: its {} time samples are {most} samples",
            recording.samples()
        );
    }
    Ok(samples)
}

/// The first time sample of the window, with room for the history before it and the window after it.
fn first_sample(arguments: &Pnah, recording: &Recording, settings: &front_end::Settings) -> Result<u64> {
    let what = &arguments.what;
    // The search for tones decimates, whatever comes after it.
    let history = if asked(arguments).is_none() { HISTORY } else { settings.history_rows() as u64 };
    let window = settings.window_rows() as u64;
    let valid = recording.meta().first_valid.max(HISTORY);
    let first = match (what.skip, what.window) {
        (Some(skip), _) if skip < history => {
            refuse!("--skip {skip}: the filters need {history} time samples before the window");
        }
        (Some(skip), _) => skip,
        (None, number) => number.unwrap_or(0).saturating_mul(window).saturating_add(valid),
    };
    let samples = recording.samples();
    if first.checked_add(window).is_none_or(|end| end > samples) {
        let name = recording.data_path().display();
        refuse!(
            "{name}: a window of {window} time samples from {first} on does not fit into {samples}; use fewer --samples or another window"
        );
    }
    Ok(first)
}

/// The bins asked for, by number or by frequency.
fn bins(arguments: &Pnah, settings: &front_end::Settings) -> Result<Vec<usize>> {
    let highest = settings.highest_bin();
    let band = format!(
        "the band of this method and window is {:.1} to {:.1} Hz, bins 1 to {highest}",
        settings.frequency_hz(1),
        settings.frequency_hz(highest)
    );
    let what = &arguments.what;
    if let Some(bin) = what.bins.iter().find(|bin| !(1..=highest).contains(*bin)) {
        refuse!("--bins {bin}: {band}");
    }
    if !what.bins.is_empty() {
        return Ok(what.bins.clone());
    }
    let bin = |&frequency: &f64| {
        let bin = (frequency / settings.frequency_hz(1)).round();
        if bin >= 1.0 && bin <= highest as f64 {
            Ok(bin as usize)
        } else {
            Err(usage(format!("--frequency {frequency:?}: {band}")))
        }
    };
    what.frequency.iter().map(bin).collect()
}

fn method(arguments: &Pnah, bins: usize) -> Result<Method> {
    let method = match arguments.how.method {
        MethodChoice::Auto => Method::cheapest(bins),
        MethodChoice::Fixed(method) => method,
    };
    let coefficients = arguments.how.coefficients;
    match method {
        Method::Walsh { .. } => Ok(Method::Walsh { coefficients }),
        _ if coefficients.is_some() => Err(usage("--coefficients: only --method walsh has coefficients")),
        _ => Ok(method),
    }
}

fn array(arguments: &Pnah, recording: &Recording) -> Result<(Array, bool)> {
    let (place, meta) = (&arguments.where_, recording.meta());
    let mut array = match (&place.array, &place.positions) {
        (Some(ArrayChoice::Irregular), Some(path)) | (Some(ArrayChoice::File(path)), None) => {
            Array::from_file(path)?
        }
        (Some(ArrayChoice::Irregular), None) => {
            refuse!("--array irregular: give the places of the microphones with --positions FILE");
        }
        (_, Some(_)) => return Err(usage("--positions: only --array irregular takes them apart")),
        (None, None) => Array::regular(meta.rows.into(), meta.cols.into(), meta.pitch_m)?,
    };
    let (microphones, channels) = (array.channels(), usize::from(meta.rows) * usize::from(meta.cols));
    if microphones != channels {
        refuse!("--array: {microphones} microphones for the {channels} channels of the recording");
    }
    if let Some(path) = &place.calibration {
        let calibration = Calibration::from_file(path, array.channels())?;
        array = array.with_calibration(calibration)?;
    }
    let leave_out_suspects = place.dead.iter().any(|text| text == "auto");
    let numbers = place.dead.iter().filter(|text| *text != "auto").map(|text| {
        text.parse().map_err(|_| usage(format!("--dead {text}: give indices of microphones, or auto")))
    });
    let mut numbers: Vec<usize> = numbers.collect::<Result<_, _>>()?;
    if let Some(number) = numbers.iter().find(|number| **number >= channels) {
        refuse!("--dead {number}: the recording has channels 0 to {}", channels - 1);
    }
    numbers.sort_unstable();
    numbers.dedup();
    // Some the array's file may have left out already.
    let live = array.geometry().live();
    numbers.retain(|number| live[*number]);
    Ok((array.without(&numbers)?, leave_out_suspects))
}

fn settings(arguments: &Pnah, array: &Array, velocity: bool) -> Result<holography::Settings> {
    let (how, place) = (&arguments.how, &arguments.where_);
    let grid = array.grid();
    let aperture = Aperture { rows: grid.rows, cols: grid.cols, pitch: grid.pitch_m };
    let grid = match how.grid {
        Some(side) => Grid::with_side(aperture, side)?,
        None => Grid::triple(aperture)?,
    };
    let mut medium = match place.temperature {
        Some(celsius) => Medium::air_at(celsius)?,
        None => Medium::default(),
    };
    if let Some(speed_of_sound) = place.speed_of_sound {
        medium.speed_of_sound = speed_of_sound;
    }
    let settings = holography::Settings {
        medium,
        direction: if place.forward { Direction::Forward } else { Direction::Back },
        padding: how.pad.unwrap_or_else(|| Padding::usual(&aperture)),
        refinement: how.refine,
        velocity,
        ..holography::Settings::new(grid, place.standoff.unwrap_or(f64::NAN))
    };
    settings.check()?;
    let most = MOST_PIXELS / aperture.rows.max(aperture.cols);
    if how.refine > most {
        refuse!("--refine {}: at most {most} for this array, or no picture can be drawn", how.refine);
    }
    Ok(settings)
}

/// The hop asked for, or longer if the film would have too many frames.
fn hop(context: &Context, arguments: &Pnah, recording: &Recording, run: &Run) -> Result<u64> {
    let window = run.front_end.window_rows() as u64;
    let asked = arguments.what.hop.unwrap_or(window);
    if asked == 0 {
        refuse!("--hop 0: a film must go on");
    }
    let room = recording.samples() - run.first - window;
    let least = room.div_ceil(MOST_FRAMES - 1).max(1);
    if asked < least {
        context.warn(format!("--hop {asked} would give more than {MOST_FRAMES} frames; taking {least}"));
    }
    Ok(asked.max(least))
}
