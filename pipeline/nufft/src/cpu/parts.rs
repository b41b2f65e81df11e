//! What a plan has beside its points, and the memory of a run.

use super::super::design::Window;
use super::super::{Error, Result, Settings};
use super::spread::Lanes;
use super::transform::{Axis, in_blocks};
use num_complex::Complex;

/// What does not depend on the points.
pub struct Design<T> {
    pub(super) settings: Settings,
    pub(super) window: Window,
    pub(super) lanes: Lanes<T>,
    pub(super) axes: Vec<Axis<T>>,
    /// Padded points of every axis, x first.
    pub(super) padded: Vec<usize>,
}

/// Memory of a run. What is in it does not matter; one serves all clones of a plan, one after the other.
#[derive(Debug, Clone)]
pub struct Scratch<T> {
    /// Padded fine grid.
    pub(super) grid: Vec<[T; 2]>,
    /// Results of the stages in turn.
    pub(super) stages: [Vec<Complex<T>>; 2],
}

impl<T> Design<T> {
    /// Refuses what a scratch would take: now that blocks are known, to the last byte.
    pub(super) fn check_memory(&self) -> Result<()> {
        let n: Vec<usize> = self.axes.iter().map(|axis| axis.n).collect();
        let (grid, stage) = self.sizes();
        // An FFT has two lines of its own.
        let two = 2 * stage.max(n[0]) as u128;
        self.settings.check_memory(&n, (grid as u128 + two) * size_of::<Complex<T>>() as u128)
    }

    /// Pairs of the padded grid, and the longest array of a stage: N modes of x at all fine points of the others, or the last
    /// one's, in whole blocks. One axis has none.
    pub(super) fn sizes(&self) -> (usize, usize) {
        let grid = self.padded.iter().product();
        let [x, others @ ..] = &self.axes[..] else { return (grid, 0) };
        let Some(last) = others.last() else { return (grid, 0) };
        let fine: usize = others.iter().map(|axis| axis.n).product();
        let lines = self.axes.iter().map(|axis| axis.modes).product::<usize>() / last.modes;
        (grid, (in_blocks(fine) * x.modes).max(in_blocks(lines) * last.modes))
    }
}

impl<T> Scratch<T> {
    /// Whether it is as large as a plan's.
    pub(super) fn check(&self, (grid, stage): (usize, usize)) -> Result<()> {
        let (given, needed) = (self.grid.len() + 2 * self.stages[0].len(), grid + 2 * stage);
        if self.grid.len() != grid || self.stages[0].len() != stage {
            return Err(Error::Length { what: "scratch of another plan", given, needed });
        }
        Ok(())
    }
}
