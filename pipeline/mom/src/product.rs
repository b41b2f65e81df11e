//! C - A B of complex matrices with three real products instead of four (Gauss's; "3M").
//!
//! ```text
//! T1 = Re A Re B    T2 = Im A Im B    T3 = (Re A + Im A) (Re B + Im B)
//! Re C - T1 + T2    Im C - (T3 - T1 - T2)
//! ```
//!
//! That is a quarter less arithmetic, and every instruction is a multiply-add of as many rows as a register holds. Both factors are copied into
//! the order in which they are read, A once for all threads ([`Left::pack`]), B by each for its columns.
//!
//! Rounding: with depth K, u = EPSILON/2 and moduli of entries, to the first order in u,
//!
//! ```text
//! |Re error| <= (K + 3) u (|A| |B| + |C|)    |Im error| <= 3 (K + 4) u (|A| |B| + |C|)
//! ```
//!
//! since (|Re a| + |Im a|) (|Re b| + |Im b|) <= 2 |a| |b| and |Re a Re b| + |Im a Im b| <= |a| |b|. The common product has about (K + 3) u for both. What is lost is the accuracy of an
//! imaginary part that is small beside its real part (Higham, Accuracy and stability, 23.2.4); elimination rounds by moduli anyway, and stays
//! as stable. What is no number or infinite leaves no number.
//!
//! Sums have one order, whatever the sizes: a column of C has the same bits alone and among others.

mod part;
#[cfg(test)]
mod tests;

pub use part::Part;

use faer::{MatMut, MatRef};
use num_complex::Complex;
use numerics::parallel;
use pulp::bytemuck::{Zeroable, cast_slice, cast_slice_mut};
use pulp::{Arch, Simd, WithSimd};
use std::marker::PhantomData;

/// Registers of rows in a tile of C; with [`MANY`] or [`FEW`] columns its sums leave some registers for the factors.
const TALL: usize = 3;
/// Columns of a tile where there are 32 registers, and where there are 16.
const MANY: usize = 8;
const FEW: usize = 4;
/// Rows of tiles that stay in the second cache while the columns go by.
const BLOCK: usize = 4;
/// Columns of B that are copied at once: a multiple of both widths of tiles.
const COLUMNS: usize = 240;
/// Rows of a tile of 32-bit numbers in the widest registers.
const MOST_ROWS: usize = TALL * 16;
/// Terms of a sum between two requests for what will be needed soon: more at once would hold up what is needed now.
const TERMS: usize = 8;
/// Rows of B that are copied at once, so that they stay in the first cache.
const ROWS: usize = 16;
/// Bytes of a cache line: no load of a register touches two.
const LINE: usize = 64;

/// A copy of the left factor: for every tile's rows three planes, real parts, imaginary parts and their sums, each column by column.
pub struct Left<P> {
    arch: Arch,
    planes: Vec<P>,
    /// Where the first cache line begins.
    skip: usize,
    rows: usize,
    depth: usize,
}

impl<P: Part> Left<P> {
    /// Nothing, for products with an instruction set.
    pub fn new(arch: Arch) -> Self {
        Self { arch, planes: Vec::new(), skip: 0, rows: 0, depth: 0 }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Copies a factor, with all threads. Its columns lie in one piece.
    pub fn pack(&mut self, left: MatRef<'_, Complex<P>>) {
        assert_eq!(left.row_stride(), 1);
        (self.rows, self.depth) = (left.nrows(), left.ncols());
        let tall = self.arch.dispatch(Tall::<P>(PhantomData));
        let block = 3 * BLOCK * tall * self.depth;
        let needed = 3 * self.rows.next_multiple_of(tall) * self.depth;
        let spare = LINE / size_of::<P>();
        if self.planes.len() < needed + spare {
            self.planes.resize(needed + spare, P::zeroed());
        }
        self.skip = self.planes.as_ptr().align_offset(LINE).min(spare);
        parallel::parts(&mut self.planes[self.skip..][..needed], block, &|at, planes| {
            let first = at * BLOCK * tall;
            let rows = left.subrows(first, (left.nrows() - first).min(BLOCK * tall));
            self.arch.dispatch(Block { rows, planes });
        });
    }

    /// Takes the product of this and another factor from a matrix, on this thread. Columns of both lie in one piece.
    pub fn take(&self, from: MatMut<'_, Complex<P>>, right: MatRef<'_, Complex<P>>) {
        assert_eq!([from.nrows(), right.nrows(), right.ncols()], [self.rows, self.depth, from.ncols()]);
        assert_eq!([from.row_stride(), right.row_stride()], [1; 2]);
        self.arch.dispatch(Take { left: self, right, from });
    }
}

#[inline(always)]
fn tall<S: Simd, P: Part>() -> usize {
    TALL * size_of::<P::Register<S>>() / size_of::<P>()
}

/// Asks for the rows of a tile.
struct Tall<P>(PhantomData<P>);

impl<P: Part> WithSimd for Tall<P> {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        tall::<S, P>()
    }
}

/// A block of rows of the left factor to be copied.
struct Block<'a, P> {
    rows: MatRef<'a, Complex<P>>,
    planes: &'a mut [P],
}

impl<P: Part> WithSimd for Block<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { rows, planes } = self;
        let depth = rows.ncols();
        let planes = P::registers_mut::<S>(planes).as_chunks_mut::<TALL>().0;
        let mut padded = vec![Complex::zeroed(); rows.nrows().next_multiple_of(tall::<S, P>())];
        for k in 0..depth {
            padded[..rows.nrows()].copy_from_slice(column(rows, k));
            let entries = P::registers::<S>(cast_slice(&padded)).as_chunks::<2>().0.as_chunks::<TALL>().0;
            for (planes, entries) in planes.chunks_exact_mut(3 * depth).zip(entries) {
                for (i, pair) in entries.iter().enumerate() {
                    let [re, im] = P::apart(simd, *pair);
                    planes[k][i] = re;
                    planes[depth + k][i] = im;
                    planes[2 * depth + k][i] = P::plus(simd, re, im);
                }
            }
        }
    }
}

struct Take<'a, P> {
    left: &'a Left<P>,
    right: MatRef<'a, Complex<P>>,
    from: MatMut<'a, Complex<P>>,
}

impl<P: Part> WithSimd for Take<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::REGISTER_COUNT >= 32 { self.tiles::<S, MANY>(simd) } else { self.tiles::<S, FEW>(simd) }
    }
}

impl<P: Part> Take<'_, P> {
    /// In tiles of `N` columns.
    #[inline(always)]
    fn tiles<S: Simd, const N: usize>(mut self, simd: S) {
        let (rows, depth) = (self.left.rows, self.left.depth);
        if rows == 0 || depth == 0 {
            return;
        }
        let (block, needed) = (BLOCK * tall::<S, P>(), 3 * rows.next_multiple_of(tall::<S, P>()) * depth);
        let left = P::registers::<S>(&self.left.planes[self.left.skip..][..needed]).as_chunks::<TALL>().0;
        let mut copied: Vec<[P; N]> = Vec::new();
        for first in (0..self.right.ncols()).step_by(COLUMNS) {
            let columns = COLUMNS.min(self.right.ncols() - first);
            copy_right(self.right.subcols(first, columns), &mut copied);
            for (at, part) in left.chunks(3 * depth * BLOCK).enumerate() {
                let top = at * block;
                let from = self.from.as_mut().submatrix_mut(top, first, block.min(rows - top), columns);
                let next = left.get(3 * depth * BLOCK * (at + 1)..).unwrap_or_default();
                tiles_of_block(simd, [part, next], &copied, depth, from);
            }
        }
    }
}

/// Tiles of a block of the left factor and all columns of the right that are copied; asks for the next block meanwhile.
#[inline(always)]
fn tiles_of_block<S: Simd, P: Part, const N: usize>(
    simd: S,
    [left, next]: [&[[P::Register<S>; TALL]]; 2],
    right: &[[P; N]],
    depth: usize,
    mut from: MatMut<'_, Complex<P>>,
) {
    let (rows, columns) = (from.nrows(), from.ncols());
    let mut next = next.chunks(depth.div_ceil(columns.div_ceil(N)));
    for (right, across) in right.chunks_exact(3 * depth).zip((0..columns).step_by(N)) {
        for (left, down) in left.chunks_exact(3 * depth).zip((0..rows).step_by(tall::<S, P>())) {
            let (tall, wide) = (tall::<S, P>().min(rows - down), N.min(columns - across));
            let from = from.as_mut().submatrix_mut(down, across, tall, wide);
            let mut sums = [[[P::splat(simd, P::zeroed()); TALL]; N]; 3];
            let planes = left.chunks_exact(depth).zip(right.chunks_exact(depth));
            for ((plane, sums), (left, right)) in sums.iter_mut().enumerate().zip(planes) {
                let ahead = Ahead { left: next.next().unwrap_or_default(), from: from.as_ref(), plane };
                *sums = real(simd, left, right, &ahead);
            }
            finish(simd, from, &sums);
        }
    }
}

/// Copies a right factor: for every `N` columns three planes as those of the left, each row by row; what is behind the last column does not matter.
#[inline(always)]
fn copy_right<P: Part, const N: usize>(right: MatRef<'_, Complex<P>>, copied: &mut Vec<[P; N]>) {
    let (depth, columns) = (right.nrows(), right.ncols());
    copied.resize(columns.div_ceil(N) * 3 * depth, [P::zeroed(); N]);
    for (planes, first) in copied.chunks_exact_mut(3 * depth).zip((0..).step_by(N)) {
        let (re, rest) = planes.split_at_mut(depth);
        let (im, sum) = rest.split_at_mut(depth);
        let planes = re.chunks_mut(ROWS).zip(im.chunks_mut(ROWS)).zip(sum.chunks_mut(ROWS));
        for (at, ((re, im), sum)) in planes.enumerate() {
            for j in 0..N.min(columns - first) {
                let entries = &column(right, first + j)[at * ROWS..][..re.len()];
                for (((entry, re), im), sum) in entries.iter().zip(&mut *re).zip(&mut *im).zip(&mut *sum) {
                    (re[j], im[j], sum[j]) = (entry.re, entry.im, entry.re + entry.im);
                }
            }
        }
    }
}

/// What will be needed soon: a part of the next block of the left factor, and, a third for each plane, the tile that the product will be taken from.
struct Ahead<'a, P, R> {
    left: &'a [[R; TALL]],
    from: MatRef<'a, Complex<P>>,
    plane: usize,
}

impl<P: Part, R> Ahead<'_, P, R> {
    #[inline(always)]
    fn fetch<const N: usize>(&self, step: usize) {
        if let Some(registers) = self.left.get(step) {
            registers.iter().for_each(fetch);
        }
        let each = const { N * 2 * TALL / 3 };
        let at = self.plane * each + step;
        let (i, j) = (at % (2 * TALL) * self.from.nrows() / (2 * TALL), at / (2 * TALL));
        if step < each && j < self.from.ncols() {
            fetch(&self.from[(i, j)]);
        }
    }
}

/// Asks for a line of memory, and does not wait for it.
#[inline(always)]
fn fetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = pulp::core_arch::x86::Sse::try_new() {
        sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(std::ptr::from_ref(value).cast());
    }
}

/// A real product of a tile's rows and columns.
#[inline(always)]
fn real<S: Simd, P: Part, const N: usize>(
    simd: S,
    left: &[[P::Register<S>; TALL]],
    right: &[[P; N]],
    ahead: &Ahead<'_, P, P::Register<S>>,
) -> [[P::Register<S>; TALL]; N] {
    let mut sums = [[P::splat(simd, P::zeroed()); TALL]; N];
    for (step, (left, right)) in left.chunks(TERMS).zip(right.chunks(TERMS)).enumerate() {
        ahead.fetch::<N>(step);
        for (a, b) in left.iter().zip(right) {
            for (sum, b) in sums.iter_mut().zip(b) {
                let b = P::splat(simd, *b);
                for (sum, a) in sum.iter_mut().zip(a) {
                    *sum = P::multiply_add(simd, *a, b, *sum);
                }
            }
        }
    }
    sums
}

/// Takes a tile's product, from the three real ones, from where it belongs.
#[inline(always)]
fn finish<S: Simd, P: Part, const N: usize>(
    simd: S,
    mut from: MatMut<'_, Complex<P>>,
    [one, two, three]: &[[[P::Register<S>; TALL]; N]; 3],
) {
    let mut padded = [Complex::zeroed(); MOST_ROWS];
    for (j, ((one, two), three)) in one.iter().zip(two).zip(three).enumerate().take(from.ncols()) {
        let column = from.as_mut().col_mut(j).try_as_col_major_mut();
        let column = column.map(|column| column.as_slice_mut()).unwrap_or_default();
        let (len, padded) = (column.len(), &mut padded[..]);
        let whole = len == tall::<S, P>();
        if !whole {
            padded[..len].copy_from_slice(column);
        }
        let entries = cast_slice_mut(if whole { &mut *column } else { &mut *padded });
        let entries = P::registers_mut::<S>(entries).as_chunks_mut::<2>().0;
        for (((pair, one), two), three) in entries.iter_mut().zip(one).zip(two).zip(three) {
            let [re, im] = P::apart(simd, *pair);
            let re = P::minus(simd, re, P::minus(simd, *one, *two));
            let im = P::minus(simd, im, P::minus(simd, P::minus(simd, *three, *one), *two));
            *pair = P::together(simd, [re, im]);
        }
        if !whole {
            column.copy_from_slice(&padded[..len]);
        }
    }
}

fn column<T>(matrix: MatRef<'_, T>, j: usize) -> &[T] {
    matrix.col(j).try_as_col_major().map(|column| column.as_slice()).unwrap_or_default()
}
