//! Bins, tiles and blocks: what the sources are compiled for.

use crate::abi::NufftGrid;
use crate::device::Device;
use crate::error::{Error, size32};
use crate::kernel::Geometry;
use crate::program::Define;

/// What a transform is made for. Axes are x first.
#[derive(Debug, Clone, PartialEq)]
pub struct Shape {
    /// Fine points; multiples of 8 where there are two axes.
    pub n: Vec<usize>,
    /// Modes.
    pub modes: Vec<usize>,
    /// Fine points that a window covers.
    pub width: usize,
    /// Degree of its polynomials.
    pub degree: usize,
}

/// Threads of a block that sorts, and its digits, as in the source.
pub(super) const THREADS: usize = 256;
pub(super) const DIGITS: usize = 1024;

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
/// Rows of bins of such a block up to which `spread_rows` is faster: the rows beyond its own that it must sum are too many then.
const FEW: u32 = 2;

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
        let tiles = |side: &usize| shape.n.iter().map(|n| n.div_ceil(*side)).product::<usize>();
        let enough = |side: &usize| tiles(side) >= 2 * device.properties().multiprocessors;
        let side = [32, 16].into_iter().find(enough).unwrap_or(BIN);
        Ok(Self::of(axes, shape.width, shape.degree, wide, side))
    }

    /// `side`: of a tile of interpolation in a plane.
    const fn of(axes: usize, width: usize, degree: usize, wide: bool, side: usize) -> Self {
        let (bin, spread, gather) = match axes {
            1 => ([64, 1, 1], [1024, 1, 1], [1024, 1, 1]),
            2 => ([BIN, BIN, 1], [32, 32, 1], [side, side, 1]),
            _ => ([BIN, BIN, BIN], [16, 16, 8], [8, 8, 8]),
        };
        Self { axes, width, degree, wide, bin, spread, gather }
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
        let (real, region) = (self.real_bytes(), BIN * self.eights());
        let steps = if self.wide { 2 } else { 4 };
        2 * real * steps * STRIPS * BIN * region + STRIPS * (2 * self.loaded_bytes() + self.window_bytes())
    }

    /// Of a block of `spread_rows`: what a warp prepares, and in its place sums.
    const fn rows_bytes(&self) -> usize {
        let prepared = self.loaded_bytes() + self.window_bytes();
        let sums = 2 * self.real_bytes() * BIN * BIN * self.eights();
        STRIPS * self.eights() * if prepared > sums { prepared } else { sums }
    }

    /// Points that a warp has loaded, and their windows.
    const fn loaded_bytes(&self) -> usize {
        LANES * (2 * self.real_bytes() + self.point_bytes())
    }

    const fn window_bytes(&self) -> usize {
        match self.wide {
            false => 16 * 4 * 3 * BIN * self.eights(),
            true => {
                let along_x = match self.width {
                    0..=10 => 20,
                    11..=14 => 28,
                    _ => 36,
                };
                8 * 8 * (along_x + 20)
            }
        }
    }

    /// As the sources are told.
    pub const fn defines(&self) -> [Define; 20] {
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
            ("MOVING_BYTES", self.moving_bytes() as i64),
            ("ROWS_BYTES", self.rows_bytes() as i64),
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
        // Whole bins of fine points have a number each.
        let cells = bins.iter().try_fold(self.cells() as u32, |count, bins| count.checked_mul(*bins));
        if cells.is_none() {
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
            part: PART,
            segment: size32("rows of bins", segment.clamp(1, LANES + 1 - self.eights()))?,
            derivative: 3,
            sign: 1,
            ..NufftGrid::default()
        })
    }

    /// Blocks of `spread_plane` that a card holds at a time.
    fn held(&self, device: &Device) -> usize {
        let blocks = if self.wide || self.eights() > 2 { 2 } else { 3 };
        blocks * device.properties().multiprocessors
    }

    /// Whether rows alone are spread in two dimensions, and in what blocks, where these have shared memory enough.
    pub fn plane(&self, device: &Device, grid: &NufftGrid) -> Result<Option<(bool, Geometry)>, Error> {
        if self.axes != 2 {
            return Ok(None);
        }
        let columns = (grid.bins[0] as usize).div_ceil(self.outputs());
        let by_rows = grid.segment <= FEW;
        let (warps, rows, shared) = if by_rows {
            (STRIPS * self.eights(), grid.bins[1], self.rows_bytes())
        } else {
            (STRIPS, grid.bins[1].div_ceil(grid.segment), self.plane_bytes())
        };
        if shared > device.properties().shared_memory {
            return Ok(None);
        }
        Ok(Some((by_rows, Geometry::new([columns, rows as usize, 1], LANES * warps, shared)?)))
    }

    /// Bytes of a point.
    pub const fn point_bytes(&self) -> usize {
        (8 + self.axes * self.real_bytes()).next_multiple_of(8)
    }

    /// Points that a block sorts.
    pub const fn sorted(&self) -> usize {
        THREADS * if self.point_bytes() > 24 { 8 } else { 12 }
    }

    /// Shared memory of a block that moves points: the points, numbers of its warps' digits, places of digits, and the points' order.
    pub const fn moving_bytes(&self) -> usize {
        self.sorted() * (self.point_bytes() + 2) + DIGITS * (THREADS / LANES * 2 + 4)
    }

    /// Fine points of a bin.
    const fn cells(&self) -> usize {
        self.bin[0] * self.bin[1] * self.bin[2]
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

const fn sample(axes: usize, width: usize, degree: usize, wide: bool) -> [Define; 20] {
    Constants::of(axes, width, degree, wide, 32).defines()
}

/// Usual tolerances: 1e-6 in single and 1e-12 in double precision.
pub(super) const SAMPLES: &[&[Define]] =
    &[&sample(1, 7, 8, false), &sample(2, 13, 12, true), &sample(3, 7, 8, false)];
pub(super) const SAMPLES_PLANE: &[&[Define]] = &[&sample(2, 7, 8, false), &sample(2, 13, 12, true)];
