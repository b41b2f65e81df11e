//! Surfaces of triangles and volumes of tetrahedra: readers, checks and a few shapes by formula.
//!
//! | module | |
//! |---|---|
//! | [`stl`], [`obj`], [`ply`], [`gmsh`] | readers; [`read()`] chooses by the file's ending |
//! | [`check`](mod@check) | degenerate and duplicate triangles, open and inconsistent edges |
//! | [`Volume`], [`read_volume`] | tetrahedra with groups of elements and faces, from gmsh |
//! | [`shapes`] | plate, dihedral, trihedral, sphere, almond; missile, ship and two aircraft |
//!
//! A file from elsewhere may lie about every size: what it claims is compared with its bytes before anything is allocated, and errors
//! name the line or the byte. Files have no units; [`Mesh::scaled`] makes metres of them.
#![forbid(unsafe_code)]

pub mod check;
mod error;
pub mod gmsh;
mod indexed;
pub mod obj;
pub mod ply;
mod read;
pub mod shapes;
mod source;
pub mod stl;
mod surface;
mod tetrahedra;
mod text;

pub use check::{Report, check};
pub use error::{Error, MOST_TRIANGLES, Place};
pub use read::{read, read_volume};
pub use surface::Mesh;
pub use tetrahedra::Volume;

#[cfg(test)]
mod tests;
