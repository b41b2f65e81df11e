//! Distances between elements, and how they are kept within limits.
//!
//! Elements are `[row][column]`. Neighbours along a row and along a column are at most `max` apart, any two at least `min`.
//!
//! ```text
//! Q = mean over neighbours of ((d^2 - proj(d^2))/w)^2 and over diagonals,   w = max^2 - min^2
//! ```
//! The penalty Q, with limits that are drawn in a little, keeps elements inside while they move; [`retract`] makes sure of it, over all pairs, before
//! a result is given out.

use super::model::Spacing;
use super::{Elements, Error, Result};

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
pub fn check(elements: &Elements, shape: Shape, spacing: Spacing) -> Result<()> {
    let Distances { least, greatest } = distances(elements, shape);
    let numbers = elements.x.iter().chain(&elements.y).all(|x| x.is_finite());
    let within =
        numbers && least >= spacing.min * (1.0 - ROUNDING) && greatest <= spacing.max * (1.0 + ROUNDING);
    if within {
        return Ok(());
    }
    let given = format!("elements are {least} m apart at least and neighbours {greatest} m at most");
    Err(Error::invalid(given, format!("the limits are {} m and {} m", spacing.min, spacing.max)))
}

/// Part of a distance that adding coordinates may cost.
const ROUNDING: f64 = 1e-12;

/// Limits drawn in by this part of their range while elements move, so that what a penalty leaves of a violation is none.
const MARGIN: f64 = 0.02;

/// Q times `weight`, and its gradient times `weight` added to `by` (x, then y).
pub fn penalty(
    x: &[f64],
    y: &[f64],
    shape: Shape,
    spacing: Spacing,
    weight: f64,
    by: [&mut [f64]; 2],
) -> f64 {
    let [by_x, by_y] = by;
    let inside = MARGIN * (spacing.max - spacing.min);
    let [min, max] = [spacing.min + inside, spacing.max - inside].map(|d| d * d);
    let scale = 1.0 / (max - min).max(f64::MIN_POSITIVE);
    let share = weight / shape.neighbours().count().max(1) as f64;
    let mut value = 0.0;
    let mut pair = |[a, b]: [usize; 2], max: f64| {
        let (dx, dy) = (x[b] - x[a], y[b] - y[a]);
        let square = dx * dx + dy * dy;
        let off = scale * (square - square.max(min).min(max));
        value += share * off * off;
        let slope = 4.0 * share * off * scale;
        by_x[b] += slope * dx;
        by_x[a] -= slope * dx;
        by_y[b] += slope * dy;
        by_y[a] -= slope * dy;
    };
    shape.neighbours().for_each(|ends| pair(ends, max));
    shape.diagonals().for_each(|ends| pair(ends, f64::INFINITY));
    value
}

/// Brings elements within the limits: towards an even lattice, as far as it takes. What a penalty has left is far less than a hundredth of
/// the way; the lattice itself always keeps the limits.
pub fn retract(elements: &mut Elements, shape: Shape, spacing: Spacing) {
    let even = Elements::grid(shape.columns, shape.rows, 0.5 * (spacing.min + spacing.max));
    let along = |part: f64| {
        let mix = |own: &[f64], even: &[f64]| {
            own.iter().zip(even).map(|(own, even)| own + part * (even - own)).collect()
        };
        Elements { x: mix(&elements.x, &even.x), y: mix(&elements.y, &even.y), phase: elements.phase.clone() }
    };
    let mut parts = std::iter::once(0.0).chain((-20..=0).map(|power| 2f64.powi(power)));
    let kept = parts.find_map(|part| Some(along(part)).filter(|moved| check(moved, shape, spacing).is_ok()));
    *elements = kept.unwrap_or(even);
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { columns: 7, rows: 5 };
    const SPACING: Spacing = Spacing { min: 0.5, max: 0.7 };

    fn bent(by: f64) -> Elements {
        let mut elements = Elements::grid(7, 5, 0.6);
        for i in 0..elements.len() {
            let (x, y) = (elements.x[i], elements.y[i]);
            elements.x[i] += by * (1.3 * x + 0.5 * y).sin();
            elements.y[i] += by * (1.1 * y - 0.7 * x).cos();
        }
        elements
    }

    /// Second derivatives jump where a limit is met; between, third ones are 1e4 or less.
    #[test]
    fn the_gradient_is_that_of_differences() {
        let Elements { x, y, .. } = bent(0.2);
        let value =
            |x: &[f64], y: &[f64]| penalty(x, y, SHAPE, SPACING, 1.0, [&mut [0.0; 35], &mut [0.0; 35]]);
        let mut by = [[0.0; 35]; 2];
        let [by_x, by_y] = &mut by;
        assert!(penalty(&x, &y, SHAPE, SPACING, 2.0, [by_x, by_y]) > 1e-3);
        let step = 1e-6;
        for i in 0..35 {
            let [mut more, mut less] = [x.clone(), x.clone()];
            (more[i], less[i]) = (x[i] + step, x[i] - step);
            let difference = (value(&more, &y) - value(&less, &y)) / step;
            assert!((difference - by[0][i]).abs() < 1e-6, "{i}: {difference} {}", by[0][i]);
            let [mut more, mut less] = [y.clone(), y.clone()];
            (more[i], less[i]) = (y[i] + step, y[i] - step);
            let difference = (value(&x, &more) - value(&x, &less)) / step;
            assert!((difference - by[1][i]).abs() < 1e-6, "{i}: {difference} {}", by[1][i]);
        }
        let Elements { x, y, .. } = bent(0.02);
        assert_eq!(value(&x, &y), 0.0);
    }

    #[test]
    fn limits_are_seen_and_elements_are_brought_within_them() {
        let good = bent(0.03);
        check(&good, SHAPE, SPACING).unwrap();
        let mut kept = good.clone();
        retract(&mut kept, SHAPE, SPACING);
        assert_eq!(kept, good);
        check(&Elements::grid(7, 5, 0.7), SHAPE, SPACING).unwrap();
        for (i, dx, dy) in
            [(0, 0.2, 0.0), (8, 0.25, 0.25), (34, 0.3, 0.0), (20, f64::NAN, 0.0), (3, 1e300, 1.0)]
        {
            let mut bad = good.clone();
            (bad.x[i], bad.y[i]) = (bad.x[i] + dx, bad.y[i] + dy);
            let refused = check(&bad, SHAPE, SPACING).unwrap_err().to_string();
            assert!(refused.starts_with("elements are "), "{i}: {refused}");
            retract(&mut bad, SHAPE, SPACING);
            check(&bad, SHAPE, SPACING).unwrap();
        }
        // Two that are no neighbours in the lattice.
        let mut near = good.clone();
        (near.x[0], near.y[0]) = (near.x[34] + 0.1, near.y[34] + 0.1);
        assert!(distances(&near, SHAPE).least < 0.15);
    }
}
