//! The CPU's plan, the twin of [`cuda`](super::cuda).
//!
//! | stage | |
//! |---|---|
//! | `traces` | fields behind the faces, from the blocks of the neighbours, and the plane wave |
//! | `flux` | jumps to fluxes |
//! | `update` | curl, lift and the Runge-Kutta stage, row by row of the matrices |
//!
//! Sixteen elements are a block, and the element is the fastest index: every entry of a matrix multiplies a vector of elements. Elements are in the order of a curve through space, so that most
//! neighbours are in blocks near by. A stage reads one copy of the fields and writes the other: blocks are independent of each other, threads are those of the current rayon pool, and results are the same
//! bits with any number of them. A [`Part`] has some of the elements only, and gets what it needs of others from the parts that have them.

mod block;
mod kernel;
mod lane;
mod layers;
mod part;
mod plan;
mod poles;
mod tables;

pub use lane::{LANES, Lane};
pub use part::{Exchange, Mail, Part};
pub use plan::{Fields, Plan};
