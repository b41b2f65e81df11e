//! A part of the u-v plane: a polygon, grown by a margin.

use numerics::real::ends;

/// All directions inside an outline or within a margin of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Area {
    /// Vertices in order; the last is joined to the first.
    outline: Vec<[f64; 2]>,
    /// Distance by which it is grown.
    margin: f64,
}

impl Area {
    /// An outline of at least three vertices, all finite, and a margin of 0 or more, in direction cosines.
    pub fn new(outline: Vec<[f64; 2]>, margin: f64) -> Self {
        Self { outline, margin }
    }

    /// Before it was grown.
    pub fn outline(&self) -> &[[f64; 2]] {
        &self.outline
    }

    /// By how much it was grown.
    pub fn margin(&self) -> f64 {
        self.margin
    }

    /// Least and largest u, least and largest v.
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        [0, 1].map(|axis: usize| {
            let [low, high] = ends(self.outline.iter().map(|point| point[axis]));
            [low - self.margin, high + self.margin]
        })
    }

    /// Whether a direction lies in it.
    pub fn contains(&self, point: [f64; 2]) -> bool {
        self.is_within(point) || (self.margin > 0.0 && self.distance(point) <= self.margin)
    }

    /// How far inside the grown area a direction lies; below zero outside.
    pub fn depth(&self, point: [f64; 2]) -> f64 {
        self.margin + if self.is_within(point) { self.distance(point) } else { -self.distance(point) }
    }

    /// Distance from the outline, before it was grown.
    pub fn distance(&self, point: [f64; 2]) -> f64 {
        self.edges().map(|edge| distance(point, edge)).fold(f64::INFINITY, f64::min)
    }

    /// Directions on the edge of the grown area, neighbours at most `spacing` apart, every vertex of the outline among them if it was
    /// not grown.
    pub fn boundary(&self, spacing: f64) -> Vec<[f64; 2]> {
        if self.margin <= 0.0 {
            return self.edges().flat_map(|(a, b)| cut(a, b, spacing)).collect();
        }
        let outer = |point: &[f64; 2]| {
            // Offsets of other edges end where they come nearer to this one.
            !self.is_within(*point) && self.distance(*point) >= self.margin * (1.0 - 1e-9)
        };
        let sides = self.edges().flat_map(|(a, b)| {
            let (along, length) = ([b[0] - a[0], b[1] - a[1]], distance_of(a, b));
            let off =
                [along[1], -along[0]].map(|c| if length > 0.0 { c * self.margin / length } else { 0.0 });
            [off, off.map(|c| -c)]
                .into_iter()
                .flat_map(move |[du, dv]| cut([a[0] + du, a[1] + dv], [b[0] + du, b[1] + dv], spacing))
        });
        let steps = (std::f64::consts::TAU * self.margin / spacing).ceil().max(8.0) as usize;
        let arcs = self.outline.iter().flat_map(|&[u, v]| {
            (0..steps).map(move |i| {
                let (sin, cos) = (std::f64::consts::TAU * i as f64 / steps as f64).sin_cos();
                [u + self.margin * cos, v + self.margin * sin]
            })
        });
        sides.chain(arcs).filter(outer).collect()
    }

    /// How many directions [`Area::boundary`] looks at.
    pub fn boundary_cost(&self, spacing: f64) -> f64 {
        let around: f64 = self.edges().map(|(a, b)| (distance_of(a, b) / spacing).ceil()).sum();
        let arcs =
            self.outline.len() as f64 * (std::f64::consts::TAU * self.margin / spacing).ceil().max(8.0);
        if self.margin > 0.0 { 2.0 * around + arcs } else { around }
    }

    fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
        self.outline.iter().copied().zip(self.outline.iter().copied().cycle().skip(1))
    }

    /// Even-odd rule: a ray to the right crosses the outline an odd number of times.
    fn is_within(&self, [u, v]: [f64; 2]) -> bool {
        let crosses = |(a, b): &([f64; 2], [f64; 2])| {
            (a[1] > v) != (b[1] > v) && u < a[0] + (v - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        };
        self.edges().filter(crosses).count() % 2 == 1
    }
}

/// The points that cut a line into pieces of at most `spacing`, with its first end and without its last.
fn cut(a: [f64; 2], b: [f64; 2], spacing: f64) -> impl Iterator<Item = [f64; 2]> {
    let pieces = (distance_of(a, b) / spacing).ceil().max(1.0) as usize;
    (0..pieces).map(move |i| {
        let t = i as f64 / pieces as f64;
        [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]
    })
}

fn distance_of(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn distance(point: [f64; 2], (a, b): ([f64; 2], [f64; 2])) -> f64 {
    let along = [b[0] - a[0], b[1] - a[1]];
    let squared = along[0] * along[0] + along[1] * along[1];
    let part = if squared > 0.0 {
        ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / squared
    } else {
        0.0
    };
    let t = part.clamp(0.0, 1.0);
    distance_of(point, [a[0] + t * along[0], a[1] + t * along[1]])
}

/// The first two sides of a polygon that meet where they are not neighbours.
pub(super) fn crossing(outline: &[[f64; 2]]) -> Option<(usize, usize)> {
    let n = outline.len();
    let side = |i: usize| (outline[i], outline[(i + 1) % n]);
    let neighbours = |i: usize, j: usize| j == i + 1 || (i == 0 && j == n - 1);
    (0..n).find_map(|i| {
        let later = (i + 1..n).filter(|&j| !neighbours(i, j));
        later.into_iter().find(|&j| meet(side(i), side(j))).map(|j| (i, j))
    })
}

/// Whether two lines have a point in common.
fn meet((a, b): ([f64; 2], [f64; 2]), (c, d): ([f64; 2], [f64; 2])) -> bool {
    let turn =
        |p: [f64; 2], q: [f64; 2], r: [f64; 2]| (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
    let beside = |p: f64, q: f64| (p > 0.0 && q < 0.0) || (p < 0.0 && q > 0.0);
    let (s, t) = ((turn(a, b, c), turn(a, b, d)), (turn(c, d, a), turn(c, d, b)));
    if beside(s.0, s.1) && beside(t.0, t.1) {
        return true;
    }
    let on = |turned: f64, p: [f64; 2], q: [f64; 2], r: [f64; 2]| turned == 0.0 && distance(r, (p, q)) == 0.0;
    on(s.0, a, b, c) || on(s.1, a, b, d) || on(t.0, c, d, a) || on(t.1, c, d, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [[f64; 2]; 4] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];

    #[test]
    fn a_grown_square_has_round_corners() {
        let area = Area::new(SQUARE.to_vec(), 0.25);
        assert_eq!(area.bounds(), [[-0.25, 1.25], [-0.25, 1.25]]);
        for (point, inside) in [
            ([0.5, 0.5], true),
            ([1.2, 0.5], true),
            ([1.3, 0.5], false),
            ([1.17, 1.17], true),
            ([1.2, 1.2], false),
        ] {
            assert_eq!(area.contains(point), inside, "{point:?}");
            assert_eq!(area.depth(point) >= 0.0, inside, "{point:?}");
        }
        // Four sides and one circle, in steps of at most 0.01.
        let boundary = area.boundary(0.01);
        let length = 4.0 + std::f64::consts::TAU * 0.25;
        assert!(boundary.len() as f64 >= length / 0.01 && (boundary.len() as f64) < 1.1 * length / 0.01);
        assert!(boundary.iter().all(|point| (area.distance(*point) - 0.25).abs() < 1e-9));
        assert!(boundary.len() as f64 <= area.boundary_cost(0.01));
    }

    #[test]
    fn the_boundary_of_an_ungrown_area_has_its_vertices() {
        let area = Area::new(SQUARE.to_vec(), 0.0);
        let boundary = area.boundary(0.3);
        assert_eq!(boundary.len(), 16);
        assert!(SQUARE.iter().all(|vertex| boundary.contains(vertex)));
        assert_eq!(area.boundary_cost(0.3), 16.0);
    }

    #[test]
    fn a_notch_that_closes_is_inside() {
        let notch = vec![
            [0.0, 0.0],
            [3.0, 0.0],
            [3.0, 2.0],
            [1.6, 2.0],
            [1.6, 1.0],
            [1.4, 1.0],
            [1.4, 2.0],
            [0.0, 2.0],
        ];
        let (plain, grown) = (Area::new(notch.clone(), 0.0), Area::new(notch, 0.15));
        assert!(!plain.contains([1.5, 1.5]) && grown.contains([1.5, 1.5]));
        assert!(grown.boundary(0.01).iter().all(|p| grown.distance(*p) > 0.1499 && !plain.contains(*p)));
    }

    #[test]
    fn sides_that_cross_are_found() {
        assert_eq!(crossing(&SQUARE), None);
        assert_eq!(crossing(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), Some((0, 2)));
        // A vertex on another side, and a side back along another.
        assert_eq!(crossing(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 0.0], [0.0, 1.0]]), Some((0, 2)));
        assert_eq!(crossing(&[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), None);
    }
}
