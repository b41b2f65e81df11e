//! The triangles that rays hit: relative to the centre of the target, without degenerate ones, in arrays that
//! a GPU takes as they are.

use crate::error::Error;
use mesh::Mesh;
use mesh::check::{areas, slimness};
use numerics::vec3::Vec3;

pub const NO_FACET: u32 = u32::MAX;

/// Radii of targets, m: boxes and their areas must be numbers of single precision.
const RADII_M: std::ops::Range<f64> = 1e-12..1e12;

/// Twice the area over the square of the longest side, below which a facet is a sliver.
const SLIVER_RATIO: f64 = 1e-3;

/// Height of a corner over a plane, in radii of the target, from which on it is in front of the plane.
const FRONT_HEIGHT_RADII: f64 = 1e-13;

/// Triangles to cast rays at.
#[derive(Debug, Clone)]
pub struct Facets {
    /// Corners, m from `centre`.
    pub corners: Vec<[[f64; 3]; 3]>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Whether a facet has little area for its longest side: the half-space rule does not hold for rays that
    /// leave it.
    pub(crate) is_sliver: Vec<bool>,
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
        let used: Vec<usize> = areas(mesh).collect();
        let corners: Vec<[[f64; 3]; 3]> = used
            .iter()
            .map(|index| mesh.corners(*index).map(|corner| (corner - centre).to_array()))
            .collect();
        let radius = corners.iter().flatten().map(|corner| Vec3::from(*corner).length()).fold(0.0, f64::max);
        if corners.is_empty() || !RADII_M.contains(&radius) {
            return Err(Error::NoSurface { triangles: mesh.triangles.len(), radius });
        }
        Ok(Self {
            is_sliver: corners.iter().map(|c| slimness(c.map(Vec3::from)) < SLIVER_RATIO).collect(),
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

    /// Least distance at which a ray that left a facet hits another, m: shorter ones are rounding of its
    /// origin.
    pub fn min_distance(&self) -> f64 {
        1e-10 * self.radius
    }

    /// Whether a corner of a facet is in front of the plane of another, or behind it if `back` is set.
    pub(crate) fn is_in_front(&self, facet: u32, plane_of: u32, back: bool) -> bool {
        let normal = self.normals[plane_of as usize];
        let on = Vec3::from(self.corners[plane_of as usize][0]);
        self.corners[facet as usize].iter().any(|corner| {
            let height = normal.dot(Vec3::from(*corner) - on);
            (if back { -height } else { height }) > FRONT_HEIGHT_RADII * self.radius
        })
    }
}
