//! The reference element: nodes, and the matrices that differentiate and lift what is given by its values there.
//!
//! ```text
//! V_ij  = psi_j(r_i)                                  Vandermonde matrix
//! M     = (V V^T)^-1                                  mass matrix
//! D_r   = V_r V^-1,  (V_r)_ij = d psi_j/dr (r_i)      derivatives; D_s and D_t likewise
//! LIFT  = V V^T E                                     E: mass matrices of the faces, in the rows of their nodes
//! ```
//! Face f is opposite to corner f. Its nodes are in the order of `FACES`, so that the nodes of two elements that share it meet after one of six permutations of its corners.

use super::Error;
use super::basis;
use super::matrix::Matrix;
use super::nodes;
use super::tetrahedron::{FACES, PERMUTATIONS};

/// Nodes and matrices of one order.
#[derive(Debug, Clone)]
pub struct Element {
    /// p.
    pub order: usize,
    /// Barycentric coordinates of the nodes.
    pub nodes: Vec<[f64; 4]>,
    /// V.
    pub vandermonde: Matrix,
    /// V^-1.
    pub modes: Matrix,
    /// D_r, D_s, D_t.
    pub derivatives: [Matrix; 3],
    /// Np rows, 4 Nfp columns, face by face.
    pub lift: Matrix,
    /// Nodes of each face.
    pub face_nodes: [Vec<usize>; 4],
    /// Mass matrix of a face, whose area is 2.
    pub face_mass: Matrix,
    /// Parts of the area that the nodes of a face have in integrals over it.
    pub face_weights: Vec<f64>,
    /// Where the nodes of a face are among themselves after each of `PERMUTATIONS`.
    pub permuted: [Vec<usize>; 6],
}

impl Element {
    /// Of order 1 to [`nodes::MOST`].
    pub fn new(order: usize) -> Result<Self, Error> {
        if !(1..=nodes::MOST).contains(&order) {
            return Err(Error::value("order", order, format!("polynomials have order 1 to {}", nodes::MOST)));
        }
        let nodes = nodes::warp_and_blend(order);
        let places: Vec<[f64; 3]> = nodes.iter().map(place).collect();
        let vandermonde = at(&places, basis::degrees(order), basis::tetrahedron);
        let modes = vandermonde.inverse().ok_or_else(|| singular(order))?;
        let derivatives = [0, 1, 2].map(|axis| {
            at(&places, basis::degrees(order), |degree, place| basis::gradient(degree, place)[axis])
                .times(&modes)
        });
        let lattice = nodes::lattice(order);
        let face_nodes = [0, 1, 2, 3].map(|face| face_nodes(&lattice, face));
        let face_mass = face_mass(order, &nodes, &face_nodes[3])?;
        let lift = lift(&face_mass, &vandermonde, &face_nodes);
        // The reference triangle has the area 2.
        let face_weights =
            (0..face_mass.rows()).map(|row| 0.5 * face_mass.row(row).iter().sum::<f64>()).collect();
        let permuted = PERMUTATIONS.map(|permutation| permuted(&lattice, &face_nodes[3], permutation));
        Ok(Self {
            order,
            nodes,
            vandermonde,
            modes,
            derivatives,
            lift,
            face_nodes,
            face_mass,
            face_weights,
            permuted,
        })
    }

    /// Np: nodes of an element.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// Nfp: nodes of a face.
    pub fn face_node_count(&self) -> usize {
        self.face_nodes[0].len()
    }

    /// M, of the reference element, whose volume is 4/3.
    pub fn mass(&self) -> Matrix {
        self.modes.transposed().times(&self.modes)
    }

    /// Values of all Lagrange polynomials at a point given by its barycentric coordinates.
    pub fn interpolation(&self, point: &[f64; 4]) -> Vec<f64> {
        let values = at(&[place(point)], basis::degrees(self.order), basis::tetrahedron);
        values.times(&self.modes).row(0).to_vec()
    }
}

fn singular(order: usize) -> Error {
    Error::value("order", order, "its nodes determine no polynomial")
}

/// (r, s, t) of barycentric coordinates.
fn place(l: &[f64; 4]) -> [f64; 3] {
    [l[1], l[2], l[3]].map(|l| 2.0 * l - 1.0)
}

/// The value of every polynomial at every place: a row for each place.
fn at<D: Copy, P: Copy>(
    places: &[P],
    degrees: impl Iterator<Item = D>,
    value: impl Fn(D, P) -> f64,
) -> Matrix {
    let degrees: Vec<D> = degrees.collect();
    Matrix::new(places.len(), degrees.len(), |node, mode| value(degrees[mode], places[node]))
}

/// Nodes of a face: the first of its corners has the highest index first, as in the element.
fn face_nodes(lattice: &[[usize; 4]], face: usize) -> Vec<usize> {
    let mut found: Vec<usize> = (0..lattice.len()).filter(|node| lattice[*node][face] == 0).collect();
    let [_, b, c] = FACES[face];
    found.sort_by_key(|node| (lattice[*node][c], lattice[*node][b]));
    found
}

/// Entry i: the node of a face whose coordinate at corner `permutation[m]` is that of node i at corner m.
fn permuted(lattice: &[[usize; 4]], nodes: &[usize], permutation: [usize; 3]) -> Vec<usize> {
    let image = |node: &usize| {
        let mut image = [0; 3];
        permutation.iter().enumerate().for_each(|(m, to)| image[*to] = lattice[*node][m]);
        nodes.iter().position(|other| lattice[*other][..3] == image).unwrap_or_default()
    };
    nodes.iter().map(image).collect()
}

/// Mass matrix of a face; all are alike, as nodes are symmetric.
fn face_mass(order: usize, nodes: &[[f64; 4]], face_nodes: &[usize]) -> Result<Matrix, Error> {
    let [_, b, c] = FACES[3];
    let places: Vec<[f64; 2]> =
        face_nodes.iter().map(|node| [b, c].map(|corner| 2.0 * nodes[*node][corner] - 1.0)).collect();
    let face = at(&places, basis::degrees_2(order), basis::triangle);
    face.times(&face.transposed()).inverse().ok_or_else(|| singular(order))
}

fn lift(face_mass: &Matrix, vandermonde: &Matrix, face_nodes: &[Vec<usize>; 4]) -> Matrix {
    let count = face_mass.rows();
    let inverse_mass = vandermonde.times(&vandermonde.transposed());
    Matrix::new(vandermonde.rows(), 4 * count, |row, column| {
        let (face, column) = (column / count, column % count);
        let own = face_nodes[face].iter().enumerate();
        own.map(|(i, node)| inverse_mass[(row, *node)] * face_mass[(i, column)]).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elements() -> impl Iterator<Item = Element> {
        (1..=nodes::MOST).map(|order| Element::new(order).unwrap())
    }

    /// Values of r^a s^b t^c at the nodes.
    fn monomial(element: &Element, [a, b, c]: [usize; 3]) -> Vec<f64> {
        let value = |l: &[f64; 4]| {
            let [r, s, t] = place(l);
            r.powi(a as i32) * s.powi(b as i32) * t.powi(c as i32)
        };
        element.nodes.iter().map(value).collect()
    }

    fn applied(matrix: &Matrix, values: &[f64]) -> Vec<f64> {
        let row = |row| matrix.row(row).iter().zip(values).map(|(a, b)| a * b).sum();
        (0..matrix.rows()).map(row).collect()
    }

    fn distance(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
    }

    /// Rounding of products with V^-1, whose norm is below 100, and of derivatives, which multiply it by up to p^2.
    const ROUNDING: f64 = 1e-11;

    #[test]
    fn derivatives_of_polynomials_are_exact() {
        for element in elements() {
            for degree in basis::degrees(element.order) {
                for axis in 0..3 {
                    let mut lower = degree;
                    let factor = degree[axis] as f64;
                    lower[axis] = lower[axis].saturating_sub(1);
                    let expected: Vec<f64> =
                        monomial(&element, lower).iter().map(|value| factor * value).collect();
                    let found = applied(&element.derivatives[axis], &monomial(&element, degree));
                    assert!(distance(&found, &expected) < ROUNDING, "order {} {degree:?}", element.order);
                }
            }
        }
    }

    /// Integration by parts, which proves mass, derivatives and lift together: M D + (M D)^T is the sum of the faces' mass matrices by their normals.
    #[test]
    fn integration_by_parts_is_exact() {
        for element in elements() {
            let (mass, count) = (element.mass(), element.face_node_count());
            for axis in 0..3 {
                let stiffness = mass.times(&element.derivatives[axis]);
                let faces = mass.times(&element.lift);
                // The face opposite to corner 0 looks along (1, 1, 1), the one opposite to corner 1 + axis against the axis.
                let mut wrong =
                    Matrix::new(mass.rows(), mass.rows(), |i, j| stiffness[(i, j)] + stiffness[(j, i)]);
                for (face, sign) in [(0, 1.0), (1 + axis, -1.0)] {
                    for (column, node) in element.face_nodes[face].iter().enumerate() {
                        for row in 0..mass.rows() {
                            wrong[(row, *node)] -= sign * faces[(row, face * count + column)];
                        }
                    }
                }
                assert!(wrong.norm() < ROUNDING, "order {} axis {axis}: {:e}", element.order, wrong.norm());
            }
        }
    }

    #[test]
    fn the_volume_is_that_of_the_reference() {
        for element in elements() {
            let ones = vec![1.0; element.node_count()];
            let volume: f64 = applied(&element.mass(), &ones).iter().sum();
            assert!((volume - 4.0 / 3.0).abs() < 1e-13, "order {}", element.order);
        }
    }

    /// Largest sum of magnitudes of Lagrange polynomials (Lebesgue's constant), on a lattice: how much worse than the best polynomial interpolation can be.
    fn lebesgue(order: usize, nodes: &[[f64; 4]]) -> f64 {
        const LATTICE: usize = 16;
        let values = |points: &[[f64; 4]]| {
            let places: Vec<[f64; 3]> = points.iter().map(place).collect();
            at(&places, basis::degrees(order), basis::tetrahedron)
        };
        let lattice: Vec<[f64; 4]> =
            nodes::lattice(LATTICE).iter().map(|l| l.map(|l| l as f64 / LATTICE as f64)).collect();
        values(&lattice).times(&values(nodes).inverse().unwrap()).norm()
    }

    #[test]
    fn nodes_are_near_the_best_of_their_family_and_better_than_equispaced_ones() {
        let equispaced = |p: usize| -> Vec<[f64; 4]> {
            nodes::lattice(p).iter().map(|l| l.map(|l| l as f64 / p as f64)).collect()
        };
        for order in 1..=nodes::MOST {
            let found = lebesgue(order, &nodes::warp_and_blend(order));
            let others = (0..8).map(|i| lebesgue(order, &nodes::blended(order, 0.25 * f64::from(i))));
            let best = others.fold(f64::INFINITY, f64::min);
            assert!(found < 1.03 * best, "order {order}: {found}, {best}");
            assert!(order < 3 || found < lebesgue(order, &equispaced(order)), "order {order}: {found}");
        }
    }

    #[test]
    fn interpolation_is_exact_for_polynomials_and_one_at_its_node() {
        for element in elements() {
            let point = [0.1, 0.3, 0.25, 0.35];
            for degree in basis::degrees(element.order) {
                let [r, s, t] = place(&point);
                let [a, b, c] = degree.map(|n| n as i32);
                let sum: f64 = element
                    .interpolation(&point)
                    .iter()
                    .zip(monomial(&element, degree))
                    .map(|(l, u)| l * u)
                    .sum();
                assert!(
                    (sum - r.powi(a) * s.powi(b) * t.powi(c)).abs() < ROUNDING,
                    "order {}",
                    element.order
                );
            }
            let node = element.node_count() - 1;
            let values = element.interpolation(&element.nodes[node]);
            assert!(
                values.iter().enumerate().all(|(i, l)| (l - f64::from(u8::from(i == node))).abs() < ROUNDING)
            );
        }
    }

    #[test]
    fn permuted_nodes_of_a_face_are_where_their_corners_go() {
        for element in elements() {
            let on_face: Vec<[f64; 4]> =
                element.face_nodes[3].iter().map(|node| element.nodes[*node]).collect();
            for (permutation, permuted) in PERMUTATIONS.iter().zip(&element.permuted) {
                for (i, image) in permuted.iter().enumerate() {
                    for m in 0..3 {
                        let moved = (on_face[i][m] - on_face[*image][permutation[m]]).abs();
                        assert!(moved < 1e-14, "order {}", element.order);
                    }
                }
            }
        }
    }

    #[test]
    fn other_orders_are_refused() {
        for order in [0, 9, usize::MAX] {
            assert_eq!(
                Element::new(order).unwrap_err(),
                Error::value("order", order, "polynomials have order 1 to 8")
            );
        }
    }
}
