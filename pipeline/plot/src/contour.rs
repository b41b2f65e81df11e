//! Lines of equal value on a regular grid, by marching squares.

/// Values on a grid: `values[row * cols + col]` at (`x[0]` + col `x[1]`, `y[0]` + row `y[1]`).
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub cols: usize,
    pub values: &'a [f64],
    /// First place and step.
    pub x: [f64; 2],
    pub y: [f64; 2],
}

impl Field<'_> {
    fn point(&self, (col, row): (usize, usize)) -> [f64; 2] {
        [self.x[0] + col as f64 * self.x[1], self.y[0] + row as f64 * self.y[1]]
    }

    fn value(&self, (col, row): (usize, usize)) -> f64 {
        self.values[row * self.cols + col]
    }

    /// Where the value crosses `level` between two neighbours of which one lies above.
    fn crossing(&self, a: (usize, usize), b: (usize, usize), level: f64) -> [f64; 2] {
        let (va, vb, pa, pb) = (self.value(a), self.value(b), self.point(a), self.point(b));
        let t = (level - va) / (vb - va);
        [pa[0] + t * (pb[0] - pa[0]), pa[1] + t * (pb[1] - pa[1])]
    }

    /// Pieces of the lines at `level`. Cells with a value that is no number have none; a saddle is cut by the mean of its corners.
    pub fn contour(&self, level: f64) -> Vec<[[f64; 2]; 2]> {
        let rows = self.values.len() / self.cols.max(1);
        let cells = (1..rows).flat_map(|row| (1..self.cols).map(move |col| (col - 1, row - 1)));
        cells.flat_map(|cell| self.cell(cell, level)).collect()
    }

    fn cell(&self, (col, row): (usize, usize), level: f64) -> Vec<[[f64; 2]; 2]> {
        let corners = [(col, row), (col + 1, row), (col + 1, row + 1), (col, row + 1)];
        let values = corners.map(|corner| self.value(corner));
        if values.iter().any(|value| !value.is_finite()) {
            return Vec::new();
        }
        let above = values.map(|value| value > level);
        let cuts: Vec<(usize, [f64; 2])> = (0..4)
            .filter(|&i| above[i] != above[(i + 1) % 4])
            .map(|i| (i, self.crossing(corners[i], corners[(i + 1) % 4], level)))
            .collect();
        match cuts[..] {
            [(_, a), (_, b)] => vec![[a, b]],
            [(_, a), (_, b), (_, c), (_, d)] => {
                // Cut off the corners that differ from the middle: sides 0 and 1 meet at corner 1, sides 3 and 0 at corner 0.
                let middle = values.iter().sum::<f64>() / 4.0 > level;
                if above[0] == middle { vec![[a, b], [c, d]] } else { vec![[d, a], [b, c]] }
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cone_has_circles() {
        let place = |i: usize| -1.0 + 0.05 * i as f64;
        let values: Vec<f64> = (0..41 * 41).map(|at| place(at % 41).hypot(place(at / 41))).collect();
        let field = Field { cols: 41, values: &values, x: [-1.0, 0.05], y: [-1.0, 0.05] };
        let pieces = field.contour(0.5);
        // Linear between corners of a cone: off by at most h^2/(8 r).
        assert!(pieces.iter().flatten().all(|[x, y]| (x.hypot(*y) - 0.5).abs() < 0.05 * 0.05 / (8.0 * 0.45)));
        let length: f64 = pieces.iter().map(|[a, b]| (a[0] - b[0]).hypot(a[1] - b[1])).sum();
        assert!((length / std::f64::consts::PI - 1.0).abs() < 0.01, "{length}");
        assert!(field.contour(5.0).is_empty());
    }

    #[test]
    fn saddles_follow_their_middle_and_gaps_stay_open() {
        let saddle = |values: &[f64; 4]| Field { cols: 2, values, x: [0.0, 1.0], y: [0.0, 1.0] }.contour(0.5);
        // Corners (0, 0) and (1, 1) are high; row by row.
        let joined = saddle(&[1.0, 0.4, 0.4, 1.0]);
        let apart = saddle(&[0.6, 0.0, 0.0, 0.6]);
        let near = |pieces: &[[[f64; 2]; 2]], corner: [f64; 2]| {
            pieces
                .iter()
                .any(|p| p.iter().all(|q| (q[0] - corner[0]).abs() + (q[1] - corner[1]).abs() <= 1.0 + 1e-12))
        };
        assert_eq!((joined.len(), apart.len()), (2, 2));
        assert!(near(&joined, [1.0, 0.0]) && near(&joined, [0.0, 1.0]));
        assert!(near(&apart, [0.0, 0.0]) && near(&apart, [1.0, 1.0]));
        assert!(saddle(&[1.0, f64::NAN, 0.0, 0.0]).is_empty());
    }
}
