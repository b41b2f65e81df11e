//! Points as cell and fraction, sorted so that neighbours in space are neighbours in memory.
//!
//! A position x is n x/(2 pi) fine points from the origin. It is reduced and scaled in `f64` and kept as the first fine point that the
//! window covers (an integer) and the rest (a number in [-1, 1)), which `T` holds to its own precision whatever n is.

use super::super::Error;
use crate::real::Real;
use crate::simd::{Kernel, dispatch, multiply_add};

/// 1/(2 pi) to twice the digits.
const TURN: [f64; 2] = [0.159_154_943_091_895_35, -9.839_338_337_591_9e-18];

/// Fine points of a bin along x, y and z: a bin with its margins stays in the first cache.
pub const BIN: [usize; 3] = [16, 4, 4];

/// A point; unused axes are 0.
#[derive(Debug, Clone, Copy)]
pub struct Place<T> {
    /// First fine point that its window covers, plus the margin: x, y, z.
    pub cell: [u32; 3],
    /// Number of the point as given.
    pub index: u32,
    /// 2 t - 1, t the way from the window's start to that fine point.
    pub fraction: [T; 3],
}

/// Fine points before the origin that windows may cover.
pub const fn margin(width: usize) -> usize {
    width / 2
}

/// Puts `points` into `places` in the order of their bins, for a fine grid of `n` and a window of `width`.
pub fn sort<T: Real>(
    points: &[&[f64]],
    n: &[usize],
    width: usize,
    places: &mut Vec<Place<T>>,
) -> Result<(), Error> {
    let count = points[0].len();
    u32::try_from(count).map_err(|_| Error::Points(count))?;
    for (axis, coordinates) in points.iter().enumerate() {
        if let Some(index) = coordinates.iter().position(|x| x.is_nan() || x.abs() > FARTHEST) {
            return Err(Error::Point { index, axis, value: coordinates[index] });
        }
    }
    let bins: [usize; 3] = std::array::from_fn(|a| n.get(a).map_or(1, |n| n / BIN[a] + 1));
    let none = Place { cell: [0; 3], index: 0, fraction: [T::zero(); 3] };
    let unsorted = &mut vec![none; count];
    places.resize(count, none);
    let starts = vec![0; bins.iter().product::<usize>() + 1];
    dispatch(Sort { points, n, width, bins, starts, unsorted, places });
    Ok(())
}

struct Sort<'a, T> {
    points: &'a [&'a [f64]],
    n: &'a [usize],
    width: usize,
    bins: [usize; 3],
    /// Of every bin, and the end.
    starts: Vec<u32>,
    unsorted: &'a mut [Place<T>],
    places: &'a mut [Place<T>],
}

impl<T: Real> Kernel for Sort<'_, T> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(mut self) {
        for (axis, coordinates) in self.points.iter().enumerate() {
            for (place, x) in self.unsorted.iter_mut().zip(*coordinates) {
                let (first, fraction) = cell_and_rest::<FMA>(*x, self.n[axis] as f64, self.width);
                (place.cell[axis], place.fraction[axis]) = (first, T::of(fraction));
            }
        }
        for (index, place) in self.unsorted.iter_mut().enumerate() {
            place.index = index as u32;
            self.starts[bin_of(place, &self.bins) + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        for place in self.unsorted.iter() {
            let to = &mut self.starts[bin_of(place, &self.bins)];
            self.places[*to as usize] = *place;
            *to += 1;
        }
    }
}

/// Coordinates beyond have no digits left within a period.
const FARTHEST: f64 = 1e9;

/// a b, and what rounding takes from it.
#[inline(always)]
fn product<const FMA: bool>(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    if FMA {
        return (p, multiply_add::<f64, FMA>(a, b, -p));
    }
    // Dekker: halves of 26 bits.
    let halves = |x: f64| {
        let high = x * 134_217_729.0;
        let high = high - (high - x);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

/// First cell plus margin, and 2 t - 1.
#[inline(always)]
fn cell_and_rest<const FMA: bool>(x: f64, n: f64, width: usize) -> (u32, f64) {
    // Products with what rounding takes from them: a phase of N/2 periods keeps all digits of x.
    let (turns, rest) = product::<FMA>(x, TURN[0]);
    let rest = rest + x * TURN[1];
    let turns = turns - turns.floor();
    let (grid, more) = product::<FMA>(turns, n);
    let rest = rest * n + more;
    // A tiny negative number is rounded up to a whole turn.
    let grid = if grid < n { grid } else { 0.0 };
    let start = grid - 0.5 * width as f64;
    let first = start.ceil();
    let fraction = (2.0 * ((first - start) - rest) - 1.0).clamp(-1.0, 1.0);
    ((first + margin(width) as f64) as u32, fraction)
}

fn bin_of<T>(place: &Place<T>, bins: &[usize; 3]) -> usize {
    let [x, y, z] = std::array::from_fn(|a| place.cell[a] as usize / BIN[a]);
    (z * bins[1] + y) * bins[0] + x
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn positions_are_kept_to_the_last_bit_and_wrapped() {
        for width in [7, 8] {
            for x in [0.0, -1e-300, -0.5, 3.0, -std::f64::consts::PI, 6.3, 1e6] {
                let (cell, rest) = cell_and_rest::<true>(x, 100.0, width);
                assert_eq!(cell_and_rest::<false>(x, 100.0, width), (cell, rest));
                let grid = f64::from(cell) - margin(width) as f64 + 0.5 * width as f64 - 0.5 * (rest + 1.0);
                let turns = (grid / 100.0 - x / TAU).rem_euclid(1.0);
                assert!(turns.min(1.0 - turns) < 1e-15 * (1.0 + x.abs()), "{x}: {turns}");
                assert!(cell <= 100 && (-1.0..=1.0).contains(&rest), "{x}: {cell} {rest}");
            }
        }
    }

    #[test]
    fn all_points_are_there_once_and_bins_follow_each_other() {
        let coordinates: Vec<Vec<f64>> =
            (0..3).map(|a| (0..999).map(|i| f64::from(i * (7 + a) % 83) * 0.07).collect()).collect();
        let points: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
        let n = [50, 60, 20];
        let mut sorted = Vec::new();
        sort::<f32>(&points, &n, 6, &mut sorted).unwrap();
        let bins = std::array::from_fn(|a| n[a] / BIN[a] + 1);
        assert!(sorted.is_sorted_by_key(|place| bin_of(place, &bins)));
        let mut indices: Vec<u32> = sorted.iter().map(|place| place.index).collect();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(0..999));
    }
}
