//! Cells that part: the kernels of `cuda/sbr_cells.cu` and `cuda/sbr_regions.cu`, and what they know of cells at work.

use super::lists::Lists;
use super::signatures::{BEYOND, DECIDE, EDGES, FIRST, REGIONS, TAKE, WAYS};
use super::sizes::{LEVELS, Room, Target};
use crate::abi::{Sbr, SbrCell, SbrLaunch, SbrPart, SbrPolygon, SbrRay, SbrSeed};
use crate::error::{Error, size32};
use crate::kernel::{Kernel, value};
use crate::memory::Buffer;
use crate::program::Signature;
use crate::stream::Stream;
use std::ops::Range;

/// Rounds of rays behind the first, rays of a cell in each, and most pieces of a cell, as in the source.
const ROUNDS: usize = 2;
const LANES: usize = 8;
const PIECES: usize = 8;
/// Rays of a cell that tiles have traced.
const KEPT: usize = 5;

/// Kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    first: Kernel,
    ways: Kernel,
    regions: Kernel,
    edges: Kernel,
    beyond: Kernel,
    take: Kernel,
    decide: Kernel,
}

impl Kernels {
    /// With a way to prepare one for so many blocks a processor, of 128 threads, with a share of its memory between them in percent.
    pub fn new(
        prepare: impl Fn(&'static Signature, u32, i32) -> Result<Kernel, Error>,
    ) -> Result<Self, Error> {
        Ok(Self {
            first: prepare(&FIRST, 8, 25)?,
            ways: prepare(&WAYS, 8, 0)?,
            regions: prepare(&REGIONS, 5, 0)?,
            edges: prepare(&EDGES, 8, 0)?,
            beyond: prepare(&BEYOND, 8, 0)?,
            take: prepare(&TAKE, 4, 0)?,
            decide: prepare(&DECIDE, 8, 0)?,
        })
    }
}

/// Lists.
#[derive(Debug)]
pub(super) struct Cells {
    rays: Buffer<SbrRay>,
    states: Buffer<SbrCell>,
    /// What the ways of pieces cover.
    polygons: Buffer<SbrPolygon>,
    /// Cells that rays of a round look at; none behind the last one.
    open: [Buffer<u32>; ROUNDS + 2],
    /// Rays of the present round.
    looking: Buffer<u32>,
    /// Pieces that the present round has found.
    pieces: Buffer<u32>,
    /// Pieces of cells whose ways are all known.
    taking: Buffer<u32>,
    /// These cells.
    known: Buffer<u32>,
    /// The first rays of cells of the first list, as far as there is room for them.
    pub kept: Buffer<SbrRay>,
    /// Cells that part, on each level; the last one has no children.
    pub lists: [Buffer<u64>; LEVELS + 2],
}

/// Where cells are, and where they go.
pub(super) struct Work<'a> {
    pub kernels: &'a Kernels,
    pub target: &'a Target,
    pub tiles: &'a Lists,
    pub launches: &'a Buffer<SbrLaunch>,
    pub seeds: &'a Buffer<SbrSeed>,
    pub firsts: &'a Buffer<u32>,
    pub parts: &'a mut Buffer<SbrPart>,
    pub counters: &'a mut Buffer<u64>,
    pub numbers: &'a Sbr,
}

impl Cells {
    /// For so many cells.
    pub fn new(stream: &mut Stream, room: Room) -> Result<Self, Error> {
        let work = room.quartered;
        let mut list = |length| Buffer::zeros(stream, "cells that part", length);
        let lists = [list(room.cells)?, list(work)?, list(work)?, list(work)?, list(1)?];
        let mut list = |length| Buffer::zeros(stream, "cells at work", length);
        Ok(Self {
            open: [list(work)?, list(work)?, list(work)?, list(1)?],
            looking: list(work * LANES)?,
            pieces: list(work * PIECES)?,
            taking: list(work * PIECES)?,
            known: list(work)?,
            rays: Buffer::zeros(stream, "rays of cells", work * LANES * (ROUNDS + 1))?,
            states: Buffer::zeros(stream, "states of cells", work)?,
            polygons: Buffer::zeros(stream, "pieces of cells", work * PIECES)?,
            kept: Buffer::zeros(stream, "rays of tiles", room.kept * KEPT)?,
            lists,
        })
    }

    /// Some cells of the first list, a level after the other. What radiates is listed.
    pub fn run(&mut self, stream: &mut Stream, cells: Range<u64>, work: &mut Work<'_>) -> Result<(), Error> {
        for level in 0..=work.numbers.levels {
            let begin = if level == 0 { size32("cells", cells.start as usize)? } else { 0 };
            self.first(stream, level, begin, work)?;
            for round in 0..=ROUNDS as u32 {
                if round > 0 {
                    self.beyond(stream, level, round, work)?;
                }
                self.ways(stream, level, round, work)?;
                self.regions(stream, level, round, work)?;
                self.edges(stream, level, round, work)?;
            }
            self.take(stream, level, work)?;
            self.decide(stream, level, work)?;
        }
        Ok(())
    }

    fn first(
        &mut self,
        stream: &mut Stream,
        level: u32,
        begin: u32,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        let Target { nodes, corners, normals, numbers } = work.target;
        work.kernels.first.launch(
            stream,
            &[
                work.launches.input(),
                nodes.input(),
                corners.input(),
                normals.input(),
                numbers.input(),
                work.tiles.tiles.input(),
                work.tiles.entries.input(),
                work.firsts.input(),
                work.seeds.input(),
                self.lists[level as usize].input(),
                self.kept.input(),
                self.rays.output(),
                self.states.output(),
                self.open[0].output(),
                work.parts.output(),
                work.counters.output(),
                value(&level),
                value(&begin),
                value(work.numbers),
            ],
        )
    }

    fn ways(
        &mut self,
        stream: &mut Stream,
        level: u32,
        round: u32,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        work.kernels.ways.launch(
            stream,
            &[
                self.rays.input(),
                self.states.output(),
                self.open[round as usize].input(),
                self.pieces.output(),
                self.lists[level as usize + 1].output(),
                work.parts.output(),
                work.counters.output(),
                value(&level),
                value(&round),
                value(work.numbers),
            ],
        )
    }

    fn regions(
        &mut self,
        stream: &mut Stream,
        level: u32,
        round: u32,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        work.kernels.regions.launch(
            stream,
            &[
                work.launches.input(),
                work.target.corners.input(),
                work.target.normals.input(),
                self.rays.input(),
                self.states.output(),
                self.pieces.input(),
                self.polygons.output(),
                work.counters.input(),
                value(&level),
                value(&round),
            ],
        )
    }

    fn edges(
        &mut self,
        stream: &mut Stream,
        level: u32,
        round: u32,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        let (open, next) = self.open.split_at_mut(round as usize + 1);
        work.kernels.edges.launch(
            stream,
            &[
                self.rays.output(),
                self.states.input(),
                self.polygons.input(),
                open[round as usize].input(),
                next[0].output(),
                self.looking.output(),
                self.taking.output(),
                self.known.output(),
                self.lists[level as usize + 1].output(),
                work.parts.output(),
                work.counters.output(),
                value(&level),
                value(&round),
                value(work.numbers),
            ],
        )
    }

    fn beyond(
        &mut self,
        stream: &mut Stream,
        level: u32,
        round: u32,
        work: &mut Work<'_>,
    ) -> Result<(), Error> {
        let Target { nodes, corners, normals, numbers } = work.target;
        work.kernels.beyond.launch(
            stream,
            &[
                work.launches.input(),
                nodes.input(),
                corners.input(),
                normals.input(),
                numbers.input(),
                work.tiles.tiles.input(),
                work.tiles.entries.input(),
                self.rays.output(),
                self.states.input(),
                self.looking.input(),
                work.counters.output(),
                value(&level),
                value(&round),
                value(work.numbers),
            ],
        )
    }

    fn take(&mut self, stream: &mut Stream, level: u32, work: &mut Work<'_>) -> Result<(), Error> {
        work.kernels.take.launch(
            stream,
            &[
                work.launches.input(),
                work.target.corners.input(),
                work.target.normals.input(),
                self.rays.input(),
                self.states.output(),
                self.polygons.input(),
                self.taking.input(),
                work.parts.output(),
                work.counters.output(),
                value(&level),
                value(work.numbers),
            ],
        )
    }

    fn decide(&mut self, stream: &mut Stream, level: u32, work: &mut Work<'_>) -> Result<(), Error> {
        work.kernels.decide.launch(
            stream,
            &[
                self.rays.input(),
                self.states.input(),
                self.known.input(),
                self.lists[level as usize + 1].output(),
                work.parts.output(),
                work.counters.output(),
                value(&level),
                value(work.numbers),
            ],
        )
    }
}
