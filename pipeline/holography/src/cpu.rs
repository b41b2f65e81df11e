//! The CPU's plan; its twin on a card is [`cuda`](super::cuda), with the same stages under the same names.
//!
//! | stage | from | to | skips |
//! |---|---|---|---|
//! | [`Plan::pad`] | hologram `[y][x]` | padded and windowed field `[x][y]` | |
//! | [`Plan::transform`] | field | spectrum `[ky][kx]` | zero columns of a zero-padded field |
//! | [`Plan::propagate`] | spectrum | result `[y][x]` | rows and columns outside the aperture |
//!
//! Every stage works on all holograms of the batch and cuts their lines into one run for each thread, so one hologram
//! is shared between the threads as well as ten are. Fields lie column by column because the columns are padded last:
//! each thread then writes lines of its own, and the transform along y needs no turning. A plan allocates everything
//! when it is made. Its threads are those of the current rayon pool; call it from inside the pool
//! (`ThreadPool::install`) to save the hand-over.

mod lines;
mod pad;
mod worker;

use super::design::{Field, KFilter, Operator, Radii, checked_wavenumber};
use super::error::check_length;
use super::{Error, Padding, Settings};
use lines::{for_groups, gather};
use num_complex::Complex;
use numerics::real::Real;
use pad::Pad;
use worker::{Transforms, Worker};

/// A batch of holograms, each with its own frequency and k-filter.
pub struct Plan<T: Real> {
    settings: Settings,
    radii: Radii,
    /// Filter-free operators, one for each hologram.
    operators: Vec<Operator>,
    filters: Vec<KFilter>,
    /// k-filter x propagator/(n_x n_y), `[hologram][ky = 0..=n_y/2][kx]`.
    pressure: Vec<Complex<T>>,
    /// The same for the normal velocity, when asked for.
    velocity: Option<Vec<Complex<T>>>,
    /// Values of one operator, one for each radius.
    values: Vec<Complex<T>>,
    transforms: Transforms<T>,
    prediction: pad::Prediction<T>,
    /// `[hologram][x][y]`, after the transform `[hologram][x][ky]`.
    field: Vec<Complex<T>>,
    /// `[hologram][ky][kx]`.
    spectrum: Vec<Complex<T>>,
    /// `[hologram][ky][x of the output]`.
    half: Vec<Complex<T>>,
    /// `[hologram][x of the output][y of the output]`.
    turned: Vec<Complex<T>>,
    workers: Vec<Worker<T>>,
}

numerics::compiled! { T: Real => Plan<T>: new, set_filter, pad, transform, propagate }

impl<T: Real> Plan<T> {
    /// A plan for one hologram at each of `frequencies` (Hz), all with the k-filter `filter`.
    #[inline(never)]
    pub fn new(settings: &Settings, frequencies: &[f64], filter: KFilter) -> Result<Self, Error> {
        settings.check()?;
        if frequencies.is_empty() {
            return Err(Error::NoFrequency);
        }
        let (grid, medium) = (&settings.grid, &settings.medium);
        let radii = Radii::new(grid);
        let operator = |&frequency: &f64| {
            let k = checked_wavenumber(medium, &grid.aperture, frequency)?;
            Ok(Operator::new(&radii, medium, k, settings.distance()))
        };
        let operators: Vec<_> = frequencies.iter().map(operator).collect::<Result<_, Error>>()?;
        let (n, u) = (frequencies.len(), settings.refinement);
        let complex = |length: usize| vec![Complex::<T>::default(); n * length];
        let table = radii.half_rows() * grid.cols;
        let transforms = Transforms::new(settings);
        let threads = rayon::current_num_threads();
        let workers = (0..threads).map(|_| Worker::new(settings, &transforms)).collect::<Result<_, _>>()?;
        let mut plan = Self {
            settings: *settings,
            values: vec![Complex::default(); radii.values().len()],
            radii,
            operators,
            filters: vec![filter; n],
            pressure: complex(table),
            velocity: settings.velocity.then(|| complex(table)),
            transforms,
            prediction: pad::Prediction::new(settings, n),
            field: complex(grid.len()),
            spectrum: complex(grid.len()),
            half: complex(grid.rows * grid.aperture.cols * u),
            turned: complex(grid.aperture.len() * u * u),
            workers,
        };
        (0..n).try_for_each(|i| plan.set_filter(i, filter))?;
        Ok(plan)
    }

    /// Gives hologram `index` another k-filter; it stays as it was after an error.
    #[inline(never)]
    pub fn set_filter(&mut self, index: usize, filter: KFilter) -> Result<(), Error> {
        let count = self.count();
        let operator = self.operators.get(index).ok_or(Error::Hologram { index, count })?;
        let scale = 1.0 / self.settings.grid.len() as f64;
        let length = self.radii.half_rows() * self.settings.grid.cols;
        if let Some(table) = &mut self.velocity {
            operator.evaluate(&self.radii, &filter, (Field::NormalVelocity, scale), &mut self.values)?;
            self.radii.spread(&self.values, &mut table[index * length..][..length]);
        }
        operator.evaluate(&self.radii, &filter, (Field::Pressure, scale), &mut self.values)?;
        self.radii.spread(&self.values, &mut self.pressure[index * length..][..length]);
        self.filters[index] = filter;
        Ok(())
    }

    /// Stage 1: continues the holograms beyond the aperture and applies the window.
    ///
    /// # Errors
    /// The wrong number of values, or one that is not finite; the field is then not to be used.
    #[inline(never)]
    pub fn pad(&mut self, holograms: &[Complex<T>]) -> Result<(), Error> {
        let Self { settings, prediction, workers, field, .. } = self;
        Pad { settings, prediction, workers, field }.run(holograms)
    }

    /// Stage 2: the two-dimensional DFT.
    #[inline(never)]
    pub fn transform(&mut self) {
        let grid = self.settings.grid;
        let transforms = &self.transforms;
        let measured = match self.settings.padding {
            Padding::Zero => grid.left()..grid.left() + grid.aperture.cols,
            _ => 0..grid.cols,
        };
        for_groups(&mut self.workers, &mut self.field, grid.rows, grid.cols, |worker, group, lines| {
            let from = measured.start.clamp(group.line, group.line + group.count) - group.line;
            let to = measured.end.clamp(group.line, group.line + group.count) - group.line;
            let lines = &mut lines[from * grid.rows..to * grid.rows];
            if !lines.is_empty() {
                transforms.cols.process_with_scratch(lines, &mut worker.scratch);
            }
        });
        let field = &self.field;
        for_groups(&mut self.workers, &mut self.spectrum, grid.cols, grid.rows, |worker, group, lines| {
            let source = &field[group.hologram * grid.len() + group.line..];
            gather(source, grid.rows, group.count, lines, grid.cols);
            transforms.rows.process_with_scratch(lines, &mut worker.scratch);
        });
    }

    /// Stage 3: k-filter x propagator, inverse DFT, crop.
    #[inline(never)]
    pub fn propagate(&mut self, field: Field, result: &mut [Complex<T>]) -> Result<(), Error> {
        let (rows, cols) = self.output_shape();
        check_length("result", result.len(), self.count() * rows * cols)?;
        self.along_x(field)?;
        self.along_y();
        let turned = &self.turned;
        for_groups(&mut self.workers, result, cols, rows, |_, group, lines| {
            gather(&turned[group.hologram * rows * cols + group.line..], rows, group.count, lines, cols);
        });
        Ok(())
    }

    /// What the plan was made of.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The k-filter of each hologram.
    pub fn filters(&self) -> &[KFilter] {
        &self.filters
    }

    /// Holograms `[n][y][x]` to the pressure on the other plane, and to the normal velocity there if the
    /// settings have it.
    pub fn execute(
        &mut self,
        holograms: &[Complex<T>],
        pressure: &mut [Complex<T>],
        velocity: Option<&mut [Complex<T>]>,
    ) -> Result<(), Error> {
        self.pad(holograms)?;
        self.transform();
        self.propagate(Field::Pressure, pressure)?;
        velocity.map_or(Ok(()), |velocity| self.propagate(Field::NormalVelocity, velocity))
    }

    /// The padded and windowed field of hologram `index`, column by column; valid between [`Self::pad`] and
    /// [`Self::transform`].
    pub fn field(&self, index: usize) -> Option<&[Complex<T>]> {
        self.field.chunks_exact(self.settings.grid.len()).nth(index)
    }

    /// The spectrum of hologram `index`, row by row in the order of the DFT; valid after [`Self::transform`].
    pub fn spectrum(&self, index: usize) -> Option<&[Complex<T>]> {
        self.spectrum.chunks_exact(self.settings.grid.len()).nth(index)
    }

    /// Holograms of the batch.
    pub fn count(&self) -> usize {
        self.operators.len()
    }

    /// Rows and columns of a result: u times the aperture's.
    ///
    /// Result (i, j) lies at row i/u and column j/u of the aperture, so that every u-th value is at a
    /// microphone, and the last u - 1 lie beyond the last microphone by less than a pitch.
    pub fn output_shape(&self) -> (usize, usize) {
        let (aperture, u) = (&self.settings.grid.aperture, self.settings.refinement);
        (aperture.rows * u, aperture.cols * u)
    }

    /// Operator and inverse along kx; keeps the output's columns.
    fn along_x(&mut self, field: Field) -> Result<(), Error> {
        let table = match field {
            Field::Pressure => &self.pressure,
            Field::NormalVelocity => self.velocity.as_ref().ok_or(Error::NoVelocity)?,
        };
        let (grid, u) = (self.settings.grid, self.settings.refinement);
        let (half_rows, spectrum, transforms) = (self.radii.half_rows(), &self.spectrum, &self.transforms);
        let (long, from, kept) = (grid.cols * u, grid.left() * u, grid.aperture.cols * u);
        for_groups(&mut self.workers, &mut self.half, kept, grid.rows, |worker, group, out| {
            let lines = &mut worker.lines[..group.count * long];
            for (i, line) in lines.chunks_exact_mut(long).enumerate() {
                let ky = group.line + i;
                let row = group.hologram * half_rows + ky.min(grid.rows - ky);
                let values = &spectrum[(group.hologram * grid.rows + ky) * grid.cols..][..grid.cols];
                lines::multiply(values, &table[row * grid.cols..][..grid.cols], line);
            }
            transforms.rows_back.process_with_scratch(lines, &mut worker.scratch);
            for (kept, line) in out.chunks_exact_mut(kept).zip(lines.chunks_exact(long)) {
                kept.copy_from_slice(&line[from..from + kept.len()]);
            }
        });
        Ok(())
    }

    /// Inverse along ky; keeps the output's rows.
    fn along_y(&mut self) {
        let (grid, u) = (self.settings.grid, self.settings.refinement);
        let (half, transforms, cols) = (&self.half, &self.transforms, grid.aperture.cols * u);
        let (long, from, kept) = (grid.rows * u, grid.top() * u, grid.aperture.rows * u);
        for_groups(&mut self.workers, &mut self.turned, kept, cols, |worker, group, out| {
            let lines = &mut worker.lines[..group.count * long];
            let source = &half[group.hologram * grid.rows * cols + group.line..];
            gather(source, cols, group.count, lines, long);
            for line in lines.chunks_exact_mut(long) {
                lines::open(line, grid.rows);
            }
            transforms.cols_back.process_with_scratch(lines, &mut worker.scratch);
            for (kept, line) in out.chunks_exact_mut(kept).zip(lines.chunks_exact(long)) {
                kept.copy_from_slice(&line[from..from + kept.len()]);
            }
        });
    }
}

#[cfg(test)]
mod tests;
