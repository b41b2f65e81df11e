//! Volumes of tetrahedra, as files have them: with groups of elements and groups of faces, and not yet connected.

pub use crate::tetrahedra::Volume;

use crate::load::load;
use crate::{Error, gmsh};
use std::path::Path;

/// Reads the tetrahedra of a gmsh file, 2.2 or 4.1, text or binary.
pub fn read(path: impl AsRef<Path>) -> Result<Volume, Error> {
    let path = path.as_ref();
    let bytes = load(path)?;
    gmsh::parse_volume(&bytes).map_err(|source| source.of(path))
}
