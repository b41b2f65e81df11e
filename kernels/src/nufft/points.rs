//! The sort of points, and the lists of tiles that many of them reach.

use super::constants::Constants;
use super::{GRID, INTERPOLATE, Listed, Nufft, SPREAD};
use crate::abi::NufftGrid;
use crate::error::{Error, size32};
use crate::front_end::same;
use crate::kernel::{Argument, Geometry, Kernel, value};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::program::Parameter::{Input, Output, Value};
use crate::program::{Parameter, Signature};
use crate::stream::Stream;
use num_complex::Complex;

pub(super) const KERNELS: &[&Signature] =
    &[&BIN_POINTS, &COUNT_DIGITS, &SCAN_DIGITS, &MOVE_BY_DIGIT, &PLACE_POINTS, &COUNT_TILES, &LIST_PARTS];

const fn signature(name: &'static str, parameters: &'static [Parameter]) -> Signature {
    Signature { module: "nufft_points", name, hot: true, capability: 80, parameters }
}

const NUMBER: usize = size_of::<u32>();
const BIN_POINTS: Signature = signature(
    "bin_points",
    &[Input("x"), Input("y"), Input("z"), Output("records"), Output("items"), Output("found"), GRID],
);
const COUNT_DIGITS: Signature = signature(
    "count_digits",
    &[Input("items"), Output("counts"), Value("shift", NUMBER), Value("points", NUMBER)],
);
const SCAN_DIGITS: Signature =
    signature("scan_digits", &[Output("counts"), Output("totals"), Value("blocks", NUMBER)]);
const MOVE_BY_DIGIT: Signature = signature(
    "move_by_digit",
    &[
        Input("items"),
        Input("counts"),
        Input("totals"),
        Output("moved"),
        Value("shift", NUMBER),
        Value("points", NUMBER),
    ],
);
const PLACE_POINTS: Signature = signature(
    "place_points",
    &[
        Input("records"),
        Input("items"),
        Output("cells"),
        Output("fractions"),
        Output("indices"),
        Output("starts"),
        GRID,
    ],
);
const COUNT_TILES: Signature =
    signature("count_tiles", &[Input("starts"), Output("lengths"), Output("found"), GRID]);
const LIST_PARTS: Signature = signature(
    "list_parts",
    &[
        Input("lengths"),
        Output("spread_parts"),
        Output("spread_owners"),
        Output("gather_parts"),
        Output("gather_owners"),
        GRID,
    ],
);

/// Threads of a block, points of one that sorts, digits, and threads of one that lists, as in the source.
const THREADS: usize = 256;
const SORTED: usize = 4096;
const DIGITS: usize = 256;
const LISTERS: usize = 1024;
/// Blocks for each multiprocessor of kernels that take work until there is no more.
const BLOCKS: usize = 16;

/// Points in the order of their bins.
#[derive(Debug)]
pub struct Points<T> {
    /// The transform that they are sorted for.
    of: NufftGrid,
    count: usize,
    kernels: Kernels,
    /// Records as given.
    records: Buffer<u8>,
    /// Keys and indices, in turn.
    items: [Buffer<u32>; 2],
    counts: Buffer<u32>,
    totals: Buffer<u32>,
    found: Buffer<u32>,
    lengths: Buffer<u32>,
    cells: Buffer<u32>,
    fractions: Buffer<T>,
    indices: Buffer<u32>,
    starts: Buffer<u32>,
    /// Most points of a bin.
    crowd: u32,
    spread: Option<SpreadLists<T>>,
    gather: Option<Lists>,
}

#[derive(Debug)]
struct Kernels {
    bin_points: Kernel,
    count_digits: Kernel,
    scan_digits: Kernel,
    move_by_digit: Kernel,
    place_points: Kernel,
    count_tiles: Kernel,
}

/// The parts of tiles, and a launch with a block for each.
#[derive(Debug)]
struct Lists {
    kernel: Kernel,
    parts: Buffer<u32>,
    owners: Buffer<u32>,
}

#[derive(Debug)]
struct SpreadLists<T> {
    lists: Lists,
    partial: Buffer<Complex<T>>,
    arrived: Buffer<u32>,
}

fn volume(sides: [u32; 3]) -> usize {
    sides.iter().map(|side| *side as usize).product()
}

impl<T: Float> Nufft<T> {
    /// Memory and launches for `count` points, which are still to be [`sorted`](Self::sort).
    pub fn points(&self, stream: &mut Stream, count: usize) -> Result<Points<T>, Error> {
        // Differences of numbers stay within 32 bits.
        i32::try_from(count).map_err(|_| Error::Size { what: "points", value: count })?;
        let g = self.grid;
        let (axes, bins, tiles) = (self.constants.axes, volume(g.bins), volume(g.spread) + volume(g.gather));
        let most = BLOCKS * stream.device().properties().multiprocessors;
        let prepare = |signature, blocks: usize| {
            let grid = [size32("blocks", blocks.max(1))?, 1, 1];
            self.sorting
                .prepare(signature, Geometry { grid, threads: size32("threads", THREADS)?, shared: 0 })
        };
        let (each, sorters) = (count.div_ceil(THREADS).min(most), count.div_ceil(SORTED));
        let kernels = Kernels {
            bin_points: prepare(&BIN_POINTS, each)?,
            count_digits: prepare(&COUNT_DIGITS, sorters)?,
            scan_digits: prepare(&SCAN_DIGITS, DIGITS)?,
            move_by_digit: prepare(&MOVE_BY_DIGIT, sorters)?,
            place_points: prepare(&PLACE_POINTS, (count + 1).div_ceil(THREADS).min(most))?,
            count_tiles: prepare(&COUNT_TILES, bins.max(tiles).div_ceil(THREADS).min(most))?,
        };
        let one = |length: usize| length.max(1);
        Ok(Points {
            of: g,
            count,
            kernels,
            records: Buffer::zeros(stream, "records of points", one(count * self.constants.record_bytes()))?,
            items: [
                Buffer::zeros(stream, "keys of points", one(2 * count))?,
                Buffer::zeros(stream, "keys of points", one(2 * count))?,
            ],
            counts: Buffer::zeros(stream, "counts of digits", one(DIGITS * sorters))?,
            totals: Buffer::zeros(stream, "totals of digits", DIGITS)?,
            found: Buffer::zeros(stream, "what was found", 4)?,
            lengths: Buffer::zeros(stream, "points of tiles", tiles)?,
            cells: Buffer::zeros(stream, "starts of windows", one(axes * count))?,
            fractions: Buffer::zeros(stream, "fractions of points", one(axes * count))?,
            indices: Buffer::zeros(stream, "indices of points", one(count))?,
            starts: Buffer::zeros(stream, "starts of bins", bins + 1)?,
            crowd: 0,
            spread: None,
            gather: None,
        })
    }

    /// Sorts points, radians, an array for each axis, x first. The number of the first that is not a position, if there is one; then they
    /// are of no use.
    pub fn sort(
        &self,
        stream: &mut Stream,
        coordinates: &[&Buffer<f64>],
        points: &mut Points<T>,
    ) -> Result<Option<usize>, Error> {
        same("arrays of coordinates", coordinates.len(), self.constants.axes)?;
        for coordinate in coordinates {
            same("coordinates", coordinate.len(), points.count)?;
        }
        let g = points.grid(self.grid, 0)?;
        let given = |axis: usize| coordinates.get(axis).unwrap_or(&coordinates[0]).input();
        let Points { kernels, records, items, found, .. } = points;
        stream.fill(found, 0)?;
        let [first, _] = items;
        if points.count > 0 {
            let arguments =
                [given(0), given(1), given(2), records.output(), first.output(), found.output(), value(&g)];
            kernels.bin_points.launch(stream, &arguments)?;
            points.by_digits(stream, volume(g.bins))?;
        }
        points.place(stream, &g)?;
        let mut found = [0; 4];
        stream.download(&points.found, &mut found)?;
        let [bad, spread, gather, crowd] = found;
        (points.crowd, points.spread, points.gather) = (crowd, None, None);
        let tiled = self.plane.is_none() || crowd > super::CROWD;
        if spread > g.part && tiled || gather > g.part {
            points.list(stream, self, &g)?;
        }
        Ok((bad != 0).then_some(!bad as usize))
    }
}

impl<T: Float> Points<T> {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn grid(&self, grid: NufftGrid, batch: usize) -> Result<NufftGrid, Error> {
        same("points of another transform", usize::from(self.of == grid), 1)?;
        let batch = size32("right-hand side", batch)?;
        Ok(NufftGrid { points: size32("points", self.count)?, batch, ..grid })
    }

    pub(super) fn crowd(&self) -> u32 {
        self.crowd
    }

    /// Cells, fractions, indices, starts.
    pub(super) fn sorted(&self) -> [Argument<'_>; 4] {
        [self.cells.input(), self.fractions.input(), self.indices.input(), self.starts.input()]
    }

    /// With the lists of spreading, if there are any.
    pub(super) fn spread_lists(&mut self) -> (Option<Listed<'_>>, [Argument<'_>; 4]) {
        let sorted = [self.cells.input(), self.fractions.input(), self.indices.input(), self.starts.input()];
        let lists = self.spread.as_mut().map(|SpreadLists { lists, partial, arrived }| {
            let inputs = [lists.parts.input(), lists.owners.input()];
            (&lists.kernel, inputs, [partial.output(), arrived.output()])
        });
        (lists, sorted)
    }

    pub(super) fn gather_lists(&self) -> Option<(&Kernel, [Argument<'_>; 2])> {
        let lists = self.gather.as_ref()?;
        Some((&lists.kernel, [lists.parts.input(), lists.owners.input()]))
    }

    /// Radix sort by the numbers of `bins`; the result is in the first array.
    fn by_digits(&mut self, stream: &mut Stream, bins: usize) -> Result<(), Error> {
        let bits = usize::BITS - (bins - 1).leading_zeros();
        let count = size32("points", self.count)?;
        let blocks = size32("blocks", self.count.div_ceil(SORTED))?;
        for shift in (0..bits).step_by(8) {
            let [from, to] = &mut self.items;
            let Kernels { count_digits, scan_digits, move_by_digit, .. } = &self.kernels;
            let arguments = [from.input(), self.counts.output(), value(&shift), value(&count)];
            count_digits.launch(stream, &arguments)?;
            scan_digits.launch(stream, &[self.counts.output(), self.totals.output(), value(&blocks)])?;
            let arguments = [
                from.input(),
                self.counts.input(),
                self.totals.input(),
                to.output(),
                value(&shift),
                value(&count),
            ];
            move_by_digit.launch(stream, &arguments)?;
            self.items.swap(0, 1);
        }
        Ok(())
    }

    fn place(&mut self, stream: &mut Stream, g: &NufftGrid) -> Result<(), Error> {
        let Self { records, items: [items, _], cells, fractions, indices, starts, lengths, found, .. } = self;
        let arguments = [
            records.input(),
            items.input(),
            cells.output(),
            fractions.output(),
            indices.output(),
            starts.output(),
            value(g),
        ];
        self.kernels.place_points.launch(stream, &arguments)?;
        let arguments = [starts.input(), lengths.output(), found.output(), value(g)];
        self.kernels.count_tiles.launch(stream, &arguments)
    }

    /// Lists the parts of tiles.
    fn list(&mut self, stream: &mut Stream, nufft: &Nufft<T>, g: &NufftGrid) -> Result<(), Error> {
        let (spread, gather) = (volume(g.spread), volume(g.gather));
        // A part of every tile, and one for each full one.
        let owners = |tiles: usize, reached: usize| tiles + reached * self.count / g.part as usize;
        let constants: &Constants = &nufft.constants;
        let mut spread_parts = Buffer::zeros(stream, "parts of tiles", 2 * spread + 2)?;
        let mut spread_owners = Buffer::zeros(stream, "tiles of parts", owners(spread, constants.reached()))?;
        let mut gather_parts = Buffer::zeros(stream, "parts of tiles", 2 * gather + 2)?;
        let mut gather_owners = Buffer::zeros(stream, "tiles of parts", owners(gather, 1))?;
        let geometry = Geometry { grid: [2, 1, 1], threads: size32("threads", LISTERS)?, shared: 0 };
        let arguments = [
            self.lengths.input(),
            spread_parts.output(),
            spread_owners.output(),
            gather_parts.output(),
            gather_owners.output(),
            value(g),
        ];
        nufft.sorting.prepare(&LIST_PARTS, geometry)?.launch(stream, &arguments)?;
        let mut numbers = vec![0; 2 * spread + 2];
        stream.download(&spread_parts, &mut numbers)?;
        let (parts, slots) = (numbers[spread], numbers[2 * spread + 1] as usize);
        let launch = |signature, parts: u32, (warps, shared): (usize, usize)| {
            let (threads, shared) = (size32("threads", 32 * warps)?, size32("shared memory", shared)?);
            nufft.module.prepare(signature, Geometry { grid: [parts.max(1), 1, 1], threads, shared })
        };
        let kernel = launch(&SPREAD, parts, constants.spread_block())?;
        self.spread = Some(SpreadLists {
            lists: Lists { kernel, parts: spread_parts, owners: spread_owners },
            partial: Buffer::zeros(stream, "partial sums of tiles", (slots * constants.tile()).max(1))?,
            arrived: Buffer::zeros(stream, "blocks that are done", spread)?,
        });
        let mut numbers = vec![0; 2 * gather + 2];
        stream.download(&gather_parts, &mut numbers)?;
        // Without points there is nothing to list.
        if numbers[gather] > 0 {
            let kernel = launch(&INTERPOLATE, numbers[gather], constants.gather_block())?;
            self.gather = Some(Lists { kernel, parts: gather_parts, owners: gather_owners });
        }
        Ok(())
    }
}
