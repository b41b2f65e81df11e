//! What is refused.

use super::kapur_rokhlin::ORDERS;
use super::settings::{MOST_NODES, TOLERANCES};

/// What is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// A length or number that must be positive.
    #[error("{what} is {value}: it must be positive and finite")]
    Size {
        /// Which.
        what: &'static str,
        /// Given.
        value: f64,
    },
    /// Nodes of a cell.
    #[error("{nodes} nodes a cell: from 1 to {MOST_NODES}")]
    Nodes {
        /// Given.
        nodes: usize,
    },
    /// Order of Kapur and Rokhlin's rule.
    #[error("kr of order {order}: there are {ORDERS:?}")]
    Order {
        /// Given.
        order: usize,
    },
    /// Parts of the combined equation.
    #[error("the combined equation with {part} of the electric one: it must lie between 0 and 1")]
    Part {
        /// Given.
        part: f64,
    },
    /// A tolerance of compression.
    #[error("a tolerance of {tolerance:e}: from {:e} to {:e}", TOLERANCES.start(), TOLERANCES.end())]
    Tolerance {
        /// Given.
        tolerance: f64,
    },
    /// What has no entries on demand, or no place for them.
    #[error("the solver hodlr does not do {what}: use another solver")]
    NotCompressed {
        /// What.
        what: &'static str,
    },
    /// A surface that would give energy.
    #[error("surface impedance {ohm} ohm: its real part must not be negative")]
    Impedance {
        /// Given.
        ohm: num_complex::Complex<f64>,
    },
    /// A medium that is none, or that absorbs.
    #[error(
        "a medium with permittivity {permittivity} and permeability {permeability}: both must be positive and finite, relative to vacuum"
    )]
    Medium {
        /// Given.
        permittivity: f64,
        /// Given.
        permeability: f64,
    },
    /// Penetrable bodies with another rule.
    #[error("penetrable bodies are solved by kress alone: use --method kress, and smooth outlines")]
    NotKress,
    /// Nothing to scatter.
    #[error("there is no body")]
    Empty,
    /// A line of a contour that is no point.
    #[error("line {line}: '{text}' is no point; a line has x and y in metres, with a comma between them")]
    Line {
        /// From 1.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// Something in a drawing that is no outline.
    #[error("line {line}: {reason}")]
    Drawing {
        /// Of the element, from 1.
        line: usize,
        /// What.
        reason: String,
    },
    /// A command of a path that is none.
    #[error("line {line}, command {command} of the path, '{letter}': {reason}")]
    Path {
        /// Of the element, from 1.
        line: usize,
        /// Number of the command, from 1.
        command: usize,
        /// Its letter.
        letter: char,
        /// What is wrong.
        reason: String,
    },
    /// Pieces of a curved outline that meet where they should not.
    #[error("pieces {first} and {second} meet at ({x:.6}, {y:.6}): a body must not cross or touch itself")]
    Pieces {
        /// Number of a piece, from 1.
        first: usize,
        /// That of the other, or the same of a loop.
        second: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// A curve without a tangent.
    #[error("piece {piece} has a cusp at ({x:.6}, {y:.6}), where it has no normal: divide it there")]
    Cusp {
        /// Its number, from 1.
        piece: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// A mesh that cannot be read.
    #[error(transparent)]
    Mesh(#[from] mesh::Error),
    /// Lines that do not make a chain.
    #[error("{lines} lines meet at ({x}, {y}): an outline has two there, or one where it ends")]
    Branching {
        /// Lines.
        lines: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// A chain of lines that is not closed.
    #[error("the lines from ({}, {}) end at ({}, {}): they are no closed outline; if they are a thin sheet, say --open", ends[0][0], ends[0][1], ends[1][0], ends[1][1])]
    OpenChain {
        /// m.
        ends: [[f64; 2]; 2],
    },
    /// A node out of the plane.
    #[error("node {node} lies at z = {z}: all lines must lie in the plane z = 0")]
    OutOfPlane {
        /// Number of the node, from 0.
        node: usize,
        /// m.
        z: f64,
    },
    /// A rule that the kernels do not know.
    #[error("the card does not do Kapur and Rokhlin's rule: use kress, or --device cpu")]
    RuleOnCard,
    /// What the kernels do not know.
    #[error(
        "body {body} has Bezier curves or elliptic arcs, which lcn does not do on a card: use --device cpu"
    )]
    CurvedOnCard {
        /// Number of the body, from 1.
        body: usize,
    },
    /// A place that is none.
    #[error("a coordinate is {value} m: it must be finite")]
    NotFinite {
        /// m.
        value: f64,
    },
    /// Too few or too many points.
    #[error("{points} points: a contour has {least} to {most}")]
    Points {
        /// Given.
        points: usize,
        /// Least.
        least: usize,
        /// Most.
        most: usize,
    },
    /// Neighbours in one place.
    #[error("points {first} and {second} are the same, ({x}, {y}): remove one")]
    Duplicate {
        /// Number of the first, from 1.
        first: usize,
        /// Number of the second.
        second: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// Sides that meet where they should not.
    #[error(
        "the sides from points {first} and {second} meet at ({x:.6}, {y:.6}): a body must not cross or touch itself"
    )]
    Crossing {
        /// Number of the point where one side begins, from 1.
        first: usize,
        /// That of the other.
        second: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// Bodies that meet.
    #[error("bodies {first} and {second} cross or touch near ({x:.6}, {y:.6})")]
    Overlap {
        /// Number of a body, from 1.
        first: usize,
        /// That of the other.
        second: usize,
        /// m.
        x: f64,
        /// m.
        y: f64,
    },
    /// No area.
    #[error("the contour encloses {area:e} m2, nothing beside its perimeter of {perimeter} m: it is no body")]
    Flat {
        /// m2.
        area: f64,
        /// m.
        perimeter: f64,
    },
    /// An equation of closed bodies.
    #[error(
        "body {body} is open, and {what} needs closed ones: use the electric equation with pulses or lcn"
    )]
    Open {
        /// Number of the body, from 1.
        body: usize,
        /// What needs it.
        what: &'static str,
    },
    /// Kress's rule and corners.
    #[error("body {body} has corners, and kress and kr need smooth closed curves: use lcn")]
    Corners {
        /// Number of the body, from 1.
        body: usize,
    },
    /// Kress's rule and odd numbers.
    #[error("{points} points on body {body}: kress and kr need an even number, {least} or more")]
    OddPoints {
        /// Number of the body, from 1.
        body: usize,
        /// Given.
        points: usize,
        /// Fewest.
        least: usize,
    },
    /// Fewer cells than sides.
    #[error("{cells} cells for {sides} sides: every side needs one")]
    TooFewCells {
        /// Given.
        cells: usize,
        /// Sides of all bodies.
        sides: usize,
    },
    /// Less than two unknowns a wavelength.
    #[error(
        "the longest cell is {length:.4} m with {nodes} unknowns, {density:.2} unknowns a wavelength: fewer than 2 cannot follow the wave; use more cells"
    )]
    Coarse {
        /// m.
        length: f64,
        /// Of the cell.
        nodes: usize,
        /// Unknowns a wavelength there.
        density: f64,
    },
    /// A matrix that does not fit.
    #[error(
        "{unknowns} unknowns need {needed_gib:.1} GiB for the matrix and its factors, and {free_gib:.1} GiB are free: use {instead}"
    )]
    Memory {
        /// Unknowns.
        unknowns: usize,
        /// Needed.
        needed_gib: f64,
        /// There is.
        free_gib: f64,
        /// What needs less.
        instead: &'static str,
    },
    /// Compression that does not compress enough.
    #[error(
        "{what} would bring the compressed matrix to {needed_gib:.2} GiB, and {free_gib:.2} GiB are free: ranks grow with the length of the outlines in wavelengths and with the digits of the tolerance; use fewer cells, or a larger --tolerance"
    )]
    Ranks {
        /// The block that was one too many.
        what: String,
        /// Needed up to it.
        needed_gib: f64,
        /// There is.
        free_gib: f64,
    },
    /// A direction that is none.
    #[error("incidence {degrees}: it must be a finite number of degrees")]
    Direction {
        /// Given.
        degrees: f64,
    },
    /// Numbers that do not count: the matrix is singular.
    #[error(
        "the matrix is singular: pivot {pivot} of {unknowns} is {value:e}; at an interior resonance the combined equation (cfie) is not"
    )]
    Singular {
        /// Number of the pivot, from 0.
        pivot: usize,
        /// All of them.
        unknowns: usize,
        /// Its magnitude.
        value: f64,
    },
    /// Refinement that stalls.
    #[error(
        "refinement from 32 bits ends at a backward error of {backward:e} after {steps} steps, the condition is about {condition:.1e}: use the solver lu"
    )]
    Stalled {
        /// Reached.
        backward: f64,
        /// Steps done.
        steps: usize,
        /// Estimate.
        condition: f64,
    },
    /// Compression that lost too much.
    #[error(
        "the compressed solution has a backward error of {backward:e} over {rows} rows of the true matrix, more than {limit:e}, with blocks to {tolerance:e}: use a smaller --tolerance"
    )]
    Uncertified {
        /// Found.
        backward: f64,
        /// Most that is accepted.
        limit: f64,
        /// Rows that were looked at.
        rows: usize,
        /// Of the blocks.
        tolerance: f64,
    },
    /// A card.
    #[error(transparent)]
    Card(#[from] kernels::Error),
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A contour's file that cannot be read.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{path}: {message}")]
pub struct FileError {
    /// Which.
    pub path: String,
    /// Why.
    pub message: String,
}

impl Error {
    /// Whether the input is at fault, and not the computation.
    pub fn is_input(&self) -> bool {
        !matches!(
            self,
            Self::Singular { .. } | Self::Stalled { .. } | Self::Uncertified { .. } | Self::Card(_)
        )
    }
}
