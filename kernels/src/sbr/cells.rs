//! Cells that part: the kernels of `cuda/sbr_cells.cu` and `cuda/sbr_regions.cu`, and what they know of cells at work.

use super::sizes::{LEVELS, Room};
use crate::abi::{SbrCell, SbrPolygon, SbrRay};
use crate::calls;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::program::Signature;
use crate::stream::Stream;

/// Rounds of rays behind the first, rays of a cell in each, and most pieces of a cell, as in the source.
pub(super) const ROUNDS: usize = 2;
const LANES: usize = 8;
const PIECES: usize = 8;
/// Rays of a cell that tiles have traced.
const KEPT: usize = 5;

/// Kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    pub first: Kernel,
    pub ways: Kernel,
    pub regions: Kernel,
    pub edges: Kernel,
    pub beyond: Kernel,
    pub take: Kernel,
    pub decide: Kernel,
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
    pub rays: Buffer<SbrRay>,
    pub states: Buffer<SbrCell>,
    /// What the ways of pieces cover.
    pub polygons: Buffer<SbrPolygon>,
    /// Cells that rays of a round look at; none behind the last one.
    pub open: [Buffer<u32>; ROUNDS + 2],
    /// Rays of the present round.
    pub looking: Buffer<u32>,
    /// Pieces that the present round has found.
    pub pieces: Buffer<u32>,
    /// Pieces of cells whose ways are all known.
    pub taking: Buffer<u32>,
    /// These cells.
    pub known: Buffer<u32>,
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
