//! Sums over long vectors, in lanes, so that they are vector instructions and the same bits everywhere.

use numerics::simd::{Kernel, dispatch, multiply_add};

/// Partial sums of a dot product. More than a register holds, so that additions do not wait for each other.
const LANES: usize = 16;

struct Dot<'a> {
    a: &'a [f64],
    b: &'a [f64],
    sum: &'a mut f64,
}

impl Kernel for Dot<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let mut sums = [0.0; LANES];
        let (a, a_rest) = self.a.as_chunks::<LANES>();
        let (b, b_rest) = self.b.as_chunks::<LANES>();
        for (a, b) in a.iter().zip(b) {
            for ((sum, &a), &b) in sums.iter_mut().zip(a).zip(b) {
                *sum = multiply_add::<_, FMA>(a, b, *sum);
            }
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        *self.sum = sums.iter().sum::<f64>() + rest;
    }
}

/// a . b
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    dispatch(Dot { a, b, sum: &mut sum });
    sum
}

struct Add<'a> {
    to: &'a mut [f64],
    factor: f64,
    from: &'a [f64],
}

impl Kernel for Add<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        for (to, &from) in self.to.iter_mut().zip(self.from) {
            *to = multiply_add::<_, FMA>(self.factor, from, *to);
        }
    }
}

/// `to` += `factor` `from`.
pub fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    dispatch(Add { to, factor, from });
}
