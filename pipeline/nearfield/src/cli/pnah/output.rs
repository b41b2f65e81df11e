//! What `pnah` writes: the archive, a picture for every frequency, the summary.

use super::super::args::Pnah;
use super::super::{Context, Result, summary};
use super::holes::Holes;
use super::resolve::Run;
use num_complex::Complex;
use pipeline::files::npz::NpzFile;
use pipeline::holography::camera::{Camera, Image};
use pipeline::holography::cuda::Number;
use pipeline::holography::design::KFilter;
use pipeline::holography::{Direction, quantities};
use pipeline::numerics::real::{Real, widened};
use pipeline::plot::Grid;
use pipeline::plot::hologram::{Figure, Panel, Reference, Values};
use pipeline::signal::array::Array;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Beyond what evanescent waves grow by between a source and an array that still hears it above its noise.
const IMPLAUSIBLE_DB: f64 = 40.0;

/// Where the results go, and what they are results of.
pub struct Output<'a> {
    pub arguments: &'a Pnah,
    pub run: &'a Run,
    pub array: &'a Array,
    pub holes: &'a Holes,
    /// Names of the files written so far.
    pub written: Vec<String>,
}

/// Results in double precision, as files and pictures want them.
struct Fields {
    measured: Vec<Complex<f64>>,
    source: Vec<Complex<f64>>,
    velocity: Option<Vec<Complex<f64>>>,
    intensity: Option<Vec<f64>>,
    /// Of the frequencies for which there is one: all or none.
    uncertainty: Vec<f64>,
}

impl Output<'_> {
    /// Where the results go.
    pub fn folder(&self) -> &Path {
        &self.arguments.out
    }

    fn grid(&self) -> Grid {
        let grid = self.array.grid();
        Grid { rows: grid.rows, cols: grid.cols, pitch_m: grid.pitch_m, first_m: grid.point(0) }
    }

    /// Grid of the results.
    pub fn fine_grid(&self) -> Grid {
        self.grid().refined(self.run.pnah.refinement)
    }

    /// Writes `pnah.npz` and the pictures.
    pub fn holograms<T: Number>(
        &mut self,
        camera: &Camera<T>,
        measured: &[Complex<T>],
        image: &Image<T>,
    ) -> Result<()> {
        let mut uncertainty = Vec::new();
        for (n, hologram) in measured.chunks_exact(self.grid().rows * self.grid().cols).enumerate() {
            uncertainty.extend(camera.uncertainty(n, hologram)?.unwrap_or_default());
        }
        let fields = Fields {
            measured: measured.iter().map(widened).collect(),
            source: image.pressure.iter().map(widened).collect(),
            velocity: image.velocity.as_ref().map(|v| v.iter().map(widened).collect()),
            intensity: image.intensity.as_ref().map(|i| i.iter().map(|&x| x.to_f64()).collect()),
            uncertainty,
        };
        self.archive(camera.frequencies(), camera.filters(), &fields)?;
        for (n, (frequency, filter)) in camera.frequencies().iter().zip(camera.filters()).enumerate() {
            self.picture(n, *frequency, filter, &fields)?;
        }
        Ok(())
    }

    fn archive(&mut self, frequencies: &[f64], filters: &[KFilter], fields: &Fields) -> Result<()> {
        let (coarse, fine, n) = (self.grid(), self.fine_grid(), frequencies.len());
        let (shape, fine_shape) = ([n, coarse.rows, coarse.cols], [n, fine.rows, fine.cols]);
        let bins: Vec<i64> = self.run.front_end.bins.iter().map(|bin| bin.cast_signed() as i64).collect();
        let axis = |first: f64, count: usize| -> Vec<f64> {
            (0..count).map(|i| first + i as f64 * fine.pitch_m).collect()
        };
        let (x, y) = (axis(fine.first_m[0], fine.cols), axis(fine.first_m[1], fine.rows));
        let of = |part: fn(&KFilter) -> f64| -> Vec<f64> { filters.iter().map(part).collect() };
        let mut file = NpzFile::create(self.folder().join("pnah.npz"))?
            .add("frequency_hz", &[n], frequencies)?
            .add("bin", &[n], &bins)?
            .add("measured", &shape, &fields.measured)?
            .add("source", &fine_shape, &fields.source)?
            .add("cutoff", &[n], &of(|f| f.cutoff))?
            .add("slope", &[n], &of(|f| f.slope))?
            .add("x_m", &[x.len()], &x)?
            .add("y_m", &[y.len()], &y)?
            .add("standoff_m", &[], &[self.run.pnah.standoff])?;
        if let Some(velocity) = fields.velocity.as_ref().filter(|_| self.run.velocity) {
            file = file.add("velocity", &fine_shape, velocity)?;
        }
        if let Some(intensity) = fields.intensity.as_ref().filter(|_| self.run.intensity) {
            file = file.add("intensity", &fine_shape, intensity)?;
        }
        if fields.uncertainty.len() == n * coarse.rows * coarse.cols {
            file = file.add("uncertainty", &shape, &fields.uncertainty)?;
        }
        file.finish()?;
        self.note("pnah.npz".into());
        Ok(())
    }

    fn picture(&mut self, n: usize, frequency: f64, filter: &KFilter, fields: &Fields) -> Result<()> {
        let (coarse, fine) = (self.grid(), self.fine_grid());
        let part = n * coarse.rows * coarse.cols..(n + 1) * coarse.rows * coarse.cols;
        let fine_part = n * fine.rows * fine.cols..(n + 1) * fine.rows * fine.cols;
        let here = format!("measured, z = {} cm", centimetres(self.run.pnah.standoff));
        let there = self.plane();
        let velocity_title = format!("velocity, {there}");
        let intensity_title = format!("active intensity, {there}");
        let pressure = Reference::SOUND_PRESSURE;
        // 50 nm/s is the usual reference of velocity levels in air.
        let speed = Reference::Effective { value: 50e-9, name: "50 nm/s" };
        let complex = |values, reference| Values::Complex { values, reference };
        let mut panels = vec![
            Panel { title: &here, grid: coarse, values: complex(&fields.measured[part.clone()], pressure) },
            Panel { title: &there, grid: fine, values: complex(&fields.source[fine_part.clone()], pressure) },
        ];
        if let Some(values) = fields.velocity.as_ref().filter(|_| self.run.velocity) {
            let values = complex(&values[fine_part.clone()], speed);
            panels.push(Panel { title: &velocity_title, grid: fine, values });
        }
        if let Some(values) = fields.intensity.as_ref().filter(|_| self.run.intensity) {
            let values =
                Values::Signed { values: &values[fine_part.clone()], quantity: "intensity", unit: "W/m²" };
            panels.push(Panel { title: &intensity_title, grid: fine, values });
        }
        let peak = fields.source[fine_part].iter().map(|p| p.norm()).fold(0.0, f64::max);
        let deviations = fields.uncertainty.get(part).filter(|_| peak > 0.0).unwrap_or_default();
        let decibels: Vec<f64> = deviations.iter().map(|s| 20.0 * (s / peak).log10()).collect();
        if !decibels.is_empty() {
            let values = Values::Decibels { values: &decibels, quantity: "deviation re peak" };
            panels.push(Panel { title: "uncertainty from noise", grid: coarse, values });
        }
        let bin = self.run.front_end.bins[n];
        let name = format!("pnah-bin{bin}-{frequency:.0}Hz.png");
        Figure::new(&self.title(frequency, filter), panels).save(self.folder().join(&name))?;
        self.note(name);
        Ok(())
    }

    /// Remembers a file; a bin asked for twice has one.
    pub fn note(&mut self, name: String) {
        if !self.written.contains(&name) {
            self.written.push(name);
        }
    }

    /// Where the results lie.
    pub fn plane(&self) -> String {
        match self.run.pnah.direction {
            Direction::Back => "source plane, z = 0".into(),
            Direction::Forward => format!("z = {} cm", centimetres(2.0 * self.run.pnah.standoff)),
        }
    }

    /// Frequency, method, padding and filter.
    pub fn title(&self, frequency: f64, filter: &KFilter) -> String {
        let (method, padding) = (self.run.front_end.method, self.run.pnah.padding);
        format!("{frequency:.1} Hz, {method}, {padding}, {}", described(filter))
    }

    /// Writes `summary.json` and says what was found.
    pub fn summary<T: Number>(
        &self,
        context: &Context,
        camera: &Camera<T>,
        measured: &[Complex<T>],
        image: &Image<T>,
        start: Instant,
    ) -> Result<()> {
        let (coarse, fine) = (self.grid(), self.fine_grid());
        let (coarse, fine) = (coarse.rows * coarse.cols, fine.rows * fine.cols);
        let fields = measured.chunks_exact(coarse).zip(image.pressure.chunks_exact(fine));
        let mut figures = Vec::new();
        for (n, (measured, source)) in fields.enumerate() {
            let intensity = image.intensity.as_ref().map(|intensity| &intensity[n * fine..][..fine]);
            let power = intensity.map(|intensity| quantities::power(intensity, &self.run.pnah));
            figures.push(self.figures(context, camera, n, (loudest(measured), loudest(source)), power));
        }
        context.say(format!(
            "wrote {}, summary.json in {}",
            self.written.join(", "),
            self.folder().display()
        ));
        let figures = json!({
            "holograms": figures, "files": self.written, "left_out": self.left_out(), "holes": self.holes.to_json(),
        });
        summary::write(context, self.folder(), self.settings(), figures, start)
    }

    /// Says and gives the figures of frequency `n`; `levels` at the array and at the other plane, dB.
    fn figures<T: Number>(
        &self,
        context: &Context,
        camera: &Camera<T>,
        n: usize,
        levels: (f64, f64),
        power: Option<f64>,
    ) -> Value {
        let (frequency, filter) = (camera.frequencies()[n], &camera.filters()[n]);
        let radiated = power.map_or(String::new(), |p| format!(", radiates {p:.3e} W"));
        let fit = camera.fit(n);
        let fitted =
            fit.map_or(String::new(), |fit| format!(", microphones met to {:.2} %", 100.0 * fit.misfit));
        context.say(format!(
            "{frequency:>8.1} Hz: {:.1} dB at the array, {:.1} dB at the other plane; {}{radiated}{fitted}",
            levels.0,
            levels.1,
            described(filter)
        ));
        if levels.1 - levels.0 > IMPLAUSIBLE_DB {
            context.warn(format!(
                "{frequency:.1} Hz: so much louder than at the array, the other plane is mostly noise; check --standoff or filter harder"
            ));
        }
        json!({
            "bin": self.run.front_end.bins[n], "frequency_hz": frequency,
            "measured_peak_db_spl": finite(levels.0), "source_peak_db_spl": finite(levels.1),
            "cutoff_rad_per_m": finite(filter.cutoff), "slope": filter.slope, "power_w": power,
            "misfit": fit.map(|fit| fit.misfit),
            "noise": camera.noise(n).map(|noise| json!({
                "additive_pa": noise.additive.sqrt(), "relative": noise.relative.sqrt(),
            })),
        })
    }

    /// Channels that do not count.
    fn left_out(&self) -> Vec<usize> {
        self.array.live().iter().enumerate().filter(|(_, live)| !**live).map(|(channel, _)| channel).collect()
    }

    fn settings(&self) -> Value {
        let Run { front_end, pnah, rule, first, hop, .. } = self.run;
        let coefficients = match front_end.method {
            pipeline::signal::front_end::Method::Walsh { coefficients } => coefficients,
            _ => None,
        };
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        json!({
            "recording": path(&self.arguments.recording), "array": self.arguments.where_.array.as_ref().map(ToString::to_string),
            "positions": path(&self.arguments.where_.positions),
            "calibration": path(&self.arguments.where_.calibration),
            "method": front_end.method.to_string(), "taper": front_end.taper.to_string(), "coefficients": coefficients,
            "samples": front_end.samples, "bins": front_end.bins, "first_time_sample": first, "hop": hop,
            "bit_rate_hz": front_end.bit_rate_hz, "pad": pnah.padding.to_string(),
            "grid": [pnah.grid.rows, pnah.grid.cols], "filter": rule.to_string(), "standoff_m": pnah.standoff,
            "forward": pnah.direction == Direction::Forward, "refine": pnah.refinement,
            "speed_of_sound": pnah.medium.speed_of_sound, "density": pnah.medium.density,
            "rows": self.grid().rows, "cols": self.grid().cols, "pitch_m": self.grid().pitch_m,
        })
    }
}

/// Highest level of a field, dB.
fn loudest<T: Real>(field: &[Complex<T>]) -> f64 {
    field.iter().map(|p| quantities::level(*p)).fold(f64::NEG_INFINITY, f64::max)
}

fn described(filter: &KFilter) -> String {
    if *filter == KFilter::NONE {
        return "no filter".into();
    }
    format!("cutoff {:.1} rad/m, slope {:.3}", filter.cutoff, filter.slope)
}

/// JSON has no infinity.
fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

fn centimetres(metres: f64) -> f64 {
    (1e4 * metres).round() / 100.0
}
