//! What several lists of work have together: programs, kernels and the target.

use super::matter::{Matter, PROGRAM as MATTER};
use super::signatures::{
    BEYOND, COUNT, DECIDE, DEEP_PARTS, EDGES, ENTER, FIRST, FREE, LIST, LIST_TILES, MANY_DEEP_PARTS,
    MANY_PARTS, MANY_TILES, MEASURE, ORDER, PARTS, REGIONS, ROOM, SEEDS, STARTS, STRICT_TILES, TAKE,
    TILES_KERNEL, WAYS,
};
use super::sizes::Target;
use super::tables::Tables;
use super::{cells, lists, matter, order};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::{Program, Signature};
use crate::stream::Stream;

/// Facets of tiles.
pub const LISTS: Program = Program {
    name: "sbr_lists",
    source: include_str!("../../cuda/sbr_lists.cu"),
    kernels: &[&FREE, &COUNT, &ROOM, &LIST, &ENTER],
    samples: &[&[]],
};

/// Tiles.
pub const TILES: Program = Program {
    name: "sbr",
    source: include_str!("../../cuda/sbr.cu"),
    kernels: &[&SEEDS, &TILES_KERNEL, &MANY_TILES, &LIST_TILES, &STRICT_TILES],
    samples: &[&[]],
};

/// Rays of cells that part.
pub const CELLS: Program = Program {
    name: "sbr_cells",
    source: include_str!("../../cuda/sbr_cells.cu"),
    kernels: &[&FIRST, &BEYOND],
    samples: &[&[]],
};

/// Pieces of these cells.
pub const PIECES: Program = Program {
    name: "sbr_regions",
    source: include_str!("../../cuda/sbr_regions.cu"),
    kernels: &[&WAYS, &REGIONS, &EDGES, &TAKE, &DECIDE],
    samples: &[&[]],
};

/// What radiates of them, launch by launch.
pub const IN_ORDER: Program = Program {
    name: "sbr_order",
    source: include_str!("../../cuda/sbr_order.cu"),
    kernels: &[&MEASURE, &STARTS, &ORDER],
    samples: &[&[]],
};

/// How it does.
pub const RADIATE: Program = Program {
    name: "sbr_parts",
    source: include_str!("../../cuda/sbr_parts.cu"),
    kernels: &[&PARTS, &MANY_PARTS, &DEEP_PARTS, &MANY_DEEP_PARTS],
    samples: &[&[]],
};

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
        let (lists, tiles, cells, pieces, order, parts) =
            (load(&LISTS)?, load(&TILES)?, load(&CELLS)?, load(&PIECES)?, load(&IN_ORDER)?, load(&RADIATE)?);
        let processors = size32("processors", device.properties().multiprocessors)?;
        let prepare =
            |module: &Module, signature: &'static Signature, blocks: u32, threads: u32, share: i32| {
                let grid = [processors * blocks, 1, 1];
                module.prepare(signature, Geometry { grid, threads, shared: 0 })?.cached(share)
            };
        let of_cells = |signature: &'static Signature, blocks: u32, share: i32| {
            let module = if signature.module == CELLS.name { &cells } else { &pieces };
            prepare(module, signature, blocks, 128, share)
        };
        let list_tiles = match (rule, matter) {
            (Rule::Strict, _) => Some(prepare(&tiles, &STRICT_TILES, 2, 256, 32)?),
            (Rule::Footprint, Some(_)) => Some(prepare(&tiles, &LIST_TILES, 2, 256, 32)?),
            (Rule::Footprint, None) => None,
        };
        let send = |stream: &mut Stream, matter| {
            let module = load(&MATTER)?;
            let prepare = |signature| prepare(&module, signature, 8, 128, 10);
            matter::OnCard::new(stream, matter, tables.numbers.len(), prepare)
        };
        let matter = matter.map(|matter| send(stream, matter)).transpose()?;
        let flat = |values: &[[f64; 3]]| -> Vec<f64> { values.iter().flatten().copied().collect() };
        let scene = Self {
            lists: lists::Kernels::new(|signature, blocks, threads| {
                prepare(&lists, signature, blocks, threads, 0)
            })?,
            plant: prepare(&tiles, &SEEDS, 8, 256, 0)?,
            tiles: prepare(&tiles, &TILES_KERNEL, 2, 256, 32)?,
            many_tiles: prepare(&tiles, &MANY_TILES, 2, 256, 32)?,
            list_tiles,
            rule,
            matter,
            radiate: [prepare(&parts, &PARTS, 8, 128, 0)?, prepare(&parts, &MANY_PARTS, 8, 128, 75)?],
            radiate_deep: [
                prepare(&parts, &DEEP_PARTS, 8, 128, 10)?,
                prepare(&parts, &MANY_DEEP_PARTS, 8, 128, 75)?,
            ],
            cells: cells::Kernels::new(of_cells)?,
            order: order::Kernels::new(&order, processors)?,
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
