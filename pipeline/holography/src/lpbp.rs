//! Linear predictive border padding: every line is continued at both ends by the autoregressive model that Burg's
//! method fits to it; rows first, then all columns of the widened array.
//!
//! # Formulas
//! With f_0 = b_0 = x, for m = 1..p and n = m..N-1:
//! ```text
//! k_m    = -2 sum f_{m-1}[n] conj(b_{m-1}[n-1]) / sum (|f_{m-1}[n]|^2 + |b_{m-1}[n-1]|^2)
//! f_m[n] = f_{m-1}[n] + k_m b_{m-1}[n-1]
//! b_m[n] = b_{m-1}[n-1] + conj(k_m) f_{m-1}[n]
//! ```
//! The continuation is the zero-input response of the model: f_p = 0 from n = N on. It runs through the lattice
//! itself, `f_{m-1} = f_m - k_m b_{m-1}[n-1]` for m = p..1, with the last backward errors `b_m[N-1]` of the fit as
//! its state; the left end is the same lattice with conj(k_m) and the first forward errors `f_m[m]` as state.
//!
//! # Symbols
//! | symbol | meaning |
//! |---|---|
//! | x, N | a line of the hologram (Pa) and its number of samples |
//! | p | order of the model, 1..N-1 |
//! | f_m, b_m | forward and backward prediction errors of order m (Pa) |
//! | k_m | reflection coefficient, \|k_m\| <= 1 |
//! | E, u | energy of a line, sum of \|x\|^2; spacing of the precision's numbers at 1 |
//!
//! # Why it cannot explode
//! The textbook way turns the k_m into predictor coefficients a_m. On a smooth, noise-free field all poles lie close
//! together on the unit circle, the a_m reach binomial size, and their rounding in `f32` moves poles outside: on a
//! ramp the padding then reaches 5 times the field's maximum at order 8, 60 times at 12 and 800 times at 16. Here
//! nothing is turned, and it stays under 4 times at every order:
//! 1. **The lattice is lossless.** Scale b_m by 1/sqrt(P_m), P_m = prod (1 - |k_i|^2): with zero input each step is a
//!    rotation that can only lose energy, as long as |k_m| <= 1, whatever the rounding of k_m. Burg's steps satisfy
//!    `|b_m[N-1]|^2 <= 2 P_m E`, so the state starts with at most (2p - 1) E and no sample of the padding exceeds
//!    sqrt((2p - 1) N) times the line's maximum.
//! 2. **|k_m| is clipped to 1**, which exact arithmetic would make unnecessary.
//! 3. **The order stops at the noise of rounding.** Rounding puts at most u^2 (energy) into the errors at each order,
//!    and a later order amplifies what is there by 1 + |k_m|^2. Once the errors' energy is no more than this running
//!    sum, they say nothing about the field, and the remaining k_m are zero. Measured data are above it by orders of
//!    magnitude (in `f32` a line must be predictable to about 120 dB to reach it), so there nothing changes.
//!
//! Holograms are scaled by a power of two to a maximum in [1, 2), so that squares neither overflow nor vanish.
//!
//! # Cost
//! About 16 N p + 8 p (samples added) real multiplications and as many additions a line; sixteen lines run side by side.
//!
//! # References
//! Burg, Maximum entropy spectral analysis, Stanford 1975 (the fit); Scholte, Fourier based high-resolution near-field
//! sound imaging, Eindhoven 2008 (its use in holography).

mod burg;
mod packet;
mod scale;

use super::Error;
use super::design::Grid;
use super::error::check_length;
use burg::{Rounding, Sums, respond, step};
use num_complex::Complex;
use numerics::real::Real;
use numerics::simd::vectorised;
pub use packet::LANES;
use packet::Packet;
pub use scale::scale;

/// Where the lines lie: line i, sample n is `data[first + i line + n sample]`.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a, T> {
    /// The array.
    pub data: &'a [Complex<T>],
    /// Index of the first sample of the first line.
    pub first: usize,
    /// Lines to take, at most [`LANES`].
    pub count: usize,
    /// Step from one line to the next.
    pub line: usize,
    /// Step from one sample to the next.
    pub sample: usize,
    /// Factor that the samples are multiplied by.
    pub scale: T,
}

/// Factors of the extended values: the one of the sample times the one of the line.
#[derive(Debug, Clone, Copy)]
pub struct Weights<'a, T> {
    /// One for each sample of an extended line.
    pub samples: &'a [T],
    /// One for each line.
    pub lines: &'a [T; LANES],
}

/// Lengths of a line and its padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Samples added before.
    pub before: usize,
    /// Samples measured.
    pub measured: usize,
    /// Samples in all.
    pub total: usize,
}

impl Extent {
    /// The rows and the columns of a grid as lines (a row's samples lie along x).
    pub fn of(grid: &Grid) -> (Self, Self) {
        let row = Self { before: grid.left(), measured: grid.aperture.cols, total: grid.cols };
        let col = Self { before: grid.top(), measured: grid.aperture.rows, total: grid.rows };
        (row, col)
    }

    /// Samples added after: as many as before, or one more.
    pub fn after(&self) -> usize {
        self.total - self.measured - self.before
    }

    /// Whether sample `n` of an extended line is measured.
    pub fn is_measured(&self, n: usize) -> bool {
        (self.before..self.before + self.measured).contains(&n)
    }

    /// Refuses an order that the samples cannot determine.
    pub fn check_order(&self, order: usize) -> Result<(), Error> {
        let samples = self.measured;
        if (1..samples).contains(&order) { Ok(()) } else { Err(Error::Order { order, samples }) }
    }
}

/// Working memory to extend sixteen lines at a time.
#[derive(Debug, Clone)]
pub struct Extender<T> {
    extent: Extent,
    /// The lines with their padding.
    padded: Vec<Packet<T>>,
    forward: Vec<Packet<T>>,
    backward: Vec<Packet<T>>,
    /// k_1 .. k_p.
    reflection: Vec<Packet<T>>,
    /// `f_m[m]`, m = 0..p-1: the lattice's state at the left end.
    left: Vec<Packet<T>>,
    /// `b_m[N-1]`, m = 0..p-1: the lattice's state at the right end.
    right: Vec<Packet<T>>,
}

impl<T: Real> Extender<T> {
    /// For lines of `extent` and models of `order`.
    pub fn new(extent: Extent, order: usize) -> Result<Self, Error> {
        extent.check_order(order)?;
        let packets = |n| vec![Packet::zero(); n];
        Ok(Self {
            extent,
            padded: packets(extent.total),
            forward: packets(extent.measured - 1),
            backward: packets(extent.measured - 1),
            reflection: packets(order),
            left: packets(order),
            right: packets(order),
        })
    }

    /// Extends up to sixteen lines into `out`, one after the other, and then weights them.
    ///
    /// The samples must be finite and at most about 1e3 in modulus (see [`scale`]).
    pub fn extend(&mut self, lines: Lines<'_, T>, weights: Weights<'_, T>, out: &mut [Complex<T>]) {
        vectorised(
            #[inline(always)]
            || {
                self.load(lines);
                self.fit();
                self.continue_right();
                self.continue_left();
                self.store(lines.count, weights, out);
            },
        );
    }

    #[inline(always)]
    fn measured(&self) -> std::ops::Range<usize> {
        self.extent.before..self.extent.before + self.extent.measured
    }

    #[inline(always)]
    fn load(&mut self, lines: Lines<'_, T>) {
        let range = self.measured();
        for (n, packet) in self.padded[range].iter_mut().enumerate() {
            let data = &lines.data[lines.first + n * lines.sample..];
            if let (1, Some(sixteen)) = (lines.line, data.first_chunk::<LANES>())
                && lines.count == LANES
            {
                for (l, x) in sixteen.iter().enumerate() {
                    packet.re[l] = x.re * lines.scale;
                    packet.im[l] = x.im * lines.scale;
                }
            } else {
                // Lanes without a line hold zeros, whose model is zero.
                *packet = Packet::zero();
                for (l, x) in data.iter().step_by(lines.line).take(lines.count.min(LANES)).enumerate() {
                    packet.re[l] = x.re * lines.scale;
                    packet.im[l] = x.im * lines.scale;
                }
            }
        }
    }

    /// Burg's recursion: reflection coefficients and the lattice's states at both ends.
    #[inline(always)]
    fn fit(&mut self) {
        let range = self.measured();
        let samples = &self.padded[range];
        self.forward.copy_from_slice(&samples[1..]);
        self.backward.copy_from_slice(&samples[..samples.len() - 1]);
        self.left[0] = samples[0];
        self.right[0] = samples[samples.len() - 1];
        let mut sums = Sums::zero();
        for (f, b) in self.forward.iter().zip(&self.backward) {
            sums.add(f, b);
        }
        let mut rounding = Rounding::<T>::new();
        let Some((last, rest)) = self.reflection.split_last_mut() else { return };
        let mut pairs = self.forward.len();
        for (m, k) in rest.iter_mut().enumerate() {
            *k = rounding.reflection(&sums);
            let (forward, backward) = (&mut self.forward[..pairs], &mut self.backward[..pairs]);
            (sums, self.left[m + 1], self.right[m + 1]) = step(k, forward, backward);
            pairs -= 1;
        }
        // The errors of order p itself are not needed: the response starts without them.
        *last = rounding.reflection(&sums);
    }

    #[inline(always)]
    fn continue_right(&mut self) {
        let range = self.measured();
        for packet in &mut self.padded[range.end..] {
            *packet = respond(&self.reflection, &mut self.right);
        }
    }

    /// The same lattice with the conjugate coefficients.
    #[inline(always)]
    fn continue_left(&mut self) {
        for k in &mut self.reflection {
            for im in &mut k.im {
                *im = -*im;
            }
        }
        let range = self.measured();
        for packet in self.padded[..range.start].iter_mut().rev() {
            *packet = respond(&self.reflection, &mut self.left);
        }
    }

    #[inline(always)]
    fn store(&self, count: usize, weights: Weights<'_, T>, out: &mut [Complex<T>]) {
        let lines = out.chunks_exact_mut(self.extent.total).zip(weights.lines);
        for (l, (line, &factor)) in lines.take(count.min(LANES)).enumerate() {
            for ((y, x), &w) in line.iter_mut().zip(&self.padded).zip(weights.samples) {
                *y = Complex::new(x.re[l] * (w * factor), x.im[l] * (w * factor));
            }
        }
    }
}

/// The extended hologram, row by row of the padded grid, without a window.
///
/// The plans do the same in pieces; this form allocates what it needs.
pub fn extend<T: Real>(hologram: &[Complex<T>], grid: &Grid, order: usize) -> Result<Vec<Complex<T>>, Error> {
    let (row, col) = Extent::of(grid);
    let (mut rows, mut cols) = (Extender::new(row, order)?, Extender::new(col, order)?);
    check_length("hologram", hologram.len(), grid.aperture.len())?;
    let scale = scale(hologram).map_err(|index| Error::at(0, index, grid.aperture.cols))?;
    let ones = vec![T::one(); row.total.max(col.total)];
    let mut wide = vec![Complex::default(); col.measured * row.total];
    for (i, out) in wide.chunks_mut(LANES * row.total).enumerate() {
        let (first, count) = (i * LANES * row.measured, out.len() / row.total);
        let lines = Lines { data: hologram, first, count, line: row.measured, sample: 1, scale };
        rows.extend(lines, Weights { samples: &ones, lines: &[T::one(); LANES] }, out);
    }
    let mut turned = vec![Complex::default(); grid.len()];
    let back = [scale.recip(); LANES];
    for (i, out) in turned.chunks_mut(LANES * col.total).enumerate() {
        let (first, count) = (i * LANES, out.len() / col.total);
        let lines = Lines { data: &wide, first, count, line: 1, sample: row.total, scale: T::one() };
        cols.extend(lines, Weights { samples: &ones, lines: &back }, out);
    }
    Ok((0..grid.len()).map(|i| turned[i % row.total * col.total + i / row.total]).collect())
}

#[cfg(test)]
mod tests;
