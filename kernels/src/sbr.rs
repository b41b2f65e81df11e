//! `cuda/sbr.cu` and `cuda/sbr_cells.cu`: tubes of rays through a target, and what they radiate.
//!
//! A call takes parts of launch grids, traces all of their tubes and adds to the sums of their receivers. Sums are whole numbers of a quantum, so that they are
//! the same in whatever order blocks come, and however grids are cut into parts.

mod signatures;
mod tables;

use crate::abi::{Sbr, SbrLaunch, SbrPart, SbrReceiver, SbrSeed};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module, value};
use crate::memory::Buffer;
use crate::program::{Program, Signature};
use crate::stream::Stream;
use signatures::{CELLS_KERNEL, MARK, PARTS, SEEDS, TILES_KERNEL};
use std::ops::Range;

pub use tables::{Child, LEAF_FACETS, Tables};

/// Tiles.
pub const TILES: Program = Program {
    name: "sbr",
    source: include_str!("../cuda/sbr.cu"),
    kernels: &[&MARK, &SEEDS, &TILES_KERNEL],
    samples: &[&[]],
};

/// Cells that part.
pub const CELLS: Program = Program {
    name: "sbr_cells",
    source: include_str!("../cuda/sbr_cells.cu"),
    kernels: &[&CELLS_KERNEL, &PARTS],
    samples: &[&[]],
};

/// Tubes along a side of a tile, as in the source.
pub const SIDE: usize = 16;
/// Tiles of a word of bits, and of an item of work.
const WORD: usize = 32;
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
}

impl Counts {
    /// With those of a call's counters.
    fn plus(self, counters: &[u64; COUNTERS]) -> Self {
        let [.., rays, segments, tubes, cut, split] = *counters;
        Self {
            rays: self.rays + rays,
            segments: self.segments + segments,
            tubes: self.tubes + tubes,
            cut: self.cut + cut,
            split: self.split + split,
        }
    }
}

/// Sizes of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Tubes of all launches at once: where their seeds are, and the list of those that part.
    pub cells: usize,
    /// Cells that were quartered, on each level; 64 at least.
    pub quartered: usize,
    /// Parts of tubes; 128 at least.
    pub parts: usize,
}

/// Kernels, the target and lists.
#[derive(Debug)]
pub struct Rays {
    mark: Kernel,
    plant: Kernel,
    tiles: Kernel,
    cells: Kernel,
    radiate: Kernel,
    nodes: Buffer<u32>,
    corners: Buffer<f64>,
    normals: Buffer<f64>,
    numbers: Buffer<u32>,
    firsts: Buffer<u32>,
    occupied: Buffer<u32>,
    lists: [Buffer<u64>; LEVELS + 2],
    parts: Buffer<SbrPart>,
    counters: Buffer<u64>,
    room: Room,
}

/// Sums of receivers at all frequencies, and where they are.
#[derive(Debug)]
pub struct Receivers {
    receivers: Buffer<SbrReceiver>,
    waves: Buffer<f64>,
    sums: Buffer<i64>,
}

impl Receivers {
    /// For these receivers and so many waves a metre.
    pub fn new(stream: &mut Stream, receivers: &[SbrReceiver], waves: &[f64]) -> Result<Self, Error> {
        let results = receivers.len() * waves.len();
        Ok(Self {
            receivers: Buffer::from_slice(stream, "receivers", receivers)?,
            waves: Buffer::from_slice(stream, "frequencies", waves)?,
            sums: Buffer::zeros(stream, "sums of tubes", results * ENTRIES)?,
        })
    }

    /// Quanta of every receiver and frequency.
    pub fn sums(&self, stream: &mut Stream) -> Result<Vec<i64>, Error> {
        let mut sums = vec![i64::MIN; self.sums.len()];
        stream.download(&self.sums, &mut sums)?;
        Ok(sums)
    }
}

/// What stands where there is none: a buffer has at least one.
const NO_SEED: SbrSeed = SbrSeed { x: 0.0, y: 0.0, cell: 0, reserved: 0 };

/// Counters, as in the source.
const COUNTERS: usize = 11;
const CELLS_0: usize = 1;
const PART_COUNT: usize = 5;

impl Rays {
    /// Compiles and prepares for a target.
    pub fn new(stream: &mut Stream, tables: &Tables, room: Room) -> Result<Self, Error> {
        for (what, given, needed) in
            [("quartered cells", room.quartered, 64), ("parts of tubes", room.parts, 128)]
        {
            if given < needed {
                return Err(Error::Length { what, given, needed });
            }
        }
        let device = stream.device().clone();
        let tiles = Module::load(&device, &TILES, &[])?;
        let cells = Module::load(&device, &CELLS, &[])?;
        let processors = size32("processors", device.properties().multiprocessors)?;
        let prepare =
            |module: &Module, signature: &'static Signature, blocks: u32, threads: u32, share: i32| {
                let grid = [processors * blocks, 1, 1];
                module.prepare(signature, Geometry { grid, threads, shared: 0 })?.cached(share)
            };
        let flat = |values: &[[f64; 3]]| -> Vec<f64> { values.iter().flatten().copied().collect() };
        let mut list = |length| Buffer::zeros(stream, "cells that part", length);
        let quartered = room.quartered;
        // The last level has no children.
        let lists = [list(room.cells)?, list(quartered)?, list(quartered)?, list(quartered)?, list(1)?];
        Ok(Self {
            mark: prepare(&tiles, &MARK, 8, 256, 0)?,
            plant: prepare(&tiles, &SEEDS, 8, 256, 0)?,
            tiles: prepare(&tiles, &TILES_KERNEL, 2, 256, 25)?,
            cells: prepare(&cells, &CELLS_KERNEL, 4, 128, 75)?,
            radiate: prepare(&cells, &PARTS, 8, 128, 0)?,
            nodes: Buffer::from_slice(stream, "tree", &tables.nodes)?,
            corners: Buffer::from_slice(stream, "facets", &flat(tables.corners.as_flattened()))?,
            normals: Buffer::from_slice(stream, "normals", &flat(&tables.normals))?,
            numbers: Buffer::from_slice(stream, "numbers of facets", &tables.numbers)?,
            firsts: Buffer::zeros(stream, "seeds of cells", room.cells)?,
            occupied: Buffer::zeros(stream, "tiles", room.cells / SIDE + 1)?,
            lists,
            parts: Buffer::zeros(stream, "parts of tubes", room.parts)?,
            counters: Buffer::zeros(stream, "counters", COUNTERS)?,
            room,
        })
    }

    /// Traces all tubes of the launches' parts of grids, which have places for their bits and cells, and adds what they radiate. Seeds are in the order of cells.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        launches: &[SbrLaunch],
        seeds: &[SbrSeed],
        receivers: &mut Receivers,
        numbers: &Sbr,
    ) -> Result<Counts, Error> {
        let numbers = Sbr {
            launches: size32("launches", launches.len())?,
            facets: size32("facets", self.numbers.len())?,
            capacity: size32("cells that part", self.room.quartered)?,
            parts: size32("parts of tubes", self.room.parts)?,
            frequencies: size32("frequencies", receivers.waves.len())?,
            seeds: size32("seeds", seeds.len())?,
            ..*numbers
        };
        self.check(launches, seeds, receivers, &numbers)?;
        let first_items = Buffer::from_slice(stream, "items of work", &first_items(launches))?;
        let launches = Buffer::from_slice(stream, "launches", launches)?;
        let seeds = Buffer::from_slice(stream, "seeds", if seeds.is_empty() { &[NO_SEED] } else { seeds })?;
        stream.fill(&self.firsts, 0)?;
        self.plant.launch(stream, &[seeds.input(), self.firsts.output(), value(&numbers)])?;
        self.tiles(stream, &launches, &first_items, receivers, &numbers)?;
        let mut counters = [u64::MAX; COUNTERS];
        stream.download(&self.counters, &mut counters)?;
        let mut counts = Counts::default().plus(&counters);
        let all = counters[CELLS_0];
        // Most cells have fewer than eight parts.
        let (mut first, mut some) = (0, (self.room.parts / 8) as u64);
        while first < all {
            let end = all.min(first + some);
            self.cells(stream, (&launches, &seeds), first..end, &numbers)?;
            stream.download(&self.counters, &mut counters)?;
            let quartered = &counters[CELLS_0 + 1..=CELLS_0 + LEVELS];
            let full = quartered.iter().any(|count| *count > self.room.quartered as u64)
                || counters[PART_COUNT] > self.room.parts as u64;
            if full {
                // Half as many do with half of the lists; one cell has less than the least lists.
                some = (end - first).div_ceil(2);
                continue;
            }
            self.radiate(stream, &launches, receivers, &numbers)?;
            counts = counts.plus(&counters);
            first = end;
        }
        Ok(counts)
    }

    /// Which tiles are touched; then all tubes that are simple. Others are listed.
    fn tiles(
        &mut self,
        stream: &mut Stream,
        launches: &Buffer<SbrLaunch>,
        first_items: &Buffer<u32>,
        receivers: &mut Receivers,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        stream.fill(&self.occupied, 0)?;
        stream.fill(&self.counters, 0)?;
        let Self { firsts, occupied, counters, .. } = self;
        let Receivers { receivers, waves, sums } = receivers;
        let corners = &self.corners;
        self.mark.launch(stream, &[launches.input(), corners.input(), occupied.output(), value(numbers)])?;
        self.tiles.launch(
            stream,
            &[
                launches.input(),
                first_items.input(),
                occupied.input(),
                self.nodes.input(),
                corners.input(),
                self.normals.input(),
                self.numbers.input(),
                receivers.input(),
                waves.input(),
                firsts.input(),
                sums.output(),
                self.lists[0].output(),
                counters.output(),
                value(numbers),
            ],
        )
    }

    /// Some cells of the first list, a level after the other. What radiates is listed.
    fn cells(
        &mut self,
        stream: &mut Stream,
        (launches, seeds): (&Buffer<SbrLaunch>, &Buffer<SbrSeed>),
        cells: Range<u64>,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let mut counters = [0; COUNTERS];
        counters[CELLS_0] = cells.end;
        stream.upload(&counters, &mut self.counters)?;
        for level in 0..=numbers.levels as usize {
            let (own, next) = self.lists.split_at_mut(level + 1);
            let begin = if level == 0 { size32("cells", cells.start as usize)? } else { 0 };
            self.cells.launch(
                stream,
                &[
                    launches.input(),
                    self.nodes.input(),
                    self.corners.input(),
                    self.normals.input(),
                    self.numbers.input(),
                    self.firsts.input(),
                    seeds.input(),
                    own[level].input(),
                    next[0].output(),
                    self.parts.output(),
                    self.counters.output(),
                    value(&(level as u32)),
                    value(&begin),
                    value(numbers),
                ],
            )?;
        }
        Ok(())
    }

    /// Adds what the listed parts radiate.
    fn radiate(
        &mut self,
        stream: &mut Stream,
        launches: &Buffer<SbrLaunch>,
        receivers: &mut Receivers,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Receivers { receivers, waves, sums } = receivers;
        self.radiate.launch(
            stream,
            &[
                launches.input(),
                self.parts.input(),
                receivers.input(),
                waves.input(),
                sums.output(),
                self.counters.input(),
                value(numbers),
            ],
        )
    }

    /// Everything that kernels will index is there.
    fn check(
        &self,
        launches: &[SbrLaunch],
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
        for launch in launches {
            let [columns, rows, first_tile_row, tile_rows, words] =
                [launch.columns, launch.rows, launch.first_tile_row, launch.tile_rows, launch.words]
                    .map(|n| n as usize);
            length("most tubes along a side", SIDE_TUBES, columns.max(rows))?;
            length("tiles of a row", words * WORD * SIDE, columns)?;
            length("rows of tiles", rows.div_ceil(SIDE), first_tile_row + tile_rows)?;
            length("tiles", self.occupied.len(), launch.first_word as usize + tile_rows * words)?;
            length("cells", self.firsts.len(), launch.first_cell as usize + tile_rows * SIDE * columns)?;
            let last = launch.direction as usize + numbers.receivers as usize;
            length("receivers", receivers.receivers.len(), last)?;
        }
        Ok(())
    }
}

/// Where the items of work of every launch begin, and the end of all.
fn first_items(launches: &[SbrLaunch]) -> Vec<u32> {
    let mut firsts = vec![0];
    for launch in launches {
        let items = launch.tile_rows * launch.words * (WORD / ITEM) as u32;
        firsts.push(firsts[firsts.len() - 1] + items);
    }
    firsts
}
