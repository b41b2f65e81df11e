//! C - A B of complex matrices with three real products instead of four (Gauss's; "3M").
//!
//! ```text
//! T1 = Re A Re B    T2 = Im A Im B    T3 = (Re A + Im A) (Re B + Im B)
//! Re C - T1 + T2    Im C - (T3 - T1 - T2)
//! ```
//!
//! That is a quarter less arithmetic, and every instruction is a multiply-add of as many rows as a register
//! holds. Both factors are copied into the order in which they are read, A once for all threads
//! ([`Left::pack`]), B by each for its columns.
//!
//! Rounding: with depth K, u = EPSILON/2 and moduli of entries, to the first order in u,
//!
//! ```text
//! |Re error| <= (K + 3) u (|A| |B| + |C|)    |Im error| <= 3 (K + 4) u (|A| |B| + |C|)
//! ```
//!
//! since (|Re a| + |Im a|) (|Re b| + |Im b|) <= 2 |a| |b| and |Re a Re b| + |Im a Im b| <= |a| |b|. The
//! common product has about (K + 3) u for both. What is lost is the accuracy of an imaginary part that is
//! small beside its real part (Higham, Accuracy and stability, 23.2.4); elimination rounds by moduli anyway,
//! and stays as stable. What is no number or infinite leaves no number.
//!
//! Sums have one order, whatever the sizes: a column of C has the same bits alone and among others.

mod part;
#[cfg(test)]
mod tests;

pub use part::Part;

use num_complex::Complex;
use numerics::parallel;
use pulp::bytemuck::{Zeroable, cast_slice, cast_slice_mut};
use pulp::{Arch, Simd, WithSimd};
use std::array;
use std::marker::PhantomData;
use std::ops::Range;

/// Registers of rows in a tile of C; with [`MANY`] or [`FEW`] columns its sums leave some registers for the
/// factors.
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
/// Terms of a sum between two requests for what will be needed soon: more at once would hold up what is
/// needed now.
const TERMS: usize = 8;
/// Bytes of a cache line: no load of a register touches two.
const LINE: usize = 64;

/// A copy of the left factor: for every tile's rows three planes, real parts, imaginary parts and their sums,
/// each column by column.
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

    /// Copies a factor, with all threads.
    pub fn pack(&mut self, left: &[&[Complex<P>]]) {
        let arch = self.arch;
        let (planes, tall) = self.room(left);
        let work = |at, planes: &mut [P]| arch.dispatch(Block { left, first: at * BLOCK * tall, planes });
        parallel::parts(planes, 3 * BLOCK * tall * left.len(), &work);
    }

    /// The same on this thread, which others may wait for.
    pub fn pack_alone(&mut self, left: &[&[Complex<P>]]) {
        let arch = self.arch;
        let (planes, tall) = self.room(left);
        for (at, planes) in planes.chunks_mut((3 * BLOCK * tall * left.len()).max(1)).enumerate() {
            arch.dispatch(Block { left, first: at * BLOCK * tall, planes });
        }
    }

    /// Room for the planes of a factor, and the rows of a tile.
    fn room(&mut self, left: &[&[Complex<P>]]) -> (&mut [P], usize) {
        (self.rows, self.depth) = (left.first().map_or(0, |column| column.len()), left.len());
        let tall = self.arch.dispatch(Tall::<P>(PhantomData));
        let needed = 3 * self.rows.next_multiple_of(tall) * self.depth;
        let spare = LINE / size_of::<P>();
        if self.planes.len() < needed + spare {
            self.planes.resize(needed + spare, P::zeroed());
        }
        self.skip = self.planes.as_ptr().align_offset(LINE).min(spare);
        (&mut self.planes[self.skip..][..needed], tall)
    }

    /// Takes the product of this and another factor from a matrix, on this thread.
    pub fn take(&self, from: &mut [&mut [Complex<P>]], right: &[&[Complex<P>]]) {
        assert_eq!(from.len(), right.len());
        if self.rows == 0 || self.depth == 0 || from.is_empty() {
            return;
        }
        assert_eq!([from[0].len(), right[0].len()], [self.rows, self.depth]);
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
    left: &'a [&'a [Complex<P>]],
    first: usize,
    planes: &'a mut [P],
}

impl<P: Part> WithSimd for Block<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left, first, planes } = self;
        let (depth, rows) = (left.len(), (left[0].len() - first).min(BLOCK * tall::<S, P>()));
        let planes = P::registers_mut::<S>(planes).as_chunks_mut::<TALL>().0;
        let mut padded = vec![Complex::zeroed(); rows.next_multiple_of(tall::<S, P>())];
        for (k, column) in left.iter().enumerate() {
            padded[..rows].copy_from_slice(&column[first..][..rows]);
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

struct Take<'a, 'b, P> {
    left: &'a Left<P>,
    right: &'a [&'a [Complex<P>]],
    from: &'a mut [&'b mut [Complex<P>]],
}

impl<P: Part> WithSimd for Take<'_, '_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::REGISTER_COUNT >= 32 { self.tiles::<S, MANY>(simd) } else { self.tiles::<S, FEW>(simd) }
    }
}

impl<P: Part> Take<'_, '_, P> {
    /// In tiles of `N` columns.
    #[inline(always)]
    fn tiles<S: Simd, const N: usize>(self, simd: S) {
        let (rows, depth) = (self.left.rows, self.left.depth);
        let (block, needed) = (BLOCK * tall::<S, P>(), 3 * rows.next_multiple_of(tall::<S, P>()) * depth);
        let left = P::registers::<S>(&self.left.planes[self.left.skip..][..needed]).as_chunks::<TALL>().0;
        let mut copied: Vec<[P; N]> = Vec::new();
        for (right, from) in self.right.chunks(COLUMNS).zip(self.from.chunks_mut(COLUMNS)) {
            copy_right(right, &mut copied);
            for (at, part) in left.chunks(3 * depth * BLOCK).enumerate() {
                let rows = at * block..(at * block + block).min(rows);
                let next = left.get(3 * depth * BLOCK * (at + 1)..).unwrap_or_default();
                tiles_of_block(simd, [part, next], &copied, depth, from, rows);
            }
        }
    }
}

/// Tiles of a block of the left factor and all columns of the right that are copied; asks for the next block
/// meanwhile.
#[inline(always)]
fn tiles_of_block<S: Simd, P: Part, const N: usize>(
    simd: S,
    [left, next]: [&[[P::Register<S>; TALL]]; 2],
    right: &[[P; N]],
    depth: usize,
    from: &mut [&mut [Complex<P>]],
    block: Range<usize>,
) {
    let columns = from.len();
    let mut next = next.chunks(depth.div_ceil(columns.div_ceil(N)));
    for (right, from) in right.chunks_exact(3 * depth).zip(from.chunks_mut(N)) {
        for (left, first) in left.chunks_exact(3 * depth).zip(block.clone().step_by(tall::<S, P>())) {
            let rows = first..(first + tall::<S, P>()).min(block.end);
            let mut sums = [[[P::splat(simd, P::zeroed()); TALL]; N]; 3];
            let planes = left.chunks_exact(depth).zip(right.chunks_exact(depth));
            for ((plane, sums), (left, right)) in sums.iter_mut().enumerate().zip(planes) {
                let ahead = Ahead { left: next.next().unwrap_or_default(), from, rows: rows.clone(), plane };
                *sums = real(simd, left, right, &ahead);
            }
            finish(simd, from, rows, &sums);
        }
    }
}

/// Copies a right factor: for every `N` columns three planes as those of the left, each row by row; what is
/// behind the last column does not matter. Rows are written whole: columns would be scattered part by part.
#[inline(always)]
fn copy_right<P: Part, const N: usize>(right: &[&[Complex<P>]], copied: &mut Vec<[P; N]>) {
    let depth = right[0].len();
    copied.resize(right.len().div_ceil(N) * 3 * depth, [P::zeroed(); N]);
    for (planes, columns) in copied.chunks_exact_mut(3 * depth).zip(right.chunks(N)) {
        let columns: [_; N] = array::from_fn(|j| &columns[j.min(columns.len() - 1)][..depth]);
        let (re, rest) = planes.split_at_mut(depth);
        let (im, sum) = rest.split_at_mut(depth);
        for (k, ((re, im), sum)) in re.iter_mut().zip(im).zip(sum).enumerate() {
            let row = columns.map(|column| column[k]);
            *re = row.map(|entry| entry.re);
            *im = row.map(|entry| entry.im);
            *sum = row.map(|entry| entry.re + entry.im);
        }
    }
}

/// What will be needed soon: a part of the next block of the left factor, and, a third for each plane, the
/// tile that the product will be taken from.
struct Ahead<'a, 'b, P, R> {
    left: &'a [[R; TALL]],
    from: &'a [&'b mut [Complex<P>]],
    rows: Range<usize>,
    plane: usize,
}

impl<P: Part, R> Ahead<'_, '_, P, R> {
    #[inline(always)]
    fn fetch<const N: usize>(&self, step: usize) {
        if let Some(registers) = self.left.get(step) {
            registers.iter().for_each(fetch);
        }
        let each = const { N * 2 * TALL / 3 };
        let at = self.plane * each + step;
        let (i, j) = (at % (2 * TALL) * self.rows.len() / (2 * TALL), at / (2 * TALL));
        if step < each && j < self.from.len() {
            fetch(&self.from[j][self.rows.start + i]);
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
    ahead: &Ahead<'_, '_, P, P::Register<S>>,
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
    from: &mut [&mut [Complex<P>]],
    rows: Range<usize>,
    [one, two, three]: &[[[P::Register<S>; TALL]; N]; 3],
) {
    let mut padded = [Complex::zeroed(); MOST_ROWS];
    for (((one, two), three), column) in one.iter().zip(two).zip(three).zip(from) {
        let column = &mut column[rows.clone()];
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
