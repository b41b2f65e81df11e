//! Materials of the groups of a mesh, from a TOML file.

use super::material::{Backing, Layer, Material};
use num_complex::Complex;
use numerics::constants::ETA_0;
use numerics::failure::Failure;
use serde::Deserialize;
use std::path::{Path, PathBuf};
/// Largest file, bytes.
const MOST_BYTES: u64 = 1 << 20;

/// What is wrong with a file of materials.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file or its text.
    #[error(transparent)]
    Case(#[from] files::case::Error),
    /// A group that the mesh does not have.
    #[error("{}: the mesh has no group '{group}'; it has {known}", path.display())]
    Group {
        /// The file.
        path: PathBuf,
        /// What is named.
        group: String,
        /// What there is.
        known: String,
    },
}

impl Failure for Error {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    material: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    groups: Vec<String>,
    #[serde(default)]
    layers: Vec<LayerEntry>,
    backing: Option<BackingEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerEntry {
    permittivity: [f64; 2],
    permeability: [f64; 2],
    thickness_m: f64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BackingEntry {
    Named(Named),
    Impedance { impedance_ohm: [f64; 2] },
    HalfSpace { permittivity: [f64; 2], permeability: [f64; 2] },
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Named {
    Conductor,
}

fn complex([re, im]: [f64; 2]) -> Complex<f64> {
    Complex::new(re, im)
}

/// The material of each group; those that are not named are perfect conductors.
pub fn read(path: &Path, groups: &[String]) -> Result<Vec<Material>, Error> {
    let (file, _) = files::case::load(path, MOST_BYTES, &[])?;
    materials(&file, path, groups)
}

/// The same from a text; `path` is for errors.
pub fn parse(text: &str, path: &Path, groups: &[String]) -> Result<Vec<Material>, Error> {
    materials(&files::case::parse(text)?, path, groups)
}

fn materials(file: &File, path: &Path, groups: &[String]) -> Result<Vec<Material>, Error> {
    let mut materials = vec![Material::conductor(); groups.len()];
    for entry in &file.material {
        for group in &entry.groups {
            let unknown =
                || Error::Group { path: path.into(), group: group.clone(), known: groups.join(", ") };
            let index = groups.iter().position(|known| known == group).ok_or_else(unknown)?;
            materials[index] = material(entry);
        }
    }
    Ok(materials)
}

fn material(entry: &Entry) -> Material {
    let layer = |layer: &LayerEntry| Layer {
        permittivity: complex(layer.permittivity),
        permeability: complex(layer.permeability),
        thickness: layer.thickness_m,
    };
    let backing = match entry.backing {
        None | Some(BackingEntry::Named(Named::Conductor)) => Backing::Conductor,
        Some(BackingEntry::Impedance { impedance_ohm }) => Backing::Impedance(complex(impedance_ohm) / ETA_0),
        Some(BackingEntry::HalfSpace { permittivity, permeability }) => {
            Backing::HalfSpace { permittivity: complex(permittivity), permeability: complex(permeability) }
        }
    };
    Material { layers: entry.layers.iter().map(layer).collect(), backing }
}

#[cfg(test)]
mod tests {
    use super::*;
    use files::case;

    fn parsed(text: &str) -> Result<Vec<Material>, Error> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.toml");
        std::fs::write(&path, text).unwrap();
        read(&path, &["body".into(), "wing".into(), "glass".into()])
    }

    #[test]
    fn groups_get_what_the_file_says() {
        let materials = parsed(
            "[[material]]
             groups = [\"wing\"]
             layers = [{ permittivity = [3.0, -0.1], permeability = [1.0, 0.0], thickness_m = 0.002 }]
             backing = \"conductor\"
             [[material]]
             groups = [\"glass\"]
             backing = { permittivity = [4.0, -0.01], permeability = [1.0, 0.0] }",
        )
        .unwrap();
        assert!(materials[0].is_conductor());
        assert_eq!((materials[1].layers.len(), materials[1].layers[0].thickness), (1, 0.002));
        assert!(matches!(materials[2].backing, Backing::HalfSpace { .. }));
        let free =
            parsed("[[material]]\ngroups = [\"body\"]\nbacking = { impedance_ohm = [376.730313668, 0] }");
        // The impedance of free space reflects nothing at normal incidence.
        assert!(free.unwrap()[0].reflection(1.0, 1.0).across.norm() < 1e-15);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(matches!(parsed("[[material]]\ngroups = [\"tail\"]"), Err(Error::Group { .. })));
        for wrong in [
            "x",
            "[[material]]",
            "[[material]]\ngroups = []\nepsilon = 2",
            "[[material]]\ngroups = []\nbacking = \"wood\"",
        ] {
            assert!(matches!(parsed(wrong), Err(Error::Case(case::Error::Syntax(_)))), "{wrong}");
        }
        let missing = read(Path::new("/nowhere.toml"), &[]);
        assert!(matches!(missing, Err(Error::Case(case::Error::File { .. }))));
    }
}
