//! Burg's recursion and the lattice's response, sixteen lines side by side; the formulas are in the parent's page.

use super::packet::{LANES, Lanes, Packet};
use numerics::real::Real;

/// One order of Burg's recursion over the pairs `f[n]`, `b[n-1]`, in place; the sums for the next order, and the errors
/// that leave the pairs at the left and right end.
#[inline(always)]
pub fn step<T: Real>(
    k: &Packet<T>,
    forward: &mut [Packet<T>],
    backward: &mut [Packet<T>],
) -> (Sums<T>, Packet<T>, Packet<T>) {
    let mut sums = Sums::zero();
    let k = *k;
    let first = forward[0].plus(&k, &backward[0]);
    let mut previous = backward[0].plus_conj(&k, &forward[0]);
    backward[0] = previous;
    for j in 1..forward.len().min(backward.len()) {
        let (f, b) = (forward[j], backward[j]);
        let (new_f, new_b) = (f.plus(&k, &b), b.plus_conj(&k, &f));
        sums.add(&new_f, &previous);
        forward[j - 1] = new_f;
        backward[j] = new_b;
        previous = new_b;
    }
    (sums, first, previous)
}

/// The next sample of the zero-input response; `state` holds b_0 .. b_{p-1} and moves on by one sample.
#[inline(always)]
pub fn respond<T: Real>(reflection: &[Packet<T>], state: &mut [Packet<T>]) -> Packet<T> {
    let mut f = Packet::zero();
    let mut next: Option<&mut Packet<T>> = None;
    for (k, s) in reflection.iter().zip(state).rev() {
        let (old, k) = (*s, *k);
        f = f.minus(&k, &old);
        if let Some(next) = next {
            *next = old.plus_conj(&k, &f);
        }
        next = Some(s);
    }
    if let Some(next) = next {
        *next = f;
    }
    f
}

/// The sums of a reflection coefficient.
#[derive(Clone, Copy)]
pub struct Sums<T> {
    /// sum f conj(b).
    product: Packet<T>,
    /// sum |f|^2 + |b|^2.
    energy: Lanes<T>,
}

impl<T: Real> Sums<T> {
    #[inline(always)]
    pub fn zero() -> Self {
        Self { product: Packet::zero(), energy: [T::zero(); LANES] }
    }

    /// One more pair of errors.
    #[inline(always)]
    pub fn add(&mut self, f: &Packet<T>, b: &Packet<T>) {
        self.product = self.product.plus_conj(b, f);
        let (f, b) = (f.norm_sqr(), b.norm_sqr());
        for l in 0..LANES {
            self.energy[l] += f[l] + b[l];
        }
    }
}

/// Energy that rounding may have put into the errors so far, order by order.
pub struct Rounding<T> {
    energy: Lanes<T>,
    gain: Lanes<T>,
}

impl<T: Real> Rounding<T> {
    #[inline(always)]
    pub fn new() -> Self {
        Self { energy: [T::zero(); LANES], gain: [T::one(); LANES] }
    }

    /// k = -2 product/energy with |k| <= 1, or 0 where the errors are nothing but rounding.
    #[inline(always)]
    pub fn reflection(&mut self, sums: &Sums<T>) -> Packet<T> {
        let (unit, two) = (T::epsilon() * T::epsilon(), T::one() + T::one());
        let mut k = Packet::zero();
        for l in 0..LANES {
            let energy = sums.energy[l];
            self.energy[l] = self.energy[l] * self.gain[l] + unit * energy;
            let scale = if energy > self.energy[l] { -two / energy } else { T::zero() };
            let (re, im) = (sums.product.re[l] * scale, sums.product.im[l] * scale);
            let squared = re * re + im * im;
            let clip = if squared > T::one() { squared.sqrt().recip() } else { T::one() };
            k.re[l] = re * clip;
            k.im[l] = im * clip;
            self.gain[l] = T::one() + squared.min(T::one());
        }
        k
    }
}
