//! Facets that rays of each tile may meet first: the kernels of `cuda/sbr_lists.cu`.

use super::sizes::{SIDE, Target};
use crate::abi::{Sbr, SbrLaunch};
use crate::calls;
use crate::error::Error;
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::program::Signature;
use crate::stream::Stream;

/// Numbers of an entry: three lines of four.
const ENTRY: usize = 12;

/// Kernels.
#[derive(Debug)]
pub(super) struct Kernels {
    pub free: Kernel,
    count: Kernel,
    room: Kernel,
    list: Kernel,
    enter: Kernel,
}

impl Kernels {
    /// With a way to prepare one for so many blocks a processor, of so many threads.
    pub fn new(
        prepare: impl Fn(&'static Signature, usize, usize) -> Result<Kernel, Error>,
    ) -> Result<Self, Error> {
        Ok(Self {
            free: prepare(&calls::SBR_FREE, 16, 128)?,
            count: prepare(&calls::SBR_COUNT, 4, 256)?,
            room: prepare(&calls::SBR_ROOM, 4, 256)?,
            list: prepare(&calls::SBR_LIST, 4, 256)?,
            enter: prepare(&calls::SBR_ENTER, 3, 256)?,
        })
    }
}

/// Lists.
#[derive(Debug)]
pub(super) struct Lists {
    counts: Buffer<u32>,
    /// Where each tile's list begins, and how long it is: two halves.
    pub tiles: Buffer<[u32; 2]>,
    /// Depths and facets, likewise, in any order.
    found: Buffer<[u32; 2]>,
    pub entries: Buffer<f32>,
}

impl Lists {
    /// For grids of so many tubes, and so many facets of tiles.
    pub fn new(stream: &mut Stream, tubes: usize, listed: usize) -> Result<Self, Error> {
        // A grid may be less than a tile wide.
        let tiles = tubes / SIDE + 1;
        Ok(Self {
            counts: Buffer::zeros(stream, "facets of tiles", tiles)?,
            tiles: Buffer::zeros(stream, "lists of tiles", tiles)?,
            found: Buffer::zeros(stream, "facets of lists", listed)?,
            entries: Buffer::zeros(stream, "entries of lists", listed * ENTRY)?,
        })
    }

    /// Facets that all lists have room for.
    pub fn capacity(&self) -> usize {
        self.found.len()
    }

    /// Makes the lists of all tiles of some launches; none where they are to have no room.
    pub fn run(
        &mut self,
        stream: &mut Stream,
        (kernels, target): (&Kernels, &Target),
        frees: &Buffer<u32>,
        launches: &Buffer<SbrLaunch>,
        counters: &mut Buffer<u64>,
        numbers: &Sbr,
    ) -> Result<(), Error> {
        let Self { counts, tiles, found, entries } = self;
        let corners = &target.corners;
        stream.fill(counts, 0)?;
        kernels.count.launch(stream, calls::sbr_count(launches, corners, &mut *counts, numbers))?;
        let call = calls::sbr_room(launches, &*counts, &mut *tiles, counters, numbers);
        kernels.room.launch(stream, call)?;
        if numbers.listed == 0 {
            return Ok(());
        }
        let call = calls::sbr_list(launches, corners, &*tiles, counts, &mut *found, numbers);
        kernels.list.launch(stream, call)?;
        let call = calls::sbr_enter(launches, corners, &*tiles, &*found, frees, entries, numbers);
        kernels.enter.launch(stream, call)
    }
}
