//! LU with partial pivoting of some columns, on one thread.
//!
//! Columns are halved (Toledo's recursion): the left half is factored, its factor is taken from the right
//! half by a product, and what is left of that is factored. A pivot is the greatest |re| + |im|.

use super::triangle::{inverse, lower};
use super::{Products, add, read, rows, split};
use crate::product::Part;
use num_complex::Complex;
use numerics::simd::vectorised;
use pulp::{Arch, Simd, WithSimd};

/// Columns that are factored one by one.
const FEW: usize = 4;
/// Entries of a column that are compared side by side.
const LANES: usize = 16;

/// Factors columns that are at least as long as they are many: row `i` has changed places with row `swaps[i]
/// >= i`, in this order.
pub fn factor<P: Part>(panel: &mut [&mut [Complex<P>]], products: &mut Products<P>) -> Vec<usize> {
    let width = panel.len();
    if width <= FEW {
        return few(panel, products.arch);
    }
    let half = (width / 2).next_multiple_of(FEW);
    let (left, right) = panel.split_at_mut(half);
    let mut swaps = factor(left, products);
    exchange(right, &swaps);
    let (mut top, mut bottom) = split(right, half);
    let done = read(left);
    lower(&rows(&done, 0..half), &mut top, products);
    products.take(&mut bottom, &rows(&done, half..done[0].len()), &read(&top));
    let more = factor(&mut bottom, products);
    exchange(&mut split(left, half).1, &more);
    swaps.extend(more.into_iter().map(|row| half + row));
    swaps
}

/// One column after another.
fn few<P: Part>(panel: &mut [&mut [Complex<P>]], arch: Arch) -> Vec<usize> {
    let mut swaps = Vec::with_capacity(panel.len());
    for j in 0..panel.len() {
        let pivot = j + arch.dispatch(Pivot(&panel[j][j..]));
        swaps.push(pivot);
        panel.iter_mut().for_each(|column| column.swap(j, pivot));
        let (done, rest) = panel.split_at_mut(j + 1);
        let (head, below) = done[j].split_at_mut(j + 1);
        // Below a pivot of nothing is nothing.
        if head[j] != Complex::default() {
            let factor = inverse(head[j]);
            vectorised(
                #[inline(always)]
                || below.iter_mut().for_each(|value| *value *= factor),
            );
        }
        let factors: Vec<Complex<P>> = rest.iter().map(|column| -column[j]).collect();
        let factors: Vec<&[Complex<P>]> = factors.chunks(1).collect();
        add(arch, &mut split(rest, j + 1).1, &[below], &factors);
    }
    swaps
}

/// Finds the first of the greatest entries.
struct Pivot<'a, P>(&'a [Complex<P>]);

impl<P: Part> WithSimd for Pivot<'_, P> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let greater = |a: P, b: P| if b > a { b } else { a };
        let (steps, rest) = self.0.as_chunks::<LANES>();
        let mut most = [P::zero(); LANES];
        for step in steps {
            most.iter_mut().zip(step).for_each(|(most, value)| *most = greater(*most, value.l1_norm()));
        }
        let greatest = most.into_iter().chain(rest.iter().map(Complex::l1_norm)).fold(P::zero(), greater);
        self.0.iter().position(|value| value.l1_norm() == greatest).unwrap_or(0)
    }
}

/// Exchanges rows as a factored panel did.
pub fn exchange<T>(columns: &mut [&mut [T]], swaps: &[usize]) {
    for column in columns {
        swaps.iter().enumerate().for_each(|(row, other)| column.swap(row, *other));
    }
}
