//! Linear-phase FIR by the Remez exchange (Parks and McClellan): the smallest weighted peak error.
//!
//! The zero-phase response of an odd symmetric filter is A(w) = sum_{k=0}^{m} a_k cos(k w), a polynomial of degree
//! m = (T-1)/2 in x = cos w. The best one touches its largest weighted error with alternating sign at m + 2
//! frequencies. Each round interpolates through the present guess of those frequencies (barycentric, no linear
//! system), looks where the error really peaks, and moves there.

use std::f64::consts::PI;

/// A stretch of the frequency axis with its target and its weight, both as functions of frequency.
pub struct Band<'a> {
    /// First frequency, cycles a sample.
    pub from: f64,
    /// Last frequency, at most 0.5.
    pub to: f64,
    /// Wanted zero-phase response.
    pub target: &'a dyn Fn(f64) -> f64,
    /// Weight of the error; the design minimises the peak of weight x error.
    pub weight: &'a dyn Fn(f64) -> f64,
}

/// Grid points for each extremal frequency. A peak lies within half a step of a point; lobes beside the transition are
/// about half as wide as the mean, so it is missed by less than (pi / 32)^2 / 2, 0.5 %.
const DENSITY: usize = 32;

struct Point {
    x: f64,
    target: f64,
    weight: f64,
}

/// The taps of the best symmetric filter of `taps` taps, an odd number from 3 up; none of other numbers, and where the exchange
/// wanders off because the bands are too demanding for double precision.
pub fn remez(taps: usize, bands: &[Band]) -> Option<Vec<f64>> {
    if taps < 3 || taps.is_multiple_of(2) {
        return None;
    }
    let degree = (taps - 1) / 2;
    let grid = make_grid(degree, bands);
    let count = degree + 2;
    let mut extremal: Vec<usize> = (0..count).map(|i| i * (grid.len() - 1) / (count - 1)).collect();
    for _ in 0..100 {
        let fit = Interpolant::through(&grid, &extremal);
        let error: Vec<f64> = grid.iter().map(|p| p.weight * (p.target - fit.at(p.x))).collect();
        let next = alternating_peaks(&error, count)?;
        let peaks = next.iter().map(|&i| error[i].abs());
        let (low, high) = peaks.fold((f64::MAX, 0.0f64), |(l, h), e| (l.min(e), h.max(e)));
        let converged = next == extremal || high - low <= 1e-6 * high;
        extremal = next;
        if converged {
            return Some(impulse_response(&Interpolant::through(&grid, &extremal), taps));
        }
    }
    None
}

fn make_grid(degree: usize, bands: &[Band]) -> Vec<Point> {
    let step = 0.5 / (DENSITY * (degree + 1)) as f64;
    let mut grid = Vec::new();
    for band in bands {
        let points = ((band.to - band.from) / step).ceil().max(1.0) as usize;
        for i in 0..=points {
            let f = band.from + (band.to - band.from) * i as f64 / points as f64;
            grid.push(Point { x: (2.0 * PI * f).cos(), target: (band.target)(f), weight: (band.weight)(f) });
        }
    }
    grid
}

/// The polynomial in x through the extremal points, each moved by the levelled error with alternating sign.
struct Interpolant {
    x: Vec<f64>,
    y: Vec<f64>,
    weight: Vec<f64>,
}

impl Interpolant {
    fn through(grid: &[Point], extremal: &[usize]) -> Self {
        let points: Vec<&Point> = extremal.iter().map(|&i| &grid[i]).collect();
        let x: Vec<f64> = points.iter().map(|p| p.x).collect();
        let all = barycentric_weights(&x);
        let sign = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let numerator: f64 = points.iter().zip(&all).map(|(p, w)| w * p.target).sum();
        let denominator: f64 =
            points.iter().zip(&all).enumerate().map(|(i, (p, w))| sign(i) * w / p.weight).sum();
        let level = numerator / denominator;
        // One point fewer than extremal frequencies fixes the polynomial; the last follows from the level.
        let n = x.len() - 1;
        let y = points[..n].iter().enumerate().map(|(i, p)| p.target - sign(i) * level / p.weight).collect();
        let x = x[..n].to_vec();
        let weight = barycentric_weights(&x);
        Self { x, y, weight }
    }

    fn at(&self, x: f64) -> f64 {
        let (mut numerator, mut denominator) = (0.0, 0.0);
        for ((xi, yi), wi) in self.x.iter().zip(&self.y).zip(&self.weight) {
            if x == *xi {
                return *yi;
            }
            let c = wi / (x - xi);
            numerator += c * yi;
            denominator += c;
        }
        numerator / denominator
    }
}

/// 1 / product of differences; the factor 2 (the capacity of [-1, 1] is 1/2) keeps the products near 1.
fn barycentric_weights(x: &[f64]) -> Vec<f64> {
    let product =
        |i: usize| -> f64 { (0..x.len()).filter(|&j| j != i).map(|j| 2.0 * (x[i] - x[j])).product() };
    (0..x.len()).map(|i| 1.0 / product(i)).collect()
}

/// The `count` most prominent local extrema of alternating sign, in order; `None` if there are fewer.
fn alternating_peaks(error: &[f64], count: usize) -> Option<Vec<usize>> {
    let mut peaks: Vec<usize> = Vec::new();
    for i in 0..error.len() {
        let e = error[i];
        let before = if i > 0 { error[i - 1] } else { 0.0 };
        let after = error.get(i + 1).copied().unwrap_or(0.0);
        let is_peak = if e > 0.0 { e >= before && e > after } else { e < 0.0 && e <= before && e < after };
        if !is_peak {
            continue;
        }
        match peaks.last_mut() {
            Some(last) if error[*last].signum() == e.signum() => {
                if e.abs() > error[*last].abs() {
                    *last = i;
                }
            }
            _ => peaks.push(i),
        }
    }
    while peaks.len() > count {
        // Drop the weaker end, or the weakest neighbouring pair, so that signs still alternate.
        let (first, last) = (error[peaks[0]].abs(), error[peaks[peaks.len() - 1]].abs());
        if peaks.len() == count + 1 {
            if first < last {
                peaks.remove(0)
            } else {
                peaks.remove(peaks.len() - 1)
            };
        } else {
            let strength = |k: usize| error[peaks[k]].abs().max(error[peaks[k + 1]].abs());
            let k = (0..peaks.len() - 1).min_by(|&a, &b| strength(a).total_cmp(&strength(b)))?;
            peaks.drain(k..k + 2);
        }
    }
    (peaks.len() == count).then_some(peaks)
}

/// The taps from T samples of the zero-phase response: an inverse DFT of a real even sequence.
fn impulse_response(fit: &Interpolant, taps: usize) -> Vec<f64> {
    let n = taps as f64;
    let half = (taps - 1) / 2;
    let samples: Vec<f64> = (0..=half).map(|k| fit.at((2.0 * PI * k as f64 / n).cos())).collect();
    let tap = |j: usize| -> f64 {
        let t = j as f64 - half as f64;
        let sum: f64 = (1..=half).map(|k| samples[k] * (2.0 * PI * k as f64 * t / n).cos()).sum();
        (samples[0] + 2.0 * sum) / n
    };
    let front: Vec<f64> = (0..=half).map(tap).collect();
    front.iter().chain(front[..half].iter().rev()).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(taps: &[f64], f: f64) -> f64 {
        let half = (taps.len() - 1) as f64 / 2.0;
        taps.iter().enumerate().map(|(j, h)| h * (2.0 * PI * f * (j as f64 - half)).cos()).sum()
    }

    /// The alternation theorem is the proof: m + 2 equal weighted peaks of alternating sign cannot be improved.
    #[test]
    fn low_pass_error_alternates() {
        let (pass, stop) = (0.1, 0.16);
        let one = |_| 1.0;
        let bands = [
            Band { from: 0.0, to: pass, target: &one, weight: &one },
            Band { from: stop, to: 0.5, target: &|_| 0.0, weight: &|_| 10.0 },
        ];
        let taps = remez(51, &bands).unwrap();
        assert_eq!(taps, taps.iter().rev().copied().collect::<Vec<_>>());
        let frequencies: Vec<f64> = (0..=20000).map(|i| f64::from(i) / 40000.0).collect();
        let error: Vec<f64> = frequencies
            .iter()
            .map(|&f| match f {
                f if f <= pass => 1.0 - response(&taps, f),
                f if f >= stop => -10.0 * response(&taps, f),
                _ => 0.0,
            })
            .collect();
        let peak = error.iter().fold(0.0f64, |m, e| m.max(e.abs()));
        let touched = alternating_peaks(&error, 25 + 2).expect("27 alternating peaks");
        // The grid misses a peak by less than 0.5 % (see DENSITY).
        let peaks: Vec<f64> = touched.iter().map(|&i| error[i].abs() / peak).collect();
        assert!(peaks.iter().all(|&p| p > 0.99), "peaks are not level: {peaks:.3?}");
    }

    #[test]
    fn even_lengths_are_refused() {
        assert_eq!(remez(50, &[]), None);
        assert_eq!(remez(1, &[]), None);
    }
}
