//! Type 3 on a card; twin of [`cpu::type_3`](super::super::cpu::type_3), where the formulas are.
//!
//! | stage | kernels |
//! |---|---|
//! | phases of the points | `turn` of `nufft_type3.cu` |
//! | spread to the grid between points and targets | those of type 1 |
//! | type 2 at the scaled targets | those of type 2 |
//! | phases of the targets | `turn_in_place` |
//!
//! Phases are found on the host, in `f64`, when points are set. The grid between is a period of which windows do not reach the ends, so that
//! the kernels that wrap serve it as well; the angles of points on it are rounded, which is 1e-16 n fine points at most.

use super::super::extents::{self, Extent};
use super::super::settings::product;
use super::super::{Precision, Result, Settings, design::Window};
use super::{Memory, Plan as Inside, whole};
use kernels::nufft::{Nufft, Order, Phases, Points, Shape};
use kernels::{Buffer, Device, Stream};
use num_complex::Complex;

/// A plan of type 3 on a card, and the points and targets it was given. Stacked right-hand sides are as on the CPU.
pub struct Plan<T: Precision> {
    device: Device,
    settings: Settings,
    /// Type 2, with the targets for points.
    inside: Inside<T>,
    /// From points to the grid between.
    kernels: Nufft<T>,
    places: Points<T>,
    between: Buffer<Complex<T>>,
    /// exp(i s s0 . x').
    before: Phases<T>,
    /// exp(i s s . x0)/Phi.
    after: Phases<T>,
    /// Strengths with their phases.
    turned: Buffer<Complex<T>>,
}

numerics::compiled! { T: Precision => Plan<T>: new, set_points, execute, execute_adjoint, execute_on_host }

impl<T: Precision> Plan<T> {
    /// A plan for `axes` axes; it has neither points nor targets yet.
    #[inline(never)]
    pub fn new(device: &Device, axes: usize, settings: &Settings) -> Result<Self> {
        let window = extents::made_for_ends(axes, settings)?;
        settings.check_reach::<T>()?;
        Self::made(device, settings, window, &vec![&[][..]; axes], &vec![&[][..]; axes])
    }

    /// Takes points and targets from the host, an array for each axis, x first; products of the two are radians. The grid follows from their
    /// extents, and is refused where it takes more memory than the settings allow or the card has. After an error there are none.
    #[inline(never)]
    pub fn set_points(&mut self, points: &[&[f64]], targets: &[&[f64]]) -> Result<()> {
        extents::check(self.inside.n.len(), points, targets)?;
        let (device, settings) = (self.device.clone(), self.settings.clone());
        let window = self.inside.window.clone();
        // Two sets of grids may be too much: the old ones go first.
        let none = vec![&[][..]; points.len()];
        *self = Self::made(&device, &settings, window.clone(), &none, &none)?;
        *self = Self::made(&device, &settings, window, points, targets)?;
        Ok(())
    }

    fn made(
        device: &Device,
        settings: &Settings,
        window: Window,
        points: &[&[f64]],
        targets: &[&[f64]],
    ) -> Result<Self> {
        let axes = points.len();
        let extents: Vec<Extent> =
            points.iter().zip(targets).map(|(x, s)| Extent::new(x, s, &window)).collect();
        within::<T>(&extents, settings, window.oversampling)?;
        let extents: Vec<Extent> =
            extents.into_iter().map(|extent| extent.smooth(whole(axes), 2 * window.width)).collect();
        let n: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
        let bytes = n.iter().product::<usize>().saturating_mul(size_of::<Complex<T>>());
        let mut inside = Inside::with_window(device, &n, settings, window.clone(), bytes)?;
        let scaled: Vec<Vec<f64>> = extents.iter().zip(targets).map(|(e, s)| e.scaled(s)).collect();
        inside.set_points(&scaled.iter().map(Vec::as_slice).collect::<Vec<_>>())?;
        let stream = &mut inside.stream;
        let kernels = spreading(stream, &n, &window)?;
        let places = sorted(stream, &kernels, &extents, points)?;
        let before = extents::before(&extents, points, settings);
        let after = extents::after(&extents, targets, &window, settings);
        let most = before.len().max(after.len());
        Ok(Self {
            device: device.clone(),
            settings: settings.clone(),
            between: Buffer::zeros(stream, "grid between points and targets", n.iter().product())?,
            before: Phases::new(stream, &kernels, &before)?,
            after: Phases::new(stream, &kernels, &after)?,
            turned: Buffer::zeros(stream, "strengths with their phases", most)?,
            kernels,
            places,
            inside,
        })
    }

    /// Fine points of every axis of the type 2 inside, x first.
    pub fn fine_grid(&self) -> &[usize] {
        self.inside.fine_grid()
    }

    /// Number of points.
    pub fn points(&self) -> usize {
        self.before.len()
    }

    /// Number of targets.
    pub fn targets(&self) -> usize {
        self.after.len()
    }

    /// Bytes of device memory that it has now.
    pub fn memory(&self) -> Memory {
        let inside = self.inside.memory();
        let phases = size_of::<Complex<T>>() * (self.points() + self.targets());
        let points = inside.points + self.places.bytes() + phases + self.turned.bytes();
        Memory { grids: inside.grids + self.between.bytes(), points, ..inside }
    }

    /// The queue of its work, for buffers.
    pub fn stream(&mut self) -> &mut Stream {
        self.inside.stream()
    }

    /// `f_k = sum_j c_j exp(i s s_k . x_j)`, from strengths to values at the targets. Queued, not waited for.
    #[inline(never)]
    pub fn execute(&mut self, strengths: &Buffer<Complex<T>>, values: &mut Buffer<Complex<T>>) -> Result<()> {
        let Self { inside, kernels, places, between, before, after, turned, settings, .. } = self;
        let positive = settings.sign.is_positive();
        let batches = extents::batch([before.len(), after.len()], [strengths.len(), values.len()])?;
        // Without targets there is nothing to find.
        let Some(targets) = inside.points.as_ref().filter(|targets| !targets.is_empty()) else {
            return Ok(());
        };
        let stream = &mut inside.stream;
        for batch in 0..batches {
            before.turn(stream, strengths, batch, false, turned)?;
            kernels.spread(stream, places, turned, 0, between)?;
            let order = Order { positive, ..Order::default() };
            inside.kernels.grid_from_modes(stream, between, order, &mut inside.grid)?;
            inside.fft.execute(stream, &mut inside.grid, positive)?;
            inside.kernels.interpolate(stream, targets, &inside.grid, batch, values)?;
            after.turn_in_place(stream, values, batch, false)?;
        }
        Ok(())
    }

    /// The adjoint, `c_j = sum_k f_k exp(-i s s_k . x_j)`, from targets to points. Queued, not waited for.
    #[inline(never)]
    pub fn execute_adjoint(
        &mut self,
        values: &Buffer<Complex<T>>,
        strengths: &mut Buffer<Complex<T>>,
    ) -> Result<()> {
        let Self { inside, kernels, places, between, before, after, turned, settings, .. } = self;
        let positive = !settings.sign.is_positive();
        let batches = extents::batch([before.len(), after.len()], [strengths.len(), values.len()])?;
        if places.is_empty() {
            return Ok(());
        }
        let Some(targets) = inside.points.as_mut() else { return Ok(()) };
        let stream = &mut inside.stream;
        for batch in 0..batches {
            after.turn(stream, values, batch, true, turned)?;
            inside.kernels.spread(stream, targets, turned, 0, &mut inside.grid)?;
            inside.fft.execute(stream, &mut inside.grid, positive)?;
            let order = Order { positive, ..Order::default() };
            inside.kernels.modes_from_grid(stream, &inside.grid, order, between)?;
            kernels.interpolate(stream, places, between, batch, strengths)?;
            before.turn_in_place(stream, strengths, batch, true)?;
        }
        Ok(())
    }

    /// [`execute`](Self::execute) from host memory to host memory.
    #[inline(never)]
    pub fn execute_on_host(&mut self, strengths: &[Complex<T>], values: &mut [Complex<T>]) -> Result<()> {
        let from = Buffer::from_slice(self.stream(), "input of a NUFFT", strengths)?;
        let mut to = Buffer::zeros(self.stream(), "output of a NUFFT", values.len())?;
        self.execute(&from, &mut to)?;
        Ok(self.stream().download(&to, values)?)
    }
}

/// Kernels that spread to the grid between; its modes are all of its points, as they are.
fn spreading<T: Precision>(stream: &mut Stream, n: &[usize], window: &Window) -> Result<Nufft<T>> {
    let polynomials: Vec<T> = window.polynomials.iter().map(|a| T::of(*a)).collect();
    let shape = Shape { n: n.to_vec(), modes: n.to_vec(), width: window.width, degree: window.degree };
    Ok(Nufft::new(stream, &shape, &polynomials, &vec![T::one(); n.iter().sum()])?)
}

/// Points in the order of the grid between.
fn sorted<T: Precision>(
    stream: &mut Stream,
    kernels: &Nufft<T>,
    extents: &[Extent],
    points: &[&[f64]],
) -> Result<Points<T>> {
    let angles = extents.iter().zip(points).map(|(extent, x)| extent.angles(x));
    let angles = angles.map(|x| Buffer::from_slice(stream, "coordinates", &x));
    let angles = angles.collect::<Result<Vec<_>, _>>()?;
    let angles: Vec<_> = angles.iter().collect();
    let mut places = kernels.points(stream, points[0].len())?;
    match kernels.sort(stream, &angles, &mut places)? {
        None => Ok(places),
        Some(index) => Err(super::bad_point(stream, &angles, index)?),
    }
}

/// Refuses grids that do not fit, before anything is done with large numbers; cuFFT takes about as much as the fine grid.
fn within<T>(extents: &[Extent], settings: &Settings, oversampling: f64) -> Result<()> {
    let n: Vec<usize> = extents.iter().map(|extent| extent.n).collect();
    let fine: Vec<usize> = n.iter().map(|n| (oversampling * *n as f64) as usize).collect();
    let bytes = size_of::<Complex<T>>();
    let needed = product(2 * bytes, &fine).saturating_add(product(bytes, &n));
    extents::check_memory(extents, fine, needed, settings)
}
