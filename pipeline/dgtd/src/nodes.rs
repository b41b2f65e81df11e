//! Nodes of Lagrange polynomials on the tetrahedron: Warburton's warp and blend.
//!
//! In barycentric coordinates, where it is symmetric by form: equispaced nodes L are moved along the edges (i, j) of every face, the face being opposite to corner a,
//! ```text
//! s_ij = 4 L_i L_j w(L_i - L_j) (1 + (alpha L_k)^2)                         k: third corner of the face
//! B_a  = (1 + (alpha L_a)^2) prod L_m/(L_m + L_a/2)                         m: corners of the face
//! L_i -> L_i + B_a s_ij/2,   L_j -> L_j - B_a s_ij/2
//! ```
//! w(x) is what takes equispaced points to those of Legendre, Gauss and Lobatto, divided by 1 - x^2. On an edge nodes are these points. Warburton, An explicit construction of
//! interpolation nodes on the simplex, J. Eng. Math. (2006).

use numerics::jacobi::lobatto;

/// Highest order.
pub const MOST: usize = 8;

/// Blending parameters for orders 1 to 8 that make the Lebesgue constant small (Warburton); a test compares them with others.
const ALPHA: [f64; MOST] = [0.0, 0.0, 0.0, 0.1002, 1.1332, 1.5608, 1.3413, 1.2577];

/// Barycentric coordinates as multiples of 1/p before they are warped; the second runs fastest, then the third.
pub fn lattice(p: usize) -> Vec<[usize; 4]> {
    let row = |k: usize, j: usize| (0..=p - k - j).map(move |i| [p - i - j - k, i, j, k]);
    (0..=p).flat_map(|k| (0..=p - k).flat_map(move |j| row(k, j))).collect()
}

/// Barycentric coordinates of the nodes of order `p`, 1 to [`MOST`], in the order of [`lattice`].
pub fn warp_and_blend(p: usize) -> Vec<[f64; 4]> {
    blended(p, ALPHA[p - 1])
}

/// The same with any blending parameter.
pub(super) fn blended(p: usize, alpha: f64) -> Vec<[f64; 4]> {
    let warp = Warp::new(p, alpha);
    lattice(p).into_iter().map(|node| warp.moved(node.map(|n| n as f64 / p as f64))).collect()
}

struct Warp {
    alpha: f64,
    /// Inner points: equispaced, and w there.
    points: Vec<(f64, f64)>,
}

impl Warp {
    fn new(p: usize, alpha: f64) -> Self {
        let place = |i: usize| 2.0 * i as f64 / p as f64 - 1.0;
        let goals = lobatto(p);
        let point = |i: usize| (place(i), (goals[i] - place(i)) / (1.0 - place(i) * place(i)));
        Self { alpha, points: (1..p).map(point).collect() }
    }

    /// w at x, by Lagrange's formula.
    fn factor(&self, x: f64) -> f64 {
        let basis = |place: f64| {
            let others = self.points.iter().filter(move |(other, _)| *other != place);
            others.fold(1.0, |product, (other, _)| product * (x - other) / (place - other))
        };
        self.points.iter().map(|(place, w)| w * basis(*place)).sum()
    }

    /// Half of s_ij without the factor of the third corner.
    fn shift(&self, i: f64, j: f64) -> f64 {
        2.0 * i * j * self.factor(i - j)
    }

    fn bulge(&self, l: f64) -> f64 {
        1.0 + (self.alpha * l).powi(2)
    }

    fn moved(&self, l: [f64; 4]) -> [f64; 4] {
        let inside: Vec<usize> = (0..4).filter(|corner| l[*corner] > 0.0).collect();
        let mut found = l;
        if let [i, j] = inside[..] {
            let shift = self.shift(l[i], l[j]);
            found[i] += shift;
            found[j] -= shift;
        }
        if inside.len() > 2 {
            (0..4).for_each(|a| self.blend(a, &l, &mut found));
        }
        found
    }

    /// Adds what the face opposite to corner `a` does to a node that is on no edge.
    fn blend(&self, a: usize, l: &[f64; 4], found: &mut [f64; 4]) {
        let [b, c, d] = super::tetrahedron::FACES[a];
        let parts = [b, c, d].map(|m| l[m] / (l[m] + 0.5 * l[a]));
        let blend = self.bulge(l[a]) * parts.iter().product::<f64>();
        for [i, j, k] in [[b, c, d], [c, d, b], [d, b, c]] {
            let shift = blend * self.shift(l[i], l[j]) * self.bulge(l[k]);
            found[i] += shift;
            found[j] -= shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_symmetric_and_inside() {
        for p in 1..=MOST {
            let (lattice, nodes) = (lattice(p), warp_and_blend(p));
            for (index, node) in lattice.iter().zip(&nodes) {
                assert!((node.iter().sum::<f64>() - 1.0).abs() < 1e-14, "order {p} {index:?}");
                assert!(node.iter().all(|l| (-1e-15..=1.0 + 1e-15).contains(l)), "order {p} {node:?}");
                // Two exchanges make all permutations of the corners.
                for (i, j) in [(0, 1), (1, 2), (2, 3)] {
                    let mut exchanged = *index;
                    exchanged.swap(i, j);
                    let image = nodes[lattice.iter().position(|other| *other == exchanged).unwrap()];
                    let mut expected = *node;
                    expected.swap(i, j);
                    assert!(
                        expected.iter().zip(image).all(|(a, b)| (a - b).abs() < 1e-14),
                        "order {p} {index:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn nodes_of_edges_are_lobatto_points_and_faces_stay_faces() {
        for p in 1..=MOST {
            let points = lobatto(p);
            for (index, node) in lattice(p).iter().zip(warp_and_blend(p)) {
                for corner in (0..4).filter(|corner| index[*corner] == 0) {
                    assert!(node[corner].abs() < 1e-15, "order {p} {index:?}");
                }
                if index[2] == 0 && index[3] == 0 {
                    assert!((node[1] - node[0] - points[index[1]]).abs() < 1e-14, "order {p} {index:?}");
                }
            }
        }
    }
}
