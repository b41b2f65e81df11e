//! Two-dimensional DFT in place, `f64`, for estimates that are made now and then; the hot path is `cpu.rs`.

use num_complex::Complex;
use numerics::real::Real;
use rustfft::Fft;
use std::sync::Arc;

/// Forward and inverse transforms of `rows` x `cols`.
pub(super) struct Fft2 {
    rows: usize,
    cols: usize,
    /// Of rows and of columns; forward and inverse.
    transforms: Vec<[Arc<dyn Fft<f64>>; 2]>,
}

impl Fft2 {
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        Self { rows, cols, transforms: f64::transforms(&[cols, rows]) }
    }

    /// sum x exp(-j ..), no scale.
    pub(super) fn forward(&self, grid: &mut Vec<Complex<f64>>) {
        self.run(0, grid);
    }

    /// The inverse: divides by the number of points.
    pub(super) fn inverse(&self, grid: &mut Vec<Complex<f64>>) {
        self.run(1, grid);
        let scale = 1.0 / grid.len() as f64;
        grid.iter_mut().for_each(|x| *x *= scale);
    }

    fn run(&self, direction: usize, grid: &mut Vec<Complex<f64>>) {
        self.transforms[0][direction].process(grid);
        let mut turned = transposed(grid, self.cols);
        self.transforms[1][direction].process(&mut turned);
        *grid = transposed(&turned, self.rows);
    }
}

/// An array with rows of `cols` values, column by column.
pub(super) fn transposed<T: Copy>(array: &[T], cols: usize) -> Vec<T> {
    let mut turned = Vec::with_capacity(array.len());
    (0..cols).for_each(|x| turned.extend(array.iter().skip(x).step_by(cols).copied()));
    turned
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn equals_the_double_sum_and_comes_back() {
        let (rows, cols) = (6, 5);
        let grid: Vec<Complex<f64>> =
            (0..30).map(|i| Complex::new(f64::from(i * i % 7), f64::from(i % 4) - 1.0)).collect();
        let mut transformed = grid.clone();
        let fft = Fft2::new(rows, cols);
        fft.forward(&mut transformed);
        for (index, value) in transformed.iter().enumerate() {
            let (v, u) = (index / cols, index % cols);
            let sum: Complex<f64> = (0..30)
                .map(|i| {
                    let turns = (v * (i / cols)) as f64 / rows as f64 + (u * (i % cols)) as f64 / cols as f64;
                    grid[i] * Complex::from_polar(1.0, -TAU * turns)
                })
                .sum();
            // 30 terms under 8 with arguments under 8 turns: 30 * 8 * 50 eps.
            assert!((value - sum).norm() < 3e-12, "{index}: {value} {sum}");
        }
        fft.inverse(&mut transformed);
        assert!(transformed.iter().zip(&grid).all(|(a, b)| (a - b).norm() < 1e-13));
    }
}
