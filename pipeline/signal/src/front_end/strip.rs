//! Strips of a row: 512 channels at one instant, and how to count their ones over time without a transposition.
//!
//! A strip is 64 bytes of a row, read as 32 numbers of 16 bits. Bit q of number l is stream position
//! `512 strip + 16 l + q`; the channels with the same q are one block, and l is their lane.
//!
//! **Counting.** The ones of 32 rows are added as binary numbers whose digits lie in separate planes (Harley
//! and Seal): a full adder turns three bits of one weight into a sum and a carry of the next, for 512 channels
//! at once. 31 adders leave six planes, `c = sum_i 2^i plane_i`, and three rounds of exchanges turn the planes
//! into bytes. That is some 250 vector operations for 16384 bits, where a transposition alone takes 480. More
//! rows are counted in the same planes, with a few more digits and one exchange in the end.

use super::lanes::{LANES, Line};
use dsp_core::pdm::TileLayout;

/// Bytes of a strip.
pub const BYTES: usize = 2 * LANES;
/// Blocks of channels of a strip.
pub const BLOCKS: usize = 16;
/// Rows that are counted together.
pub const ROWS: usize = 32;

/// One bit of each channel of a strip.
pub type Plane = Line<u16>;

/// No bit set.
pub const ZERO: Plane = Line([0; LANES]);

/// Strips that cover a row.
pub fn strips(layout: &TileLayout) -> usize {
    layout.row_bytes().div_ceil(BYTES)
}

/// The grid index of every lane of every block; lanes without a channel get a place beyond the last.
pub fn places(layout: &TileLayout) -> Vec<usize> {
    let place = |i: usize| {
        let (block, lane) = (i / LANES, i % LANES);
        let position = 8 * BYTES * (block / BLOCKS) + 16 * lane + block % BLOCKS;
        layout.index_of(position as u32).map_or(usize::MAX, |index| index as usize)
    };
    (0..strips(layout) * BLOCKS * LANES).map(place).collect()
}

/// Rows cut into strips, `[row][strip]`; rows that do not fill their last strip are copied and filled up with zeros.
pub struct Cutter {
    row_bytes: usize,
    strips: usize,
    filled: Vec<[u8; BYTES]>,
}

impl Cutter {
    pub fn new(layout: &TileLayout) -> Self {
        Self { row_bytes: layout.row_bytes(), strips: strips(layout), filled: Vec::new() }
    }

    /// The strips of whole rows.
    pub fn cut<'a>(&'a mut self, rows: &'a [u8]) -> Strips<'a> {
        let strips = self.strips;
        if self.row_bytes == strips * BYTES {
            return Strips { bytes: rows.as_chunks().0, strips };
        }
        self.filled.resize(rows.len() / self.row_bytes * strips, [0; BYTES]);
        let places = self.filled.chunks_exact_mut(strips);
        for (place, row) in places.zip(rows.chunks_exact(self.row_bytes)) {
            place.as_flattened_mut()[..row.len()].copy_from_slice(row);
        }
        Strips { bytes: &self.filled, strips }
    }
}

/// Rows as strips, `[row][strip]`.
#[derive(Clone, Copy)]
pub struct Strips<'a> {
    bytes: &'a [[u8; BYTES]],
    strips: usize,
}

impl<'a> Strips<'a> {
    /// One strip of one row.
    #[inline(always)]
    pub fn plane(&self, row: usize, strip: usize) -> Plane {
        let mut plane = ZERO;
        for (number, bytes) in
            plane.0.iter_mut().zip(self.bytes[row * self.strips + strip].as_chunks::<2>().0)
        {
            *number = u16::from_le_bytes(*bytes);
        }
        plane
    }

    /// The rows of one strip by themselves, one after the other in aligned memory.
    pub fn column<'b>(&self, strip: usize, memory: &'b mut Vec<u8>) -> Strips<'b> {
        let rows = self.bytes.len() / self.strips;
        memory.resize((rows + 1) * BYTES, 0);
        let from = memory.as_ptr().align_offset(BYTES).min(BYTES);
        let column = memory[from..].as_chunks_mut().0;
        for (place, row) in column.iter_mut().zip(self.bytes.chunks_exact(self.strips)) {
            *place = row[strip];
        }
        Strips { bytes: &column[..rows], strips: 1 }
    }

    /// Rows from `skipped` on.
    pub fn skip(&self, skipped: usize) -> Self {
        Self { bytes: &self.bytes[skipped * self.strips..], strips: self.strips }
    }

    /// Whole groups of `rows` rows.
    #[inline(always)]
    pub fn groups(&self, rows: usize) -> impl Iterator<Item = Self> + use<'a> {
        let strips = self.strips;
        self.bytes.chunks_exact(rows * strips).map(
            #[inline(always)]
            move |bytes| Self { bytes, strips },
        )
    }
}

/// Which rows of a word are inverted before they are counted: all bits set in those.
#[derive(Clone)]
pub struct Pattern([Plane; ROWS]);

impl Pattern {
    /// Row i is inverted where bit i of `word` is set.
    pub fn new(word: u32) -> Self {
        Self(std::array::from_fn(|i| Line([0u16.wrapping_sub((word >> i & 1) as u16); LANES])))
    }
}

/// The ones of every channel of a strip, in numbers of `P` bits, 8 or 16.
#[derive(Clone, Copy)]
pub struct Counts<const P: usize>([Plane; P]);

impl<const P: usize> Counts<P> {
    /// Counts words of [`ROWS`] rows, fewer than `2^P / ROWS` of them.
    #[inline(always)]
    pub fn of(rows: &Strips<'_>, strip: usize, pattern: &Pattern) -> Self {
        let [mut ones, mut twos, mut fours, mut eights, mut sixteens] = [ZERO; 5];
        let mut planes = [ZERO; P];
        for word in rows.groups(ROWS) {
            let mut carries = [ZERO; 4];
            for (i, carry) in carries.iter_mut().enumerate() {
                let a = add_rows(&mut ones, &word, 8 * i, strip, pattern);
                let b = add_rows(&mut ones, &word, 8 * i + 2, strip, pattern);
                let c = add_rows(&mut ones, &word, 8 * i + 4, strip, pattern);
                let d = add_rows(&mut ones, &word, 8 * i + 6, strip, pattern);
                let (a, b) = (add(&mut twos, a, b), add(&mut twos, c, d));
                *carry = add(&mut fours, a, b);
            }
            let [a, b, c, d] = carries;
            let (a, b) = (add(&mut eights, a, b), add(&mut eights, c, d));
            let mut carry = add(&mut sixteens, a, b);
            for digit in &mut planes[5..] {
                carry = add(digit, carry, ZERO);
            }
        }
        [planes[0], planes[1], planes[2], planes[3], planes[4]] = [ones, twos, fours, eights, sixteens];
        // Digits to numbers: a P x P transposition in every group of P bits.
        if P == 16 {
            exchange::<16, P>(&mut planes, 0x00ff);
        }
        exchange::<8, P>(&mut planes, 0x0f0f);
        exchange::<4, P>(&mut planes, 0x3333);
        exchange::<2, P>(&mut planes, 0x5555);
        Self(planes)
    }

    /// The counts of one block, below [`BLOCKS`].
    #[inline(always)]
    pub fn block(&self, number: usize) -> Plane {
        let (mut counts, shift) = (self.0[number % P], (number / P * P) as u32);
        for count in &mut counts.0 {
            *count = *count >> shift & (u16::MAX >> (16 - P));
        }
        counts
    }
}

#[inline(always)]
fn add_rows(sum: &mut Plane, rows: &Strips<'_>, r: usize, strip: usize, pattern: &Pattern) -> Plane {
    let (mut a, mut b) = (rows.plane(r, strip), rows.plane(r + 1, strip));
    for lane in 0..LANES {
        a.0[lane] ^= pattern.0[r].0[lane];
        b.0[lane] ^= pattern.0[r + 1].0[lane];
    }
    add(sum, a, b)
}

/// Adds two planes to `sum`, all of one weight, and gives the carry.
#[inline(always)]
fn add(sum: &mut Plane, a: Plane, b: Plane) -> Plane {
    let mut carry = ZERO;
    for lane in 0..LANES {
        let (a, b, c) = (a.0[lane], b.0[lane], sum.0[lane]);
        sum.0[lane] = a ^ b ^ c;
        carry.0[lane] = a & b | c & (a ^ b);
    }
    carry
}

/// In every block of `B` planes, the upper right quarter of each square of `B` bits changes places with the lower left.
#[inline(always)]
fn exchange<const B: usize, const P: usize>(planes: &mut [Plane; P], mask: u16) {
    let shift = B as u32 / 2;
    for block in planes.as_chunks_mut::<B>().0 {
        let (upper, lower) = block.split_at_mut(B / 2);
        for (upper, lower) in upper.iter_mut().zip(lower) {
            let (a, b) = (*upper, *lower);
            for lane in 0..LANES {
                let moved = ((a.0[lane] >> shift) ^ b.0[lane]) & mask;
                upper.0[lane] = a.0[lane] ^ moved << shift;
                lower.0[lane] = b.0[lane] ^ moved;
            }
        }
    }
}
