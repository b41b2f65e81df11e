//! `cuda/reflectarray.cu`: objective and gradient of reflectarrays on a lattice, many designs at once.
//!
//! A [`Band`] is one frequency: tables that do not change, memory of its own, and the order of its kernels,
//!
//! | beside each other | kernels |
//! |---|---|
//! | far field | `excite`, `lines_to_far`, `field_levels`, then `slopes_to_lines`, `far_to_lines`, `gradient_of_row` |
//! | power | cuFFT, `weigh`, cuFFT |
//!
//! where `slopes_to_lines` waits for the power and `gradient_of_row` for all of it. [`Designs`] is what bands share: unknowns, values and gradients.

mod designs;
mod tables;

use crate::abi;
use crate::calls::{self, sources};
use crate::error::{Error, size32};
use crate::fft::Fft;
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::Program;
use crate::stream::Stream;
pub use designs::Designs;
use num_complex::Complex;
use tables::{Constants, line_bytes, pieces, sizes, starts};
pub use tables::{Goal, Tables};

type C = Complex<f64>;

/// The source.
pub const PROGRAM: Program =
    Program { samples: &[&[("TOGETHER", 1)], &[("TOGETHER", 4)]], ..sources::REFLECTARRAY };

/// Threads of a block, as in the source.
const THREADS: usize = 256;
/// Designs from which on blocks take four of them together: tables are read less often, but single ones wait longer.
const MANY: usize = 32;
const TOGETHER: u32 = 4;
/// Bytes of shared memory that a line of directions of four designs may take.
const LONG: usize = 64 << 10;
/// Numbers in `Totals`, as in the source.
const TOTALS: usize = 8;

#[derive(Debug)]
struct Kernels {
    excite: Kernel,
    lines_to_far: Kernel,
    field_levels: Kernel,
    weigh: Kernel,
    slopes_to_lines: Kernel,
    far_to_lines: Kernel,
    gradient_of_row: Kernel,
    collect: Kernel,
}

impl Kernels {
    fn new(stream: &Stream, r: &abi::Reflectarray, longest: u32, many: bool) -> Result<Self, Error> {
        let together: u32 = if many { TOGETHER } else { 1 };
        let module = Module::load(stream.device(), &PROGRAM, &[("TOGETHER", i64::from(together))])?;
        let launch = |signature, grid: [u32; 2], threads: usize, shared: usize| {
            let geometry = Geometry::new([grid[0].max(1) as usize, grid[1] as usize, 1], threads, shared)?;
            module.prepare(signature, geometry)
        };
        let (columns, rows) = (r.columns as usize, r.rows as usize);
        let (terms, lines) = ([r.terms_x, r.terms_y].map(|terms| terms as usize), r.lines as usize);
        // Blocks are few where designs are: then they have more threads.
        let wide = |signature, blocks: u32, threads: usize, values: usize| {
            let threads = if many { THREADS } else { threads };
            launch(signature, [blocks, r.designs], threads, values * size_of::<C>())
        };
        // A warp has a piece, or where designs are few a quarter of one's terms.
        let (warps, groups) = (if many { 8 } else { 2 }, r.designs.div_ceil(together));
        Ok(Self {
            excite: wide(&calls::EXCITE, r.rows, 512, columns)?,
            lines_to_far: wide(&calls::LINES_TO_FAR, r.terms_x, 1024, rows + terms[1])?,
            field_levels: launch(&calls::FIELD_LEVELS, [r.field_parts.div_ceil(warps), groups], THREADS, 0)?,
            weigh: wide(&calls::WEIGH, r.power_parts, THREADS, 0)?,
            slopes_to_lines: launch(
                &calls::SLOPES_TO_LINES,
                [r.lines, groups],
                THREADS,
                line_bytes(longest, together),
            )?,
            far_to_lines: wide(&calls::FAR_TO_LINES, r.terms_x, 1024, lines + terms[1])?,
            gradient_of_row: wide(&calls::GRADIENT_OF_ROW, r.rows, 512, terms[0])?,
            collect: wide(&calls::COLLECT, r.zernike, THREADS, 0)?,
        })
    }
}

/// What a run writes.
#[derive(Debug)]
struct Room {
    grid: Buffer<C>,
    spectrum: Buffer<C>,
    lines: Buffer<C>,
    far_lines: Buffer<C>,
    field: Buffer<C>,
    logs: Buffer<f64>,
    field_sums: Buffer<f64>,
    line_sums: Buffer<f64>,
    power_sums: Buffer<f64>,
    totals: Buffer<f64>,
    arrived: Buffer<u32>,
}

/// One frequency.
#[derive(Debug)]
pub struct Band {
    sizes: abi::Reflectarray,
    places: u32,
    /// Directions of the longest line.
    longest: u32,
    /// Directions in the mean.
    inside: f64,
    kernels: Kernels,
    constants: Constants,
    room: Room,
    fft: Fft<f64>,
}

impl Band {
    /// For these designs; a band that is not the `first` adds to what the others found.
    pub fn new(
        stream: &mut Stream,
        tables: &Tables,
        goal: &Goal,
        designs: &Designs,
        first: bool,
    ) -> Result<Self, Error> {
        let (mut sizes, places) = sizes(tables, goal, designs, first)?;
        let starts = starts(&tables.places[1], sizes.lines)?;
        let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let many = designs.count >= MANY && line_bytes(longest, TOGETHER) <= LONG;
        let pieces = pieces(&starts, if many { 128 } else { 64 });
        sizes.field_parts = size32("pieces of lines", pieces.len() - 1)?;
        let [wide, tall] = tables.grid;
        Ok(Self {
            sizes,
            places: size32("different u", places)?,
            inside: goal.shares.iter().filter(|share| **share > 0.0).count() as f64,
            longest,
            kernels: Kernels::new(stream, &sizes, longest, many)?,
            constants: Constants::new(stream, tables, goal, [&starts, &pieces])?,
            room: Room::new(stream, &sizes, designs.count)?,
            fft: Fft::new(stream, &[tall, wide], designs.count)?,
        })
    }

    /// Queues the evaluation of all designs that move; the power runs in `side`, beside the rest. [`Designs::gradients`] are complete behind
    /// [`collect`](Self::collect) of the last band.
    pub fn evaluate(
        &mut self,
        stream: &mut Stream,
        side: &mut Stream,
        designs: &mut Designs,
    ) -> Result<(), Error> {
        let Self { sizes, kernels, constants: c, room, .. } = self;
        let moves = &designs.moves;
        let (base, polynomials) = match designs.zernike {
            0 => (None, None),
            _ => (Some(&designs.base), Some(&designs.polynomials)),
        };
        let call = calls::excite(
            moves,
            &designs.unknowns,
            base,
            polynomials,
            &c.amplitude,
            &c.carrier,
            &c.along,
            &mut room.grid,
            &mut room.lines,
            sizes,
        );
        kernels.excite.launch(stream, call)?;
        stream.fork(side)?;
        let Room { lines, far_lines, .. } = room;
        let call = calls::lines_to_far(moves, &*lines, &c.down, &c.waves_v, far_lines, sizes);
        kernels.lines_to_far.launch(stream, call)?;
        self.levels(stream, designs)?;
        self.power(stream, side, designs)?;
        self.back(stream, side, designs)
    }

    fn levels(&mut self, stream: &mut Stream, designs: &Designs) -> Result<(), Error> {
        let Self { sizes, places, kernels, constants: c, room, .. } = self;
        let Room { far_lines, field, logs, field_sums, totals, arrived, .. } = room;
        let call = calls::field_levels(
            &designs.moves,
            &*far_lines,
            &c.waves_u,
            &c.pieces,
            &c.line_of,
            &c.place_of,
            &c.gains,
            &c.lower,
            &c.shares,
            field,
            logs,
            field_sums,
            totals,
            arrived,
            *places,
            sizes,
        );
        kernels.field_levels.launch(stream, call)
    }

    /// The sum that `slopes_to_lines` waits for; the way back goes on beside it.
    fn power(&mut self, stream: &mut Stream, side: &mut Stream, designs: &Designs) -> Result<(), Error> {
        let Self { sizes, kernels, constants: c, room, fft, .. } = self;
        fft.execute_to(side, &room.grid, &mut room.spectrum, false)?;
        let Room { spectrum, power_sums, totals, arrived, .. } = room;
        let moves = &designs.moves;
        let call = calls::weigh(moves, &mut *spectrum, &c.weights, power_sums, totals, arrived, sizes);
        kernels.weigh.launch(side, call)?;
        stream.join_here(side)?;
        fft.execute(side, spectrum, true)
    }

    fn back(&mut self, stream: &mut Stream, side: &mut Stream, designs: &mut Designs) -> Result<(), Error> {
        let Self { sizes, longest, inside, kernels, constants: c, room, .. } = self;
        let Designs { moves, by_phase, values, scores, .. } = designs;
        let Room { grid, spectrum, lines, far_lines, field, logs, line_sums, totals, arrived, .. } = room;
        let call = calls::slopes_to_lines(
            &*moves,
            &*field,
            &*logs,
            &c.starts,
            &c.place_of,
            &c.lower,
            &c.shares,
            &c.upper,
            &c.waves_u_turned,
            &mut *far_lines,
            line_sums,
            &mut *totals,
            arrived,
            *longest,
            sizes,
        );
        kernels.slopes_to_lines.launch(stream, call)?;
        let call = calls::far_to_lines(&*moves, &*far_lines, &c.waves_v_turned, &c.over, &mut *lines, sizes);
        kernels.far_to_lines.launch(stream, call)?;
        stream.join(side)?;
        let call = calls::gradient_of_row(
            &*moves, &*lines, &c.up, &c.carrier, &*grid, &*spectrum, &*totals, by_phase, values, scores,
            *inside, sizes,
        );
        kernels.gradient_of_row.launch(stream, call)
    }

    /// From the gradient by phases to that by coefficients, where these are the unknowns.
    pub fn collect(&self, stream: &mut Stream, designs: &mut Designs) -> Result<(), Error> {
        if designs.zernike == 0 {
            return Ok(());
        }
        let Designs { moves, by_phase, polynomials, by_coefficient, .. } = designs;
        let call = calls::collect(&*moves, &*by_phase, &*polynomials, by_coefficient, &self.sizes);
        self.kernels.collect.launch(stream, call)
    }
}

impl Room {
    fn new(stream: &mut Stream, r: &abi::Reflectarray, designs: usize) -> Result<Self, Error> {
        let [rows, lines, terms] = [r.rows, r.lines, r.terms_x].map(|n| n as usize);
        let directions = r.directions as usize;
        let grid = r.wide as usize * r.tall as usize;
        Ok(Self {
            // Where there is no element stays zero.
            grid: Buffer::zeros(stream, "excitations", designs * grid)?,
            spectrum: Buffer::poisoned(stream, "spectrum", designs * grid)?,
            lines: Buffer::poisoned(stream, "sums of rows", designs * rows * terms)?,
            far_lines: Buffer::poisoned(stream, "sums of lines", designs * lines * terms)?,
            field: Buffer::poisoned(stream, "fields", designs * directions)?,
            logs: Buffer::poisoned(stream, "levels", designs * directions)?,
            field_sums: Buffer::poisoned(stream, "sums of levels", designs * r.field_parts as usize * 5)?,
            line_sums: Buffer::poisoned(stream, "sums of slopes", designs * lines * 2)?,
            power_sums: Buffer::poisoned(stream, "sums of the power", designs * r.power_parts as usize)?,
            totals: Buffer::poisoned(stream, "sums of designs", designs * TOTALS)?,
            arrived: Buffer::zeros(stream, "blocks that have come", designs * 3)?,
        })
    }
}
