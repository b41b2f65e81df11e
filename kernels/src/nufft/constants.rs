//! Bins, tiles and blocks: what the sources are compiled for.

use super::{PLANE, SPREAD_PLANE, Shape};
use crate::abi::NufftGrid;
use crate::device::Device;
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::program::Define;

/// Constants of the sources.
#[derive(Debug, Clone, Copy)]
pub(super) struct Constants {
    pub axes: usize,
    width: usize,
    degree: usize,
    wide: bool,
    /// Fine points of a bin, of a tile of spreading, of one of interpolation.
    bin: [usize; 3],
    spread: [usize; 3],
    gather: [usize; 3],
    /// Whether `spread_plane` has no more blocks than there are multiprocessors.
    roomy: bool,
}

/// Fine points of a bin of two or three axes along each; a window of `spread_plane` begins in one.
const BIN: usize = 8;
/// Points of a part of a tile, at most.
const PART: u32 = 2048;
/// Columns of bins of a block of `spread_plane`, and rows of bins that a warp's lanes can know.
const STRIPS: usize = 8;
const LANES: usize = 32;
/// Blocks of `spread_plane` for each that a card holds at a time: with fewer, some multiprocessors have nothing to do at the end.
const WAVES: usize = 4;

impl Constants {
    pub fn new(shape: &Shape, wide: bool, device: &Device) -> Result<Self, Error> {
        let axes = shape.n.len();
        let fits = (1..=3).contains(&axes) && shape.modes.len() == axes && (2..=17).contains(&shape.width);
        let fits = fits
            && shape.n.iter().zip(&shape.modes).all(|(n, modes)| *n >= (2 * shape.width).max(*modes))
            && (axes != 2 || shape.n.iter().all(|n| n.is_multiple_of(BIN)));
        if !fits {
            return Err(Error::Length {
                what: "shape of a NUFFT that the kernels know",
                given: 0,
                needed: 1,
            });
        }
        // Small grids have smaller tiles, so that all multiprocessors have some.
        let large: usize = shape.n.iter().map(|n| n.div_ceil(32)).product();
        let small = large < 2 * device.properties().multiprocessors;
        let constants = Self::of(axes, shape.width, shape.degree, wide, small);
        let bins = |axis: usize| shape.n.get(axis).map_or(1, |n| n.div_ceil(BIN));
        let blocks = bins(0).div_ceil(constants.outputs()) * bins(1);
        Ok(Self { roomy: blocks <= device.properties().multiprocessors, ..constants })
    }

    const fn of(axes: usize, width: usize, degree: usize, wide: bool, small: bool) -> Self {
        let (bin, spread, gather) = match axes {
            1 => ([64, 1, 1], [1024, 1, 1], [1024, 1, 1]),
            2 if small => ([BIN, BIN, 1], [32, 32, 1], [16, 16, 1]),
            2 => ([BIN, BIN, 1], [32, 32, 1], [32, 32, 1]),
            _ => ([BIN, BIN, BIN], [16, 16, 8], [8, 8, 8]),
        };
        Self { axes, width, degree, wide, bin, spread, gather, roomy: false }
    }

    const fn real_bytes(&self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Lanes that have a column of the window each.
    const fn columns(&self) -> usize {
        match self.width {
            0..=8 => 8,
            9..=16 => 16,
            _ => 32,
        }
    }

    /// Warps and shared memory of a block of `spread`: copies of the tile, and what a warp prepares. The source refuses to compile if it
    /// needs more.
    pub const fn spread_block(&self) -> (usize, usize) {
        const CHUNK: usize = 16;
        let warps = if self.axes == 3 { 2 } else { 4 };
        let real = self.real_bytes();
        let pitch = if self.axes == 1 || self.wide { self.spread[0] } else { self.spread[0] + 8 };
        let copy = 2 * real * pitch * self.spread[1] * self.spread[2];
        let spot = (2 * real + 12).next_multiple_of(real);
        (warps, warps * (copy + CHUNK * (spot + self.axes * real * (1 + self.columns()))))
    }

    /// Warps and shared memory of a block of `interpolate`: the tile, and what windows reach beyond it.
    pub const fn gather_block(&self) -> (usize, usize) {
        let reach = self.width - 1;
        let y = self.gather[1] + if self.axes > 1 { reach } else { 0 };
        let z = self.gather[2] + if self.axes > 2 { reach } else { 0 };
        (8, 2 * self.real_bytes() * (self.gather[0] + reach) * y * z)
    }

    /// Eights of rows that the windows of a bin reach.
    const fn eights(&self) -> usize {
        (BIN - 1 + self.width).div_ceil(BIN)
    }

    /// Columns of bins that a block of `spread_plane` writes.
    const fn outputs(&self) -> usize {
        STRIPS + 1 - self.eights()
    }

    /// Shared memory of a block of `spread_plane`: rows that are done, and what a warp prepares.
    const fn plane_bytes(&self) -> usize {
        const PIECE: usize = 32;
        let (real, region) = (self.real_bytes(), BIN * self.eights());
        let (chunk, steps, pad) = if self.wide { (8, 2, 4) } else { (16, 4, 0) };
        let loaded = PIECE * (4 * real + 8);
        let windows = chunk * real * (3 * region + 2 * pad);
        2 * real * steps * STRIPS * BIN * region + STRIPS * (2 * loaded + windows)
    }

    /// As the sources are told.
    pub const fn defines(&self) -> [Define; 19] {
        [
            ("AXES", self.axes as i64),
            ("WIDTH", self.width as i64),
            ("DEGREE", self.degree as i64),
            ("WIDE", self.wide as i64),
            ("BIN_X", self.bin[0] as i64),
            ("BIN_Y", self.bin[1] as i64),
            ("BIN_Z", self.bin[2] as i64),
            ("SPREAD_X", self.spread[0] as i64),
            ("SPREAD_Y", self.spread[1] as i64),
            ("SPREAD_Z", self.spread[2] as i64),
            ("GATHER_X", self.gather[0] as i64),
            ("GATHER_Y", self.gather[1] as i64),
            ("GATHER_Z", self.gather[2] as i64),
            ("SPREAD_WARPS", self.spread_block().0 as i64),
            ("GATHER_WARPS", self.gather_block().0 as i64),
            ("SPREAD_BYTES", self.spread_block().1 as i64),
            ("GATHER_BYTES", self.gather_block().1 as i64),
            ("PLANE_BYTES", self.plane_bytes() as i64),
            ("ROOMY", self.roomy as i64),
        ]
    }

    /// What the kernels are told of a transform without points.
    pub fn grid(&self, shape: &Shape, device: &Device) -> Result<NufftGrid, Error> {
        let sizes = |what, sizes: &[usize]| -> Result<[u32; 3], Error> {
            let mut all = [1; 3];
            for (to, size) in all.iter_mut().zip(sizes) {
                *to = size32(what, *size)?;
            }
            Ok(all)
        };
        let n = sizes("fine points", &shape.n)?;
        let over = |side: [usize; 3]| std::array::from_fn(|a| n[a].div_ceil(side[a] as u32));
        let bins: [u32; 3] = over(self.bin);
        let count = bins.iter().try_fold(1u32, |count, bins| count.checked_mul(*bins));
        let fine = n.iter().try_fold(1u32, |count, n| count.checked_mul(*n));
        if count.is_none() || fine.is_none() {
            return Err(Error::Size { what: "fine points", value: shape.n.iter().product() });
        }
        let columns = (bins[0] as usize).div_ceil(self.outputs());
        let segment = bins[1] as usize * columns / (WAVES * self.held(device));
        Ok(NufftGrid {
            n,
            modes: sizes("modes", &shape.modes)?,
            bins,
            spread: over(self.spread),
            gather: over(self.gather),
            points: 0,
            part: PART,
            listed: 0,
            segment: size32("rows of bins", segment.clamp(1, LANES + 1 - self.eights()))?,
            batch: 0,
            derivative: 3,
            sign: 1,
        })
    }

    /// Blocks of `spread_plane` that a card holds at a time.
    fn held(&self, device: &Device) -> usize {
        let blocks = if self.roomy {
            1
        } else if self.wide || self.eights() > 2 {
            2
        } else {
            3
        };
        blocks * device.properties().multiprocessors
    }

    /// Spreading in two dimensions.
    pub fn plane(
        &self,
        device: &Device,
        grid: &NufftGrid,
        defines: &[Define],
    ) -> Result<Option<Kernel>, Error> {
        if self.axes != 2 {
            return Ok(None);
        }
        let outputs = size32("columns of bins", self.outputs())?;
        let blocks = [grid.bins[0].div_ceil(outputs), grid.bins[1].div_ceil(grid.segment), 1];
        let shared = size32("shared memory", self.plane_bytes())?;
        let geometry = Geometry { grid: blocks, threads: size32("threads", 32 * STRIPS)?, shared };
        Module::load(device, &PLANE, defines)?.prepare(&SPREAD_PLANE, geometry).map(Some)
    }

    /// Bytes of a record of a point.
    pub const fn record_bytes(&self) -> usize {
        let bytes = self.axes * (self.real_bytes() + 4);
        bytes.next_multiple_of(16)
    }

    /// Tiles of spreading that a window can reach: along an axis one that it begins in, those that it covers, and two round the end of the
    /// period.
    pub fn reached(&self) -> usize {
        (0..self.axes).map(|a| (self.width - 1).div_ceil(self.spread[a]) + 2).product()
    }

    /// Fine points of a tile of spreading.
    pub const fn tile(&self) -> usize {
        self.spread[0] * self.spread[1] * self.spread[2]
    }
}

const fn sample(axes: usize, width: usize, degree: usize, wide: bool) -> [Define; 19] {
    Constants::of(axes, width, degree, wide, false).defines()
}

/// Usual tolerances: 1e-6 in single and 1e-12 in double precision.
pub(super) const SAMPLES: &[&[Define]] =
    &[&sample(1, 7, 8, false), &sample(2, 13, 12, true), &sample(3, 7, 8, false)];
pub(super) const SAMPLES_PLANE: &[&[Define]] = &[&sample(2, 7, 8, false), &sample(2, 13, 12, true)];
