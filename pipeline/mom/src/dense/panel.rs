//! LU with partial pivoting of some columns, on one thread.
//!
//! Columns are halved (Toledo's recursion): the left half is factored, its factor is taken from the right
//! half by a product, and what is left of that is factored. A pivot is the greatest |re| + |im|.

use super::triangle::{inverse, lower};
use super::{Products, add, read, rows, split};
use crate::product::Part;
use num_complex::Complex;
use pulp::Arch;

/// Columns that are factored one by one.
const FEW: usize = 4;

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
        let mut pivot = (j, P::zero());
        for (row, value) in panel[j].iter().enumerate().skip(j) {
            if value.l1_norm() > pivot.1 {
                pivot = (row, value.l1_norm());
            }
        }
        swaps.push(pivot.0);
        panel.iter_mut().for_each(|column| column.swap(j, pivot.0));
        let (done, rest) = panel.split_at_mut(j + 1);
        let (head, below) = done[j].split_at_mut(j + 1);
        // Below a pivot of nothing is nothing.
        if head[j] != Complex::default() {
            let factor = inverse(head[j]);
            below.iter_mut().for_each(|value| *value *= factor);
        }
        let factors: Vec<Complex<P>> = rest.iter().map(|column| -column[j]).collect();
        let factors: Vec<&[Complex<P>]> = factors.chunks(1).collect();
        add(arch, &mut split(rest, j + 1).1, &[below], &factors);
    }
    swaps
}

/// Exchanges rows as a factored panel did.
pub fn exchange<T>(columns: &mut [&mut [T]], swaps: &[usize]) {
    for column in columns {
        swaps.iter().enumerate().for_each(|(row, other)| column.swap(row, *other));
    }
}
