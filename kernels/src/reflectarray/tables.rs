//! Tables of a band: what they hold, checked, and on the card.

use super::designs::Designs;
use crate::abi;
use crate::error::{Error, at_least, lengths, same, size32};
use crate::memory::Buffer;
use crate::stream::Stream;
use num_complex::Complex;

type C = Complex<f64>;

/// Points of a spectrum for each block of `weigh`: four a thread.
const WEIGHED: usize = 1024;

/// A lattice, its moments, and directions. Rows of matrices are contiguous.
#[derive(Debug, Clone)]
pub struct Tables {
    /// Of the lattice.
    pub columns: usize,
    /// Of the lattice.
    pub rows: usize,
    /// Points of the power's transforms along x and y.
    pub grid: [usize; 2],
    /// Moments along x and y.
    pub terms: [usize; 2],
    /// What an element radiates at phase 0, `[row][column]`.
    pub amplitude: Vec<C>,
    /// exp(j beta (u0 x + v0 y)).
    pub carrier: Vec<C>,
    /// T_k, `[column][k]`, and T_l, `[row][l]`.
    pub polynomials: [Vec<f64>; 2],
    /// e_k J_k at the different u, `[u][k]`, and e_l J_l at the different v, `[v][l]`.
    pub waves: [Vec<f64>; 2],
    /// Transform of the power's kernel, `[ky][kx]`, over the number of its points.
    pub weights: Vec<f64>,
    /// Number of the u and of the v of every direction; directions with the same v follow each other, by rising number.
    pub places: [Vec<u32>; 2],
    /// g^2 of every direction.
    pub gains: Vec<f64>,
}

/// What is minimised, for every direction in the order of the tables.
#[derive(Debug, Clone)]
pub struct Goal {
    /// ln of the least directivity.
    pub lower: Vec<f64>,
    /// ln of the greatest directivity, and what exceeding it counts for.
    pub upper: Vec<[f64; 2]>,
    /// What a direction counts for in the mean.
    pub shares: Vec<f64>,
    /// mu.
    pub mean: f64,
    /// p.
    pub sharpness: f64,
    /// Of this band.
    pub weight: f64,
}

/// Tables on the card.
#[derive(Debug)]
pub struct Constants {
    pub amplitude: Buffer<C>,
    pub carrier: Buffer<C>,
    /// `[column][k]` and `[k][column]`; `[row][l]` and `[l][row]`.
    pub along: Buffer<f64>,
    pub up: Buffer<f64>,
    pub down: Buffer<f64>,
    pub over: Buffer<f64>,
    /// `[k][u]` and `[u][k]`; `[l][v]` and `[v][l]`.
    pub waves_u: Buffer<f64>,
    pub waves_u_turned: Buffer<f64>,
    pub waves_v: Buffer<f64>,
    pub waves_v_turned: Buffer<f64>,
    pub weights: Buffer<f64>,
    pub starts: Buffer<u32>,
    pub pieces: Buffer<u32>,
    pub place_of: Buffer<u32>,
    pub line_of: Buffer<u32>,
    pub gains: Buffer<f64>,
    pub lower: Buffer<f64>,
    pub upper: Buffer<C>,
    pub shares: Buffer<f64>,
}

impl Constants {
    pub fn new(
        stream: &mut Stream,
        tables: &Tables,
        goal: &Goal,
        [starts, pieces]: [&[u32]; 2],
    ) -> Result<Self, Error> {
        let [k, l] = tables.terms;
        let [along, down] = &tables.polynomials;
        let [u, v] = &tables.waves;
        let upper: Vec<C> = goal.upper.iter().map(|[level, kappa]| C::new(*level, *kappa)).collect();
        let mut put = |what, values: &[f64]| Buffer::from_slice(stream, what, values);
        let (up, over) = (transposed(along, k), transposed(down, l));
        let (waves_u, waves_v) = (transposed(u, k), transposed(v, l));
        Ok(Self {
            along: put("polynomials of columns", along)?,
            up: put("polynomials of columns", &up)?,
            down: put("polynomials of rows", down)?,
            over: put("polynomials of rows", &over)?,
            waves_u: put("waves of u", &waves_u)?,
            waves_u_turned: put("waves of u", u)?,
            waves_v: put("waves of v", &waves_v)?,
            waves_v_turned: put("waves of v", v)?,
            weights: put("weights of the power", &tables.weights)?,
            gains: put("patterns", &tables.gains)?,
            lower: put("least directivities", &goal.lower)?,
            shares: put("shares", &goal.shares)?,
            amplitude: Buffer::from_slice(stream, "amplitudes", &tables.amplitude)?,
            carrier: Buffer::from_slice(stream, "carrier", &tables.carrier)?,
            upper: Buffer::from_slice(stream, "greatest directivities", &upper)?,
            starts: Buffer::from_slice(stream, "starts of lines", starts)?,
            pieces: Buffer::from_slice(stream, "pieces of lines", pieces)?,
            place_of: Buffer::from_slice(stream, "places of directions", &tables.places[0])?,
            line_of: Buffer::from_slice(stream, "lines of directions", &tables.places[1])?,
        })
    }
}

/// The structure for the kernels, checked against all tables; and how many different u there are.
pub fn sizes(
    tables: &Tables,
    goal: &Goal,
    designs: &Designs,
    first: bool,
) -> Result<(abi::Reflectarray, usize), Error> {
    let Tables { columns, rows, grid, terms, .. } = *tables;
    let directions = tables.gains.len();
    let different = |places: &[u32]| places.iter().max().map_or(0, |most| *most as usize + 1);
    let [places, lines] = [0, 1].map(|axis: usize| different(&tables.places[axis]));
    lengths(&[
        ("elements of designs", designs.elements, columns * rows),
        ("amplitudes", tables.amplitude.len(), columns * rows),
        ("carrier", tables.carrier.len(), columns * rows),
        ("polynomials of columns", tables.polynomials[0].len(), columns * terms[0]),
        ("polynomials of rows", tables.polynomials[1].len(), rows * terms[1]),
        ("waves of u", tables.waves[0].len(), places * terms[0]),
        ("waves of v", tables.waves[1].len(), lines * terms[1]),
        ("weights of the power", tables.weights.len(), grid[0] * grid[1]),
        ("places of directions", tables.places[0].len(), directions),
        ("lines of directions", tables.places[1].len(), directions),
        ("least directivities", goal.lower.len(), directions),
        ("greatest directivities", goal.upper.len(), directions),
        ("shares", goal.shares.len(), directions),
    ])?;
    at_least("points along x", grid[0], 2 * columns - 1)?;
    at_least("points along y", grid[1], 2 * rows - 1)?;
    let number = |value: usize| size32("reflectarray", value);
    Ok((
        abi::Reflectarray {
            columns: number(columns)?,
            rows: number(rows)?,
            wide: number(grid[0])?,
            tall: number(grid[1])?,
            terms_x: number(terms[0])?,
            terms_y: number(terms[1])?,
            lines: number(lines)?,
            directions: number(directions)?,
            field_parts: 0,
            power_parts: number((grid[0] * grid[1]).div_ceil(WEIGHED))?,
            zernike: number(designs.zernike)?,
            added: u32::from(!first),
            designs: number(designs.count)?,
            reserved: 0,
            weight: goal.weight,
            mean: goal.mean,
            sharpness: goal.sharpness,
            covered: goal.lower.iter().filter(|lower| lower.is_finite()).count() as f64,
        },
        places,
    ))
}

/// First direction of every line, and the end; lines must follow each other.
pub fn starts(line_of: &[u32], lines: u32) -> Result<Vec<u32>, Error> {
    let mut starts = Vec::new();
    for (direction, &line) in line_of.iter().enumerate() {
        if line as usize == starts.len() {
            starts.push(size32("direction", direction)?);
        }
        same("line of a direction", line as usize + 1, starts.len())?;
    }
    same("lines", starts.len(), lines as usize)?;
    starts.push(size32("directions", line_of.len())?);
    Ok(starts)
}

/// Bytes of shared memory that the directions of a line take, for so many designs.
pub fn line_bytes(longest: u32, together: u32) -> usize {
    longest as usize * (together as usize * size_of::<C>() + size_of::<u32>())
}

/// First direction of every piece of a line, of at most `most`, and the end.
pub fn pieces(starts: &[u32], most: usize) -> Vec<u32> {
    let lines = starts.windows(2).flat_map(|pair| (pair[0]..pair[1]).step_by(most));
    lines.chain(starts.last().copied()).collect()
}

fn transposed(matrix: &[f64], columns: usize) -> Vec<f64> {
    let rows = matrix.len() / columns.max(1);
    (0..columns).flat_map(|c| (0..rows).map(move |r| matrix[r * columns + c])).collect()
}
