//! Choosing the reader of a surface by the ending of its file.

use crate::load::load;
use crate::{Error, Mesh, gmsh, obj, ply, stl};
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
        _ => return Err(Error::Ending { path: path.into() }),
    };
    let bytes = load(path)?;
    let mesh = parse(&bytes).map_err(|source| source.of(path))?;
    mesh.validate().map_err(|source| source.of(path))?;
    Ok(mesh)
}
