//! Corners of a tetrahedron and of its faces.

/// Corners of each face, ascending.
pub const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/// All orders of three corners; an index of it says how two elements see their common face.
pub const PERMUTATIONS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
