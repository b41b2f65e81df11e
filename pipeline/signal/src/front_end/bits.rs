//! The exact DFT of the bits, +1 and -1, at the chosen bins.
//!
//! The kernel is that of the dot products on N = 32 x samples bits: four bits of a channel, folded in integers,
//! become one number, so a bin takes `N/2` multiply-adds and no table; see [`quarter`](super::quarter). Blocks of
//! channels are the bits of a strip, so nothing is transposed; see [`strip`](super::strip).

use super::error::{FrontEndError, check_length, check_window};
use super::lanes::{LANES, Line, Pair, scatter, share, workers, zero_pair};
use super::quarter::{Folded, Quarter, Source, TILE};
use super::settings::Taper;
use super::strip::{self, BLOCKS, Cutter, Plane, ROWS, Strips};

use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch};

/// Blocks that share the rows of a tile while these are in the cache; a divisor of a strip's.
const PART: usize = 4;

/// The plan of n bins, with room for the results.
pub struct Bits<T> {
    quarter: Quarter<T>,
    layout: TileLayout,
    cutter: Cutter,
    bits: usize,
    places: Vec<usize>,
    sums: Vec<Pair<T>>,
    workers: Vec<()>,
}

numerics::compiled! { T: Real => Bits<T>: new, execute }

impl<T: Real> Bits<T> {
    /// A plan for `bins` of 32 x `samples` bits; `samples` is a multiple of 4.
    #[inline(never)]
    pub fn new(
        layout: &TileLayout,
        samples: usize,
        bins: &[usize],
        taper: Taper,
    ) -> Result<Self, FrontEndError> {
        check_window(samples, bins)?;
        let bits = ROWS * samples;
        let blocks = strip::strips(layout) * BLOCKS;
        Ok(Self {
            quarter: Quarter::new(bits, bins, taper),
            layout: *layout,
            cutter: Cutter::new(layout),
            bits,
            places: strip::places(layout),
            sums: vec![zero_pair(); blocks * bins.len()],
            workers: workers(blocks / PART, ()),
        })
    }

    /// Peak amplitudes `2 X[k]/sum(w)` of all channels, `[bin][grid index]`; `rows` as sent.
    #[inline(never)]
    pub fn execute(&mut self, rows: &[u8], out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let (quarter, row_bytes, bits) = (&self.quarter, self.layout.row_bytes(), self.bits);
        let n = quarter.order.len();
        check_length("bytes of rows", bits * row_bytes, rows.len())?;
        check_length("results", n * self.layout.channels() as usize, out.len())?;
        let rows = self.cutter.cut(rows);
        share(&mut self.workers, &mut self.sums, PART * n, |(), part, sums| {
            let (strip, first) = (part * PART / BLOCKS, part * PART % BLOCKS);
            dispatch(Work { quarter, rows, bits, strip, first, sums });
        });
        scatter(&self.sums, &quarter.order, &self.places, out);
        Ok(())
    }
}

/// [`PART`] blocks of a strip.
pub struct Work<'a, T> {
    quarter: &'a Quarter<T>,
    rows: Strips<'a>,
    bits: usize,
    strip: usize,
    first: usize,
    sums: &'a mut [Pair<T>],
}

impl<T: Real> Kernel for Work<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        self.sums.fill(zero_pair());
        let mut folded = Folded::new();
        let mut planes = [[strip::ZERO; 4]; TILE];
        for tile in 0..self.quarter.tiles() {
            let samples = self.quarter.samples(tile);
            for (planes, t) in planes.iter_mut().zip(samples.clone()) {
                *planes = self.quad(t);
            }
            for (i, sums) in self.sums.chunks_exact_mut(self.quarter.order.len()).enumerate() {
                let source = Tile { start: samples.start, planes: &planes, bit: (self.first + i) as u32 };
                self.quarter.add_tile::<FMA, WIDE>(tile, &source, &mut folded, sums);
            }
        }
    }
}

impl<T> Work<'_, T> {
    /// The strip at `t`, `N - t`, `N/2 - t` and `N/2 + t`.
    #[inline(always)]
    fn quad(&self, t: usize) -> [Plane; 4] {
        let n = self.bits;
        let (rows, strip) = (&self.rows, self.strip);
        let mirror = if t == 0 { 0 } else { n - t };
        [
            rows.plane(t, strip),
            rows.plane(mirror, strip),
            rows.plane(n / 2 - t, strip),
            rows.plane(n / 2 + t, strip),
        ]
    }
}

/// One block of a tile.
struct Tile<'a> {
    start: usize,
    planes: &'a [[Plane; 4]; TILE],
    bit: u32,
}

impl<T: Real> Source<T> for Tile<'_> {
    #[inline(always)]
    fn quad(&self, t: usize) -> [Line<T>; 4] {
        let [a, b, c, d] = &self.planes[t - self.start];
        let [p, q] = sum_and_difference(a, b, self.bit);
        let [r, s] = sum_and_difference(c, d, self.bit);
        [p, q, r, s]
    }
}

/// The sum and the difference of one block's values, +1 or -1, at two instants.
#[inline(always)]
fn sum_and_difference<T: Real>(a: &Plane, b: &Plane, bit: u32) -> [Line<T>; 2] {
    let mut out = [Line([T::zero(); LANES]); 2];
    for lane in 0..LANES {
        let (a, b) = ((a.0[lane] >> bit & 1).cast_signed(), (b.0[lane] >> bit & 1).cast_signed());
        // (2 a - 1) + (2 b - 1) and (2 a - 1) - (2 b - 1).
        out[0].0[lane] = T::from_i16(2 * (a + b - 1)).unwrap_or_default();
        out[1].0[lane] = T::from_i16(2 * (a - b)).unwrap_or_default();
    }
    out
}
