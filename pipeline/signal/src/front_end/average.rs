//! Averages of 32 bits by popcount, and n dot products on them.
//!
//! ```text
//! y[m] = (2 c[m] - 32)/32,    c[m] = ones among bits 32 m .. 32 m + 31
//! ```
//!
//! Bin k of the averages is that of the bits times the response of the mean, [`dsp_core::average::response`],
//! and late by 15.5 bits; noise around multiples of the output rate folds onto it. Counting is in
//! [`strip`](super::strip).

use super::dot::Dot;
use super::error::FrontEndError;
use super::lanes::{LANES, Line};
use super::samples::Samples;
use super::settings::Taper;
use super::strip::{self, BLOCKS, Counts, Cutter, Pattern, ROWS, Strips};

use dsp_core::pdm::TileLayout;
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch, multiply_add};

/// The last N averages of all channels, and the plan for their bins.
pub struct Average<T> {
    samples: Samples<T>,
    dot: Dot<T>,
    cutter: Cutter,
    row_bytes: usize,
}

numerics::compiled! { T: Real => Average<T>: new, push }

impl<T: Real> Average<T> {
    /// A plan for `bins` of `samples` averages (a multiple of 4).
    #[inline(never)]
    pub fn new(
        layout: &TileLayout,
        samples: usize,
        bins: &[usize],
        taper: Taper,
    ) -> Result<Self, FrontEndError> {
        let places = strip::places(layout);
        Ok(Self {
            samples: Samples::new(samples, places.len()),
            dot: Dot::with_places(samples, places, bins, taper)?,
            cutter: Cutter::new(layout),
            row_bytes: layout.row_bytes(),
        })
    }

    /// Averages whole groups of 32 rows, as sent; the newest N stay.
    #[inline(never)]
    pub fn push(&mut self, rows: &[u8]) {
        let n = self.samples.length();
        let count = rows.len() / (ROWS * self.row_bytes);
        let skipped = count.saturating_sub(n);
        let start = (self.samples.next_position() + skipped) % n;
        let rows = self.cutter.cut(rows).skip(skipped * ROWS);
        self.samples.write_blocks(BLOCKS, |strip, lines| {
            dispatch(Work { rows, strip, n, start, lines });
        });
        self.samples.advance(count);
    }

    /// Peak amplitudes `2 Y[k]/sum(w)` of the averages of all channels, `[bin][grid index]`.
    pub fn execute(&mut self, out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        self.dot.execute(&self.samples, out)
    }
}

/// One strip.
pub struct Work<'a, T> {
    rows: Strips<'a>,
    strip: usize,
    n: usize,
    start: usize,
    lines: &'a mut [Line<T>],
}

impl<T: Real> Kernel for Work<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let sixteenth = T::of(1.0 / (ROWS / 2) as f64);
        let plain = Pattern::new(0);
        let mut position = self.start;
        for rows in self.rows.groups(ROWS) {
            let counts = Counts::<8>::of(&rows, self.strip, &plain);
            for (number, block) in self.lines.chunks_exact_mut(self.n + 1).enumerate() {
                let (counts, line) = (counts.block(number), &mut block[position]);
                for lane in 0..LANES {
                    let count = T::from_i16(counts.0[lane].cast_signed()).unwrap_or_default();
                    line.0[lane] = multiply_add::<T, FMA>(count, sixteenth, -T::one());
                }
            }
            position = if position + 1 == self.n { 0 } else { position + 1 };
        }
    }
}
