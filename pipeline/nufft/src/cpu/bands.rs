//! All points and the whole grid, dealt out to threads where that pays.

use super::points::{BIN, Pitch, Place, Places};
use super::spread::{Lanes, interpolate, spread};
use num_complex::Complex;
use numerics::real::Real;
use rayon::prelude::*;

/// Bands of the outermost axis, at most: even and odd ones of eight threads.
const BANDS: usize = 16;
/// Points below which threads cost more than they save, and points that a thread interpolates at once.
const PARALLEL: usize = 10_000;
const PART: usize = 4096;

/// Whether `points` are worth more than one thread.
fn pays(points: usize) -> bool {
    points >= PARALLEL && rayon::current_num_threads() > 1
}

/// Spreads strengths to the grid, which is cleared before.
pub fn spread_all<T: Real>(
    lanes: &Lanes<T>,
    places: &Places<T>,
    strengths: &[Complex<T>],
    grid: &mut [[T; 2]],
    padded: &[usize],
) {
    grid.fill([T::zero(); 2]);
    match places {
        Places::One(places) => in_bands(lanes, places, strengths, grid, padded),
        Places::Two(places) => in_bands(lanes, places, strengths, grid, padded),
        Places::Three(places) => in_bands(lanes, places, strengths, grid, padded),
    }
}

fn in_bands<T: Real, const AXES: usize>(
    lanes: &Lanes<T>,
    places: &[Place<T, AXES>],
    strengths: &[Complex<T>],
    grid: &mut [[T; 2]],
    padded: &[usize],
) {
    let axis = AXES - 1;
    let pitch = Pitch::of(padded);
    // Whole bins, no narrower than a window.
    let steps = padded[axis].div_ceil(BANDS).max(lanes.lanes).next_multiple_of(BIN[axis]);
    let size = steps * [1, pitch.row, pitch.plane][axis];
    let band = |band: usize| {
        let bound = |band: usize| places.partition_point(|p| (p.start as usize) < band * size);
        &places[bound(band)..bound(band + 1)]
    };
    for parity in 0..2 {
        let begin = (parity * size).min(grid.len());
        let work = |(i, part): (usize, &mut [[T; 2]])| {
            let number = 2 * i + parity;
            spread(lanes, band(number), strengths, part, number * size, pitch);
        };
        let parts = &mut grid[begin..];
        if pays(places.len()) {
            parts.par_chunks_mut(2 * size).enumerate().for_each(work);
        } else {
            parts.chunks_mut(2 * size).enumerate().for_each(work);
        }
    }
}

/// Values of the grid at all points, by the points' own numbers.
pub fn interpolate_all<T: Real>(
    lanes: &Lanes<T>,
    places: &Places<T>,
    grid: &[[T; 2]],
    padded: &[usize],
    values: &mut [Complex<T>],
) {
    let pitch = Pitch::of(padded);
    match places {
        Places::One(places) => in_parts(lanes, places, grid, pitch, values),
        Places::Two(places) => in_parts(lanes, places, grid, pitch, values),
        Places::Three(places) => in_parts(lanes, places, grid, pitch, values),
    }
}

fn in_parts<T: Real, const AXES: usize>(
    lanes: &Lanes<T>,
    places: &[Place<T, AXES>],
    grid: &[[T; 2]],
    pitch: Pitch,
    values: &mut [Complex<T>],
) {
    if !pays(places.len()) {
        return interpolate(lanes, places, grid, pitch, values, false);
    }
    // Each thread keeps what it has found; putting it in order is little work.
    let part = |places: &[Place<T, AXES>]| {
        let mut found = vec![Complex::default(); places.len()];
        interpolate(lanes, places, grid, pitch, &mut found, true);
        found
    };
    let parts: Vec<_> = places.par_chunks(PART).map(part).collect();
    let found = parts.iter().flatten();
    places.iter().zip(found).for_each(|(place, value)| values[place.index as usize] = *value);
}
