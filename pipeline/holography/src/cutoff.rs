//! Cutoff and slope of the k-filter, chosen for each hologram from its own data ("cut-off and slope", COS).
//!
//! The filter trades what it takes from the field against what it lets through: noise, and the error of the padding. The
//! expected squared error on the source plane, summed over the microphones' places, is
//!
//! ```text
//! E(k_co, alpha) = d^2/(4 pi^2) integral |B|^2 ((1 - F)^2 s + F^2 n) dk_x dk_y + D(k_co, alpha)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | B | back-propagator, |B| = exp(kappa z_h) outside the radiation circle, kappa = sqrt(k_r^2 - k^2) | 1 |
//! | F | k-filter with cutoff k_co and slope alpha | 1 |
//! | s(k_r) | power of the field in the hologram's spectrum, mean over the ring of radius k_r | p^2 |
//! | n | power of the noise in the spectrum: the sum of all microphones' variances ([`super::noise`]) | p^2 |
//! | D | error of the padding, measured by moving the border (`border.rs`) | p^2 |
//! | h | depth of the equivalent sources behind the source plane | m |
//! | L | shorter edge of the aperture | m |
//!
//! **Where s comes from.** Padding colours the noise and adds wavenumbers of its own, so s is taken from the measured
//! aperture alone, under a Hann window, in rings. The window smears over 4 pi/L: rings nearer than that to the radiation
//! circle hold its strong waves. Beyond, the field of sources at depth h falls as s = A exp(-2 kappa (z_h + h))/kappa^2 (a
//! monopole's spectrum is exp(-kappa z)/kappa), which also says what lies under the noise. A and h are fitted by
//! maximum likelihood (Whittle: the periodogram is exponential about s + n), rings weighted by their points. The window
//! is 1 in the middle of the array, so s is right for sources there and a little low, which is the safe side, for
//! sources near the border.
//!
//! **Where D comes from.** What padding adds beyond the border is amplified like noise, the more the farther the source
//! plane is. It shows when the outermost microphones are left out: the field inside should not change, and what changes is
//! the padding's work.
//!
//! No constant is fitted to any scene. Several frames of one scene may be given; their spectra are averaged.
//!
//! Cost: 3e5 exponentials and some tens of FFTs of the padded grid; tens of milliseconds. The twin on a card is [`cuda`].
//!
//! **Differs from the thesis**, which iterates cutoff and slope before the run in an unpublished way and then uses 50 rad/m
//! and 0.3 for everything.

pub mod cuda;

use super::border::{Border, Change};
use super::design::{Aperture, Grid, KFilter, wavenumbers};
use super::fft2::Fft2;
use super::noise::Noise;
use super::{Error, Padding};
use num_complex::Complex;
use std::f64::consts::{PI, SQRT_2, TAU};

/// Rings that a fit of two numbers needs at least.
const FEWEST_RINGS: usize = 4;
/// Depths tried, from the source plane itself to a quarter of the aperture.
const DEPTHS: usize = 33;
/// Radii of the integral over k-space.
const RADII: usize = 450;
/// Cutoffs tried, evenly spaced in their logarithm.
const CUTOFFS: usize = 48;
/// Slopes tried; steeper ones ring, flatter ones filter nothing.
const SLOPES: [f64; 7] = [0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5];
/// exp of more is infinite, and times a gain of 0 not a number.
const LARGEST_EXPONENT: f64 = 700.0;

/// What the data say about filter and noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The filter with the least expected error.
    pub filter: KFilter,
    /// The noise of one frame.
    pub noise: Noise,
    /// z_h + h: distance of the equivalent sources from the microphones, m.
    pub range: f64,
}

/// Chooses filters for one aperture and padding; made once, used for every hologram.
pub struct Chooser {
    aperture: Aperture,
    border: Border,
    fft: Fft2,
    /// Hann windows down the rows and along the columns; the taper is their product.
    hann: [Vec<f64>; 2],
    /// Ring of every point of the spectrum.
    ring_of: Vec<usize>,
    /// Points of every ring.
    counts: Vec<f64>,
    /// Width of a ring, rad/m; ring i is centred on (i + 1/2) of them.
    width: f64,
}

/// Mean power of the rings of a tapered spectrum.
struct Rings {
    power: Vec<f64>,
    /// Noise power in every ring.
    noise: f64,
}

impl Chooser {
    /// For a grid over at least 5 x 5 microphones.
    pub fn new(grid: &Grid, padding: Padding) -> Result<Self, Error> {
        let aperture = grid.aperture;
        let Aperture { rows, cols, pitch } = aperture;
        if rows.min(cols) < Noise::SMALLEST {
            return Err(Error::TooSmall { rows, cols, needed: Noise::SMALLEST });
        }
        let width = TAU / (3.0 * rows.max(cols) as f64 * pitch);
        let (ky, kx) = (wavenumbers(3 * rows, pitch), wavenumbers(3 * cols, pitch));
        let ring_of: Vec<usize> =
            ky.iter().flat_map(|y| kx.iter().map(move |x| (x.hypot(*y) / width) as usize)).collect();
        let mut counts = vec![0.0; ring_of.iter().max().map_or(0, |last| last + 1)];
        ring_of.iter().for_each(|&ring| counts[ring] += 1.0);
        let (border, fft) = (Border::new(grid, padding)?, Fft2::new(3 * rows, 3 * cols));
        Ok(Self { aperture, border, fft, hann: [hann(rows), hann(cols)], ring_of, counts, width })
    }

    /// The filter for frames `[frame][y][x]` of one scene at acoustic wavenumber `k`, to be taken `distance` metres towards the
    /// source, or away from it if negative.
    pub fn choose(&self, k: f64, distance: f64, frames: &[Complex<f64>]) -> Result<Estimate, Error> {
        self.choose_for(k, distance, frames, Noise::estimate(&self.aperture, frames)?)
    }

    /// The same where the noise is known, and need not be in the frames as it is in microphones on a grid.
    pub fn choose_for(
        &self,
        k: f64,
        distance: f64,
        frames: &[Complex<f64>],
        noise: Noise,
    ) -> Result<Estimate, Error> {
        let frame_count = (frames.len() / self.aperture.len()) as f64;
        let total = frames.iter().map(|p| noise.variance(*p)).sum::<f64>() / frame_count;
        let rings = self.rings(frames, &noise);
        if rings.power.iter().all(|&p| p == 0.0) {
            return Ok(Estimate { filter: self.silent(), noise, range: 0.0 });
        }
        let tail = self.fit(&rings, k, distance);
        let powers = self.powers(&rings, &tail, k, distance, total);
        let change = self.border.change(k, distance, &frames[..self.aperture.len()])?;
        Ok(Estimate { filter: self.least(&powers, &change), noise, range: tail.range })
    }

    /// The filter for zeros, which any filter would do for: the highest cutoff.
    fn silent(&self) -> KFilter {
        KFilter { cutoff: self.highest(), slope: SLOPES[0] }
    }

    fn radius(&self, ring: usize) -> f64 {
        (ring as f64 + 0.5) * self.width
    }

    /// pi/d: largest wavenumber along an axis, rad/m.
    fn highest(&self) -> f64 {
        PI / self.aperture.pitch
    }

    fn shorter_edge(&self) -> f64 {
        self.aperture.rows.min(self.aperture.cols) as f64 * self.aperture.pitch
    }

    /// Spectra of the tapered frames, averaged over frames and rings.
    fn rings(&self, frames: &[Complex<f64>], noise: &Noise) -> Rings {
        let Aperture { rows, cols, .. } = self.aperture;
        let mut rings = Rings { power: vec![0.0; self.counts.len()], noise: 0.0 };
        let count = (frames.len() / (rows * cols)) as f64;
        for frame in frames.chunks_exact(rows * cols) {
            let mut grid = vec![Complex::new(0.0, 0.0); 9 * rows * cols];
            for (y, line) in frame.chunks_exact(cols).enumerate() {
                for (x, value) in line.iter().enumerate() {
                    let weight = self.hann[0][y] * self.hann[1][x];
                    grid[y * 3 * cols + x] = value * weight;
                    rings.noise += weight * weight * noise.variance(*value) / count;
                }
            }
            self.fft.forward(&mut grid);
            for (value, &ring) in grid.iter().zip(&self.ring_of) {
                rings.power[ring] += value.norm_sqr() / (count * self.counts[ring]);
            }
        }
        rings
    }

    /// First ring that the radiation circle's waves do not reach through the window.
    fn first_evanescent(&self, k: f64) -> usize {
        let radius = k + 2.0 * TAU / self.shorter_edge();
        let ring = (radius / self.width - 0.5).ceil() as usize;
        ring.min(self.counts.len().saturating_sub(FEWEST_RINGS))
    }

    /// Whittle's maximum likelihood over the evanescent rings.
    fn fit(&self, rings: &Rings, k: f64, distance: f64) -> Tail {
        let first = self.first_evanescent(k);
        let kappa: Vec<f64> = (first..self.counts.len()).map(|i| decay(k, self.radius(i))).collect();
        let (power, counts) = (&rings.power[first..], &self.counts[first..]);
        let mut best = (f64::NEG_INFINITY, Tail { scale: 0.0, range: distance.max(0.0), origin: kappa[0] });
        for range in self.ranges(distance) {
            let unit = Tail { scale: 1.0, range, origin: kappa[0] };
            let shape: Vec<f64> = kappa.iter().map(|x| unit.at(*x)).collect();
            let scale = likeliest_scale(power, counts, &shape, rings.noise);
            let likelihood = log_likelihood(power, counts, &shape, scale, rings.noise);
            if likelihood > best.0 {
                best = (likelihood, Tail { scale, ..unit });
            }
        }
        best.1
    }

    /// z_h + h for all depths h: the sources lie beyond the plane that is asked for, if that is towards them.
    fn ranges(&self, distance: f64) -> impl Iterator<Item = f64> {
        let deepest = 0.25 * self.shorter_edge();
        (0..DEPTHS).map(move |step| distance.max(0.0) + deepest * step as f64 / (DEPTHS - 1) as f64)
    }

    /// Circle `i` of [`RADII`] of the integral, with its weight d^2/(4 pi^2) |B|^2 x its area inside the band.
    fn circle(&self, i: usize, k: f64, distance: f64) -> Circle {
        let highest = self.highest();
        let radius = SQRT_2 * highest * (i as f64 + 0.5) / RADII as f64;
        let kappa = decay(k, radius);
        // Beyond pi/d only the corners of the band are left of a circle.
        let inside = if radius <= highest { 1.0 } else { 1.0 - 4.0 / PI * (highest / radius).acos() };
        let area = TAU * radius * (SQRT_2 * highest / RADII as f64) * inside;
        let growth = (2.0 * kappa * distance).min(LARGEST_EXPONENT).exp();
        Circle { radius, kappa, weight: (self.aperture.pitch / TAU).powi(2) * area * growth }
    }

    /// |B|^2 s and |B|^2 n times d^2/(4 pi^2) and the area of the circle inside the band.
    fn powers(&self, rings: &Rings, tail: &Tail, k: f64, distance: f64, total: f64) -> Vec<Powers> {
        let first = self.first_evanescent(k);
        let measured = |radius: f64| {
            let place = (radius / self.width - 0.5).max(0.0);
            let (ring, part) = (place as usize, place.fract());
            let signal = |ring: usize| (rings.power[ring.min(first)] - rings.noise).max(0.0);
            signal(ring) + part * (signal(ring + 1) - signal(ring))
        };
        let at = |i: usize| {
            let Circle { radius, kappa, weight } = self.circle(i, k, distance);
            let field = if radius < self.radius(first) { measured(radius) } else { tail.at(kappa) };
            Powers { radius, field: weight * field, noise: weight * total }
        };
        (0..RADII).map(at).collect()
    }

    /// All filters that are tried.
    fn candidates(&self) -> impl Iterator<Item = KFilter> {
        let (lowest, highest) = (TAU / self.shorter_edge(), self.highest());
        let cutoff = move |step: usize| lowest * (highest / lowest).powf(step as f64 / CUTOFFS as f64);
        SLOPES
            .into_iter()
            .flat_map(move |slope| (0..=CUTOFFS).map(move |step| KFilter { cutoff: cutoff(step), slope }))
    }

    /// The filter with the least expected error. D takes a transform, so filters are tried from the least of the other
    /// terms on, until these alone exceed the best sum.
    fn least(&self, powers: &[Powers], change: &Change) -> KFilter {
        let error = |filter: &KFilter| powers.iter().map(|p| p.error(filter)).sum::<f64>();
        let mut filters: Vec<_> = self.candidates().map(|filter| (error(&filter), filter)).collect();
        filters.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut best = (f64::INFINITY, filters[0].1);
        for (error, filter) in filters {
            if error >= best.0 {
                break;
            }
            let sum = error + change.power(&filter);
            if sum < best.0 {
                best = (sum, filter);
            }
        }
        best.1
    }
}

/// s = `scale` exp(-2 (kappa - `origin`) `range`) (`origin`/kappa)^2.
#[derive(Clone, Copy)]
struct Tail {
    scale: f64,
    /// z_h + h, m.
    range: f64,
    /// kappa of the first ring, rad/m: there s is `scale`.
    origin: f64,
}

impl Tail {
    fn at(&self, kappa: f64) -> f64 {
        let exponent = -2.0 * (kappa - self.origin) * self.range;
        self.scale * exponent.exp() * (self.origin / kappa).powi(2)
    }
}

/// A circle of k-space in the integral.
struct Circle {
    radius: f64,
    kappa: f64,
    weight: f64,
}

/// Powers on the source plane on one circle of k-space.
struct Powers {
    radius: f64,
    field: f64,
    noise: f64,
}

impl Powers {
    fn error(&self, filter: &KFilter) -> f64 {
        let gain = filter.gain(self.radius);
        (1.0 - gain).powi(2) * self.field + gain.powi(2) * self.noise
    }
}

/// Hann window of `n` samples without its zeros.
fn hann(n: usize) -> Vec<f64> {
    (1..=n).map(|i| (PI * i as f64 / (n + 1) as f64).sin().powi(2)).collect()
}

/// kappa, rad/m; 0 inside the radiation circle.
fn decay(k: f64, radius: f64) -> f64 {
    ((radius - k) * (radius + k)).max(0.0).sqrt()
}

/// The scale A that makes the powers likeliest under A `shape` + `noise`: Fisher's scoring on ln A.
fn likeliest_scale(power: &[f64], counts: &[f64], shape: &[f64], noise: f64) -> f64 {
    let start = power.first().zip(shape.first()).map_or(1.0, |(p, s)| (p - noise).max(1e-3 * p) / s);
    let mut ln_scale = start.max(f64::MIN_POSITIVE).ln();
    for _ in 0..60 {
        let scale = ln_scale.exp();
        let (mut slope, mut curvature) = (0.0, f64::MIN_POSITIVE);
        for ((p, count), s) in power.iter().zip(counts).zip(shape) {
            let mean = scale * s + noise;
            if mean > 0.0 {
                let part = scale * s / mean;
                slope += count * part * (p / mean - 1.0);
                curvature += count * part * part;
            }
        }
        let step = (slope / curvature).clamp(-1.0, 1.0);
        ln_scale += step;
        if step.abs() < 1e-9 {
            break;
        }
    }
    ln_scale.exp()
}

fn log_likelihood(power: &[f64], counts: &[f64], shape: &[f64], scale: f64, noise: f64) -> f64 {
    let terms = power.iter().zip(counts).zip(shape).map(|((p, count), s)| {
        let mean = (scale * s + noise).max(f64::MIN_POSITIVE);
        -count * (mean.ln() + p / mean)
    });
    terms.sum()
}

#[cfg(test)]
mod tests;
