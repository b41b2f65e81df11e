//! Stage 1: the holograms continued beyond the aperture and windowed.

use super::super::error::check_length;
use super::super::lpbp::{self, Extent, LANES, Lines, Weights};
use super::super::{Error, Padding, Settings};
use super::lines::{Group, for_groups, gather};
use super::worker::Worker;
use num_complex::Complex;
use numerics::real::Real;

/// What linear prediction keeps between its passes.
pub struct Prediction<T> {
    /// Power of two that each hologram is scaled by.
    scales: Vec<T>,
    window_y: Vec<T>,
    window_x: Vec<T>,
    ones: Vec<T>,
    /// Rows extended, `[hologram][y of the aperture][x of the grid]`.
    wide: Vec<Complex<T>>,
    /// Columns extended, `[hologram][x of the aperture][y of the grid]`; planar only.
    tall: Vec<Complex<T>>,
    /// Rows above and below the aperture, extended from `tall`, `[hologram][above, below][row][x of the grid]`; planar
    /// only.
    corners: Vec<Complex<T>>,
}

impl<T: Real> Prediction<T> {
    pub fn new(settings: &Settings, n: usize) -> Self {
        let (row, col) = Extent::of(&settings.grid);
        let (window_y, window_x) = settings.grid.windows();
        let round = |w: Vec<f64>| w.into_iter().map(T::of).collect();
        let complex =
            |needed: bool, length: usize| vec![Complex::default(); if needed { n * length } else { 0 }];
        let planar = matches!(settings.padding, Padding::Plpbp { .. });
        Self {
            scales: vec![T::one(); n],
            window_y: round(window_y),
            window_x: round(window_x),
            ones: vec![T::one(); row.total.max(col.total)],
            wide: complex(settings.padding != Padding::Zero, col.measured * row.total),
            tall: complex(planar, row.measured * col.total),
            corners: complex(planar, 2 * col.after() * row.total),
        }
    }
}

/// Stage 1 of a plan.
pub struct Pad<'a, T> {
    pub settings: &'a Settings,
    /// Its memory.
    pub prediction: &'a mut Prediction<T>,
    pub workers: &'a mut [Worker<T>],
    /// `[hologram][x][y]`.
    pub field: &'a mut [Complex<T>],
}

impl<T: Real> Pad<'_, T> {
    /// The padded and windowed field.
    pub fn run(&mut self, holograms: &[Complex<T>]) -> Result<(), Error> {
        let grid = self.settings.grid;
        let needed = self.prediction.scales.len() * grid.aperture.len();
        check_length("holograms", holograms.len(), needed)?;
        let each = holograms.chunks_exact(grid.aperture.len()).zip(&mut self.prediction.scales);
        for (index, (hologram, scale)) in each.enumerate() {
            *scale = lpbp::scale(hologram).map_err(|at| Error::at(index, at, grid.aperture.cols))?;
        }
        match self.settings.padding {
            Padding::Zero => self.pad_zero(holograms),
            Padding::Lpbp { .. } => {
                self.extend_rows(holograms);
                self.extend_columns();
            }
            Padding::Plpbp { .. } => {
                self.extend_rows(holograms);
                self.extend_columns();
                self.extend_measured_columns(holograms);
                self.extend_corners();
                self.average_corners();
            }
        }
        Ok(())
    }

    /// The measured columns between zeros; the other columns are zero from the beginning.
    fn pad_zero(&mut self, holograms: &[Complex<T>]) {
        let grid = self.settings.grid;
        let (rows, cols) = (grid.aperture.rows, grid.aperture.cols);
        for_groups(self.workers, self.field, grid.rows, grid.cols, |_, group, lines| {
            let hologram = &holograms[group.hologram * rows * cols..][..rows * cols];
            for (line, x) in lines.chunks_exact_mut(grid.rows).zip(group.line..) {
                if let Some(x) = x.checked_sub(grid.left()).filter(|&x| x < cols) {
                    line.fill(Complex::default());
                    gather(&hologram[x..], cols, 1, &mut line[grid.top()..][..rows], rows);
                }
            }
        });
    }

    /// Holograms to `wide`.
    fn extend_rows(&mut self, holograms: &[Complex<T>]) {
        let (row, col) = Extent::of(&self.settings.grid);
        let Prediction { scales, ones, wide, .. } = &mut *self.prediction;
        for_groups(self.workers, wide, row.total, col.measured, |worker, group, out| {
            let Group { hologram, line, count } = group;
            let first = (hologram * col.measured + line) * row.measured;
            let scale = scales[hologram];
            let lines = Lines { data: holograms, first, count, line: row.measured, sample: 1, scale };
            worker.extend_rows(lines, Weights { samples: ones, lines: &[T::one(); LANES] }, out);
        });
    }

    /// `wide` to the field.
    fn extend_columns(&mut self) {
        let (row, col) = Extent::of(&self.settings.grid);
        let Prediction { scales, window_y, window_x, wide, .. } = &*self.prediction;
        for_groups(self.workers, self.field, col.total, row.total, |worker, group, out| {
            let Group { hologram, line, count } = group;
            let first = hologram * col.measured * row.total + line;
            let lines = Lines { data: wide, first, count, line: 1, sample: row.total, scale: T::one() };
            let weights = line_weights(&window_x[line..], scales[hologram].recip());
            worker.extend_cols(lines, Weights { samples: window_y, lines: &weights }, out);
        });
    }

    /// Holograms to `tall`.
    fn extend_measured_columns(&mut self, holograms: &[Complex<T>]) {
        let (row, col) = Extent::of(&self.settings.grid);
        let Prediction { scales, ones, tall, .. } = &mut *self.prediction;
        for_groups(self.workers, tall, col.total, row.measured, |worker, group, out| {
            let Group { hologram, line, count } = group;
            let first = hologram * col.measured * row.measured + line;
            let scale = scales[hologram];
            let lines = Lines { data: holograms, first, count, line: 1, sample: row.measured, scale };
            worker.extend_cols(lines, Weights { samples: ones, lines: &[T::one(); LANES] }, out);
        });
    }

    /// `tall` to `corners`, which get half the weight of the window.
    fn extend_corners(&mut self) {
        let (row, col) = Extent::of(&self.settings.grid);
        let Prediction { scales, window_y, window_x, tall, corners, .. } = &mut *self.prediction;
        for_groups(self.workers, corners, row.total, col.after(), |worker, group, out| {
            let (hologram, y) = (group.hologram / 2, band_row(col, group.hologram % 2, group.line));
            let first = hologram * row.measured * col.total + y;
            let (count, sample) = (group.count, col.total);
            let lines = Lines { data: tall, first, count, line: 1, sample, scale: T::one() };
            let weights = line_weights(&window_y[y..], T::of(0.5) / scales[hologram]);
            worker.extend_rows(lines, Weights { samples: window_x, lines: &weights }, out);
        });
    }

    /// The mean of both predictions in the four corners of the field.
    fn average_corners(&mut self) {
        let (row, col) = Extent::of(&self.settings.grid);
        let (half, corners) = (T::of(0.5), &self.prediction.corners);
        for_groups(self.workers, self.field, col.total, row.total, |_, group, lines| {
            for band in 0..2 {
                let rows = if band == 0 { col.before } else { col.after() };
                for l in 0..rows {
                    let y = band_row(col, band, l);
                    let at = ((2 * group.hologram + band) * col.after() + l) * row.total + group.line;
                    let others = corners[at..].iter().zip(lines.chunks_exact_mut(col.total));
                    for (x, (other, line)) in (group.line..).zip(others) {
                        if !row.is_measured(x) {
                            line[y] = line[y] * half + other;
                        }
                    }
                }
            }
        });
    }
}

/// Row of the grid of line l above (band 0) or below the aperture.
fn band_row(col: Extent, band: usize, l: usize) -> usize {
    if band == 0 { l } else { col.before + col.measured + l }
}

/// Up to sixteen weights of a window times a factor.
fn line_weights<T: Real>(window: &[T], factor: T) -> [T; LANES] {
    let mut weights = [T::zero(); LANES];
    for (weight, w) in weights.iter_mut().zip(window) {
        *weight = *w * factor;
    }
    weights
}
