//! n dot products: the chosen bins of all channels, and only those.
//!
//! The kernel and its formulas are in [`quarter`](super::quarter).

use super::error::{FrontEndError, check_length, check_window};
use super::lanes::{LANES, Line, Pair, scatter, share, workers, zero_pair};
use super::quarter::{Folded, Quarter, Source};
use super::samples::{Block, Samples};
use super::settings::Taper;

use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch};

/// The plan of n bins, with room for the results.
pub struct Dot<T> {
    quarter: Quarter<T>,
    samples: usize,
    places: Vec<usize>,
    channels: usize,
    sums: Vec<Pair<T>>,
    workers: Vec<()>,
}

numerics::compiled! { T: Real => Dot<T>: new, execute }

impl<T: Real> Dot<T> {
    /// A plan for `bins` of `samples` samples (a multiple of 4) of `channels` channels.
    #[inline(never)]
    pub fn new(samples: usize, channels: usize, bins: &[usize], taper: Taper) -> Result<Self, FrontEndError> {
        Self::with_places(samples, (0..channels).collect(), bins, taper)
    }

    /// The same with a place in the output for every lane of every block; places beyond the last channel are left
    /// out.
    pub(super) fn with_places(
        samples: usize,
        places: Vec<usize>,
        bins: &[usize],
        taper: Taper,
    ) -> Result<Self, FrontEndError> {
        check_window(samples, bins)?;
        let blocks = places.len().div_ceil(LANES);
        Ok(Self {
            quarter: Quarter::new(samples, bins, taper),
            samples,
            channels: places.iter().filter(|&&place| place != usize::MAX).count(),
            places,
            sums: vec![zero_pair(); blocks * bins.len()],
            workers: workers(blocks, ()),
        })
    }

    /// Peak amplitudes `2 X[k]/sum(w)` of all channels, `[bin][channel]`.
    #[inline(never)]
    pub fn execute(&mut self, samples: &Samples<T>, out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let (quarter, n) = (&self.quarter, self.quarter.order.len());
        check_length("samples", self.samples, samples.length())?;
        check_length("blocks of channels", self.sums.len() / n, samples.blocks())?;
        check_length("results", n * self.channels, out.len())?;
        share(&mut self.workers, &mut self.sums, n, |(), block, sums| {
            dispatch(Work { quarter, block: samples.block(block), sums });
        });
        scatter(&self.sums, &quarter.order, &self.places, out);
        Ok(())
    }
}

/// One block.
pub struct Work<'a, T> {
    quarter: &'a Quarter<T>,
    block: Block<'a, T>,
    sums: &'a mut [Pair<T>],
}

impl<T: Real> Kernel for Work<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        self.sums.fill(zero_pair());
        let mut folded = Folded::new();
        for tile in 0..self.quarter.tiles() {
            self.quarter.add_tile::<FMA, WIDE>(tile, &self.block, &mut folded, self.sums);
        }
    }
}

impl<T: Real> Source<T> for Block<'_, T> {
    #[inline(always)]
    fn quad(&self, t: usize) -> [Line<T>; 4] {
        let n = self.length();
        let [a, b] = sum_and_difference(self.at(t), self.at(n - t));
        let [c, d] = sum_and_difference(self.at(n / 2 - t), self.at(n / 2 + t));
        [a, b, c, d]
    }
}

#[inline(always)]
fn sum_and_difference<T: Real>(a: &Line<T>, b: &Line<T>) -> [Line<T>; 2] {
    let mut out = [*a; 2];
    for lane in 0..LANES {
        out[0].0[lane] += b.0[lane];
        out[1].0[lane] -= b.0[lane];
    }
    out
}
