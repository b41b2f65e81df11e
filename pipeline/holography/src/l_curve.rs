//! Cutoff by the L-curve (Hansen): the usual rule, for comparison with `cutoff.rs`.
//!
//! For every cutoff, the residual ||(1 - F) P|| against the solution ||F B P||, both logarithmic, P the padded spectrum
//! and B the back-propagator. A higher cutoff lowers the residual and raises the solution; where the curve turns up most
//! sharply, the solution begins to be noise. The slope stays at [`SLOPE`]. It needs no noise estimate, and its corner
//! can be missed: padding adds wavenumbers of its own.

use super::design::{Grid, KFilter};
use num_complex::Complex;
use std::f64::consts::{PI, TAU};

/// alpha of all filters tried.
pub const SLOPE: f64 = 0.15;
/// Points of the curve.
const POINTS: usize = 64;

/// The filter at the corner, for the padded spectrum of a hologram at wavenumber `k`, to be taken `distance` metres back.
pub fn choose(grid: &Grid, k: f64, distance: f64, spectrum: &[Complex<f64>]) -> KFilter {
    let pitch = grid.aperture.pitch;
    let edge = grid.aperture.rows.min(grid.aperture.cols) as f64 * pitch;
    let (lowest, highest) = (k.max(TAU / edge), PI / pitch);
    let filter = |point: usize| {
        let part = point as f64 / (POINTS - 1) as f64;
        KFilter { cutoff: lowest * (highest / lowest).powf(part), slope: SLOPE }
    };
    let points: Vec<[f64; 2]> = (0..POINTS).map(|i| norms(grid, k, distance, spectrum, &filter(i))).collect();
    let corner =
        (1..POINTS - 1).max_by(|&a, &b| turn(&points, a).total_cmp(&turn(&points, b))).unwrap_or(POINTS / 2);
    filter(corner)
}

/// ln ||(1 - F) P|| and ln ||F B P||.
fn norms(grid: &Grid, k: f64, distance: f64, spectrum: &[Complex<f64>], filter: &KFilter) -> [f64; 2] {
    let (ky, kx) = grid.wavenumbers();
    let (mut residual, mut solution) = (0.0, 0.0);
    for (line, y) in spectrum.chunks_exact(kx.len()).zip(&ky) {
        for (value, x) in line.iter().zip(&kx) {
            let radius = x.hypot(*y);
            let growth = ((radius - k) * (radius + k)).max(0.0).sqrt() * distance;
            residual += value.norm_sqr() * (1.0 - filter.gain(radius)).powi(2);
            solution += value.norm_sqr() * filter.gain_times_exp(radius, growth).powi(2);
        }
    }
    [residual, solution].map(|power| 0.5 * power.max(f64::MIN_POSITIVE).ln())
}

/// How sharply the curve turns from left to up at a point: curvature from central differences, positive at the corner.
fn turn(points: &[[f64; 2]], i: usize) -> f64 {
    let [before, here, after] = [points[i - 1], points[i], points[i + 1]];
    let first = [0, 1].map(|c| 0.5 * (after[c] - before[c]));
    let second = [0, 1].map(|c| after[c] - 2.0 * here[c] + before[c]);
    let speed = first[0].hypot(first[1]).max(f64::MIN_POSITIVE);
    (first[1] * second[0] - first[0] * second[1]) / speed.powi(3)
}
