//! Wavefront OBJ: vertices and faces; polygons become fans of triangles, groups are those of `usemtl`, `g` or `o`.

use super::indexed::Indexed;
use super::text::{Line, Lines};
use super::{Error, Mesh};
use numerics::vec3::Vec3;
use std::io::Write;
use std::path::Path;

/// The mesh in the bytes of an OBJ file.
pub fn parse(bytes: &[u8]) -> Result<Mesh, Error> {
    let (mut mesh, mut groups) = (Mesh::default(), Indexed::default());
    let mut named = |name: String| groups.index(name.clone(), || name);
    let mut group = named("default".into());
    for mut line in Lines::new(bytes)? {
        match line.word("a keyword")? {
            "v" => mesh.vertices.push(line.point("a coordinate")?),
            "f" => face(&mut mesh, line, group)?,
            "g" | "o" | "usemtl" => group = named(line.rest()),
            // Normals, textures, smoothing and comments say nothing about the surface.
            _ => {}
        }
    }
    mesh.names = groups.values;
    Ok(mesh)
}

fn face(mesh: &mut Mesh, mut line: Line<'_>, group: u32) -> Result<(), Error> {
    let (first, mut last) = (corner(mesh, &mut line)?, corner(mesh, &mut line)?);
    loop {
        let next = corner(mesh, &mut line)?;
        mesh.triangles.push([first, last, next]);
        mesh.groups.push(group);
        last = next;
        if line.peek().is_none_or(|word| word.starts_with('#')) {
            return Ok(());
        }
    }
}

/// `7`, `7/1`, `7/1/3`, `7//3` or, counted from the end, `-1`.
fn corner(mesh: &Mesh, line: &mut Line<'_>) -> Result<u32, Error> {
    let word = line.word("a corner of a face")?;
    let number = word.split('/').next().unwrap_or_default();
    let vertices = mesh.vertices.len() as i64;
    let from_start = |index: i64| if index < 0 { vertices + index } else { index - 1 };
    let index = number.parse().ok().map(from_start).filter(|index| (0..vertices).contains(index));
    let index = index.and_then(|index| u32::try_from(index).ok());
    index.ok_or_else(|| line.wrong(format!("'{word}' is no corner of a face")))
}

/// Writes a mesh; groups are those of `g`.
pub fn write(mesh: &Mesh, path: &Path) -> Result<(), files::Error> {
    files::atomic::write(path, |file| {
        for Vec3 { x, y, z } in &mesh.vertices {
            writeln!(file, "v {x} {y} {z}")?;
        }
        let mut open = None;
        for ([a, b, c], group) in mesh.triangles.iter().zip(&mesh.groups) {
            if open.replace(group) != Some(group) {
                writeln!(file, "g {}", mesh.names[*group as usize])?;
            }
            writeln!(file, "f {} {} {}", a + 1, b + 1, c + 1)?;
        }
        Ok(())
    })
}
