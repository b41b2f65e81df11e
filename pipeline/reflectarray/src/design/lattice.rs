//! Whether elements lie on a lattice: columns and rows that cross at right angles.

/// Columns x rows, and where in it every element is.
#[derive(Debug, Clone, PartialEq)]
pub struct Lattice {
    /// x of the columns, rising, m.
    pub x: Vec<f64>,
    /// y of the rows, rising, m.
    pub y: Vec<f64>,
    /// Index row x columns + column of every element.
    pub place: Vec<usize>,
}

/// Coordinates that differ by less than this part of the aperture are one.
const SAME: f64 = 1e-11;
/// Crossings for each element, at most: a lattice with more holes is none.
const HOLES: usize = 3;

impl Lattice {
    /// The lattice on which elements lie, no two on one crossing.
    pub fn of(x: &[f64], y: &[f64]) -> Option<Self> {
        let [columns, rows] = [x, y].map(lines);
        let (columns, rows) = (columns?, rows?);
        if columns.len().checked_mul(rows.len())? > HOLES * x.len() {
            return None;
        }
        let place: Vec<usize> = x
            .iter()
            .zip(y)
            .map(|(x, y)| nearest(&rows, *y) * columns.len() + nearest(&columns, *x))
            .collect();
        let mut taken = vec![false; columns.len() * rows.len()];
        place.iter().all(|&at| !std::mem::replace(&mut taken[at], true)).then_some(Self {
            x: columns,
            y: rows,
            place,
        })
    }

    /// Distance of columns and of rows, where each is always the same.
    pub fn pitch(&self) -> Option<[f64; 2]> {
        Some([even(&self.x)?, even(&self.y)?])
    }
}

fn lines(coordinates: &[f64]) -> Option<Vec<f64>> {
    let mut sorted = coordinates.to_vec();
    if sorted.is_empty() || sorted.iter().any(|x| !x.is_finite()) {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let same = SAME * (sorted[sorted.len() - 1] - sorted[0]);
    sorted.dedup_by(|next, kept| *next - *kept <= same);
    Some(sorted)
}

fn nearest(lines: &[f64], coordinate: f64) -> usize {
    let after = lines.partition_point(|line| *line < coordinate);
    let nearer = |i: &usize| lines.get(*i).map_or(f64::INFINITY, |line| (line - coordinate).abs());
    let before = after.saturating_sub(1);
    if nearer(&before) <= nearer(&after) { before } else { after }
}

fn even(lines: &[f64]) -> Option<f64> {
    let (first, last) = (lines.first()?, lines.last()?);
    if lines.len() == 1 {
        return Some(1.0);
    }
    let pitch = (last - first) / (lines.len() - 1) as f64;
    let off = |(i, line): (usize, &f64)| (line - first - i as f64 * pitch).abs();
    lines.iter().enumerate().map(off).all(|off| off <= 10.0 * SAME * (last - first)).then_some(pitch)
}

#[cfg(test)]
mod tests {
    use super::super::super::Elements;
    use super::*;

    #[test]
    fn grids_are_found_with_and_without_holes() {
        let Elements { mut x, mut y, .. } = Elements::grid(5, 4, 0.01);
        let lattice = Lattice::of(&x, &y).unwrap();
        assert_eq!((lattice.x.len(), lattice.y.len()), (5, 4));
        assert_eq!(lattice.place, (0..20).collect::<Vec<_>>());
        assert!(lattice.pitch().unwrap().iter().all(|pitch| (pitch - 0.01).abs() < 1e-15));
        x.remove(3);
        y.remove(3);
        x.reverse();
        y.reverse();
        let holed = Lattice::of(&x, &y).unwrap();
        assert_eq!((holed.place[0], holed.place[18]), (19, 0));
        x[2] += 1e-4;
        let uneven = Lattice::of(&x, &y);
        assert!(uneven.is_none_or(|lattice| lattice.pitch().is_none()));
        assert_eq!(Lattice::of(&[0.0, 0.0], &[1.0, 1.0]), None);
        assert_eq!(Lattice::of(&[f64::NAN], &[1.0]), None);
        assert_eq!(Lattice::of(&[], &[]), None);
        let line: Vec<f64> = (0..30).map(f64::from).collect();
        assert_eq!(Lattice::of(&line, &line), None);
    }
}
