//! `nearfield pnah`: holograms of a recording, back-propagated to the source plane.

mod compare;
mod film;
mod holes;
mod listed;
mod memory;
mod output;
mod resolve;
mod tones;

use super::args::{Pnah, Precision};
use super::exit::usage;
use super::{Context, Result};
use crate::cli::exit::refuse;
use holes::Holes;
use listed::listed;
use num_complex::Complex;
use output::Output;
use pipeline::files::sigmf::Recording;
use pipeline::holography::camera::{Camera, Image};
use pipeline::holography::cuda::Number;
use pipeline::signal::array::{self, Array, Suspect};
use resolve::Run;
use std::time::Instant;

/// Frames that the choice of filters looks at when there are many.
const FRAMES_FOR_FILTERS: u64 = 16;

pub fn run(context: &Context, arguments: &Pnah) -> Result<()> {
    if let Some(files) = &arguments.compare {
        return compare::run(context, files);
    }
    match context.common.precision {
        Precision::F32 => holograms::<f32>(context, arguments),
        Precision::F64 => holograms::<f64>(context, arguments),
    }
}

fn holograms<T: Number>(context: &Context, arguments: &Pnah) -> Result<()> {
    let start = Instant::now();
    let path = arguments.recording.as_deref().unwrap_or_else(|| "".as_ref());
    let mut recording = Recording::open(path)?;
    let run = resolve::resolve(context, arguments, &mut recording)?;
    let holes = Holes::of(&run, &recording);
    holes.warn(context);
    let mut rows = vec![0; run.row_bytes() * (run.front_end.history_rows() + run.front_end.window_rows())];
    let (array, mut camera) = first_look::<T>(context, &run, &mut recording, &mut rows)?;
    let measured = camera.measured().to_vec();
    check_sound(&camera)?;
    // Not before: what is refused leaves no empty folder.
    make_folder(arguments)?;
    let frames = several_frames(context, &run, &holes, &mut recording, &mut rows, &mut camera)?;
    camera.choose_filters(if frames.is_empty() { &measured } else { &frames })?;
    let mut image = Image::default();
    camera.reconstruct(&measured, &mut image)?;
    let mut output = Output { arguments, run: &run, array: &array, holes: &holes, written: Vec::new() };
    output.holograms(&camera, &measured, &image)?;
    if run.hop.is_some() {
        film::write(context, &mut output, &mut recording, &mut rows, &mut camera, &image)?;
    }
    output.summary(context, &camera, &measured, &image, start)
}

/// The first frame's holograms, with the microphones left out that are stuck or, if asked for, suspect.
fn first_look<T: Number>(
    context: &Context,
    run: &Run,
    recording: &mut Recording,
    rows: &mut [u8],
) -> Result<(Array, Camera<T>)> {
    run.read(recording, run.first, rows)?;
    let array = run.without_stuck(context, rows)?;
    let mut camera = camera_of(context, run, &array)?;
    camera.measure(rows)?;
    let speed = run.pnah.medium.speed_of_sound;
    let suspects = array.suspects(camera.frequencies(), run.pnah.standoff, speed, camera.channels());
    let suspects = match suspects {
        Ok(suspects) if suspects.is_empty() => return Ok((array, camera)),
        Ok(suspects) => suspects,
        // So many that the sound is to blame: silence, or waves too short for the array.
        Err(error @ array::Error::TooManySuspects { .. }) if !run.leave_out_suspects => {
            context.warn(format!("broken microphones cannot be told from sound ones here: {error}"));
            return Ok((array, camera));
        }
        Err(error) => return Err(error.into()),
    };
    let channels: Vec<usize> = suspects.iter().map(|s: &Suspect| s.channel).collect();
    if !run.leave_out_suspects {
        let (count, names) = (channels.len(), listed(&channels));
        context.warn(format!(
            "{count} microphones disagree with their neighbours: {names}; --dead auto leaves them out"
        ));
        return Ok((array, camera));
    }
    let names = listed(&channels);
    context.warn(format!("left out and interpolated, as they disagree with their neighbours: {names}"));
    let array = array.without(&channels)?;
    let mut camera = camera_of(context, run, &array)?;
    camera.measure(rows)?;
    Ok((array, camera))
}

/// The chain for `array`.
fn camera_of<T: Number>(context: &Context, run: &Run, array: &Array) -> Result<Camera<T>> {
    let camera = Camera::new(context.device(), &run.front_end, array, &run.pnah, run.rule)?;
    Ok(if run.waves { camera.with_waves(array)? } else { camera })
}

/// Refuses silence: it has no levels to draw, and no field to take back.
fn check_sound<T: Number>(camera: &Camera<T>) -> Result<()> {
    let frequencies = camera.frequencies();
    let points = camera.measured().len() / frequencies.len();
    for (frequency, hologram) in frequencies.iter().zip(camera.measured().chunks_exact(points)) {
        if hologram.iter().all(|p| *p == Complex::default()) {
            refuse!("silence at {frequency:.1} Hz in this window; choose another frequency or window");
        }
    }
    Ok(())
}

fn make_folder(arguments: &Pnah) -> Result<()> {
    let made = super::summary::make_folder(&arguments.out);
    made.map_err(|error| usage(format!("{error}; choose another folder with --out")))
}

/// Frames spread evenly over the part of the recording that is to be filmed, without those over holes; none for a single picture.
fn several_frames<T: Number>(
    context: &Context,
    run: &Run,
    holes: &Holes,
    recording: &mut Recording,
    rows: &mut [u8],
    camera: &mut Camera<T>,
) -> Result<Vec<Complex<T>>> {
    let mut frames = Vec::new();
    if run.hop.is_some() {
        let all = run.frames(recording.samples());
        let count = all.min(FRAMES_FOR_FILTERS);
        for frame in (0..count).map(|i| i * all / count).filter(|frame| holes.spare(*frame)) {
            context.check_interrupt()?;
            run.read(recording, run.frame_start(frame), rows)?;
            frames.extend_from_slice(camera.measure(rows)?);
        }
    }
    Ok(frames)
}
