//! The card's plan; twin of [`cpu`](super::cpu).
//!
//! | stage | type 1 | type 2 |
//! |---|---|---|
//! | points | cells, fractions, sort by bins | the same |
//! | spread | strengths to the fine grid | fine grid to values |
//! | transform | cuFFT of the whole grid | the same |
//! | modes | those that are wanted, times their factors | the same backwards |
//!
//! Arrays lie in device memory: a transform takes buffers and copies nothing. Sums are in the same order each time, so that results are
//! the same bits. A small transform that is run again on the same buffers is one launch of a graph.
//!
//! # Memory
//! The fine grid and cuFFT's work area, which is no larger; [`type_3`] has the grid between points and targets beside them, which is smaller.
//! All three are known, and compared with what is free, before any of them is allocated. What points take is apart, and refused in the same
//! way. Tables of windows and modes are some kilobytes.

pub mod type_3;

use super::design::{FARTHEST, Window, smooth};
use super::settings::{Exponent, check_batch, check_count, check_modes, product};
use super::{Error, Precision, Result, Settings, Sum, Type};
use kernels::fft::{Fft, Planned};
use kernels::nufft::{Nufft, Order, Points, Shape};
use kernels::{Buffer, Captured, Device, Stream};
use num_complex::Complex;

/// Fine points and points up to which launches are a part of the time that counts.
const SMALL: usize = 1 << 20;

/// A plan for one set of modes on a card, and the points it was given. Stacked right-hand sides are as on the CPU.
pub struct Plan<T: Precision> {
    stream: Stream,
    settings: Settings,
    window: Window,
    kernels: Nufft<T>,
    fft: Fft<T>,
    /// x first.
    n: Vec<usize>,
    modes: usize,
    grid: Buffer<Complex<T>>,
    points: Option<Points<T>>,
    /// What ran last, and the graph of one that ran twice.
    last: Option<Run>,
    captured: Option<(Run, Captured)>,
}

/// Bytes of device memory that a plan has, without the tables of windows and modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// The fine grid, to which the others are compared.
    pub fine_grid: usize,
    /// All grids, the fine one among them.
    pub grids: usize,
    /// cuFFT's work area.
    pub work: usize,
    /// Points in their order, and what crowds and phases need.
    pub points: usize,
}

/// A run on certain buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Run {
    kind: Type,
    exponent: Exponent,
    batch: usize,
    input: u64,
    output: u64,
}

numerics::compiled! {
    T: Precision => Plan<T>: new, set_points, set_points_on_card, run, execute_on_host, time
}

impl<T: Precision> Plan<T> {
    /// A plan for modes -N/2 .. (N-1)/2 along every axis, x first; it has no points yet.
    #[inline(never)]
    pub fn new(device: &Device, modes: &[usize], settings: &Settings) -> Result<Self> {
        check_modes(modes)?;
        let window = Window::new(settings.window, settings.tolerance, settings.oversampling, modes)?;
        settings.check_reach::<T>()?;
        Self::with_window(device, modes, settings, window, 0)
    }

    /// Leaves room for `beside` bytes.
    fn with_window(
        device: &Device,
        modes: &[usize],
        settings: &Settings,
        window: Window,
        beside: usize,
    ) -> Result<Self> {
        let fine =
            |modes: &usize| ((window.oversampling * *modes as f64).ceil() as usize).max(2 * window.width);
        let least: Vec<usize> = modes.iter().map(fine).collect();
        // Before anything is done with large numbers.
        check_memory::<T>(settings, &least, beside)?;
        check_count(&least)?;
        let whole = whole(modes.len());
        let n: Vec<usize> = least.into_iter().map(|n| whole * smooth(n.div_ceil(whole))).collect();
        check_count(&n)?;
        let mut stream = device.stream()?;
        let sides: Vec<usize> = n.iter().rev().copied().collect();
        let fft = Planned::new(&stream, &sides, 1)?;
        check_memory::<T>(settings, &n, beside + fft.work_bytes())?;
        let bytes = n.iter().product::<usize>() * size_of::<Complex<T>>() + fft.work_bytes() + beside;
        device.check_room("grids of a NUFFT", bytes)?;
        let grid = Buffer::zeros(&mut stream, "fine grid of a NUFFT", n.iter().product())?;
        let fft = fft.allocated(&stream)?;
        let numbers = |numbers: &[f64]| numbers.iter().map(|x| T::of(*x)).collect::<Vec<T>>();
        let factors: Vec<T> =
            modes.iter().zip(&n).flat_map(|(&modes, &n)| numbers(&window.factors(modes, n))).collect();
        let shape = Shape { n: n.clone(), modes: modes.to_vec(), width: window.width, degree: window.degree };
        let kernels = Nufft::new(&mut stream, &shape, &numbers(&window.polynomials), &factors)?;
        let (settings, modes) = (settings.clone(), modes.iter().product());
        let (points, last, captured) = (None, None, None);
        Ok(Self { stream, settings, window, kernels, fft, n, modes, grid, points, last, captured })
    }

    /// The window.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Fine points of every axis, x first.
    pub fn fine_grid(&self) -> &[usize] {
        &self.n
    }

    /// Number of modes.
    pub fn modes(&self) -> usize {
        self.modes
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.points.as_ref().map_or(0, Points::len)
    }

    /// Bytes of device memory that it has now.
    pub fn memory(&self) -> Memory {
        let grids = self.grid.bytes();
        let points = self.points.as_ref().map_or(0, Points::bytes);
        Memory { fine_grid: grids, grids, work: self.fft.work_bytes(), points }
    }

    /// The queue of its work, for buffers.
    pub fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// Takes points from the host, radians, an array for each axis, x first; all of them are reduced to one period.
    #[inline(never)]
    pub fn set_points(&mut self, points: &[&[f64]]) -> Result<()> {
        let copy = |coordinates: &&[f64]| Buffer::from_slice(&mut self.stream, "coordinates", coordinates);
        let buffers = points.iter().map(copy).collect::<Result<Vec<_>, _>>()?;
        self.set_points_on_card(&buffers.iter().collect::<Vec<_>>())
    }

    /// The same from buffers on the card.
    #[inline(never)]
    pub fn set_points_on_card(&mut self, points: &[&Buffer<f64>]) -> Result<()> {
        if points.len() != self.n.len() {
            let (given, needed) = (points.len(), self.n.len());
            return Err(Error::Length { what: "list of coordinates", given, needed });
        }
        let count = points[0].len();
        for coordinates in points {
            let (given, needed) = (coordinates.len(), count);
            if given != needed {
                return Err(Error::Length { what: "array of coordinates", given, needed });
            }
        }
        self.captured = None;
        // Half a set of points is none.
        let mut own = match self.points.take() {
            Some(own) if own.len() == count => own,
            _ => self.kernels.points(&mut self.stream, count)?,
        };
        if let Some(index) = self.kernels.sort(&mut self.stream, points, &mut own)? {
            return Err(bad_point(&mut self.stream, points, index)?);
        }
        self.points = Some(own);
        Ok(())
    }

    /// A sum with the sign of the settings: from strengths to modes, or from modes to values. Queued, not waited for.
    pub fn execute(
        &mut self,
        sum: impl Into<Sum>,
        input: &Buffer<Complex<T>>,
        output: &mut Buffer<Complex<T>>,
    ) -> Result<()> {
        let (kind, exponent) = self.settings.resolved(sum.into(), self.n.len())?;
        self.run(kind, exponent, input, output)
    }

    /// [`execute`](Self::execute) from host memory to host memory.
    #[inline(never)]
    pub fn execute_on_host(
        &mut self,
        kind: Type,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
    ) -> Result<()> {
        let from = Buffer::from_slice(&mut self.stream, "input of a NUFFT", input)?;
        let mut to = Buffer::zeros(&mut self.stream, "output of a NUFFT", output.len())?;
        self.execute(kind, &from, &mut to)?;
        Ok(self.stream.download(&to, output)?)
    }

    /// Seconds that the card needs for [`execute`](Self::execute), by its own clock.
    #[inline(never)]
    pub fn time(
        &mut self,
        kind: Type,
        input: &Buffer<Complex<T>>,
        output: &mut Buffer<Complex<T>>,
    ) -> Result<f64> {
        let timer = self.stream.timer()?;
        self.execute(kind, input, output)?;
        Ok(timer.seconds(&mut self.stream)?)
    }

    #[inline(never)]
    fn run(
        &mut self,
        kind: Type,
        exponent: Exponent,
        input: &Buffer<Complex<T>>,
        output: &mut Buffer<Complex<T>>,
    ) -> Result<()> {
        let Exponent { positive, derivative } = exponent;
        let batch = check_batch(kind, [input.len(), output.len()], self.modes, self.points())?;
        let (input_id, output_id) = (input.identity(), output.identity());
        let run = Run { kind, exponent, batch, input: input_id, output: output_id };
        if let Some((_, captured)) = self.captured.as_mut().filter(|(of, _)| *of == run) {
            return Ok(captured.launch(&mut self.stream)?);
        }
        let again = self.last.replace(run) == Some(run);
        let small = self.points() + self.grid.len() <= SMALL;
        let Self { stream, kernels, fft, grid, points, .. } = self;
        let Some(points) = points else { return Ok(()) };
        let mut work = |stream: &mut Stream| {
            for batch in 0..batch {
                let order = Order { batch, derivative, positive };
                match kind {
                    Type::One => {
                        kernels.spread(stream, points, input, batch, grid)?;
                        fft.execute(stream, grid, positive)?;
                        kernels.modes_from_grid(stream, grid, order, output)?;
                    }
                    Type::Two => {
                        kernels.grid_from_modes(stream, input, order, grid)?;
                        fft.execute(stream, grid, positive)?;
                        kernels.interpolate(stream, points, grid, batch, output)?;
                    }
                }
            }
            Ok(())
        };
        if !(again && small) {
            return Ok(work(stream)?);
        }
        let mut captured = Captured::new(stream, work)?;
        captured.launch(stream)?;
        self.captured = Some((run, captured));
        Ok(())
    }
}

/// What sides of a fine grid must be multiples of: bins of a plane are whole.
const fn whole(axes: usize) -> usize {
    if axes == 2 { 8 } else { 1 }
}

/// Refuses a fine grid that takes more than the settings allow, with `beside` bytes.
fn check_memory<T>(settings: &Settings, n: &[usize], beside: usize) -> Result<()> {
    settings.check_memory(n, product(size_of::<Complex<T>>(), n).saturating_add(beside as u128))
}

/// Which coordinate of a point is no position.
fn bad_point(stream: &mut Stream, points: &[&Buffer<f64>], index: usize) -> Result<Error> {
    let mut found = Error::Point { index, axis: 0, value: f64::NAN };
    // The first of the axes.
    for (axis, coordinates) in points.iter().enumerate().rev() {
        let mut value = [0.0];
        stream.download_at(coordinates, index, &mut value)?;
        let [value] = value;
        if value.is_nan() || value.abs() > FARTHEST {
            found = Error::Point { index, axis, value };
        }
    }
    Ok(found)
}
