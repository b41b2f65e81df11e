//! The nearest lower point: a k-d tree whose branches know their least value.
//!
//! The tree is a permutation of the points: the middle of a slice splits it along one coordinate after the other, the halves are the
//! subtrees. Cost: O(t log^2 t) to build. A query passes over branches out of reach and over those without a lower value.

/// Points of `axes` coordinates with their values.
pub(super) struct Tree<'a> {
    points: &'a [f64],
    values: &'a [f64],
    axes: usize,
    order: Vec<usize>,
    /// Least value of the branch whose middle stands at the same place of `order`.
    least: Vec<f64>,
}

/// What is asked for.
struct Query<'q> {
    target: &'q [f64],
    below: f64,
    /// Squared distance of the best so far, or of what is in reach.
    squared: f64,
    best: Option<usize>,
}

impl<'a> Tree<'a> {
    /// Sorts the points.
    pub(super) fn new(points: &'a [f64], values: &'a [f64], axes: usize) -> Self {
        let mut order: Vec<_> = (0..values.len()).collect();
        let mut least = vec![f64::INFINITY; values.len()];
        let tree = Self { points, values, axes, order: Vec::new(), least: Vec::new() };
        tree.split(&mut order, &mut least, 0);
        Self { order, least, ..tree }
    }

    fn coordinate(&self, point: usize, axis: usize) -> f64 {
        self.points[point * self.axes + axis]
    }

    /// Gives the least value of the slice.
    fn split(&self, order: &mut [usize], least: &mut [f64], axis: usize) -> f64 {
        let middle = order.len() / 2;
        let Some(&first) = order.first() else { return f64::INFINITY };
        if order.len() > 1 {
            let key = |point: &usize| self.coordinate(*point, axis);
            order.select_nth_unstable_by(middle, |a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
        }
        let own = self.values[if order.len() > 1 { order[middle] } else { first }];
        let next = (axis + 1) % self.axes;
        let (left, right) = order.split_at_mut(middle);
        let (least_left, least_right) = least.split_at_mut(middle);
        let low = self.split(left, least_left, next);
        let high = self.split(&mut right[1..], &mut least_right[1..], next);
        least_right[0] = own.min(low).min(high);
        least_right[0]
    }

    /// The nearest point with a value below `below` within `reach` of `target`.
    pub(super) fn nearest_lower(&self, target: &[f64], below: f64, reach: f64) -> Option<usize> {
        let mut query = Query { target, below, squared: reach * reach, best: None };
        self.search(&mut query, 0..self.order.len(), 0);
        query.best
    }

    fn search(&self, query: &mut Query<'_>, range: std::ops::Range<usize>, axis: usize) {
        let middle = range.start + range.len() / 2;
        if range.is_empty() || self.least[middle] >= query.below {
            return;
        }
        let point = self.order[middle];
        let apart = |a| self.coordinate(point, a) - query.target[a];
        let squared = (0..self.axes).map(|a| apart(a).powi(2)).sum::<f64>();
        if self.values[point] < query.below && squared <= query.squared {
            (query.squared, query.best) = (squared, Some(point));
        }
        let beside = -apart(axis);
        let next = (axis + 1) % self.axes;
        let (left, right) = (range.start..middle, middle + 1..range.end);
        let (near, far) = if beside < 0.0 { (left, right) } else { (right, left) };
        self.search(query, near, next);
        if beside * beside <= query.squared {
            self.search(query, far, next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::random::SplitMix64;

    #[test]
    fn finds_what_a_comparison_with_all_finds() {
        let mut random = SplitMix64::new(3);
        for (count, axes) in [(0, 2), (1, 1), (2, 3), (300, 1), (500, 2), (700, 5)] {
            let points: Vec<f64> = (0..count * axes).map(|_| random.uniform()).collect();
            // Few different values, so that equal ones meet.
            let values: Vec<f64> = (0..count).map(|_| (20.0 * random.uniform()).floor()).collect();
            let tree = Tree::new(&points, &values, axes);
            for at in 0..count {
                let (target, reach) = (&points[at * axes..(at + 1) * axes], 0.3 * random.uniform());
                let apart = |p: &[f64]| p.iter().zip(target).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
                let lower = points.chunks(axes).zip(&values).filter(|(_, v)| **v < values[at]);
                let expected = lower.map(|(p, _)| apart(p)).filter(|d| *d <= reach * reach).reduce(f64::min);
                let found = tree.nearest_lower(target, values[at], reach);
                assert_eq!(
                    found.map(|to| apart(&points[to * axes..(to + 1) * axes])),
                    expected,
                    "{count} {axes} {at}"
                );
            }
        }
    }

    #[test]
    fn equal_points_are_found() {
        let points = vec![0.5; 64];
        let values: Vec<f64> = (0..32).map(f64::from).collect();
        let tree = Tree::new(&points, &values, 2);
        assert_eq!(tree.nearest_lower(&[0.5, 0.5], 1.0, 0.0), Some(0));
        assert_eq!(tree.nearest_lower(&[0.5, 0.5], 0.0, 1.0), None);
    }
}
