//! Memory that a run takes, counted before any of it is taken.

use super::super::args::Precision;
use crate::cli::Result;
use crate::cli::exit::refuse;
use pipeline::holography;
use pipeline::signal::front_end;

/// Most bytes of a run: what any machine with a camera has, and far more than a camera needs.
const MOST_BYTES: f64 = 4.0 * GIB;
const GIB: f64 = (1u64 << 30) as f64;
/// Bytes of a decimated sample.
const SAMPLE_BYTES: f64 = 4.0;

/// Refuses what takes more for `count` frequencies.
pub fn check(
    precision: Precision,
    front_end: &front_end::Settings,
    pnah: &holography::Settings,
    count: usize,
) -> Result<()> {
    let number = match precision {
        Precision::F32 => 4.0,
        Precision::F64 => 8.0,
    };
    let window = window(front_end, number);
    if window > MOST_BYTES {
        let (samples, gib) = (front_end.samples, window / GIB);
        refuse!("--samples {samples}: the window needs {gib:.1} GiB, more than 4 GiB; use fewer");
    }
    let holograms = count as f64 * hologram(pnah, number);
    if holograms > MOST_BYTES {
        let (grid, gib) = (pnah.grid, holograms / GIB);
        refuse!(
            "{count} frequencies on a padded grid of {} x {}, refined {} times, need {gib:.1} GiB, more than 4 GiB; use a smaller --grid or --refine, or fewer frequencies",
            grid.rows,
            grid.cols,
            pnah.refinement
        );
    }
    Ok(())
}

/// Rows as sent, samples as the decimator gives them and as numbers.
fn window(settings: &front_end::Settings, number: f64) -> f64 {
    let rows = settings.window_rows() as f64 * settings.layout.row_bytes() as f64;
    rows + settings.samples as f64 * f64::from(settings.layout.channels()) * (SAMPLE_BYTES + number)
}

/// One hologram: field, spectrum and operators on the padded grid, results in both precisions.
fn hologram(settings: &holography::Settings, number: f64) -> f64 {
    let (grid, fine) = (settings.grid, settings.refinement as f64);
    let operators = if settings.velocity { 1.0 } else { 0.5 };
    let padded = (2.0 + operators) * grid.len() as f64 + grid.rows as f64 * grid.aperture.cols as f64 * fine;
    let results = (1.0 + 2.0 * operators) * grid.aperture.len() as f64 * fine * fine;
    2.0 * number * (padded + 2.0 * results) + 16.0 * results
}

#[cfg(test)]
mod tests {
    use super::*;
    use pipeline::holography::design::{Aperture, Grid};
    use pipeline::signal::front_end::Method;

    #[test]
    fn the_camera_fits_and_the_absurd_does_not() {
        let front_end = front_end::Settings::camera(Method::Dot, vec![22]);
        let settings =
            |side| holography::Settings::new(Grid::with_side(Aperture::CAMERA, side).unwrap(), 0.04);
        let fits = |side, count| check(Precision::F64, &front_end, &settings(side), count).is_ok();
        assert!(fits(96, 500) && fits(4096, 1));
        assert!(!fits(96, 100_000) && !fits(20_000, 1) && !fits(65_535, 1));
        let fine = holography::Settings { refinement: 64, ..settings(96) };
        assert!(check(Precision::F32, &front_end, &fine, 5).is_ok());
        let long = front_end::Settings { samples: 1 << 20, ..front_end.clone() };
        let message = check(Precision::F32, &long, &settings(96), 1).unwrap_err().to_string();
        assert!(message.contains("--samples 1048576") && message.contains("12.0 GiB"), "{message}");
    }
}
