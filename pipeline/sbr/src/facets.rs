//! The triangles as rays see them: around the middle of the target, without the degenerate ones, in arrays that a device can take as they are.

use super::Error;
use super::before::is_slender;
use mesh::{Mesh, check::is_degenerate};
use numerics::vec3::Vec3;

/// A facet that is none.
pub const NO_FACET: u32 = u32::MAX;

/// Radii of targets, m: boxes and their areas must be numbers of single precision.
const RADII: std::ops::Range<f64> = 1e-12..1e12;

/// Triangles to cast rays at.
#[derive(Debug, Clone)]
pub struct Facets {
    /// Corners, m from `centre`.
    pub corners: Vec<[[f64; 3]; 3]>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Whether each has little area for its length, see [`super::before`].
    pub(super) slender: Vec<bool>,
    /// Group of each, which has a material.
    pub groups: Vec<u32>,
    /// Number of each in the mesh.
    pub triangles: Vec<u32>,
    /// Middle of the target, m.
    pub centre: Vec3,
    /// Radius of the sphere around the centre that holds all corners, m.
    pub radius: f64,
}

impl Facets {
    /// The facets of a mesh.
    pub fn new(mesh: &Mesh) -> Result<Self, Error> {
        mesh.validate()?;
        let (low, high) = mesh.bounds();
        let centre = (low + high) * 0.5;
        let used: Vec<usize> =
            (0..mesh.triangles.len()).filter(|index| !is_degenerate(mesh, *index)).collect();
        let corners: Vec<[[f64; 3]; 3]> = used
            .iter()
            .map(|index| mesh.corners(*index).map(|corner| (corner - centre).to_array()))
            .collect();
        let radius = corners.iter().flatten().map(|corner| Vec3::from(*corner).length()).fold(0.0, f64::max);
        if corners.is_empty() || !RADII.contains(&radius) {
            return Err(Error::NoSurface { triangles: mesh.triangles.len(), radius });
        }
        Ok(Self {
            slender: corners.iter().map(is_slender).collect(),
            corners,
            normals: used.iter().map(|index| mesh.area_vector(*index).unit()).collect(),
            groups: used.iter().map(|index| mesh.groups[*index]).collect(),
            triangles: used.iter().map(|index| *index as u32).collect(),
            centre,
            radius,
        })
    }

    /// Number of facets.
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there are none; never, once made.
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    /// Lower and upper corner of a facet, m from the centre.
    pub fn bounds(&self, facet: usize) -> (Vec3, Vec3) {
        let [a, b, c] = self.corners[facet].map(Vec3::from);
        (a.min(b).min(c), a.max(b).max(c))
    }

    /// Least distance at which a ray that left a facet meets another, m: shorter ones are rounding of where it left.
    pub fn least_distance(&self) -> f64 {
        1e-10 * self.radius
    }
}
