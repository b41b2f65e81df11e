//! The power of elements on an even lattice: a convolution, as a product in a transform of twice the lattice.

use super::super::Model;
use super::{Kernel, Lattice};
use nufft::design::smooth;
use num_complex::Complex;
use numerics::real::Real;

/// What excitations' transform is multiplied by.
#[derive(Debug, Clone, PartialEq)]
pub struct Convolution {
    /// Points of the transforms along x and y.
    pub n: [usize; 2],
    /// Transform of the kernel, `[kx][ky]`, over n_x n_y.
    pub weights: Vec<f64>,
}

impl Convolution {
    /// For a lattice with pitches, m.
    pub fn new(model: &Model, lattice: &Lattice, pitch: [f64; 2]) -> Self {
        let n = [lattice.x.len(), lattice.y.len()].map(|lines| smooth(2 * lines - 1));
        let beta = model.wavenumber();
        let far = |i: usize, axis: usize| i.min(n[axis] - i) as f64 * pitch[axis];
        let kernel = Kernel::new(model.pattern.exponent(), beta * far(n[0] / 2, 0).hypot(far(n[1] / 2, 1)));
        let scale = 1.0 / (n[0] * n[1]) as f64;
        let value =
            |x: usize, y: usize| Complex::new(scale * kernel.value(beta * far(x, 0).hypot(far(y, 1))), 0.0);
        let transforms = f64::transforms(&n);
        let mut values: Vec<_> =
            (0..n[0]).flat_map(|x| (0..n[1]).map(move |y| (x, y))).map(|(x, y)| value(x, y)).collect();
        transforms[1][0].process(&mut values);
        let mut turned = transposed(&values, n);
        transforms[0][0].process(&mut turned);
        let weights = transposed(&turned, [n[1], n[0]]).iter().map(|value| value.re).collect();
        Self { n, weights }
    }

    /// The weights `[ky][kx]`.
    pub fn by_rows(&self) -> Vec<f64> {
        transposed(&self.weights, self.n)
    }
}

/// `[j][i]` of `[i][j]`.
fn transposed<T: Copy>(values: &[T], [rows, columns]: [usize; 2]) -> Vec<T> {
    (0..columns).flat_map(|j| (0..rows).map(move |i| values[i * columns + j])).collect()
}
