//! What the CPU and the GPU must agree on: the target, checked and prepared once for both.

use super::cast::{Bvh, KdTree};
use super::facets::Facets;
use super::material::{self, Material};
use super::tube::Tree;
use super::vertices::{self, Turning};
use super::wedge::{Diffracting, Piece, Wedge};
use super::{Error, Settings, Structure};
use mesh::{Mesh, check};
use std::sync::OnceLock;

/// A target that is ready to be lit. Trees are built when they are needed first.
#[derive(Debug)]
pub struct Target {
    /// The triangles that rays hit.
    pub facets: Facets,
    /// Materials of the groups of facets.
    pub(crate) materials: Vec<Material>,
    pub(crate) settings: Settings,
    /// Vertices at which borders turn.
    pub(crate) turning: Vec<Turning>,
    edges: Option<Diffracting>,
    bvh: OnceLock<Bvh>,
    kdtree: OnceLock<KdTree>,
}

impl Target {
    /// Checks and prepares a mesh. `materials` are those of the groups of the mesh, one each.
    pub fn new(mesh: &Mesh, materials: &[Material], settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let facets = Facets::new(mesh)?;
        material::validate(materials, &facets.groups)?;
        let sides = check::sides(mesh);
        Ok(Self {
            turning: vertices::turning(mesh, &sides, facets.centre, settings.edges.least_turn()),
            edges: Diffracting::new(mesh, &sides, &facets, settings),
            facets,
            materials: materials.to_vec(),
            settings: settings.clone(),
            bvh: OnceLock::new(),
            kdtree: OnceLock::new(),
        })
    }

    /// A perfectly conducting target.
    pub fn conductor(mesh: &Mesh, settings: &Settings) -> Result<Self, Error> {
        Self::new(mesh, &vec![Material::conductor(); mesh.names.len()], settings)
    }

    /// Edges that diffract.
    pub fn wedges(&self) -> &[Wedge] {
        self.edges.as_ref().map_or(&[], |edges| &edges.wedges)
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        self.edges.as_ref().map_or(&[], |edges| &edges.pieces)
    }

    pub(crate) fn is_conductor(&self) -> bool {
        self.materials.iter().all(Material::is_conductor)
    }

    /// The bounding volume hierarchy for CPUs.
    pub fn bvh(&self) -> &Bvh {
        self.bvh.get_or_init(|| Bvh::new(&self.facets))
    }

    /// The kd-tree with ropes.
    pub fn kdtree(&self) -> &KdTree {
        self.kdtree.get_or_init(|| KdTree::new(&self.facets))
    }

    pub(crate) fn tree(&self) -> Tree<'_> {
        match self.settings.structure {
            Structure::Bvh => Tree::Bvh(self.bvh()),
            Structure::KdTree => Tree::KdTree(self.kdtree()),
        }
    }
}
