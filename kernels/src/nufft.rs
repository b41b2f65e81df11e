//! `cuda/nufft.cu`, `cuda/nufft_plane.cu` and `cuda/nufft_points.cu`: between points, fine grid and modes of a NUFFT.
//!
//! | type | kernels |
//! |---|---|
//! | [`Points`] | sort: `bin_points`, `count_digits`, `scan_digits`, `move_by_digit`, `find_starts`, `count_tiles`, `list_parts` |
//! | [`Direct`] | `direct_modes`, `direct_values` of `cuda/nufft_direct.cu`: the sums by definition |
//! | [`Nufft`] | `spread_plane` or `spread_rows` in two dimensions, `spread` in others and where points crowd; `interpolate`; `modes_from_grid`, `grid_from_modes` |
//! | [`Phases`] | `turn`, `turn_in_place` of `cuda/nufft_type3.cu`, for sums between points and points |
//! | [`Rungs`] | `spread_by_points`, `spread_nested`, `interpolate_by_points` of `cuda/nufft_rungs.cu` |
//!
//! A transform is `spread`, an FFT of the fine grid ([`Fft`](crate::Fft)), and `modes_from_grid`; or `grid_from_modes`, that FFT, and `interpolate`.

mod constants;
mod direct;
mod points;
mod rungs;
mod transform;
mod type_3;

use crate::call::UNUSED;
use crate::calls;
use crate::error::{Error, at_least, same};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;
use points::{Lists, SpreadLists};
use transform::CROWD;

pub use constants::Shape;
pub use direct::{DIRECT, Direct};
pub use points::Points;
pub use rungs::{RUNGS, Rungs};
pub use transform::{KERNELS, Nufft, Order, PLANE, POINTS};
pub use type_3::{Phases, TYPE_3};

impl<T: Float> Nufft<T> {
    /// The strengths of right-hand side `batch` to the fine grid, all of which is written.
    pub fn spread(
        &self,
        stream: &mut Stream,
        points: &mut Points<T>,
        strengths: &Buffer<Complex<T>>,
        batch: usize,
        grid: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        at_least("strengths", strengths.len(), (batch + 1).saturating_mul(points.len()))?;
        same("fine grid", grid.len(), self.fine)?;
        let mut g = points.grid(self.grid, batch)?;
        if let Some(kernel) = self.plane.as_ref().filter(|_| points.crowd() <= CROWD) {
            let (sorted, starts) = points.sorted();
            let call = calls::spread_plane(sorted, starts, strengths, &self.polynomials, grid, &g);
            return kernel.launch(stream, call);
        }
        let (sorted, starts, lists) = points.spread_lists();
        g.listed = u32::from(lists.is_some());
        let polynomials = &self.polynomials;
        let Some(SpreadLists { lists: Lists { kernel, parts, owners }, partial, arrived }) = lists else {
            let call = calls::spread(
                sorted,
                starts,
                UNUSED,
                UNUSED,
                strengths,
                polynomials,
                UNUSED,
                UNUSED,
                grid,
                &g,
            );
            return self.spread.launch(stream, call);
        };
        let call = calls::spread(
            sorted,
            starts,
            &*parts,
            &*owners,
            strengths,
            polynomials,
            partial,
            arrived,
            grid,
            &g,
        );
        kernel.launch(stream, call)
    }

    /// The fine grid's values at the points, for right-hand side `batch`.
    pub fn interpolate(
        &self,
        stream: &mut Stream,
        points: &Points<T>,
        grid: &Buffer<Complex<T>>,
        batch: usize,
        values: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        at_least("values at points", values.len(), (batch + 1).saturating_mul(points.len()))?;
        same("fine grid", grid.len(), self.fine)?;
        let mut g = points.grid(self.grid, batch)?;
        let lists = points.gather.as_ref();
        g.listed = u32::from(lists.is_some());
        let (parts, owners) = (lists.map(|lists| &lists.parts), lists.map(|lists| &lists.owners));
        let (sorted, starts) = points.sorted();
        let call = calls::interpolate(sorted, starts, parts, owners, grid, &self.polynomials, values, &g);
        lists.map_or(&self.interpolate, |lists| &lists.kernel).launch(stream, call)
    }
}
