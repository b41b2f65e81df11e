//! Points as cell and fraction, sorted so that neighbours in space are neighbours in memory.
//!
//! A position x is n x/(2 pi) fine points from the origin. It is reduced and scaled in `f64` and kept as the first fine point that the
//! window covers (an integer) and the rest (a number in [-1, 1)), which `T` holds to its own precision whatever n is. This is done
//! twice, once to count the points of every bin and once to put them there: that is cheaper than an array in between.

use super::super::design::FARTHEST;
use super::super::{Error, Result};
use numerics::real::Real;
use numerics::simd::{Kernel, dispatch, multiply_add};

/// 1/(2 pi) to twice the digits.
const TURN: [f64; 2] = [0.159_154_943_091_895_35, -9.839_338_337_591_9e-18];

/// Fine points of a bin along x, y and z: a bin with its margins stays in the first cache.
pub const BIN: [usize; 3] = [16, 4, 4];

/// A point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place<T, const AXES: usize> {
    /// First pair of the padded grid that its window covers.
    pub start: u32,
    /// Number of the point as given.
    pub index: u32,
    /// 2 t - 1 along every axis, t the way from the window's start to its first fine point.
    pub fraction: [T; AXES],
}

/// Points in the order of their bins.
#[derive(Debug, Clone)]
pub enum Places<T> {
    /// On a line.
    One(Vec<Place<T, 1>>),
    /// On a plane.
    Two(Vec<Place<T, 2>>),
    /// In space.
    Three(Vec<Place<T, 3>>),
}

/// Where rows and planes of the padded grid begin; of a grid with fewer axes the others do not count.
#[derive(Debug, Clone, Copy)]
pub struct Pitch {
    /// Pairs of a row.
    pub row: usize,
    /// Pairs of a plane.
    pub plane: usize,
}

impl Pitch {
    /// Of a padded grid, x first.
    pub fn of(padded: &[usize]) -> Self {
        Self { row: padded[0], plane: padded[0] * padded.get(1).unwrap_or(&1) }
    }
}

/// From a coordinate to the fine points of its axis.
#[derive(Debug, Clone, Copy)]
pub enum Map {
    /// A period of 2 pi is this many points; windows may reach beyond its ends, into margins.
    Period(f64),
    /// Windows stay within the grid.
    Line {
        /// Coordinate of the point `middle`.
        centre: f64,
        /// Points over coordinate.
        scale: f64,
        /// Number of a fine point.
        middle: f64,
    },
}

/// Fine points before the origin that windows may cover.
pub const fn margin(width: usize) -> usize {
    width / 2
}

impl<T: Real> Places<T> {
    /// None, of as many axes.
    pub fn none(axes: usize) -> Self {
        match axes {
            1 => Self::One(Vec::new()),
            2 => Self::Two(Vec::new()),
            _ => Self::Three(Vec::new()),
        }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::One(places) => places.len(),
            Self::Two(places) => places.len(),
            Self::Three(places) => places.len(),
        }
    }

    /// Takes other points, in an array for each axis: none after an error.
    pub fn set(&mut self, points: &[&[f64]], maps: &[Map], padded: &[usize], width: usize) -> Result<()> {
        let (given, needed) = (points.len(), maps.len());
        if given != needed {
            return Err(Error::Length { what: "list of coordinates", given, needed });
        }
        match self {
            Self::One(places) => sort(points, maps, padded, width, places),
            Self::Two(places) => sort(points, maps, padded, width, places),
            Self::Three(places) => sort(points, maps, padded, width, places),
        }
    }
}

/// Whether all axes have as many finite coordinates within `farthest`.
pub fn check(points: &[&[f64]], farthest: f64) -> Result<()> {
    for (axis, coordinates) in points.iter().enumerate() {
        let (given, needed) = (coordinates.len(), points[0].len());
        if given != needed {
            return Err(Error::Length { what: "array of coordinates", given, needed });
        }
        // Without a branch, as nearly all arrays are good.
        if !coordinates.iter().fold(true, |good, x| good & (x.abs() <= farthest)) {
            let index = coordinates.iter().position(|x| x.is_nan() || x.abs() > farthest).unwrap_or(0);
            return Err(Error::Point { index, axis, value: coordinates[index] });
        }
    }
    let count = points[0].len();
    u32::try_from(count).map(drop).map_err(|_| Error::Points(count))
}

fn sort<T: Real, const AXES: usize>(
    points: &[&[f64]],
    maps: &[Map],
    padded: &[usize],
    width: usize,
    places: &mut Vec<Place<T, AXES>>,
) -> Result<()> {
    let farthest = if matches!(maps[0], Map::Period(_)) { FARTHEST } else { f64::MAX };
    check(points, farthest).inspect_err(|_| places.clear())?;
    let none = Place { start: 0, index: 0, fraction: [T::zero(); AXES] };
    places.resize(points[0].len(), none);
    let bins: [usize; AXES] = std::array::from_fn(|a| padded[a] / BIN[a] + 1);
    let starts = vec![0; bins.iter().product::<usize>() + 1];
    let axes = std::array::from_fn(|a| (points[a], maps[a]));
    dispatch(Sort { axes, pitch: Pitch::of(padded), width, bins, starts, places });
    Ok(())
}

/// Points that are scaled together.
const CHUNK: usize = 128;

struct Sort<'a, T, const AXES: usize> {
    axes: [(&'a [f64], Map); AXES],
    pitch: Pitch,
    width: usize,
    bins: [usize; AXES],
    /// Of every bin, and the end.
    starts: Vec<u32>,
    places: &'a mut [Place<T, AXES>],
}

/// Cells and fractions of a chunk, axis by axis.
struct Chunk<const AXES: usize> {
    cells: [[u32; CHUNK]; AXES],
    fractions: [[f64; CHUNK]; AXES],
    bins: [u32; CHUNK],
}

impl<T: Real, const AXES: usize> Sort<'_, T, AXES> {
    /// Fills `chunk` with points from `first` on.
    #[inline(always)]
    fn scale<const FMA: bool>(&self, first: usize, chunk: &mut Chunk<AXES>) -> usize {
        let count = CHUNK.min(self.places.len() - first);
        let mut stride = 1;
        chunk.bins = [0; CHUNK];
        for (axis, (coordinates, map)) in self.axes.iter().enumerate() {
            let (cells, fractions) = (&mut chunk.cells[axis], &mut chunk.fractions[axis]);
            let x = &coordinates[first..][..count];
            match *map {
                Map::Period(n) => {
                    for ((x, cell), rest) in x.iter().zip(&mut *cells).zip(fractions) {
                        (*cell, *rest) = in_period::<FMA>(*x, n, self.width);
                    }
                }
                Map::Line { centre, scale, middle } => {
                    for ((x, cell), rest) in x.iter().zip(&mut *cells).zip(fractions) {
                        (*cell, *rest) = on_line::<FMA>(x - centre, scale, middle, self.width);
                    }
                }
            }
            for (bin, cell) in chunk.bins.iter_mut().zip(cells) {
                *bin += *cell / BIN[axis] as u32 * stride;
            }
            stride *= self.bins[axis] as u32;
        }
        count
    }
}

impl<T: Real, const AXES: usize> Kernel for Sort<'_, T, AXES> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(mut self) {
        let mut chunk =
            Chunk { cells: [[0; CHUNK]; AXES], fractions: [[0.0; CHUNK]; AXES], bins: [0; CHUNK] };
        for first in (0..self.places.len()).step_by(CHUNK) {
            let count = self.scale::<FMA>(first, &mut chunk);
            chunk.bins[..count].iter().for_each(|bin| self.starts[*bin as usize + 1] += 1);
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        let pitches = [1, self.pitch.row as u32, self.pitch.plane as u32];
        for first in (0..self.places.len()).step_by(CHUNK) {
            let count = self.scale::<FMA>(first, &mut chunk);
            for i in 0..count {
                let to = &mut self.starts[chunk.bins[i] as usize];
                self.places[*to as usize] = Place {
                    start: (0..AXES).map(|a| chunk.cells[a][i] * pitches[a]).sum(),
                    index: (first + i) as u32,
                    fraction: std::array::from_fn(|a| T::of(chunk.fractions[a][i])),
                };
                *to += 1;
            }
        }
    }
}

/// 2^52.
const WHOLE: f64 = 4_503_599_627_370_496.0;

/// a b, and what rounding takes from it.
#[inline(always)]
fn product<const FMA: bool>(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    if FMA {
        return (p, multiply_add::<f64, FMA>(a, b, -p));
    }
    // Dekker: halves of 26 bits.
    let halves = |x: f64| {
        let high = x * 134_217_729.0;
        let high = high - (high - x);
        (high, x - high)
    };
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

/// First cell plus margin, and 2 t - 1.
#[inline(always)]
fn in_period<const FMA: bool>(x: f64, n: f64, width: usize) -> (u32, f64) {
    // Products with what rounding takes from them: a phase of N/2 periods keeps all digits of x.
    let (turns, rest) = product::<FMA>(x, TURN[0]);
    let rest = rest + x * TURN[1];
    let turns = turns - turns.floor();
    let (grid, more) = product::<FMA>(turns, n);
    let rest = rest * n + more;
    // A tiny negative number is rounded up to a whole turn.
    let grid = if grid < n { grid } else { 0.0 };
    cell_and_rest(grid, rest, margin(width) as f64, width)
}

/// The same for a coordinate from the centre of a line.
#[inline(always)]
fn on_line<const FMA: bool>(x: f64, scale: f64, middle: f64, width: usize) -> (u32, f64) {
    let (grid, rest) = product::<FMA>(x, scale);
    cell_and_rest(grid, rest, middle, width)
}

/// First cell from `before` the origin on, and 2 t - 1, of a position in fine points with what rounding took from it.
#[inline(always)]
fn cell_and_rest(grid: f64, rest: f64, before: f64, width: usize) -> (u32, f64) {
    let start = grid - 0.5 * width as f64;
    let first = start.ceil();
    let fraction = (2.0 * ((first - start) - rest) - 1.0).clamp(-1.0, 1.0);
    // An integer's last digits stand at the end of a number near 2^52: a conversion that vectors have.
    ((first + before + WHOLE).to_bits() as u32, fraction)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn positions_are_kept_to_the_last_bit_and_wrapped() {
        for width in [7, 8] {
            for x in [0.0, -1e-300, -0.5, 3.0, -std::f64::consts::PI, 6.3, 1e6] {
                let (cell, rest) = in_period::<true>(x, 100.0, width);
                assert_eq!(in_period::<false>(x, 100.0, width), (cell, rest));
                let grid = f64::from(cell) - margin(width) as f64 + 0.5 * width as f64 - 0.5 * (rest + 1.0);
                let turns = (grid / 100.0 - x / TAU).rem_euclid(1.0);
                assert!(turns.min(1.0 - turns) < 1e-15 * (1.0 + x.abs()), "{x}: {turns}");
                assert!(cell <= 100 && (-1.0..=1.0).contains(&rest), "{x}: {cell} {rest}");
            }
            for x in [0.0, -3.25, 5.0, 4.999] {
                let (cell, rest) = on_line::<true>(x, 4.0, 30.0, width);
                assert_eq!(on_line::<false>(x, 4.0, 30.0, width), (cell, rest));
                let grid = f64::from(cell) + 0.5 * width as f64 - 0.5 * (rest + 1.0);
                assert!((grid - 30.0 - 4.0 * x).abs() < 1e-14, "{x}: {grid}");
            }
        }
    }

    #[test]
    fn all_points_are_there_once_and_bins_follow_each_other() {
        let coordinates: Vec<Vec<f64>> =
            (0..3).map(|a| (0..999).map(|i| f64::from(i * (7 + a) % 83) * 0.07).collect()).collect();
        let points: Vec<&[f64]> = coordinates.iter().map(Vec::as_slice).collect();
        let (padded, width) = ([58, 66, 26], 6);
        let mut places = Places::<f32>::none(3);
        let maps = [50.0, 60.0, 20.0].map(Map::Period);
        places.set(&points, &maps, &padded, width).unwrap();
        let Places::Three(sorted) = places else { panic!("three axes") };
        let bin = |place: &Place<f32, 3>| {
            let start = place.start as usize;
            let cell = [start % 58, start / 58 % 66, start / 58 / 66];
            [2, 1, 0].map(|axis: usize| cell[axis] / BIN[axis])
        };
        assert!(sorted.is_sorted_by_key(bin));
        let mut indices: Vec<u32> = sorted.iter().map(|place| place.index).collect();
        indices.sort_unstable();
        assert!(indices.into_iter().eq(0..999));
    }
}
