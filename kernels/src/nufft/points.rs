//! The sort of points, and the lists of tiles that many of them reach.

use super::constants::{Constants, DIGITS, THREADS};
use super::transform::{CROWD, Nufft};
use crate::abi::NufftGrid;
use crate::calls;
use crate::error::{Error, same, size32};
use crate::kernel::{Geometry, Kernel};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;
/// Digits of a block that scans, threads of one that scans or lists, as in the source.
const SCANNED: usize = 8;
const SCANNERS: usize = 1024;
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
    /// As given, and in order, in turn.
    points: [Buffer<u8>; 2],
    /// Blocks that sort.
    sorters: usize,
    counts: Buffer<u32>,
    totals: Buffer<u32>,
    found: Buffer<u32>,
    lengths: Buffer<u32>,
    starts: Buffer<u32>,
    /// Most points of a bin.
    crowd: u32,
    spread: Option<SpreadLists<T>>,
    pub(super) gather: Option<Lists>,
}

#[derive(Debug)]
struct Kernels {
    bin_points: Kernel,
    count_digits: Kernel,
    scan_digits: Kernel,
    move_by_digit: Kernel,
    find_starts: Kernel,
    count_tiles: Kernel,
}

/// The parts of tiles, and a launch with a block for each.
#[derive(Debug)]
pub(super) struct Lists {
    pub kernel: Kernel,
    pub parts: Buffer<u32>,
    pub owners: Buffer<u32>,
}

#[derive(Debug)]
pub(super) struct SpreadLists<T> {
    pub lists: Lists,
    pub partial: Buffer<Complex<T>>,
    pub arrived: Buffer<u32>,
}

/// What a sort finds, as in the source.
struct Found {
    bad: u32,
    spread: u32,
    gather: u32,
    crowd: u32,
}

/// Digits of the numbers of bins.
struct Digits {
    passes: u32,
    bits: u32,
    mask: u32,
}

impl Digits {
    /// As few as there can be, all of about the same length: short ones are moved in longer pieces.
    fn new(bins: usize) -> Self {
        let all = usize::BITS - (bins - 1).leading_zeros();
        let passes = all.div_ceil(DIGITS.ilog2());
        let bits = if passes == 0 { 0 } else { all.div_ceil(passes) };
        Self { passes, bits, mask: (1 << bits) - 1 }
    }
}

fn volume(sides: [u32; 3]) -> usize {
    sides.iter().map(|side| *side as usize).product()
}

numerics::compiled! { T: Float => Nufft<T>: points, sort }

impl<T: Float> Nufft<T> {
    /// Memory and launches for `count` points, which are still to be [`sorted`](Self::sort).
    #[inline(never)]
    pub fn points(&self, stream: &mut Stream, count: usize) -> Result<Points<T>, Error> {
        // Differences of numbers stay within 32 bits.
        i32::try_from(count).map_err(|_| Error::Size { what: "points", value: count })?;
        let g = self.grid;
        let (bins, tiles) = (volume(g.bins), volume(g.spread) + volume(g.gather));
        let most = BLOCKS * stream.device().properties().multiprocessors;
        let with = |signature, blocks: usize, threads: usize, shared: usize| {
            self.sorting.prepare(signature, Geometry::new([blocks.max(1), 1, 1], threads, shared)?)
        };
        let prepare = |signature, blocks: usize| with(signature, blocks, THREADS, 0);
        let sorters = count.div_ceil(self.constants.sorted()).max(1);
        let kernels = Kernels {
            bin_points: prepare(&calls::BIN_POINTS, sorters)?,
            count_digits: prepare(&calls::COUNT_DIGITS, sorters)?,
            scan_digits: with(&calls::SCAN_DIGITS, DIGITS / SCANNED, SCANNERS, 0)?,
            move_by_digit: with(&calls::MOVE_BY_DIGIT, sorters, THREADS, self.constants.moving_bytes())?,
            find_starts: prepare(&calls::FIND_STARTS, (count + 1).div_ceil(THREADS).min(most))?,
            count_tiles: prepare(&calls::COUNT_TILES, bins.max(tiles).div_ceil(THREADS).min(most))?,
        };
        let bytes = (count * self.constants.point_bytes()).max(1);
        let numbers = DIGITS * (sorters + 1) + tiles + bins + 5;
        stream.device().check_room("points of a NUFFT", 2 * bytes + size_of::<u32>() * numbers)?;
        Ok(Points {
            of: g,
            count,
            kernels,
            points: [Buffer::zeros(stream, "points", bytes)?, Buffer::zeros(stream, "points", bytes)?],
            sorters,
            counts: Buffer::zeros(stream, "counts of digits", DIGITS * sorters)?,
            totals: Buffer::zeros(stream, "totals of digits", DIGITS)?,
            found: Buffer::zeros(stream, "what was found", 4)?,
            lengths: Buffer::zeros(stream, "points of tiles", tiles)?,
            starts: Buffer::zeros(stream, "starts of bins", bins + 1)?,
            crowd: 0,
            spread: None,
            gather: None,
        })
    }

    /// Sorts points, radians, an array for each axis, x first. The number of the first that is not a position, if there is one; then they
    /// are of no use.
    #[inline(never)]
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
        let given = |axis: usize| coordinates.get(axis).copied().unwrap_or(coordinates[0]);
        let digits = Digits::new(volume(g.bins));
        let Points { kernels, points: [first, _], counts, found, .. } = points;
        stream.fill(found, 0)?;
        if points.count > 0 {
            let [x, y, z] = [0, 1, 2].map(given);
            let call = calls::bin_points(x, y, z, first, counts, found, digits.mask, &g);
            kernels.bin_points.launch(stream, call)?;
            points.by_digits(stream, &digits)?;
        }
        let Points { kernels, points: [sorted, _], starts, .. } = points;
        kernels.find_starts.launch(stream, calls::find_starts(&*sorted, starts, &g))?;
        let mut found = points.count_tiles(stream, &g, self.plane.is_none())?;
        if self.plane.is_some() && found.crowd > CROWD {
            found = points.count_tiles(stream, &g, true)?;
        }
        (points.crowd, points.spread, points.gather) = (found.crowd, None, None);
        if found.spread > g.part || found.gather > g.part {
            points.list(stream, self, &g)?;
        }
        Ok((found.bad != 0).then_some(!found.bad as usize))
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

    /// Bytes of device memory, with those of lists.
    pub fn bytes(&self) -> usize {
        let of = |lists: &Lists| lists.parts.bytes() + lists.owners.bytes();
        let spread = |s: &SpreadLists<T>| of(&s.lists) + s.partial.bytes() + s.arrived.bytes();
        let numbers = [&self.counts, &self.totals, &self.found, &self.lengths, &self.starts];
        self.points.iter().map(Buffer::bytes).sum::<usize>()
            + numbers.iter().map(|numbers| numbers.bytes()).sum::<usize>()
            + self.spread.as_ref().map_or(0, spread)
            + self.gather.as_ref().map_or(0, of)
    }

    pub(super) fn grid(&self, grid: NufftGrid, batch: usize) -> Result<NufftGrid, Error> {
        same("points of another transform", usize::from(self.of == grid), 1)?;
        let batch = size32("right-hand side", batch)?;
        Ok(NufftGrid { points: size32("points", self.count)?, batch, ..grid })
    }

    pub(super) fn crowd(&self) -> u32 {
        self.crowd
    }

    /// Points, starts.
    pub(super) fn sorted(&self) -> (&Buffer<u8>, &Buffer<u32>) {
        (&self.points[0], &self.starts)
    }

    /// With the lists of spreading, if there are any.
    pub(super) fn spread_lists(&mut self) -> (&Buffer<u8>, &Buffer<u32>, Option<&mut SpreadLists<T>>) {
        (&self.points[0], &self.starts, self.spread.as_mut())
    }

    /// Radix sort by the numbers of bins, whose first digits are counted; the result is in the first array.
    fn by_digits(&mut self, stream: &mut Stream, digits: &Digits) -> Result<(), Error> {
        let (all, blocks) = (size32("points", self.count)?, size32("blocks", self.sorters)?);
        for pass in 0..digits.passes {
            let shift = pass * digits.bits;
            let [from, to] = &mut self.points;
            let Kernels { count_digits, scan_digits, move_by_digit, .. } = &self.kernels;
            if pass > 0 {
                let call = calls::count_digits(&*from, &mut self.counts, shift, digits.mask, all);
                count_digits.launch(stream, call)?;
            }
            scan_digits.launch(stream, calls::scan_digits(&mut self.counts, &mut self.totals, blocks))?;
            let (counts, totals) = (&self.counts, &self.totals);
            let call = calls::move_by_digit(&*from, counts, totals, to, shift, digits.mask, all);
            move_by_digit.launch(stream, call)?;
            self.points.swap(0, 1);
        }
        Ok(())
    }

    /// Points of tiles of interpolation, of bins, and if asked for of tiles of spreading.
    fn count_tiles(&mut self, stream: &mut Stream, g: &NufftGrid, spreads: bool) -> Result<Found, Error> {
        let spreads = u32::from(spreads);
        let Self { starts, lengths, found, kernels, .. } = self;
        let call = calls::count_tiles(&*starts, lengths, &mut *found, spreads, g);
        kernels.count_tiles.launch(stream, call)?;
        let mut numbers = [0; 4];
        stream.download(found, &mut numbers)?;
        let [bad, spread, gather, crowd] = numbers;
        Ok(Found { bad, spread, gather, crowd })
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
        let call = calls::list_parts(
            &self.lengths,
            &mut spread_parts,
            &mut spread_owners,
            &mut gather_parts,
            &mut gather_owners,
            g,
        );
        let geometry = Geometry::new([2, 1, 1], LISTERS, 0)?;
        nufft.sorting.prepare(&calls::LIST_PARTS, geometry)?.launch(stream, call)?;
        let numbers = stream.values(&spread_parts)?;
        let (parts, slots) = (numbers[spread], numbers[2 * spread + 1] as usize);
        let launch = |signature, parts: u32, (warps, shared): (usize, usize)| {
            let geometry = Geometry::new([parts.max(1) as usize, 1, 1], 32 * warps, shared)?;
            nufft.module.prepare(signature, geometry)
        };
        let kernel = launch(&calls::SPREAD, parts, constants.spread_block())?;
        self.spread = Some(SpreadLists {
            lists: Lists { kernel, parts: spread_parts, owners: spread_owners },
            partial: Buffer::zeros(stream, "partial sums of tiles", (slots * constants.tile()).max(1))?,
            arrived: Buffer::zeros(stream, "blocks that are done", spread)?,
        });
        let numbers = stream.values(&gather_parts)?;
        // Without points there is nothing to list.
        if numbers[gather] > 0 {
            let kernel = launch(&calls::INTERPOLATE, numbers[gather], constants.gather_block())?;
            self.gather = Some(Lists { kernel, parts: gather_parts, owners: gather_owners });
        }
        Ok(())
    }
}
