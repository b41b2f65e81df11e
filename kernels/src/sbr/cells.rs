//! Cells that part: the kernels of `cuda/sbr_cells.cu` and `cuda/sbr_regions.cu`, and what they know of cells at work.

use super::lists::Lists;
use super::sizes::{LEVELS, Room, Target};
use super::{Rays, Scene};
use crate::abi::{Sbr, SbrCell, SbrPolygon, SbrRay};
use crate::calls;
use crate::error::{Error, size32};
use crate::kernel::Kernel;
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
        prepare: impl Fn(&'static Signature, usize, i32) -> Result<Kernel, Error>,
    ) -> Result<Self, Error> {
        Ok(Self {
            first: prepare(&calls::SBR_FIRST, 8, 25)?,
            ways: prepare(&calls::SBR_WAYS, 8, 0)?,
            regions: prepare(&calls::SBR_REGIONS, 5, 0)?,
            edges: prepare(&calls::SBR_EDGES, 8, 0)?,
            beyond: prepare(&calls::SBR_BEYOND, 8, 0)?,
            take: prepare(&calls::SBR_TAKE, 4, 0)?,
            decide: prepare(&calls::SBR_DECIDE, 8, 0)?,
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
}

impl Rays {
    /// Some cells of the first list, a level after the other. What radiates is listed.
    pub(super) fn cells(
        &mut self,
        stream: &mut Stream,
        cells: Range<u64>,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Scene { cells: kernels, target, .. } = &*self.scene;
        let Target { nodes, corners, normals, numbers: facets } = target;
        let (launches, seeds, firsts) = (&self.launches, &self.seeds, &self.firsts);
        let Lists { tiles, entries, .. } = &self.lists;
        let (parts, counters) = (&mut self.parts, &mut self.counters);
        let Cells { rays, states, polygons, open, looking, pieces, taking, known, kept, lists } =
            &mut self.cells;
        for level in 0..=numbers.levels {
            let begin = if level == 0 { size32("cells", cells.start as usize)? } else { 0 };
            let [cells, children] = &mut lists[level as usize..][..2] else { break };
            let call = calls::sbr_first(
                launches,
                nodes,
                corners,
                normals,
                facets,
                tiles,
                entries,
                firsts,
                seeds,
                &*cells,
                &*kept,
                &mut *rays,
                &mut *states,
                &mut open[0],
                &mut *parts,
                &mut *counters,
                level,
                begin,
                numbers,
            );
            kernels.first.launch(stream, call)?;
            for round in 0..=ROUNDS as u32 {
                if round > 0 {
                    let call = calls::sbr_beyond(
                        launches,
                        nodes,
                        corners,
                        normals,
                        facets,
                        tiles,
                        entries,
                        &mut *rays,
                        &*states,
                        &*looking,
                        &mut *counters,
                        level,
                        round,
                        numbers,
                    );
                    kernels.beyond.launch(stream, call)?;
                }
                let [open, next] = &mut open[round as usize..][..2] else { break };
                let call = calls::sbr_ways(
                    &*rays,
                    &mut *states,
                    &*open,
                    &mut *pieces,
                    &mut *children,
                    &mut *parts,
                    &mut *counters,
                    level,
                    round,
                    numbers,
                );
                kernels.ways.launch(stream, call)?;
                let call = calls::sbr_regions(
                    launches,
                    corners,
                    normals,
                    &*rays,
                    &mut *states,
                    &*pieces,
                    &mut *polygons,
                    &*counters,
                    level,
                    round,
                );
                kernels.regions.launch(stream, call)?;
                let call = calls::sbr_edges(
                    &mut *rays,
                    &*states,
                    &*polygons,
                    &*open,
                    next,
                    &mut *looking,
                    &mut *taking,
                    &mut *known,
                    &mut *children,
                    &mut *parts,
                    &mut *counters,
                    level,
                    round,
                    numbers,
                );
                kernels.edges.launch(stream, call)?;
            }
            let call = calls::sbr_take(
                launches,
                corners,
                normals,
                &*rays,
                &mut *states,
                &*polygons,
                &*taking,
                &mut *parts,
                &mut *counters,
                level,
                numbers,
            );
            kernels.take.launch(stream, call)?;
            let (parts, counters) = (&mut *parts, &mut *counters);
            let call =
                calls::sbr_decide(&*rays, &*states, &*known, children, parts, counters, level, numbers);
            kernels.decide.launch(stream, call)?;
        }
        Ok(())
    }
}
