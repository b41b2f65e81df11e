//! Substitution: right-hand sides are replaced by solutions of triangular systems.
//!
//! A triangle is halved down to blocks of [`BLOCK`] rows, for which several right-hand sides are the lanes of
//! a register; between the halves is a product.

use super::{Inner, Products, read, rows, split};
use crate::product::Part;
use num_complex::Complex;
use pulp::bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Simd, WithSimd};

/// Rows of a block that is solved entry by entry.
const BLOCK: usize = 32;

/// L X = B, with ones on the diagonal of L.
pub fn lower<P: Part>(l: &[&[Complex<P>]], x: &mut [&mut [Complex<P>]], products: &mut Products<P>) {
    let size = l.len();
    if size <= BLOCK {
        return products.arch.dispatch(Block::<P, false> { triangle: l, x });
    }
    let half = (size / 2).next_multiple_of(BLOCK);
    let (left, right) = l.split_at(half);
    let (mut top, mut bottom) = split(x, half);
    lower(&rows(left, 0..half), &mut top, products);
    products.take(&mut bottom, &rows(left, half..size), &read(&top));
    lower(&rows(right, half..size), &mut bottom, products);
}

/// U X = B.
pub fn upper<P: Part>(u: &[&[Complex<P>]], x: &mut [&mut [Complex<P>]], products: &mut Products<P>) {
    let size = u.len();
    if size <= BLOCK {
        return products.arch.dispatch(Block::<P, true> { triangle: u, x });
    }
    let half = (size / 2).next_multiple_of(BLOCK);
    let (left, right) = u.split_at(half);
    let (mut top, mut bottom) = split(x, half);
    upper(&rows(right, half..size), &mut bottom, products);
    products.take(&mut top, &rows(right, 0..half), &read(&bottom));
    upper(&rows(left, 0..half), &mut top, products);
}

/// (L U)^H x = b of one matrix that holds both.
pub fn adjoint<P: Part>(factors: &[&[Complex<P>]], x: &mut [Complex<P>]) {
    for (j, column) in factors.iter().enumerate() {
        x[j] = (x[j] - Inner::of(&column[..j], &x[..j]).conjugate()) * inverse(column[j]).conj();
    }
    for (j, column) in factors.iter().enumerate().rev() {
        x[j] -= Inner::of(&column[j + 1..], &x[j + 1..]).conjugate();
    }
}

/// 1/z, without squares that leave the range of numbers.
pub fn inverse<P: Part>(z: Complex<P>) -> Complex<P> {
    let scale = z.l1_norm().recip();
    let scaled = z.scale(scale);
    scaled.conj().scale(scale / scaled.norm_sqr())
}

struct Block<'a, 'b, P, const UPPER: bool> {
    triangle: &'a [&'a [Complex<P>]],
    x: &'a mut [&'b mut [Complex<P>]],
}

impl<P: Part, const UPPER: bool> WithSimd for Block<'_, '_, P, UPPER> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let size = self.triangle.len();
        let lanes = size_of::<P::Register<S>>() / size_of::<P>();
        let mut inverses = [Complex::default(); BLOCK];
        if UPPER {
            for (j, (value, column)) in inverses.iter_mut().zip(self.triangle).enumerate() {
                *value = inverse(column[j]);
            }
        }
        let mut parts = [[P::splat(simd, P::zero()); 2]; BLOCK];
        for some in self.x.chunks_mut(lanes) {
            let places: &mut [P] = cast_slice_mut(&mut parts);
            for (lane, x) in some.iter().enumerate() {
                let parts: &[P] = cast_slice(&x[..size]);
                places[lane..].iter_mut().step_by(lanes).zip(parts).for_each(|(place, part)| *place = *part);
            }
            for step in 0..size {
                let j = if UPPER { size - 1 - step } else { step };
                if UPPER {
                    parts[j] = times(simd, [P::splat(simd, P::zero()); 2], parts[j], inverses[j]);
                }
                let from = parts[j];
                let rest = if UPPER { 0..j } else { j + 1..size };
                for (to, factor) in parts[rest.clone()].iter_mut().zip(&self.triangle[j][rest]) {
                    *to = times(simd, *to, from, -factor);
                }
            }
            let places: &[P] = cast_slice(&parts);
            for (lane, x) in some.iter_mut().enumerate() {
                let parts: &mut [P] = cast_slice_mut(&mut x[..size]);
                parts
                    .iter_mut()
                    .zip(places[lane..].iter().step_by(lanes))
                    .for_each(|(part, place)| *part = *place);
            }
        }
    }
}

/// Adds the product with a factor.
#[inline(always)]
fn times<S: Simd, P: Part>(
    simd: S,
    [re, im]: [P::Register<S>; 2],
    from: [P::Register<S>; 2],
    factor: Complex<P>,
) -> [P::Register<S>; 2] {
    let [real, positive, negative] = [factor.re, factor.im, -factor.im].map(|part| P::splat(simd, part));
    [
        P::multiply_add(simd, negative, from[1], P::multiply_add(simd, real, from[0], re)),
        P::multiply_add(simd, positive, from[0], P::multiply_add(simd, real, from[1], im)),
    ]
}
