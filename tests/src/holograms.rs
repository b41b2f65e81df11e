//! The independent recordings of scenes with a known truth, and the chain run on them.

use crate::{npz, shared};
use dsp_core::pdm::TileLayout;
use kernels::Device;
use num_complex::Complex;
use pipeline::files::sigmf::Recording;
use pipeline::holography::camera::{Camera, FilterRule, Image};
use pipeline::holography::cuda::Number;
use pipeline::holography::design::{Aperture, Grid};
use pipeline::holography::{self, Padding};
use pipeline::numerics::real::Real;
use pipeline::signal::array::Array;
use pipeline::signal::front_end::{Method, Settings, Taper};

/// A recording of 1024 microphones and what the sources really do.
pub struct Dataset {
    /// Its name.
    pub name: &'static str,
    /// Bins with a truth.
    pub bins: Vec<usize>,
    /// Distance of the microphones from the source plane, m.
    pub standoff: f64,
    /// Field on the source plane, `[n][y][x]`, as a Hann window at the reference decimator's delay sees it.
    pub truth: Vec<Complex<f64>>,
    /// The same as a Hann window over the bits themselves sees it.
    pub truth_bits: Vec<Complex<f64>>,
    rows: Vec<u8>,
    first_valid: usize,
}

/// The four recordings; `None`, loudly, without the shared data.
pub fn datasets(test: &str) -> Option<Vec<Dataset>> {
    ["d1", "d2", "d3", "d4"].into_iter().map(|name| Dataset::load(test, name)).collect()
}

impl Dataset {
    fn load(test: &str, name: &'static str) -> Option<Self> {
        let truth = shared(test, &format!("pnah/{name}.truth.npz"))?;
        let mut recording = Recording::open(shared(test, &format!("pnah/{name}.sigmf-meta"))?).unwrap();
        let mut rows = vec![0; recording.samples() as usize * recording.row_bytes()];
        recording.read_rows(0, &mut rows).unwrap();
        Some(Self {
            name,
            bins: npz::<i64>(&truth, "bins").0.into_iter().map(|k| k as usize).collect(),
            standoff: npz::<f64>(&truth, "zh").0[0],
            truth: npz(&truth, "p0_nom").0,
            truth_bits: npz(&truth, "p0_hann").0,
            rows,
            first_valid: recording.meta().first_valid as usize,
        })
    }
}

/// How a dataset is processed.
#[derive(Clone, Copy)]
pub struct Chain {
    /// From bits to bins.
    pub method: Method,
    /// Window over time.
    pub taper: Taper,
    /// Beyond the aperture.
    pub padding: Padding,
    /// The k-filter.
    pub rule: FilterRule,
}

impl Chain {
    /// Nominal front end with these.
    pub fn nominal(padding: Padding, rule: FilterRule) -> Self {
        Self { method: Method::Nominal, taper: Taper::Hann, padding, rule }
    }

    /// Holograms and fields on the source plane, `[n][y][x]`, on the CPU.
    pub fn run<T: Number>(&self, dataset: &Dataset) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
        self.run_on::<T>(None, dataset)
    }

    /// The same on a card, if there is one given.
    pub fn run_on<T: Number>(
        &self,
        device: Option<&Device>,
        dataset: &Dataset,
    ) -> (Vec<Complex<f64>>, Vec<Complex<f64>>) {
        let settings = Settings { taper: self.taper, ..Settings::camera(self.method, dataset.bins.clone()) };
        let grid = Grid::triple(Aperture::CAMERA).unwrap();
        let pnah = holography::Settings {
            padding: self.padding,
            ..holography::Settings::new(grid, dataset.standoff)
        };
        let array = Array::regular(32, 32, Aperture::CAMERA.pitch).unwrap();
        let mut camera = Camera::<T>::new(device, &settings, &array, &pnah, self.rule).unwrap();
        let row_bytes = TileLayout::CAMERA.row_bytes();
        let first = dataset.first_valid - camera.history_rows();
        let end = dataset.first_valid + camera.window_rows();
        let measured = camera.measure(&dataset.rows[first * row_bytes..end * row_bytes]).unwrap().to_vec();
        camera.choose_filters(&measured).unwrap();
        let mut image = Image::default();
        camera.reconstruct(&measured, &mut image).unwrap();
        (wide(&measured), wide(&image.pressure))
    }
}

fn wide<T: Real>(values: &[Complex<T>]) -> Vec<Complex<f64>> {
    values.iter().map(|v| Complex::new(Real::to_f64(v.re), Real::to_f64(v.im))).collect()
}

/// Geometric mean.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|x| x.ln()).sum::<f64>() / values.len() as f64).exp()
}
