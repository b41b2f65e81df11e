//! Tables of `cuda/sbr_band.cuh`: many frequencies as a band, in which few of them have all of what a tile radiates.
//!
//! A sum of exp(j a x) with |a| <= A is, on -1 <= x <= 1, the polynomial through its values at N of Chebyshev's nodes x_n = cos(pi (n + 1/2)/N), up to A^N/(2^(N - 1) N!). The share
//! of node n in the value at x is
//!
//! ```text
//! L_n(x) = 1/N [1 + 2 sum over m = 1 .. N - 1 of T_m(x_n) T_m(x)]
//! ```
//!
//! x goes from one end of the band to the other, and a is the phase there of paths that are so much longer than those in the middle of a tile.

use super::sizes::ENTRIES;
use std::f64::consts::PI;

/// Numbers of nodes, as in the source.
const NODES: [usize; 5] = [12, 16, 24, 32, 48];

/// What a sum may be wrong by, of what would be sent back in phase: a hundredth of what physical optics by edges of polygons loses to rounding.
const WRONG: f64 = 1e-12;

/// Most frequencies with tables, which have 4 MiB then.
const MOST: usize = 4096;

/// Most bins of a receiver. With more, paths are so far from each other that few tubes share one.
const MOST_BINS: f64 = 8192.0;

/// Frequencies and what kernels need of their band.
#[derive(Debug, Clone, PartialEq)]
pub struct Band {
    /// Frequencies; how far from the middle of a tile paths may be, m, for each number of nodes; then nodes and their shares in all frequencies, for each.
    pub(super) values: Vec<f64>,
    pub(super) frequencies: usize,
    /// Numbers of nodes that are worth it: those that are fewer than frequencies.
    pub(super) bands: usize,
    /// Bins of paths, each half as wide as the least nodes reach to one side: those of a footprint from end to end may be three bins.
    pub(super) bins: usize,
    /// Where they begin, m.
    pub(super) start: f64,
    /// m
    pub(super) width: f64,
}

impl Band {
    /// Of so many waves a metre, with paths from one length to another, m.
    pub fn new(waves: &[f64], [shortest, longest]: [f64; 2]) -> Self {
        let low = waves.iter().copied().fold(f64::INFINITY, f64::min);
        let high = waves.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low));
        let bands = match waves.len() {
            0..=MOST => NODES.iter().filter(|count| **count < waves.len()).count(),
            _ => 0,
        };
        let mut values = waves.to_vec();
        values.extend(NODES[..bands].iter().map(|count| reach(*count) / (2.0 * PI * half)));
        let places: Vec<f64> =
            waves.iter().map(|w| if half > 0.0 { (w - middle) / half } else { 0.0 }).collect();
        for &count in &NODES[..bands] {
            let nodes: Vec<f64> = (0..count).map(|n| (PI * (n as f64 + 0.5) / count as f64).cos()).collect();
            values.extend(nodes.iter().map(|x| middle + half * x));
            for node in &nodes {
                values.extend(places.iter().map(|x| share(count, *node, *x)));
            }
        }
        let width = if bands > 0 { 0.5 * values[waves.len()] } else { f64::INFINITY };
        let bins = ((longest - shortest) / width).ceil();
        let bins = if bins <= MOST_BINS { bins as usize } else { 0 };
        Self { values, frequencies: waves.len(), bands, bins, start: shortest, width }
    }

    /// Numbers that a receiver has: sums at all frequencies, and at the nodes of its bins.
    pub fn sums(&self) -> usize {
        ENTRIES * (self.frequencies + NODES[0] * self.bins)
    }
}

/// Largest phase from the middle for which so many nodes are not wrong by more than [`WRONG`].
fn reach(count: usize) -> f64 {
    let product = |all: f64, n: usize| all * (2.0 * n as f64);
    (WRONG * 0.5 * (1..=count).fold(1.0, product)).powf(1.0 / count as f64)
}

/// Of a node in the value at x.
fn share(count: usize, node: f64, x: f64) -> f64 {
    let (mut of_node, mut of_x, mut sum) = ([1.0, node], [1.0, x], 0.5);
    for _ in 1..count {
        sum += of_node[1] * of_x[1];
        of_node = [of_node[1], 2.0 * node * of_node[1] - of_node[0]];
        of_x = [of_x[1], 2.0 * x * of_x[1] - of_x[0]];
    }
    2.0 * sum / count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Beside what is allowed: sums of 48 shares of at most 1, and phases of 20 rad.
    const ROUNDING: f64 = 48.0 * 20.0 * f64::EPSILON;

    const PATHS: [f64; 2] = [-1.0, 2.0];

    /// No two of them as far from each other as others.
    fn waves(count: usize) -> Vec<f64> {
        (0..count).map(|i| 20.0 + 13.0 * ((i * i) as f64 * 0.754_877_666).fract()).collect()
    }

    #[test]
    fn few_nodes_have_all_of_a_band() {
        let waves = waves(101);
        let band = Band::new(&waves, PATHS);
        let count = waves.len();
        assert_eq!((band.frequencies, band.bands), (count, NODES.len()));
        let mut rest = &band.values[count + NODES.len()..];
        for (i, nodes) in NODES.into_iter().enumerate() {
            let (at, shares) = rest[..nodes * (count + 1)].split_at(nodes);
            rest = &rest[nodes * (count + 1)..];
            let farthest = band.values[count + i];
            let low = waves.iter().copied().fold(f64::INFINITY, f64::min);
            let high = waves.iter().copied().fold(0.0, f64::max);
            let middle = 0.5 * (low + high);
            let worst = |path: f64| {
                let wrong = |f: usize| {
                    let phase = |w: f64| 2.0 * PI * (w - middle) * path;
                    let (mut re, mut im) = (-phase(waves[f]).cos(), -phase(waves[f]).sin());
                    for (n, w) in at.iter().enumerate() {
                        re += shares[n * count + f] * phase(*w).cos();
                        im += shares[n * count + f] * phase(*w).sin();
                    }
                    re.hypot(im)
                };
                (0..count).map(wrong).fold(0.0, f64::max)
            };
            for part in [0.0, 0.3, -0.8, 1.0, -1.0] {
                let worst = worst(part * farthest);
                assert!(worst < WRONG + ROUNDING, "{nodes} nodes, {part}: {worst:e}");
            }
            // They reach no farther than they have to.
            assert!(worst(1.3 * farthest) > WRONG, "{nodes} nodes");
        }
        assert!(rest.is_empty());
    }

    #[test]
    fn tables_are_only_where_they_pay() {
        for (count, bands) in [(1, 0), (12, 0), (13, 1), (40, 4), (49, 5), (MOST + 1, 0)] {
            let band = Band::new(&waves(count), PATHS);
            let nodes: usize = NODES[..bands].iter().sum();
            assert_eq!(
                (band.bands, band.values.len()),
                (bands, count + bands + nodes * (count + 1)),
                "{count}"
            );
        }
        // Paths of many bins, and of too many.
        let band = Band::new(&waves(101), PATHS);
        assert!(band.bins as f64 * band.width >= 3.0 && (band.bins - 1) as f64 * band.width < 3.0);
        assert_eq!(band.sums(), 8 * (101 + 12 * band.bins));
        assert_eq!(Band::new(&waves(101), [-1e6, 1e6]).bins, 0);
        assert_eq!(Band::new(&waves(12), PATHS).bins, 0);
        // One frequency many times.
        let band = Band::new(&[30.0; 20], PATHS);
        assert!(band.values.iter().all(|value| !value.is_nan()));
    }
}
