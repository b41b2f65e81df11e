//! Shapes by formula, for tests, benchmarks and first trials. Lengths in metres.
//!
//! Plates, corners, spheres and almonds have answers to compare with. [`TARGETS`] are those of Tao, Lin and Bao, IEEE Trans. Antennas Propag. 58, 494 (2010): a missile, a ship
//! and two aircraft of the sizes and numbers of triangles in their Table I; their geometry is not published, and these are others of the kind.

mod aircraft;
mod blade;
mod canonical;
mod engine;
mod fuselage;
mod loft;
mod missile;
mod section;
mod ship;
mod targets;
#[cfg(test)]
mod tests;
mod weld;

pub use canonical::{ALMOND_BACK, ALMOND_TIP, almond, almond_half_axes, dihedral, plate, sphere, trihedral};
pub use loft::joined;
pub use targets::{TARGETS, target};
