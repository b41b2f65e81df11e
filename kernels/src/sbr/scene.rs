//! What several lists of work have together: programs, kernels and the target.

use super::matter::Matter;
use super::sizes::Target;
use super::tables::Tables;
use super::{cells, lists, matter, order};
use crate::calls::{self, sources};
use crate::error::Error;
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::Signature;
use crate::stream::Stream;

/// Kernels and the target, which several [`super::Rays`] may have together.
#[derive(Debug)]
pub struct Scene {
    pub(super) lists: lists::Kernels,
    pub(super) plant: Kernel,
    pub(super) tiles: Kernel,
    pub(super) many_tiles: Kernel,
    /// Where simple tubes do not radiate in their tiles: those that list them.
    pub(super) list_tiles: Option<Kernel>,
    pub(super) rule: Rule,
    pub(super) matter: Option<matter::OnCard>,
    /// At one frequency and at many.
    pub(super) radiate: [Kernel; 2],
    pub(super) radiate_deep: [Kernel; 2],
    pub(super) cells: cells::Kernels,
    pub(super) order: order::Kernels,
    pub(super) target: Target,
}

/// What counts as a tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Footprints; where corners part, pieces of them.
    Footprint,
    /// The paper's: polygons of corners that end on one facet. Lists of parts have room for all tubes of a call.
    Strict,
}

impl Scene {
    /// Compiles kernels and sends a target, which is there when this is done; without matter all of it is a perfect conductor.
    pub fn new(
        stream: &mut Stream,
        tables: &Tables,
        matter: Option<&Matter>,
        rule: Rule,
    ) -> Result<Self, Error> {
        let device = stream.device().clone();
        let load = |program| Module::load(&device, program, &[]);
        let (lists, tiles, parts) =
            (load(&sources::SBR_LISTS)?, load(&sources::SBR)?, load(&sources::SBR_PARTS)?);
        let (cells, pieces) = (load(&sources::SBR_CELLS)?, load(&sources::SBR_REGIONS)?);
        let processors = device.properties().multiprocessors;
        let prepare =
            |module: &Module, signature: &'static Signature, blocks: usize, threads: usize, share: i32| {
                let geometry = Geometry::new([processors * blocks, 1, 1], threads, 0)?;
                module.prepare(signature, geometry)?.cached(share)
            };
        let of_cells = |signature: &'static Signature, blocks: usize, share: i32| {
            let module = if signature.module == sources::SBR_CELLS.name { &cells } else { &pieces };
            prepare(module, signature, blocks, 128, share)
        };
        let list_tiles = match (rule, matter) {
            (Rule::Strict, _) => Some(prepare(&tiles, &calls::SBR_STRICT_TILES, 2, 256, 32)?),
            (Rule::Footprint, Some(_)) => Some(prepare(&tiles, &calls::SBR_LIST_TILES, 2, 256, 32)?),
            (Rule::Footprint, None) => None,
        };
        let send = |stream: &mut Stream, matter| {
            let module = load(&sources::SBR_MATTER)?;
            let prepare = |signature| prepare(&module, signature, 8, 128, 10);
            matter::OnCard::new(stream, matter, tables.numbers.len(), prepare)
        };
        let matter = matter.map(|matter| send(stream, matter)).transpose()?;
        let flat = |values: &[[f64; 3]]| -> Vec<f64> { values.iter().flatten().copied().collect() };
        let scene = Self {
            lists: lists::Kernels::new(|signature, blocks, threads| {
                prepare(&lists, signature, blocks, threads, 0)
            })?,
            plant: prepare(&tiles, &calls::SBR_SEEDS, 8, 256, 0)?,
            tiles: prepare(&tiles, &calls::SBR_TILES, 2, 256, 32)?,
            many_tiles: prepare(&tiles, &calls::SBR_MANY_TILES, 2, 256, 32)?,
            list_tiles,
            rule,
            matter,
            radiate: [
                prepare(&parts, &calls::SBR_PARTS, 8, 128, 0)?,
                prepare(&parts, &calls::SBR_MANY_PARTS, 8, 128, 75)?,
            ],
            radiate_deep: [
                prepare(&parts, &calls::SBR_DEEP_PARTS, 8, 128, 10)?,
                prepare(&parts, &calls::SBR_MANY_DEEP_PARTS, 8, 128, 75)?,
            ],
            cells: cells::Kernels::new(of_cells)?,
            order: order::Kernels::new(&load(&sources::SBR_ORDER)?, processors)?,
            target: Target {
                nodes: Buffer::from_slice(stream, "tree", &tables.nodes)?,
                corners: Buffer::from_slice(stream, "facets", &flat(tables.corners.as_flattened()))?,
                normals: Buffer::from_slice(stream, "normals", &flat(&tables.normals))?,
                numbers: Buffer::from_slice(stream, "numbers of facets", &tables.numbers)?,
            },
        };
        stream.wait()?;
        Ok(scene)
    }

    /// Whether tiles list simple tubes, which need room among the parts then.
    pub fn lists_tubes(&self) -> bool {
        self.list_tiles.is_some()
    }
}
