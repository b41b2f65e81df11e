//! Targets and directions of the benchmarks of radar cross-sections.

use crate::context::Result;
use mesh::{Mesh, shapes};
use numerics::failure::Failed;
use sbr::{Direction, Facets};

/// Highest frequency, Hz.
pub(crate) const FREQUENCY: f64 = 10e9;

/// The target `name`.
pub(crate) fn target(name: &str) -> Result<Mesh> {
    shapes::target(name).ok_or_else(|| Failed::run(format_args!("no target {name}")))
}

/// Facets of the target `name`.
pub(crate) fn facets(name: &str) -> Result<Facets> {
    Ok(Facets::new(&target(name)?)?)
}

/// The one direction of rows that need only one: from the side, ahead and above.
pub(crate) fn sight() -> Direction {
    Direction::degrees(65.0, 30.0)
}

/// Directions round the target, by the golden ratio.
pub(crate) fn around(number: u32) -> Direction {
    let turn = (f64::from(number) * 0.618_033_988_749_895).fract();
    Direction::degrees(90.0, 360.0 * turn)
}
