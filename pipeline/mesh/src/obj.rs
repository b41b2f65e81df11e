//! Wavefront OBJ: vertices and faces; polygons become fans of triangles, groups are those of `usemtl`, `g` or `o`.

use super::groups::Groups;
use super::text::{Line, Lines};
use super::{Error, Mesh};
use files::{self, atomic::AtomicFile};
use numerics::vec3::Vec3;
use std::io::Write;
use std::path::Path;

/// The mesh in the bytes of an OBJ file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    let (mut mesh, mut groups) = (Mesh::default(), Groups::default());
    let mut group = groups.index("default".into());
    for mut line in Lines::new(bytes)? {
        match line.word("a keyword")? {
            "v" => mesh.vertices.push(line.point("a coordinate")?),
            "f" => face(&mut mesh, line, group)?,
            "g" | "o" | "usemtl" => group = groups.index(line.rest()),
            // Normals, textures, smoothing and comments say nothing about the surface.
            _ => {}
        }
    }
    mesh.names = groups.into_names();
    Ok(mesh)
}

fn face(mesh: &mut Mesh, mut line: Line<'_>, group: u32) -> Result<(), Error> {
    let first = corner(mesh, &mut line)?;
    let mut last = corner(mesh, &mut line)?;
    let mut next = corner(mesh, &mut line)?;
    loop {
        mesh.triangles.push([first, last, next]);
        mesh.groups.push(group);
        last = next;
        if line.clone().next_word().is_none_or(|word| word.starts_with('#')) {
            return Ok(());
        }
        next = corner(mesh, &mut line)?;
    }
}

/// `7`, `7/1`, `7/1/3`, `7//3` or, counted from the end, `-1`.
fn corner(mesh: &Mesh, line: &mut Line<'_>) -> Result<u32, Error> {
    let word = line.word("a corner of a face")?;
    let number = word.split('/').next().unwrap_or_default();
    let wrong = || Error::line(line.number, format!("'{word}' is no corner of a face"));
    let index: i64 = number.parse().map_err(|_| wrong())?;
    let vertices = mesh.vertices.len();
    let from_start = if index < 0 { vertices as i64 + index } else { index - 1 };
    let known = usize::try_from(from_start).is_ok_and(|index| index < vertices);
    if known { u32::try_from(from_start).map_err(|_| wrong()) } else { Err(wrong()) }
}

/// Writes a mesh; groups are those of `g`.
pub fn write(mesh: &Mesh, path: &Path) -> Result<(), files::Error> {
    let failed = |source| files::Error::Write { path: path.into(), source };
    let mut file = AtomicFile::create(path)?;
    for Vec3 { x, y, z } in &mesh.vertices {
        writeln!(file, "v {x} {y} {z}").map_err(failed)?;
    }
    let mut open = None;
    for ([a, b, c], group) in mesh.triangles.iter().zip(&mesh.groups) {
        if open != Some(group) {
            writeln!(file, "g {}", mesh.names[*group as usize]).map_err(failed)?;
            open = Some(group);
        }
        writeln!(file, "f {} {} {}", a + 1, b + 1, c + 1).map_err(failed)?;
    }
    file.commit()
}
