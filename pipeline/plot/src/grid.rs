//! A regular grid of pixels and where it lies: x to the right, y down, in metres.

use super::error::{fault, same_length};
use super::panel::Panel;
use super::{Error, Result};

/// Most pixels along a side.
const MOST: usize = 4096;

/// Pixels `pitch_m` apart in both directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Pixels down.
    pub rows: usize,
    /// Pixels across.
    pub cols: usize,
    /// Distance of neighbouring pixels in metres.
    pub pitch_m: f64,
    /// Centre of the first pixel, x and y in metres.
    pub first_m: [f64; 2],
}

impl Grid {
    /// A grid with its centre at the origin, as the microphones of an array.
    pub fn centred(rows: usize, cols: usize, pitch_m: f64) -> Self {
        let first = |count: usize| -0.5 * (count as f64 - 1.0) * pitch_m;
        Self { rows, cols, pitch_m, first_m: [first(cols), first(rows)] }
    }

    /// The finer grid that zero-padding in k-space gives: its first pixel, and every `factor`-th after it,
    /// lies on one of this grid. It reaches beyond the last pixel by all but one of the finer steps.
    pub fn refined(self, factor: usize) -> Self {
        let (rows, cols) = (self.rows.saturating_mul(factor), self.cols.saturating_mul(factor));
        Self { rows, cols, pitch_m: self.pitch_m / factor as f64, ..self }
    }

    /// Left and right edge in metres.
    pub(super) fn x_m(&self) -> (f64, f64) {
        self.edges(self.first_m[0], self.cols)
    }

    /// Upper and lower edge in metres.
    pub(super) fn y_m(&self) -> (f64, f64) {
        self.edges(self.first_m[1], self.rows)
    }

    fn edges(&self, first: f64, count: usize) -> (f64, f64) {
        let low = first - 0.5 * self.pitch_m;
        (low, low + count as f64 * self.pitch_m)
    }

    /// Width and height in screen pixels, in true proportion, with the longer side `side`; at least `least`.
    pub(super) fn fit(&self, side: i32, least: i32) -> (i32, i32) {
        let longest = self.rows.max(self.cols) as f64;
        let length = |count: usize| ((f64::from(side) * count as f64 / longest).round() as i32).max(least);
        (length(self.cols), length(self.rows))
    }

    /// Index of the pixel at (u, v), each from 0 to 1 over the grid.
    pub(super) fn index(&self, (u, v): (f64, f64)) -> usize {
        let along = |t: f64, count: usize| ((t * count as f64) as usize).min(count - 1);
        along(v, self.rows) * self.cols + along(u, self.cols)
    }

    /// Refuses what cannot be drawn with `count` values.
    pub(super) fn check(&self, figure: &'static str, count: usize) -> Result<()> {
        if self.rows == 0 || self.cols == 0 || count == 0 {
            return Err(Error::Empty(figure));
        }
        for (at, side) in [self.rows, self.cols].into_iter().enumerate() {
            if side > MOST {
                return fault(figure, "side of the grid", side as f64, at, "at most 4096 pixels are drawn");
            }
        }
        same_length(figure, count, self.rows * self.cols)?;
        if !(self.pitch_m > 0.0 && self.pitch_m.is_finite()) {
            return fault(figure, "pitch", self.pitch_m, 0, "it must be finite and above 0 m");
        }
        if let Some(at) = self.first_m.iter().position(|v| !v.is_finite()) {
            return fault(figure, "first pixel", self.first_m[at], at, "its place must be finite");
        }
        Ok(())
    }
}

/// The middle of every screen pixel of a panel, and its place over the panel, each from 0 to 1.
pub(super) fn places(panel: &Panel) -> impl Iterator<Item = ((i32, i32), (f64, f64))> {
    let Panel { x, y, width, height } = *panel;
    let part = |at: i32, of: i32| (f64::from(at) + 0.5) / f64::from(of);
    (0..height)
        .flat_map(move |dy| (0..width).map(move |dx| ((x + dx, y + dy), (part(dx, width), part(dy, height)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_centred_grid_is_symmetric_and_a_refined_one_keeps_the_first_pixel() {
        let grid = Grid::centred(4, 8, 0.5);
        assert_eq!((grid.x_m(), grid.y_m()), ((-2.0, 2.0), (-1.0, 1.0)));
        let fine = grid.refined(4);
        assert_eq!((fine.rows, fine.cols, fine.first_m), (16, 32, grid.first_m));
        assert_eq!(fine.x_m(), (-1.75 - 0.0625, 2.25 - 0.0625));
    }

    #[test]
    fn pixels_are_found_by_place() {
        let grid = Grid::centred(2, 3, 1.0);
        assert_eq!(grid.index((0.0, 0.0)), 0);
        assert_eq!(grid.index((0.34, 0.49)), 1);
        assert_eq!(grid.index((0.99, 0.51)), 5);
        assert_eq!(grid.index((1.0, 1.0)), 5);
        assert_eq!((grid.fit(576, 1), Grid::centred(1, 4096, 1.0).fit(576, 6)), ((576, 384), (576, 6)));
    }
}
