//! Tubes on the processor's cores: tiles of the launch grid in parallel, their sums in the order of tiles, so that results are the same bits for any
//! number of threads.

mod shares;

pub use shares::{Contribution, Contributions};

use super::bvh::Bvh;
use super::design::Launch;
use super::facets::Facets;
use super::kdtree::KdTree;
use super::material::{self, Material};
use super::po::{Matrix, Receiver};
use super::ropes::Steps;
use super::sum::Sums;
use super::tile::Tile;
use super::tube::{Counts, Tracer, Tree};
use super::vertices::{self, Seeds, Turning};
use super::wedge::{self, Diffracting, Wedge};
use super::{Direction, Error, Settings, Structure};
use mesh::Mesh;
use mesh::check;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Tubes along a side of a tile.
const TILE: u64 = 32;
/// Tiles whose sums are kept at once.
const BATCH: std::ops::RangeInclusive<usize> = 16..=256;
/// Matrices that are kept at once unless even the least batch has more: 64 MiB.
const KEPT: usize = 1 << 20;

/// A target that is ready to be lit.
#[derive(Debug, Clone)]
pub struct Plan {
    facets: Facets,
    tree: Tree,
    materials: Vec<Material>,
    settings: Settings,
    conducting: bool,
    edges: Option<Diffracting>,
    /// Boxes to see them through, where the tree is none.
    boxes: Option<Bvh>,
    /// Where borders turn.
    turning: Vec<Turning>,
}

/// What comes back from one direction of incidence.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    /// Scattering matrices, m: frequencies of the first observation, of the second, and so on.
    pub fields: Vec<Matrix>,
    /// What it took.
    pub counts: Counts,
    /// Steps of first and of reflected pieces of rays in a kd-tree.
    pub steps: [Steps; 2],
}

/// Is told how many parts of one direction are done, and of how many; its break stops the work.
pub type Watch<'a> = dyn FnMut(usize, usize) -> ControlFlow<()> + 'a;

impl Plan {
    /// Builds the tree. `materials` are those of the mesh's groups, one each.
    pub fn new(mesh: &Mesh, materials: &[Material], settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let facets = Facets::new(mesh)?;
        material::validate(materials, &facets.groups)?;
        let tree = match settings.structure {
            Structure::Bvh => Tree::Bvh(Bvh::new(&facets)),
            Structure::KdTree => Tree::KdTree(KdTree::new(&facets)),
        };
        let conducting = materials.iter().all(Material::is_conductor);
        let sides = check::sides(mesh);
        let edges = Diffracting::new(mesh, &sides, &facets, settings);
        let boxes = matches!((&edges, &tree), (Some(_), Tree::KdTree(_))).then(|| Bvh::new(&facets));
        let turning = vertices::turning(mesh, &sides, facets.centre, settings.edges.least_turn());
        Ok(Self {
            facets,
            tree,
            materials: materials.to_vec(),
            settings: settings.clone(),
            conducting,
            edges,
            boxes,
            turning,
        })
    }

    /// A perfectly conducting target.
    pub fn conductor(mesh: &Mesh, settings: &Settings) -> Result<Self, Error> {
        Self::new(mesh, &vec![Material::conductor(); mesh.names.len()], settings)
    }

    /// The triangles that rays see.
    pub fn facets(&self) -> &Facets {
        &self.facets
    }

    /// What rays walk through.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Edges that diffract.
    pub fn wedges(&self) -> &[Wedge] {
        self.edges.as_ref().map_or(&[], |edges| &edges.wedges)
    }

    /// As it was made.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What a wave from `incidence` sends back there, at all frequencies.
    pub fn monostatic(&self, incidence: Direction) -> Result<Response, Error> {
        self.execute(incidence, &[incidence], &mut |_, _| ControlFlow::Continue(()))
    }

    /// What a wave from `incidence` sends towards all `observations`, at all frequencies.
    pub fn execute(
        &self,
        incidence: Direction,
        observations: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Response, Error> {
        let lit = Lit::new(self, incidence, observations)?;
        let tiles = lit.tiles();
        let mut total = lit.sums();
        let (mut counts, mut steps) = (Counts::default(), [Steps::default(); 2]);
        let batch = (KEPT / lit.results()).clamp(*BATCH.start(), *BATCH.end());
        let all = tiles.div_ceil(batch);
        for done in 0..all {
            if watch(done, all).is_break() {
                return Err(Error::Stopped { done, total: all });
            }
            let numbers = done * batch..tiles.min((done + 1) * batch);
            let parts: Vec<_> =
                numbers.into_par_iter().map(|tile| lit.tile(tile as u64, lit.sums())).collect();
            for (sums, part_counts, part_steps) in parts {
                total.add(&sums);
                counts = counts.plus(part_counts);
                steps = [steps[0].plus(part_steps[0]), steps[1].plus(part_steps[1])];
            }
        }
        total.add_fields(&lit.edges(&self.settings.frequencies));
        Ok(Response { fields: total.finish(self.facets.centre, lit.launch.sight), counts, steps })
    }
}

/// A target in the light of one direction.
struct Lit<'a> {
    plan: &'a Plan,
    launch: Launch,
    seeds: Seeds,
    incidence: Direction,
    receivers: Vec<Receiver>,
}

impl<'a> Lit<'a> {
    fn new(plan: &'a Plan, incidence: Direction, observations: &[Direction]) -> Result<Self, Error> {
        let launch = Launch::new(&plan.facets, incidence, &plan.settings)?;
        if observations.is_empty() {
            return Err(Error::NoObservation);
        }
        observations.iter().try_for_each(|direction| direction.validate())?;
        let receiver = |direction: &Direction| Receiver {
            sight: direction.unit(),
            polarisations: direction.polarisations(),
        };
        let seeds = Seeds::new(&launch, &plan.turning);
        Ok(Self { plan, launch, seeds, incidence, receivers: observations.iter().map(receiver).collect() })
    }

    fn sums(&'a self) -> Sums<'a> {
        self.sums_at(&self.plan.settings.frequencies)
    }

    fn sums_at(&'a self, frequencies: &[f64]) -> Sums<'a> {
        let Plan { facets, materials, conducting, .. } = self.plan;
        let materials = (!conducting).then_some((facets, materials.as_slice()));
        Sums::new(frequencies, &self.receivers, self.incidence.polarisations(), materials)
    }

    /// Tiles of the grid.
    fn tiles(&self) -> usize {
        (self.launch.columns.div_ceil(TILE) * self.launch.rows.div_ceil(TILE)) as usize
    }

    /// What edges add, for all receivers at these frequencies; nothing where they add nothing.
    fn edges(&self, frequencies: &[f64]) -> Vec<Matrix> {
        let Plan { facets, tree, edges, boxes, .. } = self.plan;
        let tree = match tree {
            Tree::Bvh(tree) => Some(tree),
            Tree::KdTree(_) => boxes.as_ref(),
        };
        let Some((edges, tree)) = edges.as_ref().zip(tree) else { return Vec::new() };
        let light = (self.launch.sight, &self.incidence.polarisations());
        wedge::fields(&edges.pieces, (facets, tree), frequencies, light, &self.receivers)
    }

    /// Matrices of a sum.
    fn results(&self) -> usize {
        self.receivers.len() * self.plan.settings.frequencies.len()
    }

    /// All tubes of one tile.
    fn tile(&'a self, number: u64, sums: Sums<'a>) -> (Sums<'a>, Counts, [Steps; 2]) {
        let across = self.launch.columns.div_ceil(TILE);
        let start = [number % across * TILE, number / across * TILE];
        let size = [(self.launch.columns - start[0]).min(TILE), (self.launch.rows - start[1]).min(TILE)];
        let tracer =
            Tracer::new(&self.plan.facets, &self.plan.tree, &self.launch, self.plan.settings.bounces);
        let rule = self.plan.settings.rule;
        let mut tile = Tile { launch: &self.launch, rule, seeds: &self.seeds, tracer, sums };
        tile.run(start.map(|x| x as f64), size.map(|x| x as usize));
        (tile.sums, tile.tracer.counts, tile.tracer.steps)
    }
}
