//! A film over the frames of a recording, one for every frequency, all frames with the same filter and colours.

use super::super::progress::Progress;
use super::super::{Context, Result};
use super::output::Output;
use num_complex::Complex;
use pipeline::files::sigmf::Recording;
use pipeline::holography::camera::{Camera, Image};
use pipeline::holography::cuda::Number;
use pipeline::holography::quantities;
use pipeline::numerics::real::Real;
use pipeline::plot::animation::{Animation, Settings};

/// Decibels that the colours span.
const RANGE_DB: f64 = 30.0;
/// Room above the first frame's peak for what becomes louder.
const HEADROOM_DB: f64 = 6.0;
/// Seconds that a frame stands.
const DELAY_S: f64 = 0.1;

/// Writes the films; `first` is the image of the first frame, which sets the colours.
pub fn write<T: Number>(
    context: &Context,
    output: &mut Output<'_>,
    recording: &mut Recording,
    rows: &mut [u8],
    camera: &mut Camera<T>,
    first: &Image<T>,
) -> Result<()> {
    let run = output.run;
    let grid = output.fine_grid();
    let points = grid.rows * grid.cols;
    let mut films = Vec::new();
    for (n, (frequency, filter)) in camera.frequencies().iter().zip(camera.filters()).enumerate() {
        let title = format!("{}, {}", output.plane(), output.title(*frequency, filter));
        let peak = levels(&first.pressure[n * points..][..points]).into_iter().fold(f64::MIN, f64::max);
        let high_db = (peak + HEADROOM_DB).ceil().max(0.0);
        let name = format!("pnah-bin{}-{frequency:.0}Hz.gif", run.front_end.bins[n]);
        let settings = Settings {
            title: &title,
            grid,
            low_db: high_db - RANGE_DB,
            high_db,
            label: "level (dB re 20 µPa)",
            delay_s: DELAY_S,
        };
        films.push((Animation::create(output.folder().join(&name), &settings)?, name));
    }
    let frames = run.frames(recording.samples());
    let mut progress = Progress::new(context, "filming", frames);
    let mut image = Image::default();
    for frame in 0..frames {
        let start = run.frame_start(frame);
        run.read(recording, start, rows)?;
        let holograms = camera.measure(rows)?.to_vec();
        camera.reconstruct(&holograms, &mut image)?;
        let middle = start as f64 + 0.5 * run.front_end.window_rows() as f64;
        for ((film, _), field) in films.iter_mut().zip(image.pressure.chunks_exact(points)) {
            film.add_frame(middle / run.front_end.bit_rate_hz, &levels(field))?;
        }
        progress.at(frame + 1)?;
    }
    for (film, name) in films {
        film.finish()?;
        output.note(name);
    }
    Ok(())
}

/// Sound pressure levels of peak amplitudes.
fn levels<T: Real>(field: &[Complex<T>]) -> Vec<f64> {
    field.iter().map(|p| quantities::level(*p)).collect()
}
