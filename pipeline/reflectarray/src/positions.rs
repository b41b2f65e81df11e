//! Positions by few numbers: a smooth map from the lattice to the aperture.
//!
//! ```text
//! x[row][column] = sum_ij X_ij l_i(s) l_j(t),   s, t in [-1, 1]: column and row
//! ```
//! l_i are Lagrange's polynomials on Chebyshev's nodes, so that X_ij are positions of the map at its nodes. Maps with more nodes contain
//! those with fewer, and with as many nodes as lines every element is on its own.

use super::spacing::Shape;
use super::vector::dot;

/// The polynomials at all elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    nodes: [usize; 2],
    shape: Shape,
    /// l_i at the columns `[column][i]`, l_j at the rows `[row][j]`.
    lines: [Vec<f64>; 2],
}

impl Map {
    /// With up to `nodes` nodes along each axis, and no more than there are lines.
    pub fn new(shape: Shape, nodes: usize) -> Self {
        let lines = [shape.columns, shape.rows];
        let nodes = lines.map(|lines| nodes.clamp(1, lines.max(1)));
        let table = [0, 1].map(|axis: usize| {
            let nodes = places(nodes[axis], lines[axis]);
            places(lines[axis], lines[axis]).into_iter().flat_map(|s| lagrange(&nodes, s)).collect()
        });
        Self { nodes, shape, lines: table }
    }

    /// Numbers for one coordinate.
    pub fn unknowns(&self) -> usize {
        self.nodes[0] * self.nodes[1]
    }

    /// A coordinate of all elements, from its values at the nodes `[j][i]`.
    pub fn expand(&self, values: &[f64], to: &mut [f64]) {
        let [nx, ny] = self.nodes;
        let mut line = vec![0.0; nx];
        for (row, to) in to.chunks_exact_mut(self.shape.columns).enumerate() {
            let weights = &self.lines[1][row * ny..][..ny];
            line.fill(0.0);
            for (weight, values) in weights.iter().zip(values.chunks_exact(nx)) {
                line.iter_mut().zip(values).for_each(|(line, value)| *line += weight * value);
            }
            for (to, weights) in to.iter_mut().zip(self.lines[0].chunks_exact(nx)) {
                *to = dot(weights, &line);
            }
        }
    }

    /// The transpose: from a gradient by elements to one by values at the nodes.
    pub fn collect(&self, by: &[f64], to: &mut [f64]) {
        let [nx, ny] = self.nodes;
        to.fill(0.0);
        let mut line = vec![0.0; nx];
        for (row, by) in by.chunks_exact(self.shape.columns).enumerate() {
            line.fill(0.0);
            for (by, weights) in by.iter().zip(self.lines[0].chunks_exact(nx)) {
                line.iter_mut().zip(weights).for_each(|(line, weight)| *line += by * weight);
            }
            let weights = &self.lines[1][row * ny..][..ny];
            for (weight, to) in weights.iter().zip(to.chunks_exact_mut(nx)) {
                to.iter_mut().zip(&line).for_each(|(to, line)| *to += weight * line);
            }
        }
    }

    /// Nodes along each axis, from -1 to 1.
    fn places(&self) -> [Vec<f64>; 2] {
        [places(self.nodes[0], self.shape.columns), places(self.nodes[1], self.shape.rows)]
    }

    /// The values at the nodes of a map that `coarse` with `values` describes.
    pub fn refine(&self, coarse: &Self, values: &[f64]) -> Vec<f64> {
        let [(along, mx), (down, my)] = [0, 1].map(|axis: usize| {
            let nodes = &coarse.places()[axis];
            let table: Vec<_> = self.places()[axis].iter().map(|s| lagrange(nodes, *s)).collect();
            (table, nodes.len())
        });
        let value = |down: &[f64], along: &[f64]| {
            (0..my).map(|l| down[l] * dot(along, &values[l * mx..][..mx])).sum()
        };
        down.iter()
            .flat_map(|down| along.iter().map(move |along| (down, along)))
            .map(|(d, a)| value(d, a))
            .collect()
    }

    /// The values at the nodes of an even lattice with these extents (from one end to the other).
    pub fn even(&self, width: f64, axis: usize) -> Vec<f64> {
        let [along, down] = self.places();
        let pairs = down.iter().flat_map(|t| along.iter().map(move |s| if axis == 0 { *s } else { *t }));
        pairs.map(|s| 0.5 * width * s).collect()
    }
}

/// n nodes from -1 to 1: Chebyshev's, or the lines themselves if there are as many.
fn places(n: usize, lines: usize) -> Vec<f64> {
    let place = |i: usize| {
        let part = i as f64 / (n - 1) as f64;
        if n == lines { 2.0 * part - 1.0 } else { -(std::f64::consts::PI * part).cos() }
    };
    if n == 1 { vec![0.0] } else { (0..n).map(place).collect() }
}

/// All polynomials of the nodes at s.
fn lagrange(nodes: &[f64], s: f64) -> Vec<f64> {
    let factor = |i: usize, j: usize| (s - nodes[j]) / (nodes[i] - nodes[j]);
    (0..nodes.len()).map(|i| (0..nodes.len()).filter(|j| *j != i).map(|j| factor(i, j)).product()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { columns: 9, rows: 6 };

    #[test]
    fn finer_maps_contain_coarser_ones_and_an_even_lattice_is_one() {
        let [coarse, fine] = [2, 5].map(|nodes| Map::new(SHAPE, nodes));
        let values: Vec<f64> = (0..4).map(|i| f64::from(i * i) - 0.7).collect();
        let (mut few, mut many) = ([f64::NAN; 54], [f64::NAN; 54]);
        coarse.expand(&values, &mut few);
        fine.expand(&fine.refine(&coarse, &values), &mut many);
        assert!(few.iter().zip(&many).all(|(a, b)| (a - b).abs() < 1e-13));
        for (axis, width, step) in [(0, 4.0, 1), (1, 2.5, 9)] {
            fine.expand(&fine.even(width, axis), &mut many);
            assert!((many[0] + 0.5 * width).abs() < 1e-14 && (many[53] - 0.5 * width).abs() < 1e-14);
            assert!((many[step] - many[0] - 0.5).abs() < 1e-13);
        }
    }

    #[test]
    fn collecting_is_the_transpose() {
        let map = Map::new(SHAPE, 4);
        let values: Vec<f64> = (0..16).map(|i| f64::from(i).sin()).collect();
        let by: Vec<f64> = (0..54).map(|i| f64::from(i).cos()).collect();
        let (mut expanded, mut collected) = ([f64::NAN; 54], [f64::NAN; 16]);
        map.expand(&values, &mut expanded);
        map.collect(&by, &mut collected);
        assert!((dot(&expanded, &by) - dot(&values, &collected)).abs() < 1e-12);
        let each = Map::new(SHAPE, 100);
        assert_eq!(each.unknowns(), 54);
        each.expand(&by, &mut expanded);
        assert!(expanded == by[..]);
    }
}
