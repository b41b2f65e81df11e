//! `cuda/sbr*.cu`: tubes of rays through a target, and what they radiate.
//!
//! A call takes parts of launch grids, traces all of their tubes and adds to the sums of their receivers. Sums are whole numbers of a quantum, so that they are
//! the same in whatever order blocks come, and however grids are cut into parts.

mod band;
mod beams;
mod cells;
mod levels;
mod lists;
mod matter;
mod order;
mod receivers;
mod scene;
mod sizes;
mod tables;
mod wedges;

use crate::abi::{Sbr, SbrLaunch, SbrPart, SbrSeed};
use crate::calls;
use crate::error::{Error, at_least, size32};
use crate::memory::Buffer;
use crate::stream::Stream;
use cells::Cells;
use lists::Lists;
use order::Order;
use sizes::Target;
use std::sync::Arc;

pub use band::Band;
pub use beams::Beams;
pub use matter::{Below, Coat, Matter};
pub use receivers::Receivers;
pub use scene::{Rule, Scene};
pub use sizes::{DEPTH, ENTRIES, LAUNCHES, LEVELS, Room, SIDE, SIDE_TUBES};
pub use tables::{Child, LEAF_FACETS, Tables};
pub use wedges::Wedges;

/// Tiles of an item of work.
const ITEM: usize = 8;

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

impl Rays {
    /// With lists of such sizes.
    pub fn new(stream: &mut Stream, scene: Arc<Scene>, room: Room) -> Result<Self, Error> {
        at_least("quartered cells", room.quartered, 64)?;
        at_least("parts of tubes", room.parts, 128)?;
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
        scene.plant.launch(stream, calls::sbr_seeds(&*seeds, &mut *firsts, numbers))?;
        let Receivers { receivers, waves, sums, .. } = receivers;
        let Target { nodes, corners, normals, numbers: facets } = &scene.target;
        lists.run(stream, (&scene.lists, &scene.target), beams.frees(), launches, counters, numbers)?;
        let (tiles, entries, firsts) = (&lists.tiles, &lists.entries, &*firsts);
        let (launches, first_items) = (&*launches, &*first_items);
        let Cells { lists: [cells, ..], kept, .. } = &mut self.cells;
        if let Some(kernel) = &scene.list_tiles {
            let call = calls::sbr_list_tiles(
                launches,
                first_items,
                tiles,
                entries,
                nodes,
                corners,
                normals,
                facets,
                firsts,
                &mut self.parts,
                cells,
                kept,
                counters,
                numbers,
            );
            return kernel.launch(stream, call);
        }
        let kernel =
            if numbers.frequencies.max(numbers.receivers) > 1 { &scene.many_tiles } else { &scene.tiles };
        let call = calls::sbr_tiles(
            launches,
            first_items,
            tiles,
            entries,
            nodes,
            corners,
            normals,
            facets,
            receivers,
            waves,
            firsts,
            sums.untyped(),
            cells,
            kept,
            counters,
            numbers,
        );
        kernel.launch(stream, call)
    }

    /// Adds what the listed parts radiate.
    fn radiate(&mut self, stream: &mut Stream, receivers: &Receivers, numbers: &Sbr) -> Result<(), Error> {
        let Receivers { receivers, waves, sums, .. } = receivers;
        let Scene { radiate, radiate_deep, order, target, matter, .. } = &*self.scene;
        self.order.run(stream, order, &self.parts, &self.counters, numbers)?;
        let Target { nodes, corners, normals, numbers: facets } = target;
        let (launches, parts, order) = (&self.launches, &self.parts, &self.order.numbers);
        let (sums, counters) = (sums.untyped(), &mut self.counters);
        let is_deep = numbers.bounces > REMEMBERED;
        let Some(matter) = matter else {
            let kernels = if is_deep { radiate_deep } else { radiate };
            let call = calls::sbr_parts(
                launches, nodes, corners, normals, facets, parts, order, receivers, waves, sums, counters,
                numbers,
            );
            return kernels[usize::from(numbers.frequencies > 1)].launch(stream, call);
        };
        let call = calls::sbr_matter(
            launches,
            nodes,
            corners,
            normals,
            facets,
            &matter.firsts,
            &matter.numbers,
            parts,
            order,
            receivers,
            waves,
            sums,
            counters,
            numbers,
        );
        let kernel = if is_deep { &matter.radiate_deep } else { &matter.radiate };
        kernel.launch(stream, call)
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
        at_least("most launches at once", LAUNCHES, launches.len())?;
        at_least("launches", launches.len(), 1)?;
        let last = seeds.iter().map(|seed| seed.cell as usize + 1).max().unwrap_or(0);
        at_least("cells", self.firsts.len(), last)?;
        at_least("quarterings of a cell", LEVELS, numbers.levels as usize)?;
        if self.scene.rule == Rule::Strict {
            at_least("parts of tubes", self.room.parts, tubes(launches))?;
        }
        if self.scene.matter.is_some() {
            at_least("bounces of a ray", matter::MOST_BOUNCES, numbers.bounces as usize)?;
        }
        for launch in launches {
            let [columns, rows, first_tile_row, tile_rows, tiles] =
                [launch.columns, launch.rows, launch.first_tile_row, launch.tile_rows, launch.tiles]
                    .map(|n| n as usize);
            at_least("most tubes along a side", SIDE_TUBES, columns.max(rows))?;
            at_least("tiles of a row", tiles * SIDE, columns)?;
            at_least("rows of tiles", rows.div_ceil(SIDE), first_tile_row + tile_rows)?;
            at_least("tiles", self.lists.tiles.len(), launch.first_tile as usize + tile_rows * tiles)?;
            at_least("cells", self.firsts.len(), launch.first_cell as usize + tile_rows * SIDE * columns)?;
            let last = launch.direction as usize + numbers.receivers as usize;
            at_least("receivers", receivers.receivers.len(), last)?;
            let incidence = launch.direction as usize / (numbers.receivers as usize).max(1);
            if numbers.listed > 0 {
                at_least("beams", beams.known(), (incidence + 1) * numbers.facets as usize)?;
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
