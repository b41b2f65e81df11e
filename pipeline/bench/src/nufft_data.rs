//! Points, values and exact sums of the benchmarks of sums over points.

use nufft::{Precision, Type, reference};
use num_complex::Complex;
use numerics::random::SplitMix64;
use numerics::real::widened;
use rayon::prelude::*;
use std::f64::consts::PI;

/// What is transformed.
pub(crate) struct Data<T> {
    /// x and y, radians.
    pub(crate) points: [Vec<f64>; 2],
    pub(crate) strengths: Vec<Complex<T>>,
    /// Modes along each axis.
    pub(crate) modes: usize,
    pub(crate) f: Vec<Complex<T>>,
}

impl<T: Precision> Data<T> {
    /// Points and values without order.
    pub(crate) fn new(points: usize, modes: usize) -> Self {
        let mut random = SplitMix64::new(7);
        let mut number = |scale: f64| T::of(scale * (2.0 * random.uniform() - 1.0));
        let mut coordinates = || (0..points).map(|_| number(PI).to_f64()).collect();
        let points_xy = [coordinates(), coordinates()];
        let mut values = |count: usize| (0..count).map(|_| Complex::new(number(1.0), number(1.0))).collect();
        Self { points: points_xy, strengths: values(points), modes, f: values(modes * modes) }
    }

    /// What is summed.
    pub(crate) fn input(&self, kind: Type) -> &[Complex<T>] {
        if kind == Type::One { &self.strengths } else { &self.f }
    }

    /// Length of a result.
    pub(crate) fn output(&self, kind: Type) -> usize {
        if kind == Type::One { self.f.len() } else { self.strengths.len() }
    }

    /// Direct sums at `samples` places of the result, without order: their indices and values.
    pub(crate) fn exact(&self, kind: Type, samples: usize) -> (Vec<usize>, Vec<Complex<f64>>) {
        let length = self.output(kind);
        // Multiples of the golden ratio fill the circle evenly.
        let place = |i: usize| ((i as f64 + 0.5) * 0.618_033_988_749_895).fract();
        let indices: Vec<usize> = (0..samples).map(|i| (place(i) * length as f64) as usize).collect();
        let [x, y] = &self.points;
        let exact: Vec<Vec<Complex<f64>>> = if kind == Type::One {
            let mode = |i: usize| i as f64 - (self.modes / 2) as f64;
            let strengths: Vec<_> = self.strengths.iter().map(widened).collect();
            let at = |i: &usize| {
                let (kx, ky) = (mode(i % self.modes), mode(i / self.modes));
                reference::type_3(&[x, y], &strengths, &[&[kx], &[ky]], -1.0)
            };
            indices.par_iter().map(at).collect()
        } else {
            let f: Vec<_> = self.f.iter().map(widened).collect();
            let at = |i: &usize| reference::type_2(&[&[x[*i]], &[y[*i]]], &f, &[self.modes; 2], -1.0);
            indices.par_iter().map(at).collect()
        };
        (indices, exact.into_iter().flatten().collect())
    }
}

pub(crate) fn error(found: &[Complex<f64>], exact: &[Complex<f64>]) -> f64 {
    let apart: f64 = found.iter().zip(exact).map(|(f, e)| (f - e).norm_sqr()).sum();
    (apart / exact.iter().map(|e| e.norm_sqr()).sum::<f64>()).sqrt()
}
