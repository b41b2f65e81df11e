//! `cuda/sbr*.cu`: tubes of rays through a target, and what they radiate.
//!
//! A call takes parts of launch grids, traces all of their tubes and adds to the sums of their receivers. Sums are whole numbers of a quantum, so that they are
//! the same in whatever order blocks come, and however grids are cut into parts.

mod band;
mod cells;
mod lists;
mod matter;
mod order;
mod receivers;
mod signatures;
mod tables;
mod wedges;

use crate::abi::{Sbr, SbrLaunch, SbrPart, SbrSeed};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::program::{Program, Signature};
use crate::stream::Stream;
use cells::{Cells, Work};
use lists::Lists;
use order::Order;
use signatures::{
    BEYOND, COUNT, DECIDE, DEEP_PARTS, EDGES, ENTER, FIRST, FREE, LIST, LIST_TILES, MANY_DEEP_PARTS,
    MANY_PARTS, MANY_TILES, MEASURE, ORDER, PARTS, REGIONS, ROOM, SEEDS, STARTS, STRICT_TILES, TAKE,
    TILES_KERNEL, WAYS,
};
use std::ops::Range;
use std::sync::Arc;

pub use band::Band;
pub use lists::Beams;
pub use matter::{Below, Coat, Matter, PROGRAM as MATTER};
pub use receivers::{BINS, Receivers};
pub use tables::{Child, LEAF_FACETS, Tables};
pub use wedges::{WEDGES, Wedges};

/// Facets of tiles.
pub const LISTS: Program = Program {
    name: "sbr_lists",
    source: include_str!("../cuda/sbr_lists.cu"),
    kernels: &[&FREE, &COUNT, &ROOM, &LIST, &ENTER],
    samples: &[&[]],
};

/// Tiles.
pub const TILES: Program = Program {
    name: "sbr",
    source: include_str!("../cuda/sbr.cu"),
    kernels: &[&SEEDS, &TILES_KERNEL, &MANY_TILES, &LIST_TILES, &STRICT_TILES],
    samples: &[&[]],
};

/// Rays of cells that part.
pub const CELLS: Program = Program {
    name: "sbr_cells",
    source: include_str!("../cuda/sbr_cells.cu"),
    kernels: &[&FIRST, &BEYOND],
    samples: &[&[]],
};

/// Pieces of these cells.
pub const PIECES: Program = Program {
    name: "sbr_regions",
    source: include_str!("../cuda/sbr_regions.cu"),
    kernels: &[&WAYS, &REGIONS, &EDGES, &TAKE, &DECIDE],
    samples: &[&[]],
};

/// What radiates of them, launch by launch.
pub const IN_ORDER: Program = Program {
    name: "sbr_order",
    source: include_str!("../cuda/sbr_order.cu"),
    kernels: &[&MEASURE, &STARTS, &ORDER],
    samples: &[&[]],
};

/// How it does.
pub const RADIATE: Program = Program {
    name: "sbr_parts",
    source: include_str!("../cuda/sbr_parts.cu"),
    kernels: &[&PARTS, &MANY_PARTS, &DEEP_PARTS, &MANY_DEEP_PARTS],
    samples: &[&[]],
};

/// Tubes along a side of a tile, as in the source.
pub const SIDE: usize = 16;
/// Tiles of an item of work.
const ITEM: usize = 8;
/// Most quarterings of a cell: lists of cells.
pub const LEVELS: usize = 3;
/// Most launches at once, which cells have bits for.
pub const LAUNCHES: usize = 1 << 14;
/// Most tubes along a side, likewise.
pub const SIDE_TUBES: usize = 1 << 22;
/// Nodes that wait, as in the source: the most that a walk through the tree may need.
pub const DEPTH: usize = 64;
/// Numbers of a scattering matrix: vv, vh, hv, hh, real and imaginary parts.
pub const ENTRIES: usize = 8;
/// What a call did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Rays from the grid.
    pub rays: u64,
    /// Straight pieces.
    pub segments: u64,
    /// Tubes and parts of tubes that radiate.
    pub tubes: u64,
    /// Those of them that had more bounces than allowed.
    pub cut: u64,
    /// Cells that were quartered.
    pub split: u64,
    /// Tubes that the paper's rule dropped.
    pub dropped: u64,
}

impl Counts {
    /// With those of a call's counters.
    fn plus(self, counters: &[u64; COUNTERS]) -> Self {
        let [_, _, _, _, _, _, rays, segments, tubes, cut, split, _, dropped, ..] = *counters;
        Self {
            rays: self.rays + rays,
            segments: self.segments + segments,
            tubes: self.tubes + tubes,
            cut: self.cut + cut,
            split: self.split + split,
            dropped: self.dropped + dropped,
        }
    }
}

/// Sizes of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tubes of all launches at once: where their seeds are, and the list of those that part.
    pub cells: usize,
    /// Cells at work at once, and quarters of them on each level; 64 at least.
    pub quartered: usize,
    /// Parts of tubes; 128 at least.
    pub parts: usize,
    /// Cells whose first rays are kept from the tiles; others are traced again.
    pub kept: usize,
    /// Facets in the lists of all tiles; a tile that finds no room has none, and takes longer.
    pub listed: usize,
}

/// The tree and facets.
#[derive(Debug)]
struct Target {
    nodes: Buffer<u32>,
    corners: Buffer<f64>,
    normals: Buffer<f64>,
    numbers: Buffer<u32>,
}

/// Kernels and the target, which several [`Rays`] may have together.
#[derive(Debug)]
pub struct Scene {
    lists: lists::Kernels,
    plant: Kernel,
    tiles: Kernel,
    many_tiles: Kernel,
    /// Where simple tubes do not radiate in their tiles: those that list them.
    list_tiles: Option<Kernel>,
    rule: Rule,
    matter: Option<matter::OnCard>,
    /// At one frequency and at many.
    radiate: [Kernel; 2],
    radiate_deep: [Kernel; 2],
    cells: cells::Kernels,
    order: order::Kernels,
    target: Target,
}

/// What counts as a tube.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Footprints; where corners part, pieces of them.
    Footprint,
    /// The paper's: polygons of corners that end on one facet. Lists of parts have room for all tubes of a call.
    Strict,
}

/// Lists of work on a scene.
#[derive(Debug)]
pub struct Rays {
    scene: Arc<Scene>,
    launches: Buffer<SbrLaunch>,
    first_items: Buffer<u32>,
    seeds: Buffer<SbrSeed>,
    firsts: Buffer<u32>,
    lists: Lists,
    cells: Cells,
    parts: Buffer<SbrPart>,
    order: Order,
    counters: Buffer<u64>,
    room: Room,
}

/// Counters, as in the source: ten of lists on each level behind the others.
const COUNTERS: usize = 13 + 10 * (LEVELS + 1);
const CELLS_0: usize = 1;
const PART_COUNT: usize = 5;
/// Facets of a ray that are remembered, as in the source.
const REMEMBERED: u32 = 8;

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

impl Rays {
    /// With lists of such sizes.
    pub fn new(stream: &mut Stream, scene: Arc<Scene>, room: Room) -> Result<Self, Error> {
        for (what, given, needed) in
            [("quartered cells", room.quartered, 64), ("parts of tubes", room.parts, 128)]
        {
            if given < needed {
                return Err(Error::Length { what, given, needed });
            }
        }
        Ok(Self {
            scene,
            launches: Buffer::zeros(stream, "launches", LAUNCHES)?,
            first_items: Buffer::zeros(stream, "items of work", LAUNCHES + 1)?,
            seeds: Buffer::zeros(stream, "seeds", 1)?,
            firsts: Buffer::zeros(stream, "seeds of cells", room.cells)?,
            lists: Lists::new(stream, room.cells, room.listed)?,
            cells: Cells::new(stream, room)?,
            parts: Buffer::zeros(stream, "parts of tubes", room.parts)?,
            order: Order::new(stream, room.parts)?,
            counters: Buffer::zeros(stream, "counters", COUNTERS)?,
            room,
        })
    }

    /// Traces all tubes of the launches' parts of grids, which have places for their tiles and cells, and adds what they radiate. Seeds are in the order of cells.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        launches: &[SbrLaunch],
        beams: &Beams,
        seeds: &[SbrSeed],
        receivers: &Receivers,
        numbers: &Sbr,
    ) -> Result<Counts, Error> {
        let numbers = Sbr {
            launches: size32("launches", launches.len())?,
            facets: size32("facets", self.scene.target.numbers.len())?,
            capacity: size32("cells that part", self.room.quartered)?,
            parts: size32("parts of tubes", self.room.parts)?,
            kept: size32("kept rays", if self.keeps(launches) { self.room.kept } else { 0 })?,
            seeds: size32("seeds", seeds.len())?,
            listed: numbers.listed.min(size32("facets of tiles", self.lists.capacity())?),
            ..receivers.numbers(numbers)?
        };
        self.check(launches, beams, seeds, receivers, &numbers)?;
        stream.upload_front(&first_items(launches), &mut self.first_items)?;
        stream.upload_front(launches, &mut self.launches)?;
        // To make or free a list waits for all work of the card.
        if seeds.len() > self.seeds.len() {
            self.seeds = Buffer::zeros(stream, "seeds", seeds.len().next_power_of_two())?;
        }
        stream.upload_front(seeds, &mut self.seeds)?;
        self.tiles(stream, beams, receivers, &numbers)?;
        if self.scene.lists_tubes() {
            self.radiate(stream, receivers, &numbers)?;
        }
        let mut counters = [u64::MAX; COUNTERS];
        stream.download(&self.counters, &mut counters)?;
        let mut counts = Counts::default().plus(&counters);
        let all = counters[CELLS_0];
        // Most cells have fewer than eight parts.
        let (mut first, mut some) = (0, (self.room.parts / 8).min(self.room.quartered) as u64);
        while first < all {
            let end = all.min(first + some);
            let mut started = [0; COUNTERS];
            started[CELLS_0] = end;
            stream.upload(&started, &mut self.counters)?;
            self.cells(stream, first..end, &numbers)?;
            self.radiate(stream, receivers, &numbers)?;
            stream.download(&self.counters, &mut counters)?;
            let quartered = &counters[CELLS_0 + 1..=CELLS_0 + LEVELS];
            let full = quartered.iter().any(|count| *count > self.room.quartered as u64)
                || counters[PART_COUNT] > self.room.parts as u64;
            if full && end - first == 1 {
                let (given, needed) = (self.room.parts, counters[PART_COUNT] as usize);
                return Err(Error::Length { what: "lists for the parts of a single tube", given, needed });
            }
            if full {
                // Nothing has radiated. Half as many do with half of the lists.
                some = (end - first).div_ceil(2);
                continue;
            }
            counts = counts.plus(&counters);
            first = end;
        }
        Ok(counts)
    }

    /// Which tiles are touched; then all tubes that are simple. Others are listed.
    fn tiles(
        &mut self,
        stream: &mut Stream,
        beams: &Beams,
        receivers: &Receivers,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Self { scene, launches, first_items, seeds, firsts, lists, counters, .. } = self;
        stream.fill(firsts, 0)?;
        stream.fill(counters, 0)?;
        scene.plant.launch(stream, &[seeds.input(), firsts.output(), value(numbers)])?;
        let Receivers { receivers, waves, sums, .. } = receivers;
        let Target { nodes, corners, normals, numbers: facets } = &scene.target;
        lists.run(stream, scene, beams, launches, counters, numbers)?;
        if let Some(kernel) = &scene.list_tiles {
            return kernel.launch(
                stream,
                &[
                    launches.input(),
                    first_items.input(),
                    lists.tiles.input(),
                    lists.entries.input(),
                    nodes.input(),
                    corners.input(),
                    normals.input(),
                    facets.input(),
                    firsts.input(),
                    self.parts.output(),
                    self.cells.lists[0].output(),
                    self.cells.kept.output(),
                    counters.output(),
                    value(numbers),
                ],
            );
        }
        let kernel =
            if numbers.frequencies.max(numbers.receivers) > 1 { &scene.many_tiles } else { &scene.tiles };
        kernel.launch(
            stream,
            &[
                launches.input(),
                first_items.input(),
                lists.tiles.input(),
                lists.entries.input(),
                nodes.input(),
                corners.input(),
                normals.input(),
                facets.input(),
                receivers.input(),
                waves.input(),
                firsts.input(),
                sums.added_to(),
                self.cells.lists[0].output(),
                self.cells.kept.output(),
                counters.output(),
                value(numbers),
            ],
        )
    }

    /// Some cells of the first list. What radiates is listed.
    fn cells(&mut self, stream: &mut Stream, some: Range<u64>, numbers: &Sbr) -> Result<(), Error> {
        let Self { scene, launches, lists, seeds, firsts, cells, parts, counters, .. } = self;
        let Scene { cells: kernels, target, .. } = &**scene;
        cells.run(
            stream,
            some,
            &mut Work { kernels, target, tiles: lists, launches, seeds, firsts, parts, counters, numbers },
        )
    }

    /// Adds what the listed parts radiate.
    fn radiate(&mut self, stream: &mut Stream, receivers: &Receivers, numbers: &Sbr) -> Result<(), Error> {
        let Receivers { receivers, waves, sums, .. } = receivers;
        let Scene { radiate, radiate_deep, order, target, matter, .. } = &*self.scene;
        self.order.run(stream, order, &self.parts, &self.counters, numbers)?;
        let Target { nodes, corners, normals, numbers: facets } = target;
        let is_deep = numbers.bounces > REMEMBERED;
        let tree = if is_deep {
            vec![nodes.input(), corners.input(), normals.input(), facets.input()]
        } else {
            vec![corners.input(), normals.input()]
        };
        let kernel = match (matter, is_deep) {
            (Some(matter), true) => &matter.radiate_deep,
            (Some(matter), false) => &matter.radiate,
            (None, true) => &radiate_deep[usize::from(numbers.frequencies > 1)],
            (None, false) => &radiate[usize::from(numbers.frequencies > 1)],
        };
        let mut arguments = vec![self.launches.input()];
        arguments.extend(tree);
        arguments.extend(matter.iter().flat_map(matter::OnCard::arguments));
        arguments.extend([
            self.parts.input(),
            self.order.numbers.input(),
            receivers.input(),
            waves.input(),
            sums.added_to(),
        ]);
        arguments.extend([self.counters.output(), value(numbers)]);
        kernel.launch(stream, &arguments)
    }

    /// Whether all cells of the first list part, of which rays are kept: simple tubes are there, too, where they may not all find room among the parts.
    fn keeps(&self, launches: &[SbrLaunch]) -> bool {
        !self.scene.lists_tubes() || tubes(launches) <= self.room.parts
    }

    /// Everything that kernels will index is there.
    fn check(
        &self,
        launches: &[SbrLaunch],
        beams: &Beams,
        seeds: &[SbrSeed],
        receivers: &Receivers,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let length = |what, given: usize, needed: usize| {
            if given >= needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
        };
        length("most launches at once", LAUNCHES, launches.len())?;
        length("launches", launches.len(), 1)?;
        let last = seeds.iter().map(|seed| seed.cell as usize + 1).max().unwrap_or(0);
        length("cells", self.firsts.len(), last)?;
        length("quarterings of a cell", LEVELS, numbers.levels as usize)?;
        if self.scene.rule == Rule::Strict {
            length("parts of tubes", self.room.parts, tubes(launches))?;
        }
        if self.scene.matter.is_some() {
            length("bounces of a ray", matter::MOST_BOUNCES, numbers.bounces as usize)?;
        }
        for launch in launches {
            let [columns, rows, first_tile_row, tile_rows, tiles] =
                [launch.columns, launch.rows, launch.first_tile_row, launch.tile_rows, launch.tiles]
                    .map(|n| n as usize);
            length("most tubes along a side", SIDE_TUBES, columns.max(rows))?;
            length("tiles of a row", tiles * SIDE, columns)?;
            length("rows of tiles", rows.div_ceil(SIDE), first_tile_row + tile_rows)?;
            length("tiles", self.lists.tiles.len(), launch.first_tile as usize + tile_rows * tiles)?;
            length("cells", self.firsts.len(), launch.first_cell as usize + tile_rows * SIDE * columns)?;
            let last = launch.direction as usize + numbers.receivers as usize;
            length("receivers", receivers.receivers.len(), last)?;
            let incidence = launch.direction as usize / (numbers.receivers as usize).max(1);
            if numbers.listed > 0 {
                length("beams", beams.known(), (incidence + 1) * numbers.facets as usize)?;
            }
        }
        Ok(())
    }
}

/// Tubes of all launches, with those beyond the last row of a grid.
fn tubes(launches: &[SbrLaunch]) -> usize {
    launches.iter().map(|launch| launch.tile_rows as usize * SIDE * launch.columns as usize).sum()
}

/// Where the items of work of every launch begin, and the end of all.
fn first_items(launches: &[SbrLaunch]) -> Vec<u32> {
    let mut firsts = vec![0];
    for launch in launches {
        let items = launch.tile_rows * launch.tiles.div_ceil(ITEM as u32);
        firsts.push(firsts[firsts.len() - 1] + items);
    }
    firsts
}
