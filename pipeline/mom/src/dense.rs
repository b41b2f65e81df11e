//! Dense complex matrices as lists of columns, and their products.
//!
//! A matrix that is read is a slice of columns, `&[&[T]]`, one that is written is a slice of columns that are
//! written: columns are parted by parting the list, rows by parting every column ([`split`]).
//!
//! With few columns on the right, or few terms of a sum, a product is bound by memory: the left factor is
//! read once, column by column. Else it is [`Left`]'s.

pub mod orthogonal;
pub mod panel;
#[cfg(test)]
mod tests;
pub mod triangle;

use super::hankel::C;
use super::product::{Left, Part};
use num_complex::Complex;
use numerics::simd::{Kernel, dispatch, multiply_add};
use pulp::bytemuck::{cast_slice, cast_slice_mut};
use pulp::{Arch, Simd, WithSimd};

/// Fewest columns on the right for which copies of both factors pay.
pub const FEWEST: usize = 4;
/// Fewest terms of a sum for which they do.
const FEWEST_TERMS: usize = 20;
/// Terms of a sum that are copied at once: copies stay in the second cache.
const TERMS: usize = 128;
/// Columns of a left factor that are read together.
const TOGETHER: usize = 4;
/// Real and imaginary parts of a step.
const STEP: usize = 16;

/// A matrix that owns its entries.
#[derive(Debug, Clone)]
pub struct Matrix<T> {
    rows: usize,
    /// Column by column.
    entries: Vec<T>,
}

impl<T: Copy> Matrix<T> {
    /// Rows times columns of entries by their row and column.
    pub fn of(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> T) -> Self {
        let entries = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
        Self { rows, entries: entries.map(|(i, j)| entry(i, j)).collect() }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Column by column.
    pub fn entries(&self) -> &[T] {
        &self.entries
    }

    pub fn columns(&self) -> Vec<&[T]> {
        columns(&self.entries, self.rows)
    }

    pub fn columns_mut(&mut self) -> Vec<&mut [T]> {
        columns_mut(&mut self.entries, self.rows)
    }

    /// The transpose of columns of some rows.
    pub fn transpose(columns: &[&[T]], rows: usize) -> Self {
        Self::of(columns.len(), rows, |i, j| columns[i][j])
    }
}

/// Columns of `rows` entries that lie one after another.
pub fn columns<T>(entries: &[T], rows: usize) -> Vec<&[T]> {
    entries.chunks_exact(rows.max(1)).collect()
}

/// The same, to be written.
pub fn columns_mut<T>(entries: &mut [T], rows: usize) -> Vec<&mut [T]> {
    entries.chunks_exact_mut(rows.max(1)).collect()
}

/// Rows of columns that are read.
pub fn rows<'a, T>(columns: &[&'a [T]], rows: std::ops::Range<usize>) -> Vec<&'a [T]> {
    columns.iter().map(|column| &column[rows.clone()]).collect()
}

/// Columns that are written, to be read.
pub fn read<'a, T>(columns: &'a [&mut [T]]) -> Vec<&'a [T]> {
    columns.iter().map(|column| &**column).collect()
}

/// The rows before a row, and those from it on.
pub fn split<'a, T>(columns: &'a mut [&mut [T]], at: usize) -> (Vec<&'a mut [T]>, Vec<&'a mut [T]>) {
    columns.iter_mut().map(|column| column.split_at_mut(at)).unzip()
}

/// How a thread makes products: the same way on all threads that share the columns on the right, so that
/// results do not depend on the number of threads.
pub struct Products<P> {
    pub arch: Arch,
    /// Memory for copies of left factors, if they pay.
    copies: Option<Left<P>>,
}

impl<P: Part> Products<P> {
    /// For so many columns on the right, on all threads together.
    pub fn new(arch: Arch, columns: usize) -> Self {
        Self { arch, copies: (columns >= FEWEST).then(|| Left::new(arch)) }
    }

    /// Y - A X.
    pub fn take(&mut self, y: &mut [&mut [Complex<P>]], a: &[&[Complex<P>]], x: &[&[Complex<P>]]) {
        match &mut self.copies {
            Some(copy) if a.len() >= FEWEST_TERMS => {
                for (at, a) in a.chunks(TERMS).enumerate() {
                    copy.pack_alone(a);
                    copy.take(y, &rows(x, at * TERMS..at * TERMS + a.len()));
                }
            }
            _ => self.arch.dispatch(Add { y, a, x, sign: -P::one() }),
        }
    }
}

/// How a product reads its left factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    /// A^T.
    Transpose,
    /// A^H.
    Adjoint,
    /// The conjugate of A.
    Conjugate,
}

/// Y + A X on this thread, with A in a form.
pub fn add_product(y: &mut [&mut [C]], form: Form, a: &[&[C]], x: &[&[C]]) {
    let opposite: Vec<Vec<C>> = x.iter().map(|x| x.iter().map(|x| -x).collect()).collect();
    take_product(y, form, a, &opposite.iter().map(|x| &x[..]).collect::<Vec<_>>());
}

/// Y - A X on this thread, with A in a form.
pub fn take_product(y: &mut [&mut [C]], form: Form, a: &[&[C]], x: &[&[C]]) {
    let mut products = Products::new(Arch::new(), x.len());
    match form {
        Form::Plain => products.take(y, a, x),
        Form::Transpose if x.len() >= FEWEST => {
            let transpose = Matrix::transpose(a, a.first().map_or(0, |column| column.len()));
            products.take(y, &transpose.columns(), x);
        }
        Form::Transpose => dots(y, a, x, Inner::plain),
        Form::Adjoint => dots(y, a, x, Inner::conjugate),
        Form::Conjugate => {
            let conjugate: Vec<Vec<C>> = x.iter().map(|x| x.iter().map(C::conj).collect()).collect();
            y.iter_mut().for_each(|y| conjugated(y));
            products.take(y, a, &conjugate.iter().map(|x| &x[..]).collect::<Vec<_>>());
            y.iter_mut().for_each(|y| conjugated(y));
        }
    }
}

fn conjugated(values: &mut [C]) {
    values.iter_mut().for_each(|value| *value = value.conj());
}

/// Takes products of columns.
fn dots(y: &mut [&mut [C]], a: &[&[C]], x: &[&[C]], product: impl Fn(Inner<f64>) -> C) {
    for (y, x) in y.iter_mut().zip(x) {
        y.iter_mut().zip(a).for_each(|(y, a)| *y -= product(Inner::of(a, x)));
    }
}

/// Y + A X for few columns, or few terms of sums.
pub fn add<P: Part>(arch: Arch, y: &mut [&mut [Complex<P>]], a: &[&[Complex<P>]], x: &[&[Complex<P>]]) {
    arch.dispatch(Add { y, a, x, sign: P::one() });
}

struct Add<'a, 'b, P> {
    y: &'a mut [&'b mut [Complex<P>]],
    a: &'a [&'a [Complex<P>]],
    x: &'a [&'a [Complex<P>]],
    sign: P,
}

impl<P: Part> WithSimd for Add<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { y, a, x, sign } = self;
        let (together, rest) = a.as_chunks::<TOGETHER>();
        for (y, x) in y.iter_mut().zip(x) {
            let (x, x_rest) = x[..a.len()].as_chunks::<TOGETHER>();
            for (a, x) in together.iter().zip(x) {
                scaled(simd, y, a, &x.map(|x| x * sign));
            }
            for (a, x) in rest.iter().zip(x_rest) {
                scaled(simd, y, &[*a], &[*x * sign]);
            }
        }
    }
}

/// Adds columns times factors.
#[inline(always)]
fn scaled<S: Simd, P: Part, const N: usize>(
    simd: S,
    y: &mut [Complex<P>],
    columns: &[&[Complex<P>]; N],
    factors: &[Complex<P>; N],
) {
    let columns = columns.map(|column| &column[..y.len()]);
    let pairs = columns.map(|column| P::registers::<S>(cast_slice(column)).as_chunks::<2>().0);
    let splat = factors.map(|factor| [factor.re, factor.im].map(|part| P::splat(simd, part)));
    let y_pairs = P::registers_mut::<S>(cast_slice_mut(y)).as_chunks_mut::<2>().0;
    let done = size_of_val(y_pairs) / size_of::<Complex<P>>();
    for (at, y) in y_pairs.iter_mut().enumerate() {
        // Products with real parts, and those with imaginary parts, whose places are changed at the end.
        let (mut same, mut turned) = (*y, [P::splat(simd, P::zero()); 2]);
        for (pairs, [re, im]) in pairs.iter().zip(&splat) {
            for i in 0..2 {
                same[i] = P::multiply_add(simd, *re, pairs[at][i], same[i]);
                turned[i] = P::multiply_add(simd, *im, pairs[at][i], turned[i]);
            }
        }
        let ([re, im], [to_im, from_re]) = (P::apart(simd, same), P::apart(simd, turned));
        *y = P::together(simd, [P::minus(simd, re, from_re), P::plus(simd, im, to_im)]);
    }
    for (column, factor) in columns.iter().zip(factors) {
        y[done..].iter_mut().zip(&column[done..]).for_each(|(y, x)| *y += factor * x);
    }
}

/// Sums of products of two columns.
#[derive(Debug, Clone, Copy)]
pub struct Inner<P> {
    /// Of real parts, and of imaginary parts.
    same: [P; 2],
    /// Of a's real with b's imaginary parts, and of a's imaginary with b's real parts.
    mixed: [P; 2],
}

impl<P: Part> Inner<P> {
    pub fn of(a: &[Complex<P>], b: &[Complex<P>]) -> Self {
        let mut inner = Self { same: [P::zero(); 2], mixed: [P::zero(); 2] };
        dispatch(Sum { a, b, inner: &mut inner });
        inner
    }

    /// Sum of a b.
    pub fn plain(self) -> Complex<P> {
        Complex::new(self.same[0] - self.same[1], self.mixed[0] + self.mixed[1])
    }

    /// Sum of conj(a) b.
    pub fn conjugate(self) -> Complex<P> {
        Complex::new(self.same[0] + self.same[1], self.mixed[0] - self.mixed[1])
    }
}

struct Sum<'a, P> {
    a: &'a [Complex<P>],
    b: &'a [Complex<P>],
    inner: &'a mut Inner<P>,
}

impl<P: Part> Kernel for Sum<'_, P> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let (mut same, mut mixed) = ([P::zero(); STEP], [P::zero(); STEP]);
        let (a, a_rest) = cast_slice::<_, P>(self.a).as_chunks::<STEP>();
        let (b, b_rest) = cast_slice::<_, P>(self.b).as_chunks::<STEP>();
        for (a, b) in a.iter().zip(b) {
            for i in 0..STEP {
                same[i] = multiply_add::<P, FMA>(a[i], b[i], same[i]);
            }
            for i in 0..STEP {
                mixed[i] = multiply_add::<P, FMA>(a[i], b[i ^ 1], mixed[i]);
            }
        }
        for (a, b) in a_rest.as_chunks::<2>().0.iter().zip(b_rest.as_chunks::<2>().0) {
            for i in 0..2 {
                same[i] = multiply_add::<P, FMA>(a[i], b[i], same[i]);
                mixed[i] = multiply_add::<P, FMA>(a[i], b[1 - i], mixed[i]);
            }
        }
        for (same, mixed) in same.as_chunks::<2>().0.iter().zip(mixed.as_chunks::<2>().0) {
            for i in 0..2 {
                self.inner.same[i] += same[i];
                self.inner.mixed[i] += mixed[i];
            }
        }
    }
}
