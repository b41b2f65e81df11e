//! Targets and directions of the benchmarks of radar cross-sections.

use mesh::shapes;
use sbr::{Direction, Facets};

/// Highest frequency, Hz.
pub(crate) const FREQUENCY: f64 = 10e9;

/// Facets of the target `name`.
pub(crate) fn facets(name: &str) -> anyhow::Result<Facets> {
    let mesh = shapes::target(name).ok_or_else(|| anyhow::anyhow!("no target {name}"))?;
    Ok(Facets::new(&mesh)?)
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
