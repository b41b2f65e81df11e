//! Reading of files: of surfaces by the ending of their name, of volumes from gmsh.

use crate::{Error, Mesh, Volume, gmsh, obj, ply, stl};
use std::path::Path;

/// Reads a mesh; the ending of its name says what it is: `.stl`, `.obj`, `.ply` or `.msh`.
pub fn read(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let parse = match ending.as_str() {
        "stl" => stl::parse,
        "obj" => obj::parse,
        "ply" => ply::parse,
        "msh" => gmsh::parse,
        _ => return Err(Error::Ending(path.into())),
    };
    let mesh = parse(&load(path)?).and_then(|mesh| mesh.validate().map(|()| mesh));
    mesh.map_err(|source| source.of(path))
}

/// Reads the tetrahedra of a gmsh file, 2.2 or 4.1, text or binary.
pub fn read_volume(path: impl AsRef<Path>) -> Result<Volume, Error> {
    let path = path.as_ref();
    gmsh::parse_volume(&load(path)?).map_err(|source| source.of(path))
}

/// The bytes of an ordinary file.
fn load(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |source: std::io::Error| Error::Read { path: path.into(), reason: source.to_string() };
    // A pipe would block in open().
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(Error::Read { path: path.into(), reason: "not an ordinary file".into() });
    }
    std::fs::read(path).map_err(failed)
}
