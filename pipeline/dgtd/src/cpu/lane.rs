//! Sixteen elements at a time: the element is the fastest index.

use numerics::real::Real;

/// Elements of a block.
pub const LANES: usize = 16;

/// One value of every element of a block.
pub type Lane<T> = [T; LANES];

/// Ex, Ey, Ez, Hx, Hy, Hz of a node in every element of a block.
pub type Six<T> = [Lane<T>; 6];

/// Six numbers of zero in every element.
pub fn zero<T: Real>() -> Six<T> {
    [[T::zero(); LANES]; 6]
}
