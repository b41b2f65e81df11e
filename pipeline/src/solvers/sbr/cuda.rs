//! The card's twin of [`cpu`](super::cpu): the same rays to the last bit, the same rules, fields that differ by rounding.
//!
//! | stage | what it does |
//! |---|---|
//! | mark | which tiles of the launch grids the target's shadow touches |
//! | tiles | corners and centres of 16 x 16 tubes; what goes one way radiates |
//! | cells | tubes that part, a level of quarterings after the other |
//! | parts | what is left of those radiates |
//!
//! Many directions go at once where grids are small, and a large grid goes in several parts, so that memory is bounded: see [`ROOM`]. Tubes of a plane that lie side by side
//! radiate as one where there are several frequencies or receivers.

use super::bvh::Bvh;
use super::cpu::{Response, Watch};
use super::design::{AGREED_DIRECTION, Launch};
use super::facets::Facets;
use super::po::Matrix;
use super::ropes::Steps;
use super::sum::finished;
use super::tube::Counts;
use super::vertices::{self, Seeds, Turning};
use super::{Direction, Edges, Error, Material, Rule, Settings, wavenumber};
use crate::mesh::{Mesh, check};
use kernels::abi::{Sbr, SbrLaunch, SbrReceiver, SbrSeed};
use kernels::sbr::{self, Child, DEPTH, ENTRIES, LAUNCHES, Rays, Receivers, Room, SIDE, Tables};
use kernels::{Device, Stream};
use num_complex::Complex;
use rayon::prelude::*;

/// What lists of the card hold: 32 MiB of seeds, 160 MiB of cells, 624 MiB of parts.
pub const ROOM: Room = Room { cells: 1 << 23, quartered: 1 << 22, parts: 1 << 21 };

/// Sums of so many times the grid's area fit; an exit along its facet covers more of it than a tube is wide.
const HEADROOM: f64 = 65536.0;

/// Matrices at once: 256 MiB of sums.
const RESULTS: usize = 1 << 22;

/// A target that is ready to be lit, on a card.
pub struct Plan {
    target: Target,
    splits: u32,
    room: Room,
    stream: Stream,
    rays: Rays,
}

/// What the host knows of it.
struct Target {
    facets: Facets,
    /// Where borders turn.
    turning: Vec<Turning>,
    settings: Settings,
}

impl Plan {
    /// Builds the tree and sends it to the card. Refuses what is only done on the processor: materials but perfect conductors, the paper's rule, edges.
    pub fn new(
        device: &Device,
        mesh: &Mesh,
        materials: &[Material],
        settings: &Settings,
    ) -> Result<Self, Error> {
        Self::with_room(device, mesh, materials, settings, ROOM)
    }

    /// The same with other lists, which results do not depend on.
    pub fn with_room(
        device: &Device,
        mesh: &Mesh,
        materials: &[Material],
        settings: &Settings,
        room: Room,
    ) -> Result<Self, Error> {
        settings.validate()?;
        let facets = Facets::new(mesh)?;
        if !materials.iter().all(Material::is_conductor) {
            return Err(Error::NotOnCard { what: "a material that is no perfect conductor" });
        }
        if settings.edges != Edges::None {
            return Err(Error::NotOnCard { what: "diffraction by edges" });
        }
        let splits = match settings.rule {
            Rule::Footprint { splits } if (1..=sbr::LEVELS as u32).contains(&splits) => splits,
            _ => return Err(Error::NotOnCard { what: "a rule but tubes that are quartered 1 to 3 times" }),
        };
        let sides = check::sides(mesh);
        let turning = vertices::turning(mesh, &sides, facets.centre, settings.edges.least_turn());
        let tables = tables(&facets, &Bvh::new(&facets))?;
        let mut stream = device.stream()?;
        let rays = Rays::new(&mut stream, &tables, room)?;
        let target = Target { facets, turning, settings: settings.clone() };
        Ok(Self { target, splits, room, stream, rays })
    }

    /// What a wave from each direction sends back there, at all frequencies.
    pub fn monostatic(
        &mut self,
        directions: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Response>, Error> {
        let most = (RESULTS / self.target.settings.frequencies.len()).max(1);
        let mut responses = Vec::with_capacity(directions.len());
        for some in directions.chunks(most) {
            let incidences: Vec<(Direction, usize)> =
                some.iter().enumerate().map(|(i, direction)| (*direction, i)).collect();
            responses.extend(self.light(&incidences, some, 1, watch)?);
        }
        Ok(responses)
    }

    /// What a wave from `incidence` sends towards all `observations`, at all frequencies.
    pub fn execute(
        &mut self,
        incidence: Direction,
        observations: &[Direction],
        watch: &mut Watch<'_>,
    ) -> Result<Response, Error> {
        if observations.is_empty() {
            return Err(Error::NoObservation);
        }
        let most = (RESULTS / self.target.settings.frequencies.len()).max(1);
        let mut all =
            Response { fields: Vec::new(), counts: Counts::default(), steps: [Steps::default(); 2] };
        for some in observations.chunks(most) {
            for response in self.light(&[(incidence, 0)], some, some.len(), watch)? {
                all.fields.extend(response.fields);
                all.counts = response.counts;
            }
        }
        Ok(all)
    }

    /// Responses to several incidences, each with `receivers` observations from a number on.
    fn light(
        &mut self,
        incidences: &[(Direction, usize)],
        observations: &[Direction],
        receivers: usize,
        watch: &mut Watch<'_>,
    ) -> Result<Vec<Response>, Error> {
        observations.iter().try_for_each(|direction| direction.validate())?;
        let target = &self.target;
        let launches: Vec<Lit> = incidences
            .par_iter()
            .map(|(direction, first)| Lit::new(target, *direction, *first))
            .collect::<Result<_, _>>()?;
        let waves: Vec<f64> =
            self.target.settings.frequencies.iter().map(|f| wavenumber(*f) / std::f64::consts::TAU).collect();
        let seen: Vec<SbrReceiver> = observations.iter().map(receiver).collect();
        let mut sums = Receivers::new(&mut self.stream, &seen, &waves)?;
        let numbers = self.numbers(receivers as u32);
        let parts = batches(&launches, self.room.cells)?;
        let mut counts = Counts::default();
        for (done, part) in parts.iter().enumerate() {
            if watch(done, parts.len()).is_break() {
                return Err(Error::Stopped { done, total: parts.len() });
            }
            let did = self.rays.run(&mut self.stream, &part.launches, &part.seeds, &mut sums, &numbers)?;
            counts = counts.plus(counted(&did));
        }
        let sums = sums.sums(&mut self.stream)?;
        Ok(self.finish(&launches, observations, receivers, &sums, counts))
    }

    fn numbers(&self, receivers: u32) -> Sbr {
        let least = self.target.facets.least_distance();
        let place = Launch::place_tolerance(&self.target.settings);
        Sbr {
            launches: 0,
            facets: 0,
            bounces: self.target.settings.bounces as u32,
            receivers,
            frequencies: 0,
            capacity: 0,
            parts: 0,
            levels: self.splits,
            seeds: 0,
            reserved: 0,
            least,
            place: place * place,
            direction: AGREED_DIRECTION * AGREED_DIRECTION,
            linear: least * least,
        }
    }

    /// Scattering matrices with the origin of coordinates as reference of phase. Counts are those of all together, with the first.
    fn finish(
        &self,
        launches: &[Lit],
        observations: &[Direction],
        receivers: usize,
        sums: &[i64],
        counts: Counts,
    ) -> Vec<Response> {
        let frequencies = &self.target.settings.frequencies;
        let matrices = sums.as_chunks::<ENTRIES>().0;
        let response = |(index, lit): (usize, &Lit)| {
            let first = lit.first;
            let fields = (0..receivers * frequencies.len()).map(|i| {
                let (r, f) = (i / frequencies.len(), i % frequencies.len());
                let k = wavenumber(frequencies[f]);
                let both = lit.launch.sight + observations[first + r].unit();
                let sum = matrix(&matrices[(first + r) * frequencies.len() + f], lit.quantum);
                finished(&sum, k, both.dot(self.target.facets.centre))
            });
            Response {
                fields: fields.collect(),
                counts: if index == 0 { counts } else { Counts::default() },
                steps: Default::default(),
            }
        };
        launches.iter().enumerate().map(response).collect()
    }
}

fn matrix(sums: &[i64; ENTRIES], quantum: f64) -> Matrix {
    let entry = |i: usize| Complex::new(sums[2 * i] as f64, sums[2 * i + 1] as f64) * quantum;
    [[entry(0), entry(1)], [entry(2), entry(3)]]
}

fn counted(did: &sbr::Counts) -> Counts {
    let sbr::Counts { rays, segments, tubes, cut, split } = *did;
    Counts { rays, segments, tubes, cut, split, dropped: 0 }
}

fn receiver(direction: &Direction) -> SbrReceiver {
    SbrReceiver {
        sight: direction.unit().to_array(),
        polarisations: direction.polarisations().map(|p| p.to_array()),
    }
}

/// The tree in the order and form of the card.
fn tables(facets: &Facets, tree: &Bvh) -> Result<Tables, Error> {
    let depth = tree.depth();
    if depth > DEPTH {
        return Err(Error::NotOnCard { what: "a tree of more than 64 levels" });
    }
    let pick = |facet: &u32| *facet as usize;
    let mut tables = Tables::default();
    tables.corners = tree.order.iter().map(|facet| facets.corners[pick(facet)]).collect();
    tables.normals = tree.order.iter().map(|facet| facets.normals[pick(facet)].to_array()).collect();
    tables.numbers.clone_from(&tree.order);
    for node in &tree.nodes {
        let child = |i: usize| Child {
            low: node.low[i],
            high: node.high[i],
            first: node.first[i],
            count: node.count[i],
        };
        tables.push([child(0), child(1)])?;
    }
    Ok(tables)
}

/// A launch grid of one direction.
struct Lit {
    launch: Launch,
    seeds: Seeds,
    fields: [[f64; 2]; 2],
    inverse: f64,
    quantum: f64,
    /// Number of its first receiver.
    first: usize,
}

impl Lit {
    fn new(target: &Target, direction: Direction, first: usize) -> Result<Self, Error> {
        let launch = Launch::new(&target.facets, direction, &target.settings)?;
        let seeds = Seeds::new(&launch, &target.turning);
        let square = launch.u.dot(launch.u);
        let fields = direction.polarisations().map(|e| [e.dot(launch.u) / square, e.dot(launch.v) / square]);
        let area = square * launch.columns as f64 * launch.rows as f64;
        let quantum = area * HEADROOM * (2f64).powi(-62);
        Ok(Self { launch, seeds, fields, inverse: 1.0 / square, quantum, first })
    }

    fn columns(&self) -> usize {
        self.launch.columns as usize
    }

    fn tile_rows(&self) -> usize {
        (self.launch.rows as usize).div_ceil(SIDE)
    }

    /// Seeds in rows of tiles, behind those of others.
    fn seeds(&self, first: usize, rows: usize, cells_before: usize, to: &mut Vec<SbrSeed>) {
        let cells = self.seeds.cells();
        let columns = self.launch.columns;
        let [start, end] = [first, first + rows].map(|row| (row * SIDE) as u64 * columns);
        let [from, until] = [start, end].map(|number| cells.partition_point(|cell| *cell < number));
        for (cell, [x, y]) in cells[from..until].iter().zip(&self.seeds.places()[from..until]) {
            let cell = (cell - start) as u32 + cells_before as u32;
            to.push(SbrSeed { x: *x, y: *y, cell, reserved: 0 });
        }
    }

    /// Rows of tiles from `first` on, with their bits and cells behind those of others.
    fn part(&self, first: usize, rows: usize, words_before: usize, cells_before: usize) -> SbrLaunch {
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
            first_word: words_before as u32,
            words: self.words() as u32,
            first_cell: cells_before as u32,
            direction: self.first as u32,
        }
    }

    fn words(&self) -> usize {
        self.columns().div_ceil(SIDE * 32)
    }
}

/// Parts of grids that go to the card at once.
#[derive(Default)]
struct Batch {
    launches: Vec<SbrLaunch>,
    seeds: Vec<SbrSeed>,
}

/// All grids as parts that have no more than so many tubes together.
fn batches(launches: &[Lit], most: usize) -> Result<Vec<Batch>, Error> {
    let mut batches = Vec::new();
    let (mut batch, mut words, mut cells) = (Batch::default(), 0, 0);
    for lit in launches {
        let row = SIDE * lit.columns();
        if row > most {
            return Err(Error::NotOnCard { what: "a row of tubes that is longer than its lists" });
        }
        let mut first = 0;
        while first < lit.tile_rows() {
            let rows = ((most - cells) / row).min(lit.tile_rows() - first);
            if rows == 0 || batch.launches.len() == LAUNCHES {
                batches.push(std::mem::take(&mut batch));
                (words, cells) = (0, 0);
                continue;
            }
            batch.launches.push(lit.part(first, rows, words, cells));
            lit.seeds(first, rows, cells, &mut batch.seeds);
            (words, cells, first) = (words + rows * lit.words(), cells + rows * row, first + rows);
        }
    }
    batches.push(batch);
    Ok(batches)
}
