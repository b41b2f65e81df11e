//! Facets that rays of each tile may meet first: the kernels of `cuda/sbr_lists.cu`.

use super::signatures::{COUNT, ENTER, FREE, LIST, ROOM};
use super::sizes::{SIDE, Target};
use crate::abi::{Sbr, SbrLaunch};
use crate::error::Error;
use crate::kernel::{Kernel, value};
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
        prepare: impl Fn(&'static Signature, u32, u32) -> Result<Kernel, Error>,
    ) -> Result<Self, Error> {
        Ok(Self {
            free: prepare(&FREE, 16, 128)?,
            count: prepare(&COUNT, 4, 256)?,
            room: prepare(&ROOM, 4, 256)?,
            list: prepare(&LIST, 4, 256)?,
            enter: prepare(&ENTER, 3, 256)?,
        })
    }
}

/// Lists.
#[derive(Debug)]
pub(super) struct Lists {
    counts: Buffer<u32>,
    /// Where each tile's list begins, and how long it is: two halves.
    pub tiles: Buffer<u64>,
    /// Depths and facets, likewise, in any order.
    found: Buffer<u64>,
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
        let (listed, numbers) = (numbers.listed, || value(numbers));
        stream.fill(counts, 0)?;
        kernels.count.launch(stream, &[launches.input(), corners.input(), counts.output(), numbers()])?;
        kernels.room.launch(
            stream,
            &[launches.input(), counts.input(), tiles.output(), counters.output(), numbers()],
        )?;
        if listed == 0 {
            return Ok(());
        }
        kernels.list.launch(
            stream,
            &[launches.input(), corners.input(), tiles.input(), counts.output(), found.output(), numbers()],
        )?;
        kernels.enter.launch(
            stream,
            &[
                launches.input(),
                corners.input(),
                tiles.input(),
                found.input(),
                frees.input(),
                entries.output(),
                numbers(),
            ],
        )
    }
}
