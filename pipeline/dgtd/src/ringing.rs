//! What a run that ends while fields still ring would have added to its sums: reduced rank extrapolation.
//!
//! A resonance of quality Q leaves exp(-k t/(2 Q)) of its field after t, so that the sums of a sphere with Q = 300 at ka = 6 are wrong by a third after a hundred radii. Late sums are those of poles,
//! ```text
//! s(T) = s + sum over m of c_m exp((j (k_m - k) - g_m) T)
//! ```
//! and from sums s_0..s_(K+1) at equal distances
//! ```text
//! s = sum g_i s_i,   i = 0..K,   where sum g_i = 1 makes |sum g_i (s_(i+1) - s_i)| smallest
//! ```
//! is exact for K poles, the same for all nodes (Eddy; Mesina; Sidi, J. Comput. Appl. Math. 36, 305 (1991)).

use super::spectrum::{Phasor, Spectrum};
use num_complex::Complex64;

/// K: the most poles.
pub const POLES: usize = 6;

/// Sums that are kept.
pub const KEPT: usize = POLES + 2;

/// Distance of two sums over the width of the pulse: the fields of a pulse of this width are sampled about as often as its spectrum needs.
pub const DISTANCE: f64 = 1.25;

/// Rounding of the fields, in 32 bits and squared: differences below it are no ringing.
const ROUNDING: f64 = 1e-12;

/// The last sums, oldest first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ringing {
    /// Of all nodes and frequencies, [`KEPT`] times at most.
    pub sums: Vec<Vec<Phasor>>,
}

impl Ringing {
    /// Keeps the sums of another time, one distance after the last.
    pub fn keep(&mut self, spectrum: &Spectrum) {
        if self.sums.len() == KEPT {
            self.sums.remove(0);
        }
        self.sums.push(spectrum.phasors.clone());
    }

    /// The spectrum at the end of time, frequency by frequency; as it is where too few sums were kept.
    pub fn ended(&self, spectrum: &Spectrum) -> Spectrum {
        let mut found = spectrum.clone();
        if self.sums.len() < KEPT {
            return found;
        }
        let count = spectrum.points.len();
        for (number, phasors) in found.phasors.chunks_mut(count.max(1)).enumerate() {
            let sums: Vec<&[Phasor]> =
                self.sums.iter().map(|sums| &sums[number * count..][..count]).collect();
            let weights = weights(&sums);
            for (at, phasor) in phasors.iter_mut().enumerate() {
                let terms = || weights.iter().zip(&sums);
                for axis in 0..3 {
                    phasor.e[axis] = terms().map(|(weight, sums)| weight * sums[at].e[axis]).sum();
                    phasor.h[axis] = terms().map(|(weight, sums)| weight * sums[at].h[axis]).sum();
                }
            }
        }
        found
    }
}

/// g of the sums: the normal equations, whose right-hand side is one everywhere up to a factor.
fn weights(sums: &[&[Phasor]]) -> Vec<Complex64> {
    let size = sums.len() - 1;
    let difference = |at: usize, node: usize| {
        let of = |from: &[Complex64; 3], to: &[Complex64; 3]| [0, 1, 2].map(|axis| to[axis] - from[axis]);
        let (from, to) = (&sums[at][node], &sums[at + 1][node]);
        let ([a, b, c], [d, e, f]) = (of(&from.e, &to.e), of(&from.h, &to.h));
        [a, b, c, d, e, f]
    };
    let mut rows = vec![vec![Complex64::ZERO; size + 1]; size];
    for node in 0..sums[0].len() {
        let all: Vec<[Complex64; 6]> = (0..size).map(|at| difference(at, node)).collect();
        for (row, a) in rows.iter_mut().zip(&all) {
            for (entry, b) in row.iter_mut().zip(&all) {
                *entry += a.iter().zip(b).map(|(a, b)| a.conj() * b).sum::<Complex64>();
            }
        }
    }
    let trace: f64 = (0..size).map(|at| rows[at][at].re).sum();
    for (at, row) in rows.iter_mut().enumerate() {
        row[at] += (ROUNDING * trace).max(f64::MIN_POSITIVE);
        row[size] = Complex64::ONE;
    }
    let solved = solved(rows);
    let sum: Complex64 = solved.iter().sum();
    solved.into_iter().map(|weight| weight / sum).collect()
}

/// Gauss's elimination of a positive definite system, whose last column is the right-hand side.
fn solved(mut rows: Vec<Vec<Complex64>>) -> Vec<Complex64> {
    let size = rows.len();
    for at in 0..size {
        let (done, rest) = rows.split_at_mut(at + 1);
        for row in rest {
            let factor = row[at] / done[at][at];
            row.iter_mut().zip(&done[at]).skip(at).for_each(|(entry, above)| *entry -= factor * above);
        }
    }
    let mut found = vec![Complex64::ZERO; size];
    for at in (0..size).rev() {
        let known: Complex64 = (at + 1..size).map(|column| rows[at][column] * found[column]).sum();
        found[at] = (rows[at][size] - known) / rows[at][at];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spectrum::Point;
    use numerics::vec3::Vec3;

    /// Sums of a few poles at two nodes and one frequency, and where they end.
    fn sums(time: f64) -> (Vec<Phasor>, Vec<Phasor>) {
        let poles =
            [(-0.02, 0.07), (-0.05, -1.9), (-0.11, 0.8), (-0.3, -0.4)].map(|(re, im)| Complex64::new(re, im));
        let node = |node: f64| {
            let end = |at: usize| Complex64::new(1.0 + node, at as f64);
            let late = |at: usize| {
                // Amplitudes of different poles must not depend on each other, as those of a surface do not.
                let amplitude =
                    |m: usize| Complex64::from_polar(0.3, 1.7 * ((m + 1) * (at + 2)) as f64 * (1.0 + node));
                let term = |(m, pole): (usize, &Complex64)| (pole * time).exp() * amplitude(m);
                end(at) + poles.iter().enumerate().map(term).sum::<Complex64>()
            };
            let phasor = |value: &dyn Fn(usize) -> Complex64| Phasor {
                e: [0, 1, 2].map(value),
                h: [3, 4, 5].map(value),
            };
            (phasor(&late), phasor(&end))
        };
        [0.0, 1.0].map(node).into_iter().unzip()
    }

    #[test]
    fn sums_of_few_poles_are_continued_to_their_end() {
        let point = Point { element: 0, node: 0, place: Vec3::ZERO, normal: Vec3::ZERO, weight: 1.0 };
        let mut spectrum = Spectrum {
            points: vec![point; 2],
            wavenumbers: vec![1.0],
            phasors: Vec::new(),
            incident: vec![Complex64::ONE],
        };
        let mut ringing = Ringing::default();
        for at in 0..KEPT + 3 {
            spectrum.phasors = sums(2.0 * at as f64).0;
            ringing.keep(&spectrum);
            let found = ringing.ended(&spectrum);
            if at + 1 < KEPT {
                assert_eq!(found, spectrum);
                continue;
            }
            for (found, end) in found.phasors.iter().zip(&sums(0.0).1) {
                let wrong = (0..3).map(|axis| {
                    (found.e[axis] - end.e[axis]).norm().max((found.h[axis] - end.h[axis]).norm())
                });
                // The sums themselves are wrong by 0.3 and more; rounding is allowed for by 1e-12 of the squares.
                assert!(wrong.fold(0.0, f64::max) < 1e-3, "{found:?}");
            }
        }
    }
}
