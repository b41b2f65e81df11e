//! The end of the demo: the simulated scene's sound on its source plane, beside the truth.

use crate::cli::Result;
use hil_sim::{Array, Scene};
use num_complex::Complex;
use pipeline::holography;
use pipeline::holography::camera::{Camera, FilterRule, Image};
use pipeline::holography::design::{self, Aperture, KFilter};
use pipeline::holography::metrics::compare;
use pipeline::numerics::real::widened;
use pipeline::plot::Grid;
use pipeline::plot::hologram::{Figure, Panel, Reference, Values};
use pipeline::signal::array;
use pipeline::signal::front_end::{Method, Settings};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// Samples of the window, if there are as many.
const SAMPLES: usize = 1024;
/// Fewer resolve nothing.
const LEAST_SAMPLES: usize = 128;

/// The newest rows of a stream, as many as a window needs.
pub struct Tail {
    rows: Vec<u8>,
    /// Bytes of history and window.
    wanted: usize,
}

impl Tail {
    /// For the default window of an array with rows of `row_bytes`.
    pub fn new(row_bytes: usize) -> Self {
        let settings = Settings::camera(Method::Dot, Vec::new());
        Self { rows: Vec::new(), wanted: (settings.history_rows() + settings.window_rows()) * row_bytes }
    }

    /// Takes whole rows.
    pub fn push(&mut self, rows: &[u8]) {
        if self.rows.len() + rows.len() > 2 * self.wanted {
            let old = self.rows.len().saturating_sub(self.wanted);
            self.rows.drain(..old);
        }
        self.rows.extend_from_slice(rows);
    }

    fn newest(&self, bytes: usize) -> &[u8] {
        &self.rows[self.rows.len() - bytes..]
    }
}

/// Draws measured field, reconstruction and truth of every line of the scene; gives file names and figures. A stream too
/// short for a window gives nothing.
pub fn write(
    folder: &Path,
    scene: &Scene,
    bench: &Array,
    bit_rate_hz: f64,
    tail: &Tail,
) -> Result<(Vec<String>, Vec<Value>)> {
    let layout = bench.layout;
    let mut settings = Settings { layout, bit_rate_hz, ..Settings::camera(Method::Dot, Vec::new()) };
    let rows = tail.rows.len() / layout.row_bytes();
    let room = rows.saturating_sub(settings.history_rows()) / 32;
    settings.samples = SAMPLES.min(if room > 0 { 1 << room.ilog2() } else { 0 });
    let grid = design::Grid::triple(Aperture {
        rows: layout.rows().into(),
        cols: layout.cols().into(),
        pitch: bench.pitch,
    })?;
    let pnah = holography::Settings::new(grid, bench.standoff);
    let limit = design::highest_frequency(&pnah.medium, &grid.aperture);
    let in_band = |f: f64| f < limit && bin(&settings, f) <= settings.highest_bin() && bin(&settings, f) > 0;
    let lines: Vec<_> = scene.lines.iter().filter(|line| in_band(line.frequency_hz)).collect();
    if settings.samples < LEAST_SAMPLES || lines.is_empty() {
        return Ok((Vec::new(), Vec::new()));
    }
    settings.bins = lines.iter().map(|line| bin(&settings, line.frequency_hz)).collect();
    let array = array::Array::regular(grid.aperture.rows, grid.aperture.cols, bench.pitch)?;
    let mut camera = Camera::<f32>::new(None, &settings, &array, &pnah, FilterRule::Auto)?;
    let bytes = (camera.history_rows() + camera.window_rows()) * layout.row_bytes();
    let measured = camera.measure(tail.newest(bytes))?.to_vec();
    camera.choose_filters(&measured)?;
    let mut image = Image::default();
    camera.reconstruct(&measured, &mut image)?;
    let (mut names, mut figures) = (Vec::new(), Vec::new());
    for (n, line) in lines.iter().enumerate() {
        let part = n * grid.aperture.len()..(n + 1) * grid.aperture.len();
        let truth = truth(|point| line.pressure(point), bench);
        let source = image.pressure[part.clone()].iter().map(widened).collect();
        let fields = Fields { measured: measured[part].iter().map(widened).collect(), source, truth };
        let error = compare(&fields.truth, &fields.source)?.relative_l2;
        let filter = camera.filters()[n];
        let name = format!("hologram-{:.0}Hz.png", line.frequency_hz);
        fields.draw(&folder.join(&name), line.frequency_hz, bench, &filter, error)?;
        figures.push(json!({
            "frequency_hz": line.frequency_hz, "relative_l2": error, "cutoff_rad_per_m": filter.cutoff,
            "slope": filter.slope,
        }));
        names.push(name);
    }
    Ok((names, figures))
}

fn bin(settings: &Settings, frequency: f64) -> usize {
    (frequency / settings.frequency_hz(1)).round() as usize
}

/// A field on the source plane, at the places of the microphones.
fn truth(pressure: impl Fn([f64; 3]) -> Complex<f64> + Sync, bench: &Array) -> Vec<Complex<f64>> {
    let at = |index| {
        let [x, y, _] = bench.position(index);
        pressure([x, y, 0.0])
    };
    (0..bench.layout.channels()).into_par_iter().map(at).collect()
}

/// Fields of one line.
struct Fields {
    measured: Vec<Complex<f64>>,
    source: Vec<Complex<f64>>,
    truth: Vec<Complex<f64>>,
}

impl Fields {
    fn draw(&self, path: &Path, frequency: f64, bench: &Array, filter: &KFilter, error: f64) -> Result<()> {
        let (rows, cols) = (bench.layout.rows().into(), bench.layout.cols().into());
        let grid = Grid::centred(rows, cols, bench.pitch);
        // The scene's clock began before the window did: the phases differ by a constant.
        let turn: Complex<f64> = self.source.iter().zip(&self.truth).map(|(s, t)| s * t.conj()).sum();
        let turned: Vec<Complex<f64>> = self.truth.iter().map(|t| t * turn / turn.norm()).collect();
        let panel = |title, values| {
            let values = Values::Complex { values, reference: Reference::SOUND_PRESSURE };
            Panel { title, grid, values }
        };
        let here = format!("measured, z = {:.0} cm", 100.0 * bench.standoff);
        let title = format!(
            "{frequency:.0} Hz, cutoff {:.1} rad/m, slope {:.3}: {:.1} % from the truth",
            filter.cutoff,
            filter.slope,
            100.0 * error
        );
        let panels = vec![
            panel(&here, &self.measured),
            panel("reconstructed, z = 0", &self.source),
            panel("truth, z = 0", &turned),
        ];
        Ok(Figure::new(&title, panels).save(path)?)
    }
}
