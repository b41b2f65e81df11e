//! The nearest microphones of a point: a k-d tree without pointers.
//!
//! The tree is a permutation of the points: the middle of a slice splits it by x or y in turn, the halves are
//! the subtrees. Cost: O(n log n) to build, O(m log n) for m neighbours, whatever the distribution.

use numerics::parallel;

/// Points sorted for nearest-neighbour queries.
pub(super) struct Neighbours<'a> {
    points: &'a [[f64; 2]],
    tree: Vec<usize>,
}

/// A query in progress: the best points so far, nearest first.
struct Query<'q, F> {
    target: [f64; 2],
    count: usize,
    keep: F,
    best: &'q mut Vec<(f64, usize)>,
}

impl<'a> Neighbours<'a> {
    /// Sorts the points. All coordinates are finite.
    pub(super) fn new(points: &'a [[f64; 2]]) -> Self {
        let mut tree: Vec<_> = (0..points.len()).collect();
        split(points, &mut tree, 0);
        Self { points, tree }
    }

    /// Squared distance and index of the `count` points nearest to `target` among those that `keep` accepts,
    /// nearest first, the lower index first where distances are equal.
    pub(super) fn nearest(
        &self,
        target: [f64; 2],
        count: usize,
        keep: impl Fn(usize) -> bool,
    ) -> Vec<(f64, usize)> {
        let mut best = Vec::with_capacity(count + 1);
        if count > 0 {
            Query { target, count, keep, best: &mut best }.search(self.points, &self.tree, 0);
        }
        best
    }

    /// For every point its nearest other point: distance and index. Needs two points.
    pub(super) fn spacing(&self) -> Vec<(f64, usize)> {
        let one = |i: usize| {
            let near = self.nearest(self.points[i], 1, |j| j != i);
            near.first().map_or((f64::INFINITY, i), |&(d2, j)| (d2.sqrt(), j))
        };
        parallel::map(self.points.len(), &one)
    }
}

fn split(points: &[[f64; 2]], slice: &mut [usize], axis: usize) {
    if slice.len() < 2 {
        return;
    }
    let middle = slice.len() / 2;
    let (low, _, high) =
        slice.select_nth_unstable_by(middle, |&a, &b| points[a][axis].total_cmp(&points[b][axis]));
    split(points, low, 1 - axis);
    split(points, high, 1 - axis);
}

impl<F: Fn(usize) -> bool> Query<'_, F> {
    fn search(&mut self, points: &[[f64; 2]], slice: &[usize], axis: usize) {
        let middle = slice.len() / 2;
        let Some(&here) = slice.get(middle) else { return };
        let (low, high) = (&slice[..middle], &slice[middle + 1..]);
        let beyond = self.target[axis] - points[here][axis];
        let (near, far) = if beyond < 0.0 { (low, high) } else { (high, low) };
        self.search(points, near, 1 - axis);
        self.offer(points, here);
        if self.best.len() < self.count || self.best.last().is_some_and(|worst| beyond * beyond <= worst.0) {
            self.search(points, far, 1 - axis);
        }
    }

    fn offer(&mut self, points: &[[f64; 2]], index: usize) {
        if !(self.keep)(index) {
            return;
        }
        let [x, y] = points[index];
        let found = ((x - self.target[0]).powi(2) + (y - self.target[1]).powi(2), index);
        let place = self.best.partition_point(|other| *other < found);
        if place < self.count {
            self.best.insert(place, found);
            self.best.truncate(self.count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_sorting(points: &[[f64; 2]], t: [f64; 2], count: usize, odd: bool) -> Vec<(f64, usize)> {
        let mut all: Vec<_> = points
            .iter()
            .map(|[x, y]| (x - t[0]).powi(2) + (y - t[1]).powi(2))
            .enumerate()
            .map(|(i, d)| (d, i))
            .filter(|(_, i)| !odd || i % 2 == 1)
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        all.truncate(count);
        all
    }

    proptest! {
        #[test]
        fn finds_what_sorting_finds(
            cells in prop::collection::vec((0i8..12, 0i8..12), 0..200), // many ties and equal points
            target in (-3i8..15, -3i8..15),
            count in 0usize..40,
            odd: bool,
        ) {
            let points: Vec<_> = cells.iter().map(|&(x, y)| [f64::from(x), f64::from(y)]).collect();
            let target = [f64::from(target.0), f64::from(target.1)];
            let found = Neighbours::new(&points).nearest(target, count, |i| !odd || i % 2 == 1);
            prop_assert_eq!(found, by_sorting(&points, target, count, odd));
        }
    }

    #[test]
    fn spacing_is_the_nearest_other_point() {
        let points = [[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]];
        assert_eq!(Neighbours::new(&points).spacing(), [(5.0, 1), (1.0, 2), (1.0, 1)]);
    }
}
