//! What does not change with the holograms: operators, windows and twiddles, in device memory.

use super::super::design::{Field, Grid, KFilter, Operator, Radii, checked_wavenumber};
use super::super::{Error, Settings};
use kernels::plain::Float;
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::{Real, rounded};
use std::f64::consts::TAU;

/// The operators of all holograms: evaluated on the host as for the CPU, and written where a kernel wants them.
#[derive(Debug)]
pub struct Operators<T: Real + Float> {
    settings: Settings,
    radii: Radii,
    /// Filter-free, one for each hologram.
    operators: Vec<Operator>,
    filters: Vec<KFilter>,
    /// Values of one operator, one for each radius.
    values: Vec<Complex<T>>,
    /// One operator of each field, `[ky = 0..=n_y/2][kx]`.
    tables: Vec<Vec<Complex<T>>>,
}

impl<T: Real + Float> Operators<T> {
    /// For one hologram at each of `frequencies` (Hz), all with the k-filter `filter`.
    pub fn new(settings: &Settings, frequencies: &[f64], filter: KFilter) -> Result<Self, Error> {
        settings.check()?;
        if frequencies.is_empty() {
            return Err(Error::NoFrequency);
        }
        let radii = Radii::new(&settings.grid);
        let operator = |&frequency: &f64| {
            let k = checked_wavenumber(&settings.medium, &settings.grid.aperture, frequency)?;
            Ok(Operator::new(&radii, &settings.medium, k, settings.distance()))
        };
        let table = vec![Complex::default(); radii.half_rows() * settings.grid.cols];
        Ok(Self {
            settings: *settings,
            operators: frequencies.iter().map(operator).collect::<Result<_, Error>>()?,
            filters: vec![filter; frequencies.len()],
            values: vec![Complex::default(); radii.values().len()],
            tables: vec![table; if settings.velocity { 2 } else { 1 }],
            radii,
        })
    }

    /// Holograms.
    pub fn count(&self) -> usize {
        self.operators.len()
    }

    /// Fields of each hologram: 1, pressure, or 2, with the normal velocity.
    pub fn fields(&self) -> usize {
        self.tables.len()
    }

    /// What they were made of.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The k-filter of each hologram.
    pub fn filters(&self) -> &[KFilter] {
        &self.filters
    }

    /// Rows and columns of a result.
    pub fn output_shape(&self) -> (usize, usize) {
        let (aperture, u) = (&self.settings.grid.aperture, self.settings.refinement);
        (aperture.rows * u, aperture.cols * u)
    }

    /// Values of all results.
    pub fn results(&self) -> usize {
        let (rows, cols) = self.output_shape();
        self.fields() * self.count() * rows * cols
    }

    /// All operators: k-filter x propagator/(n_x n_y), `[field][hologram][ky = 0..=n_y/2][kx]`, pressure first.
    pub fn upload(&mut self, stream: &mut Stream) -> Result<Buffer<Complex<T>>, Error> {
        let length: usize = self.tables.iter().map(Vec::len).sum();
        let mut buffer = Buffer::zeros(stream, "operators", self.count() * length)?;
        (0..self.count()).try_for_each(|i| self.set_filter(stream, i, self.filters[i], &mut buffer))?;
        Ok(buffer)
    }

    /// Gives hologram `index` another k-filter, and `buffer` the operators; none is changed if one cannot be evaluated.
    pub fn set_filter(
        &mut self,
        stream: &mut Stream,
        index: usize,
        filter: KFilter,
        buffer: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let (count, scale) = (self.count(), 1.0 / self.settings.grid.len() as f64);
        let operator = self.operators.get(index).ok_or(Error::Hologram { index, count })?;
        for (field, table) in [Field::Pressure, Field::NormalVelocity].into_iter().zip(&mut self.tables) {
            operator.evaluate(&self.radii, &filter, (field, scale), &mut self.values)?;
            self.radii.spread(&self.values, table);
        }
        for (field, table) in self.tables.iter().enumerate() {
            stream.upload_at(table, buffer, (field * count + index) * table.len())?;
        }
        self.filters[index] = filter;
        Ok(())
    }
}

/// Tukey weights of the rows, then of the columns.
pub fn windows<T: Real + Float>(stream: &mut Stream, grid: &Grid) -> Result<Buffer<T>, Error> {
    let (y, x) = grid.windows();
    let windows: Vec<T> = y.into_iter().chain(x).map(T::of).collect();
    Ok(Buffer::from_slice(stream, "windows", &windows)?)
}

/// exp(-j 2 pi i/(n u)) for i = 0..n u, n = n_y, then n_x, rounded once.
pub fn twiddles<T: Real + Float>(
    stream: &mut Stream,
    settings: &Settings,
) -> Result<Buffer<Complex<T>>, Error> {
    let (grid, u) = (&settings.grid, settings.refinement);
    let root = |i: usize, n: usize| rounded(Complex::cis(-TAU * i as f64 / n as f64));
    let lengths = [grid.rows * u, grid.cols * u].into_iter();
    let twiddles: Vec<_> = lengths.flat_map(|n| (0..n).map(move |i| root(i, n))).collect();
    Ok(Buffer::from_slice(stream, "twiddles", &twiddles)?)
}
