//! Sixteen complex numbers side by side, one of each line: real parts in one register, imaginary parts in another.
//!
//! Everything is a loop over a fixed array, which the compiler turns into vector instructions inside a dispatched
//! caller. Products and sums stay separate (no fused multiply-add), so every instruction set gives the same bits.

use numerics::real::Real;

/// Lines that run side by side: one AVX-512 register of `f32`.
pub const LANES: usize = 16;

/// One real number of each line.
pub type Lanes<T> = [T; LANES];

/// One complex number of each line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Packet<T> {
    pub re: Lanes<T>,
    pub im: Lanes<T>,
}

impl<T: Real> Packet<T> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self { re: [T::zero(); LANES], im: [T::zero(); LANES] }
    }

    /// self + k x.
    #[inline(always)]
    pub fn plus(&self, k: &Self, x: &Self) -> Self {
        let mut sum = *self;
        for l in 0..LANES {
            sum.re[l] += k.re[l] * x.re[l] - k.im[l] * x.im[l];
            sum.im[l] += k.re[l] * x.im[l] + k.im[l] * x.re[l];
        }
        sum
    }

    /// self + conj(k) x.
    #[inline(always)]
    pub fn plus_conj(&self, k: &Self, x: &Self) -> Self {
        let mut sum = *self;
        for l in 0..LANES {
            sum.re[l] += k.re[l] * x.re[l] + k.im[l] * x.im[l];
            sum.im[l] += k.re[l] * x.im[l] - k.im[l] * x.re[l];
        }
        sum
    }

    /// self - k x.
    #[inline(always)]
    pub fn minus(&self, k: &Self, x: &Self) -> Self {
        let mut difference = *self;
        for l in 0..LANES {
            difference.re[l] -= k.re[l] * x.re[l] - k.im[l] * x.im[l];
            difference.im[l] -= k.re[l] * x.im[l] + k.im[l] * x.re[l];
        }
        difference
    }

    /// |x|^2 of each line.
    #[inline(always)]
    pub fn norm_sqr(&self) -> Lanes<T> {
        let mut y = [T::zero(); LANES];
        for (l, y) in y.iter_mut().enumerate() {
            *y = self.re[l] * self.re[l] + self.im[l] * self.im[l];
        }
        y
    }
}
