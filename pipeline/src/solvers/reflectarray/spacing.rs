//! Distances between elements: what they are, and a barrier that keeps them within limits.
//!
//! Elements are `[row][column]`. Neighbours along a row and along a column are at least `min` and at most `max` apart, all others at least
//! `min`. The barrier is infinite outside, so that a line search never leaves:
//!
//! ```text
//! B = -mean over neighbours of ln((d^2 - min^2)/w) + ln((max^2 - d^2)/w) - mean over diagonals of ln((d^2 - min^2)/w),   w = max^2 - min^2
//! ```

use super::model::Spacing;
use super::{Elements, Error};

/// Rows and columns of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Elements of a row.
    pub columns: usize,
    /// Elements of a column.
    pub rows: usize,
}

impl Shape {
    /// Number of elements.
    pub const fn len(self) -> usize {
        self.columns * self.rows
    }

    /// Whether there are none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Pairs of neighbours along rows and columns.
    fn neighbours(self) -> impl Iterator<Item = [usize; 2]> {
        let Self { columns, rows } = self;
        let along =
            (0..rows).flat_map(move |r| (1..columns).map(move |c| [r * columns + c - 1, r * columns + c]));
        let down =
            (1..rows).flat_map(move |r| (0..columns).map(move |c| [(r - 1) * columns + c, r * columns + c]));
        along.chain(down)
    }

    /// Pairs across the cells of the lattice.
    fn diagonals(self) -> impl Iterator<Item = [usize; 2]> {
        let Self { columns, rows } = self;
        let corners = (1..rows).flat_map(move |r| (1..columns).map(move |c| r * columns + c));
        corners.flat_map(move |at| [[at - columns - 1, at], [at - columns, at - 1]])
    }
}

/// Least and greatest distance that occur, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// Least distance of any two elements.
    pub least: f64,
    /// Greatest distance of neighbours along a row or a column.
    pub greatest: f64,
}

/// Measures all distances.
pub fn distances(elements: &Elements, shape: Shape) -> Distances {
    let Elements { x, y, .. } = elements;
    let apart = |[a, b]: [usize; 2]| (x[a] - x[b]).hypot(y[a] - y[b]);
    let greatest = shape.neighbours().map(apart).fold(0.0, f64::max);
    // In the order of x, later ones are farther than the least so far.
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let mut least = f64::INFINITY;
    for (i, &a) in order.iter().enumerate() {
        for &b in &order[i + 1..] {
            if x[b] - x[a] >= least {
                break;
            }
            least = least.min(apart([a, b]));
        }
    }
    Distances { least, greatest }
}

/// Refuses elements that break the limits, but for rounding.
pub fn check(elements: &Elements, shape: Shape, spacing: Spacing) -> Result<(), Error> {
    let Distances { least, greatest } = distances(elements, shape);
    let within = least >= spacing.min * (1.0 - ROUNDING) && greatest <= spacing.max * (1.0 + ROUNDING);
    if within { Ok(()) } else { Err(Error::Spacing { least, greatest, min: spacing.min, max: spacing.max }) }
}

/// Part of a distance that adding coordinates may cost.
const ROUNDING: f64 = 1e-12;

/// B, and its gradient added to `by` (x, then y) times `scale`; infinite where a limit is broken.
pub fn barrier(x: &[f64], y: &[f64], shape: Shape, spacing: Spacing, scale: f64, by: [&mut [f64]; 2]) -> f64 {
    let [by_x, by_y] = by;
    let [min, max] = [spacing.min, spacing.max].map(|d| d * d);
    let width = max - min;
    let mut value = 0.0;
    let mut pair = |[a, b]: [usize; 2], weight: f64, greatest: bool| {
        let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
        let square = dx * dx + dy * dy;
        let (below, above) = (square - min, if greatest { max - square } else { width });
        if !(below > 0.0 && above > 0.0) {
            value = f64::INFINITY;
            return;
        }
        value -= weight * (below / width).ln() + weight * (above / width).ln();
        let slope = -weight * (1.0 / below - if greatest { 1.0 / above } else { 0.0 }) * 2.0 * scale;
        by_x[b] += slope * dx;
        by_x[a] -= slope * dx;
        by_y[b] += slope * dy;
        by_y[a] -= slope * dy;
    };
    let count = shape.neighbours().count().max(1) as f64;
    shape.neighbours().for_each(|ends| pair(ends, 1.0 / count, true));
    shape.diagonals().for_each(|ends| pair(ends, 1.0 / count, false));
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { columns: 7, rows: 5 };
    const SPACING: Spacing = Spacing { min: 0.5, max: 0.7 };

    fn bent() -> Elements {
        let mut elements = Elements::grid(7, 5, 0.6);
        for i in 0..elements.len() {
            let (x, y) = (elements.x[i], elements.y[i]);
            elements.x[i] += 0.03 * (1.3 * x + 0.5 * y).sin();
            elements.y[i] += 0.03 * (1.1 * y - 0.7 * x).cos();
        }
        elements
    }

    #[test]
    fn the_gradient_is_that_of_differences() {
        let Elements { x, y, .. } = bent();
        let value =
            |x: &[f64], y: &[f64]| barrier(x, y, SHAPE, SPACING, 1.0, [&mut [0.0; 35], &mut [0.0; 35]]);
        let mut by = [[0.0; 35]; 2];
        let [by_x, by_y] = &mut by;
        assert!(barrier(&x, &y, SHAPE, SPACING, 2.0, [by_x, by_y]).is_finite());
        let step = 1e-6;
        for i in 0..35 {
            let [mut more, mut less] = [x.clone(), x.clone()];
            (more[i], less[i]) = (x[i] + step, x[i] - step);
            let difference = (value(&more, &y) - value(&less, &y)) / step;
            // Third derivatives are 1e3 or less here.
            assert!((difference - by[0][i]).abs() < 1e-7, "{i}: {difference} {}", by[0][i]);
            let [mut more, mut less] = [y.clone(), y.clone()];
            (more[i], less[i]) = (y[i] + step, y[i] - step);
            let difference = (value(&x, &more) - value(&x, &less)) / step;
            assert!((difference - by[1][i]).abs() < 1e-7, "{i}: {difference} {}", by[1][i]);
        }
    }

    #[test]
    fn limits_are_seen() {
        let good = bent();
        check(&good, SHAPE, SPACING).unwrap();
        let grid = Elements::grid(7, 5, 0.7);
        check(&grid, SHAPE, SPACING).unwrap();
        for (i, dx, dy) in [(0, 0.2, 0.0), (8, 0.25, 0.25), (34, 0.3, 0.0), (20, f64::NAN, 0.0)] {
            let mut bad = good.clone();
            (bad.x[i], bad.y[i]) = (bad.x[i] + dx, bad.y[i] + dy);
            assert!(matches!(check(&bad, SHAPE, SPACING), Err(Error::Spacing { .. })) || dx.is_nan());
            let value = barrier(&bad.x, &bad.y, SHAPE, SPACING, 1.0, [&mut [0.0; 35], &mut [0.0; 35]]);
            assert_eq!(value, f64::INFINITY, "{i}");
        }
        let Distances { least, greatest } = distances(&grid, SHAPE);
        assert!((least - 0.7).abs() < 1e-15 && (greatest - 0.7).abs() < 1e-15);
    }
}
