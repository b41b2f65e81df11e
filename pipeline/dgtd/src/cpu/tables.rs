//! Matrices of the reference element, as the kernel reads them.

use crate::design::Design;
use numerics::real::Real;

/// Matrices of the reference element.
#[derive(Debug, Clone)]
pub struct Tables<T> {
    /// D_r, D_s, D_t of each node: `[row][column]`.
    pub derivatives: Vec<[T; 3]>,
    /// `[row][column]`
    pub lift: Vec<T>,
    /// Nodes of the element's own faces.
    pub own: Vec<usize>,
    /// Nodes of the neighbour's face as ours meet them, `[face][permutation][node]`.
    pub traces: Vec<usize>,
    /// Nodes of an element.
    pub nodes: usize,
    /// Nodes of a face.
    pub face_nodes: usize,
}

impl<T: Real> Tables<T> {
    /// Rounded to `T`.
    pub fn new(design: &Design) -> Self {
        let element = &design.element;
        let (nodes, face_nodes) = (element.node_count(), element.face_node_count());
        let at = |at: usize| (at / nodes, at % nodes);
        let entry = |place: usize| [0, 1, 2].map(|axis| T::of(element.derivatives[axis][at(place)]));
        let lift = (0..nodes).flat_map(|row| element.lift.row(row)).map(|value| T::of(*value));
        let seen = |face: usize| element.permuted.iter().flatten().map(move |i| element.face_nodes[face][*i]);
        Self {
            derivatives: (0..nodes * nodes).map(entry).collect(),
            lift: lift.collect(),
            own: element.face_nodes.concat(),
            traces: (0..4).flat_map(seen).collect(),
            nodes,
            face_nodes,
        }
    }
}
