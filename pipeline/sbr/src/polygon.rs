//! Convex polygons of the launch grid, in tubes, cut by half-planes. `kernels/cuda/sbr_pieces.cuh` does the
//! same on a card, to the last bit.

pub const MOST_CORNERS: usize = 8;

/// A number that is linear in the place on the grid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    /// At the origin.
    pub constant: f64,
    /// Growth a tube, along both axes.
    pub slope: [f64; 2],
}

impl Linear {
    pub fn at(&self, [x, y]: [f64; 2]) -> f64 {
        self.constant + self.slope[0] * x + self.slope[1] * y
    }

    /// How much less another is.
    pub fn less(&self, other: &Self) -> Self {
        let slope = [self.slope[0] - other.slope[0], self.slope[1] - other.slope[1]];
        Self { constant: self.constant - other.constant, slope }
    }
}

/// A convex polygon, counterclockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Polygon {
    corners: [[f64; 2]; MOST_CORNERS],
    count: usize,
}

impl Polygon {
    /// A square of a side of `size` around a point.
    pub fn square([x, y]: [f64; 2], size: f64) -> Self {
        let half = 0.5 * size;
        let mut corners = [[0.0; 2]; MOST_CORNERS];
        corners[..4].copy_from_slice(&[
            [x - half, y - half],
            [x + half, y - half],
            [x + half, y + half],
            [x - half, y + half],
        ]);
        Self { corners, count: 4 }
    }

    pub fn corners(&self) -> &[[f64; 2]] {
        &self.corners[..self.count]
    }

    /// Its edges, from where to where.
    pub fn edges(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
        (0..self.count).map(|i| (self.corners[i], self.corners[if i + 1 < self.count { i + 1 } else { 0 }]))
    }

    /// Leaves what is where `kept` is not above 0. A polygon that would get too many corners stays as it is.
    pub fn cut(&mut self, kept: &Linear) {
        let mut at = [0.0; MOST_CORNERS];
        at.iter_mut().zip(self.corners()).for_each(|(at, corner)| *at = kept.at(*corner));
        // Most edges of a facet pass beside a cell.
        if at[..self.count].iter().all(|at| *at <= 0.0) {
            return;
        }
        let mut left = Self { corners: [[0.0; 2]; MOST_CORNERS], count: 0 };
        for (i, (a, b)) in self.edges().enumerate() {
            let (at_a, at_b) = (at[i], at[if i + 1 < self.count { i + 1 } else { 0 }]);
            let crossing = (at_a <= 0.0) != (at_b <= 0.0);
            if left.count + usize::from(at_a <= 0.0) + usize::from(crossing) > MOST_CORNERS {
                return;
            }
            if at_a <= 0.0 {
                left.push(a);
            }
            if crossing {
                let part = at_a / (at_a - at_b);
                left.push([a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part]);
            }
        }
        *self = left;
    }

    fn push(&mut self, corner: [f64; 2]) {
        self.corners[self.count] = corner;
        self.count += 1;
    }

    /// Its area, from its first corner, so that places far from the origin lose no digits.
    pub fn area(&self) -> f64 {
        let [x, y] = self.corners[0];
        let mut area = 0.0;
        for i in 2..self.count {
            let ([ax, ay], [bx, by]) = (self.corners[i - 1], self.corners[i]);
            area += 0.5 * ((ax - x) * (by - y) - (ay - y) * (bx - x));
        }
        area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(constant: f64, x: f64, y: f64) -> Linear {
        Linear { constant, slope: [x, y] }
    }

    #[test]
    fn half_planes_cut_off_what_lies_beyond_them() {
        let square = Polygon::square([3.0, -2.0], 2.0);
        assert_eq!(square.area(), 4.0);
        // x <= 3.5, then above a diagonal.
        let cut = |line: Linear| {
            let mut left = square;
            left.cut(&line);
            left
        };
        let part = cut(line(-3.5, 1.0, 0.0));
        assert_eq!((part.area(), part.corners().len()), (3.0, 4));
        let corner = cut(line(-2.5, 1.0, 1.0));
        assert_eq!((corner.area(), corner.corners().len()), (4.0 - 0.125, 5));
        assert_eq!(cut(line(-10.0, 1.0, 0.0)), square);
        assert_eq!(cut(line(10.0, 1.0, 0.0)).corners().len(), 0);
        assert_eq!(cut(line(10.0, 1.0, 0.0)).area(), 0.0);
        assert_eq!(cut(line(f64::NAN, 1.0, 0.0)).area(), 0.0);
    }

    #[test]
    fn both_sides_of_a_cut_are_the_whole() {
        let square = Polygon::square([0.25, 0.5], 1.0);
        for i in 0..50 {
            let (sin, cos) = (0.7 * f64::from(i)).sin_cos();
            let one = line(0.3 * (2.3 * f64::from(i)).sin() - 0.25 * cos - 0.5 * sin, cos, sin);
            let other = line(-one.constant, -cos, -sin);
            let areas = [one, other].map(|half| {
                let mut left = square;
                left.cut(&half);
                left.area()
            });
            assert!(areas.iter().all(|area| *area >= 0.0));
            assert!((areas[0] + areas[1] - 1.0).abs() < 1e-14, "{areas:?}");
        }
    }

    #[test]
    fn too_many_corners_leave_a_polygon_as_it_was() {
        let mut polygon = Polygon::square([0.0, 0.0], 2.0);
        for i in 0..40 {
            let (sin, cos) = (0.61 * f64::from(i)).sin_cos();
            polygon.cut(&line(-1.02, cos, sin));
            assert!(polygon.corners().len() <= MOST_CORNERS);
        }
        assert_eq!(polygon.corners().len(), MOST_CORNERS);
    }
}
