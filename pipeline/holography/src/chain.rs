//! Rows of a stream to fields on the source plane, on the CPU.
//!
//! The same stages as [`Camera`](super::camera::Camera), kept as a stream: decimated samples (or averages, or the
//! bits themselves) stay in a ring, and a hologram costs its dot products and its propagation only. Dot products of short hops are sums that
//! slide on ([`front_end::Sliding`]): the last bits differ from those of the camera.

use super::camera::CameraError;
use super::cpu::Plan;
use super::design::KFilter;
use num_complex::Complex;
use signal::array;
use signal::front_end::{self, FrontEnd};

type Complex32 = Complex<f32>;

/// What a chain computes.
#[derive(Debug, Clone)]
pub struct Settings {
    /// From bits to bins.
    pub front_end: front_end::Settings,
    /// From channels to the grid.
    pub array: array::Array,
    /// From holograms to the source plane.
    pub pnah: super::settings::Settings,
    /// K-filter of every hologram; [`KFilter::UNTIL_CHOSEN`] where it is chosen later.
    pub filters: Vec<KFilter>,
}

impl Settings {
    /// The way from channels to the grid for these microphones.
    pub fn array_plan(&self) -> Result<array::Plan<f32>, array::Error> {
        self.array.plan(&self.front_end.frequencies_hz(), self.pnah.standoff, self.pnah.medium.speed_of_sound)
    }

    /// Rows before a first hologram: the filter's history and the window.
    pub fn rows_needed(&self) -> u64 {
        (self.front_end.history_rows() + self.front_end.window_rows()) as u64
    }
}

/// Decimator, spectrum and holography with their state.
pub struct Chain {
    front_end: FrontEnd<f32>,
    array: array::Plan<f32>,
    plan: Plan<f32>,
    /// `[n][channel]`, full scale.
    channels: Vec<Complex32>,
    /// `[n][y][x]`, pascal.
    measured: Vec<Complex32>,
    /// `[n][y][x]`, pascal.
    source: Vec<Complex32>,
}

impl Chain {
    /// The chain for `settings` and a hologram every `hop_rows`, with the threads of the current pool.
    pub fn new(settings: &Settings, hop_rows: u64) -> Result<Self, CameraError> {
        let (stream, array) = (settings.front_end.layout.channels() as usize, settings.array.channels());
        if array != stream {
            return Err(CameraError::Channels { array, stream });
        }
        let frequencies = settings.front_end.frequencies_hz();
        let n = frequencies.len();
        let mut plan = Plan::new(&settings.pnah, &frequencies, KFilter::UNTIL_CHOSEN)?;
        for (index, filter) in settings.filters.iter().enumerate().take(n) {
            plan.set_filter(index, *filter)?;
        }
        let (rows, cols) = plan.output_shape();
        Ok(Self {
            front_end: FrontEnd::stream(&settings.front_end, hop_rows)?,
            array: settings.array_plan()?,
            plan,
            channels: vec![Complex::default(); n * stream],
            measured: vec![Complex::default(); n * settings.pnah.grid.aperture.len()],
            source: vec![Complex::default(); n * rows * cols],
        })
    }

    /// Takes the next rows, whole groups of 32.
    pub fn push(&mut self, rows: &[u8]) {
        self.front_end.push(rows);
    }

    /// The fields of the newest window on the source plane, `[n][y][x]`, Pa.
    pub fn holograms(&mut self) -> Result<&[Complex32], CameraError> {
        self.front_end.newest(&mut self.channels)?;
        let n = self.plan.count();
        let (stream, points) = (self.channels.len() / n, self.measured.len() / n);
        let grids = self.measured.chunks_exact_mut(points);
        for (n, (channels, grid)) in self.channels.chunks_exact(stream).zip(grids).enumerate() {
            self.array.prepare(n, channels, grid)?;
        }
        self.plan.execute(&self.measured, &mut self.source, None)?;
        Ok(&self.source)
    }

    /// Bins of all channels of the last hologram, `[n][channel]`, full scale.
    pub fn channels(&self) -> &[Complex32] {
        &self.channels
    }

    /// The last holograms, `[n][y][x]`, Pa.
    pub fn measured(&self) -> &[Complex32] {
        &self.measured
    }

    /// The last fields on the source plane, `[n][y][x]`, Pa.
    pub fn source(&self) -> &[Complex32] {
        &self.source
    }

    /// Gives hologram `index` another k-filter.
    pub fn set_filter(&mut self, index: usize, filter: KFilter) -> Result<(), CameraError> {
        Ok(self.plan.set_filter(index, filter)?)
    }

    /// Takes another way from channels to the grid, and gives the old one back.
    pub fn set_array(&mut self, array: array::Plan<f32>) -> array::Plan<f32> {
        std::mem::replace(&mut self.array, array)
    }
}
