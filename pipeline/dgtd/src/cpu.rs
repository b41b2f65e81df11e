//! The CPU's plan.
//!
//! | stage | |
//! |---|---|
//! | `traces` | fields behind the faces, from the blocks of the neighbours, and the plane wave |
//! | `flux` | jumps to fluxes |
//! | `update` | curl, lift and the Runge-Kutta stage, row by row of the matrices |
//!
//! Sixteen elements are a block, and the element is the fastest index: every entry of a matrix multiplies a vector of elements. Elements are in the order of a curve through space, so that most
//! neighbours are in blocks near by. A stage reads one copy of the fields and writes the other: blocks are independent of each other, threads are those of the current rayon pool, and results are the same
//! bits with any number of them. A [`Part`] has some of the elements only, and gets what it needs of others from the parts that have them.

mod block;
mod kernel;
mod layers;
pub(super) mod order;
mod part;
mod poles;
pub mod roof;

pub use part::{Exchange, Mail, Part, PartFields};

use super::design::Design;
use super::dispersion::Polarisation;
use super::lsrk;
use super::pml::Memory;
use super::{Error, Probe, State};
use block::Block;
use kernel::Stage;
use layers::Remembered;
use numerics::real::Real;
use numerics::simd::dispatch;
use poles::Polarised;
use rayon::prelude::*;
use std::ops::Range;

/// Elements of a block.
pub const LANES: usize = 16;

/// One value of every element of a block.
pub type Lane<T> = [T; LANES];

/// Blocks that a thread takes at a time.
const TAKEN: usize = 8;

/// The lane of elements that a plan does not have.
const NOWHERE: usize = usize::MAX;

/// Numbers whose kernels are compiled here, once, and not again in every program that uses a plan, with what optimisation that has.
pub trait Compiled: Real {
    /// A stage on some blocks.
    #[doc(hidden)]
    fn run(stage: Stage<'_, Self>);
}

impl Compiled for f32 {
    #[inline(never)]
    fn run(stage: Stage<'_, Self>) {
        dispatch(stage);
    }
}

impl Compiled for f64 {
    #[inline(never)]
    fn run(stage: Stage<'_, Self>) {
        dispatch(stage);
    }
}

/// Matrices and blocks of a design.
#[derive(Debug, Clone)]
pub struct Plan<T> {
    design: Design,
    /// Element of each lane; beyond the elements nobody.
    elements: Vec<Option<u32>>,
    /// Lane of each element; ghosts have those behind all others.
    lanes: Vec<usize>,
    tables: Tables<T>,
    blocks: Vec<Block<T>>,
    /// Blocks of elements whose fields come from elsewhere.
    ghosts: usize,
}

/// Matrices of the reference element.
#[derive(Debug, Clone)]
struct Tables<T> {
    /// D_r, D_s, D_t of each node: `[row][column]`.
    derivatives: Vec<[T; 3]>,
    /// `[row][column]`
    lift: Vec<T>,
    /// Nodes of the element's own faces.
    own: Vec<usize>,
    /// Nodes of the neighbour's face as ours meet them, `[face][permutation][node]`.
    traces: Vec<usize>,
    nodes: usize,
    face_nodes: usize,
}

/// Fields at a time, of one plan.
#[derive(Debug, Clone)]
pub struct Fields<T> {
    /// `[block][node][component]`: Ex, Ey, Ez, Hx, Hy, Hz.
    now: Vec<Lane<T>>,
    next: Vec<Lane<T>>,
    residual: Vec<Lane<T>>,
    /// Of each block, node by node; blocks outside matched layers have none.
    remembered: Vec<Vec<Remembered<T>>>,
    /// Of each block, node by node and pole by pole; blocks without dispersive media have none.
    polarised: Vec<Vec<Polarised<T>>>,
    /// c t, m.
    pub time: f64,
}

impl<T: Real> Plan<T> {
    /// Orders the elements and rounds everything to `T`.
    pub fn new(design: Design) -> Self {
        let order = order::along_a_curve(&design);
        Self::of(design, &order, &[])
    }

    /// Some elements in their order, and ghosts: those of others that they see.
    fn of(design: Design, order: &[u32], ghosts: &[u32]) -> Self {
        let mut elements: Vec<Option<u32>> = order.iter().copied().map(Some).collect();
        elements.resize(elements.len().next_multiple_of(LANES), None);
        let mut lanes = vec![NOWHERE; design.cells.len()];
        let placed = order.iter().zip(0..).chain(ghosts.iter().zip(elements.len()..));
        placed.for_each(|(element, lane)| lanes[*element as usize] = lane);
        let tables = Tables::new(&design);
        let blocks = (0..elements.len() / LANES)
            .map(|block| Block::new(&design, &elements[block * LANES..][..LANES], block, &lanes))
            .collect();
        Self { design, elements, lanes, tables, blocks, ghosts: ghosts.len().div_ceil(LANES) }
    }

    /// What the plan is for.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Fields from their values at the nodes of the design, element by element.
    pub fn load(&self, states: &[State], time: f64) -> Result<Fields<T>, Error> {
        self.check(states.len())?;
        let zero = |blocks: usize| vec![[T::zero(); LANES]; blocks * self.rows()];
        let (own, all) = (self.blocks.len(), self.blocks.len() + self.ghosts);
        let mut fields = Fields {
            now: zero(all),
            next: zero(all),
            residual: zero(own),
            remembered: self.remembered(),
            polarised: self.blocks.iter().map(|block| block.unpolarised(self.tables.nodes)).collect(),
            time,
        };
        self.scatter(states, &mut fields.now);
        Ok(fields)
    }

    /// Values of fields at the nodes of the design, element by element.
    pub fn store(&self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        self.collect(&fields.now, states);
        Ok(())
    }

    /// What matched layers remember, node by node of their elements.
    pub fn memories(&self, fields: &Fields<T>) -> Vec<Memory> {
        self.remembering().map(|(block, node, lane)| fields.remembered[block][node].at(lane)).collect()
    }

    /// Puts back what they remember.
    pub fn remember(&self, fields: &mut Fields<T>, memories: &[Memory]) -> Result<(), Error> {
        let (given, needed) = (memories.len(), self.remembering().count());
        if given != needed {
            return Err(Error::Length { what: "memories", given, needed });
        }
        for ((block, node, lane), memory) in self.remembering().zip(memories) {
            fields.remembered[block][node].set(lane, memory);
        }
        Ok(())
    }

    /// Block, node and lane of everything that is remembered.
    fn remembering(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let elements = self.design.absorber.iter().flat_map(|absorber| &absorber.elements);
        let lanes = elements.map(|element| self.lanes[*element as usize]);
        let own = lanes.filter(|lane| *lane < self.elements.len());
        own.flat_map(|lane| (0..self.tables.nodes).map(move |node| (lane / LANES, node, lane % LANES)))
    }

    /// Polarisations of dispersive media, `[element][node][pole]`.
    pub fn polarisations(&self, fields: &Fields<T>) -> Vec<Polarisation> {
        let each = self.polarising().map(|(block, node, pole, lane)| {
            let count = self.blocks[block].poles.len();
            if pole < count {
                fields.polarised[block][node * count + pole].at(lane)
            } else {
                Default::default()
            }
        });
        each.collect()
    }

    /// Puts them back.
    pub fn polarise(&self, fields: &mut Fields<T>, polarisations: &[Polarisation]) -> Result<(), Error> {
        let (given, needed) = (polarisations.len(), self.polarising().count());
        if given != needed {
            return Err(Error::Length { what: "polarisations", given, needed });
        }
        for ((block, node, pole, lane), polarisation) in self.polarising().zip(polarisations) {
            let count = self.blocks[block].poles.len();
            if pole < count {
                fields.polarised[block][node * count + pole].set(lane, polarisation);
            }
        }
        Ok(())
    }

    /// Block, node, pole and lane of all polarisations.
    fn polarising(&self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        let media = self.design.dispersion.iter();
        let elements =
            media.flat_map(|it| it.elements.iter().map(|element| (self.lanes[*element as usize], it.most)));
        let own = elements.filter(|(lane, _)| *lane < self.elements.len());
        own.flat_map(|(lane, most)| {
            let each = (0..self.tables.nodes).flat_map(move |node| (0..most).map(move |pole| (node, pole)));
            each.map(move |(node, pole)| (lane / LANES, node, pole, lane % LANES))
        })
    }

    /// Fields at a probe of the plan's design.
    pub fn probe(&self, fields: &Fields<T>, probe: &Probe) -> State {
        let lane = self.lanes[probe.element];
        let first = lane / LANES * self.rows();
        probe.at((0..self.tables.nodes).map(|node| state(&fields.now[first + 6 * node..], lane % LANES)))
    }

    /// Fields at a node of an element.
    pub fn node(&self, fields: &Fields<T>, element: usize, node: usize) -> State {
        let lane = self.lanes[element];
        state(&fields.now[lane / LANES * self.rows() + 6 * node..], lane % LANES)
    }

    /// Memories of matched layers with nothing in them.
    fn remembered(&self) -> Vec<Vec<Remembered<T>>> {
        let nodes = |block: &Block<T>| block.matched.as_ref().map_or(0, |_| self.tables.nodes);
        self.blocks.iter().map(|block| vec![Remembered::new(); nodes(block)]).collect()
    }

    /// Rows of lanes of a block.
    fn rows(&self) -> usize {
        6 * self.tables.nodes
    }

    fn check(&self, given: usize) -> Result<(), Error> {
        let needed = self.design.states();
        if given == needed { Ok(()) } else { Err(Error::Length { what: "states", given, needed }) }
    }

    /// Row of lanes and lane of the first component of each node.
    fn places(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        let named = self.elements.iter().enumerate().filter_map(|(at, element)| element.map(|it| (at, it)));
        named.flat_map(|(at, element)| {
            let (row, state) = (at / LANES * self.rows(), element as usize * self.tables.nodes);
            (0..self.tables.nodes).map(move |node| (state + node, row + 6 * node, at % LANES))
        })
    }

    fn scatter(&self, states: &[State], rows: &mut [Lane<T>]) {
        for (state, row, lane) in self.places() {
            let State { e, h } = states[state];
            for (component, value) in e.to_array().into_iter().chain(h.to_array()).enumerate() {
                rows[row + component][lane] = T::of(value);
            }
        }
    }

    fn collect(&self, rows: &[Lane<T>], states: &mut [State]) {
        for (at, row, lane) in self.places() {
            states[at] = state(&rows[row..], lane);
        }
    }
}

impl<T: Compiled> Plan<T> {
    /// Rates of fields at their time, at the nodes of the design.
    pub fn rates(&self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        let mut scratch = fields.clone();
        let (now, written) = scratch.split();
        self.stage(now, written, 0..self.blocks.len(), [T::zero(), T::zero(), T::one()], fields.time);
        self.collect(&scratch.residual, states);
        Ok(())
    }

    /// Goes on by `dt`, m.
    pub fn step(&self, fields: &mut Fields<T>, dt: f64) {
        for stage in 0..lsrk::STAGES {
            let (factors, time) = factors(stage, fields.time, dt);
            let (now, written) = fields.split();
            self.stage(now, written, 0..self.blocks.len(), factors, time);
            std::mem::swap(&mut fields.now, &mut fields.next);
        }
        fields.time += dt;
    }

    /// One stage of some blocks with its factors a, b and dt: residual and next follow from now.
    fn stage(
        &self,
        now: &[Lane<T>],
        written: Written<'_, T>,
        blocks: Range<usize>,
        factors: [T; 3],
        time: f64,
    ) {
        let (length, begin) = (TAKEN * self.rows(), blocks.start);
        let rows = blocks.start * self.rows()..blocks.end * self.rows();
        let next = written.next[rows.clone()].par_chunks_mut(length);
        let residual = written.residual[rows].par_chunks_mut(length);
        let remembered = written.remembered[blocks.clone()].par_chunks_mut(TAKEN);
        let polarised = written.polarised[blocks.clone()].par_chunks_mut(TAKEN);
        let memories = remembered.zip(polarised);
        let shares = next.zip(residual).zip(memories).zip(self.blocks[blocks].par_chunks(TAKEN));
        shares.enumerate().for_each_init(
            || vec![[[T::zero(); LANES]; 6]; 8 * self.tables.face_nodes],
            |scratch, (share, (((next, residual), (remembered, polarised)), blocks))| {
                let (tables, wave, first) = (&self.tables, self.design.wave, begin + share * TAKEN);
                let port = self.design.port.as_ref();
                T::run(Stage {
                    tables,
                    blocks,
                    now,
                    next,
                    residual,
                    remembered,
                    polarised,
                    scratch,
                    factors,
                    wave,
                    port,
                    first,
                    time,
                });
            },
        );
    }
}

/// What a stage writes.
struct Written<'a, T> {
    next: &'a mut [Lane<T>],
    residual: &'a mut [Lane<T>],
    remembered: &'a mut [Vec<Remembered<T>>],
    polarised: &'a mut [Vec<Polarised<T>>],
}

impl<T> Fields<T> {
    /// What a stage reads, and what it writes.
    fn split(&mut self) -> (&[Lane<T>], Written<'_, T>) {
        let Self { now, next, residual, remembered, polarised, .. } = self;
        (now, Written { next, residual, remembered, polarised })
    }
}

/// a, b and dt of a stage, and its time, m.
fn factors<T: Real>(stage: usize, time: f64, dt: f64) -> ([T; 3], f64) {
    ([lsrk::A[stage], lsrk::B[stage], dt].map(T::of), time + lsrk::C[stage] * dt)
}

/// The fields of a node in a lane, from its first row on.
fn state<T: Real>(rows: &[Lane<T>], lane: usize) -> State {
    let [e, h] = [0, 3].map(|first| [0, 1, 2].map(|axis| rows[first + axis][lane].to_f64()).into());
    State { e, h }
}

impl<T: Real> Tables<T> {
    fn new(design: &Design) -> Self {
        let element = &design.element;
        let (nodes, face_nodes) = (element.node_count(), element.face_node_count());
        let at = |at: usize| (at / nodes, at % nodes);
        let entry = |place: usize| [0, 1, 2].map(|axis| T::of(element.derivatives[axis][at(place)]));
        let lift = (0..nodes).flat_map(|row| element.lift.row(row)).map(|value| T::of(*value));
        let seen = |face: usize| element.permuted.iter().flatten().map(move |i| element.face_nodes[face][*i]);
        Self {
            derivatives: (0..nodes * nodes).map(entry).collect(),
            lift: lift.collect(),
            own: element.face_nodes.concat(),
            traces: (0..4).flat_map(seen).collect(),
            nodes,
            face_nodes,
        }
    }
}
