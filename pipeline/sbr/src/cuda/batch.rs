//! Launch grids, in parts that go to a card at once.

use crate::design::Target;
use crate::launch::Launch;
use crate::vertices::{Seeds, Turning};
use crate::{Direction, Error};
use kernels::abi::{SbrLaunch, SbrSeed};
use kernels::sbr::{LAUNCHES, SIDE};
use numerics::parallel;
use std::sync::OnceLock;

/// Sums of so many times the grid's area fit; an exit along its facet covers more of it than a tube is wide.
const HEADROOM: f64 = 65536.0;

/// Batches that small problems are cut into.
const PARTS: usize = 6;

/// Fewest tubes of a batch where there are enough for all workers.
const LEAST_BATCH: usize = 1 << 18;

/// A launch grid of one direction.
pub struct Lit {
    pub launch: Launch,
    fields: [[f64; 2]; 2],
    inverse: f64,
    pub quantum: f64,
    /// Number of its first receiver.
    pub first: usize,
    /// Rays in the corners of borders, found for its first batch.
    seeds: OnceLock<Seeds>,
}

impl Lit {
    pub fn new(target: &Target, direction: Direction, first: usize) -> Result<Self, Error> {
        let launch = Launch::new(&target.facets, direction, &target.settings)?;
        let square = launch.u.dot(launch.u);
        let fields = direction.polarisations().map(|e| [e.dot(launch.u) / square, e.dot(launch.v) / square]);
        let area = square * launch.columns as f64 * launch.rows as f64;
        let quantum = area * HEADROOM * (2f64).powi(-62);
        Ok(Self { launch, fields, inverse: 1.0 / square, quantum, first, seeds: OnceLock::new() })
    }

    fn columns(&self) -> usize {
        self.launch.columns as usize
    }

    fn tile_rows(&self) -> usize {
        (self.launch.rows as usize).div_ceil(SIDE)
    }

    fn seeds(&self, turning: &[Turning]) -> &Seeds {
        self.seeds.get_or_init(|| Seeds::new(&self.launch, turning))
    }

    /// Adds seeds in rows of tiles, whose cells are behind those of others.
    fn add_seeds(&self, turning: &[Turning], part: &SbrLaunch, to: &mut Vec<SbrSeed>) {
        let seeds = self.seeds(turning);
        let first = part.first_tile_row as usize;
        let [start, end] =
            [first, first + part.tile_rows as usize].map(|row| (row * SIDE) as u64 * self.launch.columns);
        let cells = seeds.cells();
        let [from, until] = [start, end].map(|number| cells.partition_point(|cell| *cell < number));
        let seed = |(cell, [x, y]): (&u64, &[f64; 2])| SbrSeed {
            x: *x,
            y: *y,
            cell: (cell - start) as u32 + part.first_cell,
            reserved: 0,
        };
        to.extend(cells[from..until].iter().zip(&seeds.places()[from..until]).map(seed));
    }

    /// Rows of tiles from `first` on, with their tiles and cells behind those of others.
    pub fn part(&self, first: usize, rows: usize, tiles_before: usize, cells_before: usize) -> SbrLaunch {
        SbrLaunch {
            sight: self.launch.sight.to_array(),
            corner: self.launch.corner.to_array(),
            u: self.launch.u.to_array(),
            v: self.launch.v.to_array(),
            fields: self.fields,
            inverse: self.inverse,
            quantum: self.quantum,
            columns: self.launch.columns as u32,
            rows: self.launch.rows as u32,
            first_tile_row: first as u32,
            tile_rows: rows as u32,
            first_tile: tiles_before as u32,
            tiles: self.tiles() as u32,
            first_cell: cells_before as u32,
            direction: self.first as u32,
        }
    }

    /// In a row.
    fn tiles(&self) -> usize {
        self.columns().div_ceil(SIDE)
    }
}

/// Parts of grids that go to the card at once.
#[derive(Default)]
pub struct Batch {
    pub launches: Vec<SbrLaunch>,
    /// Numbers of their grids.
    lit: Vec<usize>,
}

impl Batch {
    /// Rays in the corners of borders, in the order of cells, instead of those that are there.
    pub fn seeds(&self, lit: &[Lit], turning: &[Turning], seeds: &mut Vec<SbrSeed>) {
        parallel::each(self.lit.len(), &|at| {
            lit[self.lit[at]].seeds(turning);
        });
        seeds.clear();
        for (part, number) in self.launches.iter().zip(&self.lit) {
            lit[*number].add_seeds(turning, part, seeds);
        }
    }
}

/// All grids as parts of about as many tubes together, at most so many.
pub fn batches(launches: &[Lit], most: usize) -> Result<Vec<Batch>, Error> {
    let tubes: usize = launches.iter().map(|lit| lit.tile_rows() * SIDE * lit.columns()).sum();
    let some = tubes.div_ceil(PARTS).max(LEAST_BATCH).min(most);
    let mut batches = Vec::new();
    let (mut batch, mut tiles, mut cells) = (Batch::default(), 0, 0);
    for (number, lit) in launches.iter().enumerate() {
        let row = SIDE * lit.columns();
        if row > most {
            return Err(Error::NotOnCard("a row of tubes that is longer than its lists"));
        }
        let mut first = 0;
        while first < lit.tile_rows() {
            let rows = some.saturating_sub(cells) / row;
            // An empty batch takes a row of any length.
            let rows = rows.max(usize::from(cells == 0)).min(lit.tile_rows() - first);
            if rows == 0 || batch.launches.len() == LAUNCHES {
                batches.push(std::mem::take(&mut batch));
                (tiles, cells) = (0, 0);
                continue;
            }
            batch.launches.push(lit.part(first, rows, tiles, cells));
            batch.lit.push(number);
            (tiles, cells, first) = (tiles + rows * lit.tiles(), cells + rows * row, first + rows);
        }
    }
    batches.push(batch);
    Ok(batches)
}
