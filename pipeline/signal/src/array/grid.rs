//! The regular grid that holography needs, found from the positions of the microphones.
//!
//! The positions are a regular grid if one pitch p and one centre put every microphone within
//! [`TOLERANCE`] p of a grid point of its own. Rows and columns without a microphone may remain, but not more
//! points than twice the microphones. p and the centre are fitted by least squares over both axes at once.
//!
//! Any other array gets a grid as dense as its microphones. A lattice of pitch p has about A/p^2 + L/(2p) + 1
//! points in a convex figure of area A and perimeter L (exactly, in a rectangle of whole cells), so with n
//! microphones in their convex hull
//!
//! ```text
//! (n - 1) p^2 - (L/2) p - A = 0
//! ```
//!
//! The grid has the centre of the bounding box and covers it. An array that is not a rectangle has no
//! microphones in the corners of its box, so a row and a column are taken away until no point is farther than
//! p/2 outside the hull: nothing is extrapolated.

use super::Error;
use numerics::real::ends;

/// Largest number of microphones, as in a recording.
pub const MAX_MICROPHONES: usize = 65536;

/// Distance between a microphone and its grid point, as a part of the pitch, that counts as none. At this
/// distance a field of half a period a pitch, the highest the grid resolves, differs by 0.01 pi = 3 %, one of
/// kr = 50 rad/m at 2 cm by 1 %: the error of a channel.
pub const TOLERANCE: f64 = 0.01;

/// Grid points per microphone of a regular array with gaps.
const SPARSEST: usize = 2;
/// Part of the microphones that a grid must have as points, or the positions do not fill a rectangle.
const FEWEST: f64 = 0.25;

/// A regular grid of points, row by row, x along a row and y down the rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Distance between neighbouring points in metres.
    pub pitch_m: f64,
    /// x and y of the middle of the grid in metres.
    pub centre_m: [f64; 2],
}

impl Grid {
    /// Number of points.
    #[allow(clippy::len_without_is_empty)] // a grid has at least one point
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// x and y in metres of the point with this index, row * cols + col.
    pub fn point(&self, index: usize) -> [f64; 2] {
        let centred = |i: usize, n: usize| (i as f64 - (n as f64 - 1.0) / 2.0) * self.pitch_m;
        [
            self.centre_m[0] + centred(index % self.cols, self.cols),
            self.centre_m[1] + centred(index / self.cols, self.rows),
        ]
    }

    /// The grid of these positions; `pitch_m` is the usual distance between neighbours.
    pub(super) fn fit(positions: &[[f64; 2]], pitch_m: f64) -> Result<Self, Error> {
        Self::regular(positions, pitch_m).map_or_else(|| Self::cover(positions), Ok)
    }

    /// The grid that the microphones are on, if there is one.
    fn regular(positions: &[[f64; 2]], pitch_m: f64) -> Option<Self> {
        let cells = [0, 1].map(|axis| lattice(positions, axis, pitch_m));
        let [cols, rows] = [0, 1].map(|axis| 1 + cells[axis].iter().max().copied().unwrap_or(0));
        let points = cols.checked_mul(rows)?;
        let sparse = points > SPARSEST * positions.len() || points > MAX_MICROPHONES;
        if sparse || points < positions.len() {
            return None;
        }
        let (pitch_m, origin) = fit_pitch(positions, &cells);
        let centre = |axis: usize, n: usize| origin[axis] + pitch_m * (n as f64 - 1.0) / 2.0;
        let grid = Self { rows, cols, pitch_m, centre_m: [centre(0, cols), centre(1, rows)] };
        let mut taken = vec![false; points];
        for ((&[x, y], &col), &row) in positions.iter().zip(&cells[0]).zip(&cells[1]) {
            let point = grid.point(row * cols + col);
            let off = (x - point[0]).hypot(y - point[1]);
            if off > TOLERANCE * pitch_m || std::mem::replace(&mut taken[row * cols + col], true) {
                return None;
            }
        }
        Some(grid)
    }

    /// The grid that covers microphones placed anyhow.
    fn cover(positions: &[[f64; 2]]) -> Result<Self, Error> {
        let bounds = [0, 1].map(|axis: usize| ends(positions.iter().map(|p| p[axis])));
        let hull = convex_hull(positions);
        let (area, half) = area_and_half_perimeter(&hull);
        let n = positions.len() as f64;
        let pitch_m = (half + (half * half + 4.0 * (n - 1.0) * area).sqrt()) / (2.0 * (n - 1.0));
        let [mut cols, mut rows] = bounds.map(|[low, high]| 1 + ((high - low) / pitch_m).round() as usize);
        let centre_m = bounds.map(|[low, high]| (low + high) / 2.0);
        loop {
            let grid = Self { rows, cols, pitch_m, centre_m };
            let corners = [0, cols - 1, (rows - 1) * cols, rows * cols - 1].map(|i| grid.point(i));
            if (grid.len() as f64) < FEWEST * n {
                let found = format!("an array that only {rows} rows and {cols} columns lie in");
                return Err(Error::value("the geometry", found, "one that fills a rectangle along x and y"));
            }
            if corners.iter().all(|&corner| outside(&hull, corner) <= pitch_m / 2.0) {
                return Ok(grid);
            }
            // This ends: the centre of the box is always inside the hull.
            (rows, cols) = ((rows - 1).max(1), (cols - 1).max(1));
        }
    }
}

/// The number of the row or column of every position, from 0. Sorted coordinates that are more than half a
/// pitch apart belong to different ones; counting from gap to gap, the error of the pitch does not add up.
fn lattice(positions: &[[f64; 2]], axis: usize, pitch_m: f64) -> Vec<usize> {
    let mut order: Vec<_> = (0..positions.len()).collect();
    order.sort_by(|&a, &b| positions[a][axis].total_cmp(&positions[b][axis]));
    let mut cells = vec![0; positions.len()];
    let (mut cell, mut previous) = (0, f64::INFINITY);
    for index in order {
        let value = positions[index][axis];
        if value - previous > pitch_m / 2.0 {
            cell += ((value - previous) / pitch_m).round() as usize;
        }
        (cells[index], previous) = (cell, value);
    }
    cells
}

/// Pitch and position of the first row and column that fit best.
fn fit_pitch(positions: &[[f64; 2]], cells: &[Vec<usize>; 2]) -> (f64, [f64; 2]) {
    let n = positions.len() as f64;
    let mean_x = [0, 1].map(|axis| positions.iter().map(|p| p[axis]).sum::<f64>() / n);
    let mean_i = [0, 1].map(|axis: usize| cells[axis].iter().map(|&i| i as f64).sum::<f64>() / n);
    let (mut cross, mut square) = (0.0, 0.0);
    for axis in [0, 1] {
        for (position, &i) in positions.iter().zip(&cells[axis]) {
            let i = i as f64 - mean_i[axis];
            cross += i * (position[axis] - mean_x[axis]);
            square += i * i;
        }
    }
    let pitch = cross / square;
    (pitch, [0, 1].map(|axis| mean_x[axis] - pitch * mean_i[axis]))
}

/// Corners of the convex hull in order (Andrew's monotone chain).
fn convex_hull(positions: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut sorted = positions.to_vec();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let chain = |points: &mut dyn Iterator<Item = &[f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for &point in points {
            while let [.., a, b] = chain[..]
                && turn(a, b, point) <= 0.0
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = chain(&mut sorted.iter());
    hull.extend(chain(&mut sorted.iter().rev()));
    hull
}

/// Twice the area of the triangle, positive where a, b, c turn from x towards y.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Area of the hull, and half its perimeter.
fn area_and_half_perimeter(hull: &[[f64; 2]]) -> (f64, f64) {
    let sides = hull.iter().zip(hull.iter().cycle().skip(1));
    sides.fold((0.0, 0.0), |(area, half), (&a, &b)| {
        (area + turn(hull[0], a, b) / 2.0, half + (b[0] - a[0]).hypot(b[1] - a[1]) / 2.0)
    })
}

/// Distance of a point beyond the farthest side of the hull, negative inside.
fn outside(hull: &[[f64; 2]], point: [f64; 2]) -> f64 {
    let next = hull.iter().cycle().skip(1);
    let beyond = |(&a, &b): (&[f64; 2], &[f64; 2])| -turn(a, b, point) / (b[0] - a[0]).hypot(b[1] - a[1]);
    hull.iter().zip(next).map(beyond).fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests;
