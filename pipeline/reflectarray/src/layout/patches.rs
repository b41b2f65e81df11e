//! Patches, and all patches of a design.

/// A rectangle with its sides along x and y.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Patch {
    /// Centre, m.
    pub centre: [f64; 2],
    /// Sides along x and y, m.
    pub sides: [f64; 2],
}

/// The patches of a design, in the order of its elements.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// One for every element.
    pub patches: Vec<Patch>,
    /// Elements whose phase the table does not have.
    pub outside: usize,
    /// Elements whose patch was made smaller to leave the gap.
    pub narrowed: usize,
    /// Largest error of a phase that followed from it, rad.
    pub worst_error: f64,
}
