//! Matrices and blocks of a design, and the steps of its fields.

use super::block::Block;
use super::kernel::Stage;
use super::lane::{LANES, Lane, zero};
use super::layers::Remembered;
use super::poles::Polarised;
use super::tables::Tables;
use crate::design::Design;
use crate::dispersion::Polarisation;
use crate::error::Error;
use crate::lsrk;
use crate::moment::Moment;
use crate::order::along_a_curve;
use crate::pml::Memory;
use crate::reference::total_energy;
use crate::spectrum::Spectrum;
use crate::{Probe, State};
use numerics::real::Real;
use numerics::simd::dispatch;
use rayon::prelude::*;
use std::ops::Range;

/// Blocks that a thread takes at a time.
const TAKEN: usize = 8;

/// The lane of elements that a plan does not have.
const NOWHERE: usize = usize::MAX;

numerics::compiled! {
    T: Real => Plan<T>: new, load, begin, store, memories, remember, polarisations, polarise, probe, add,
    energy, rates, step, stage
}

/// Matrices and blocks of a design.
#[derive(Debug, Clone)]
pub struct Plan<T> {
    design: Design,
    /// Element of each lane; beyond the elements nobody.
    pub(super) elements: Vec<Option<u32>>,
    /// Lane of each element; ghosts have those behind all others.
    pub(super) lanes: Vec<usize>,
    pub(super) tables: Tables<T>,
    pub(super) blocks: Vec<Block<T>>,
    /// Blocks of elements whose fields come from elsewhere.
    ghosts: usize,
}

/// Fields at a time, of one plan.
#[derive(Debug, Clone)]
pub struct Fields<T> {
    /// `[block][node][component]`: Ex, Ey, Ez, Hx, Hy, Hz.
    pub(super) now: Vec<Lane<T>>,
    pub(super) next: Vec<Lane<T>>,
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
    #[inline(never)]
    pub fn new(design: Design) -> Self {
        let order = along_a_curve(&design);
        Self::of(design, &order, &[])
    }

    /// Some elements in their order, and ghosts: those of others that they see.
    pub(super) fn of(design: Design, order: &[u32], ghosts: &[u32]) -> Self {
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
    #[inline(never)]
    pub fn load(&self, states: &[State], time: f64) -> Result<Fields<T>, Error> {
        self.check(states.len())?;
        let zero = |blocks: usize| vec![[T::zero(); LANES]; blocks * self.rows()];
        let (own, all) = (self.blocks.len(), self.blocks.len() + self.ghosts);
        let mut fields = Fields {
            now: zero(all),
            next: zero(all),
            residual: zero(own),
            remembered: self.blocks.iter().map(|block| block.unremembered(self.tables.nodes)).collect(),
            polarised: self.blocks.iter().map(|block| block.unpolarised(self.tables.nodes)).collect(),
            time,
        };
        self.scatter(states, &mut fields.now);
        Ok(fields)
    }

    /// Fields that go on from a moment.
    #[inline(never)]
    pub fn begin(&self, from: &Moment) -> Result<Fields<T>, Error> {
        let mut fields = self.load(&from.states, from.time)?;
        self.remember(&mut fields, &from.memory)?;
        self.polarise(&mut fields, &from.polarisations)?;
        Ok(fields)
    }

    /// Values of fields at the nodes of the design, element by element.
    #[inline(never)]
    pub fn store(&self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        self.collect(&fields.now, states);
        Ok(())
    }

    /// Whether it has an element of the design.
    pub fn has(&self, element: usize) -> bool {
        self.lanes[element] < self.elements.len()
    }

    /// What matched layers remember, node by node of the plan's elements.
    #[inline(never)]
    pub fn memories(&self, fields: &Fields<T>) -> Vec<Memory> {
        self.remembering().map(|(_, block, node, lane)| fields.remembered[block][node].at(lane)).collect()
    }

    /// Puts back what layers remember, of all elements of the design.
    #[inline(never)]
    pub fn remember(&self, fields: &mut Fields<T>, memories: &[Memory]) -> Result<(), Error> {
        Error::check_length("memories", memories.len(), self.design.memories())?;
        for (at, block, node, lane) in self.remembering() {
            fields.remembered[block][node].set(lane, &memories[at]);
        }
        Ok(())
    }

    /// Of all that the plan's elements remember, the number in the whole design, block, node and lane.
    fn remembering(&self) -> impl Iterator<Item = (usize, usize, usize, usize)> {
        let elements = self.design.absorber.iter().flat_map(|absorber| &absorber.elements);
        let (nodes, own) =
            (self.tables.nodes, elements.enumerate().filter(|(_, it)| self.has(**it as usize)));
        own.flat_map(move |(at, element)| {
            let lane = self.lanes[*element as usize];
            (0..nodes).map(move |node| (at * nodes + node, lane / LANES, node, lane % LANES))
        })
    }

    /// Polarisations of dispersive media, `[element][node][pole]` of the plan's elements.
    #[inline(never)]
    pub fn polarisations(&self, fields: &Fields<T>) -> Vec<Polarisation> {
        let each = self.polarising().map(|(_, block, place, lane)| {
            place.map_or_else(Polarisation::default, |place| fields.polarised[block][place].at(lane))
        });
        each.collect()
    }

    /// Puts back polarisations, of all elements of the design.
    #[inline(never)]
    pub fn polarise(&self, fields: &mut Fields<T>, polarisations: &[Polarisation]) -> Result<(), Error> {
        Error::check_length("polarisations", polarisations.len(), self.design.polarisations())?;
        for (at, block, place, lane) in self.polarising() {
            if let Some(place) = place {
                fields.polarised[block][place].set(lane, &polarisations[at]);
            }
        }
        Ok(())
    }

    /// Of all polarisations of the plan's elements, the number in the whole design, block, place in the block where it has
    /// so many poles, and lane.
    fn polarising(&self) -> impl Iterator<Item = (usize, usize, Option<usize>, usize)> {
        let media = self.design.dispersion.iter();
        let elements = media.flat_map(|it| it.elements.iter().map(|element| (*element as usize, it.most)));
        let own = elements.enumerate().filter(|(_, (element, _))| self.has(*element));
        own.flat_map(|(at, (element, most))| {
            let (lane, width) = (self.lanes[element], self.tables.nodes * most);
            let count = self.blocks[lane / LANES].poles.len();
            (0..width).map(move |i| {
                let (node, pole) = (i / most, i % most);
                let place = (pole < count).then_some(node * count + pole);
                (at * width + i, lane / LANES, place, lane % LANES)
            })
        })
    }

    /// Fields at a probe of the plan's design.
    #[inline(never)]
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

    /// Adds the fields of a step of length `dt`, m, and the incident wave where there is one.
    #[inline(never)]
    pub fn add(&self, sums: &mut Spectrum, fields: &Fields<T>, dt: f64) {
        let state = |element, node| self.node(fields, element, node);
        sums.add(self.design.wave.as_ref(), fields.time, dt, state);
    }

    /// Half the integral of eps E^2 + mu H^2 and what poles have, V^2 m.
    #[inline(never)]
    pub fn energy(&self, fields: &Fields<T>) -> f64 {
        let mut states = vec![State::default(); self.design.states()];
        self.collect(&fields.now, &mut states);
        total_energy(&self.design, &states, &self.polarisations(fields))
    }

    /// Rows of lanes of a block.
    pub(super) fn rows(&self) -> usize {
        6 * self.tables.nodes
    }

    fn check(&self, given: usize) -> Result<(), Error> {
        Error::check_length("states", given, self.design.states())
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
            for (component, value) in states[state].six().into_iter().enumerate() {
                rows[row + component][lane] = T::of(value);
            }
        }
    }

    fn collect(&self, rows: &[Lane<T>], states: &mut [State]) {
        for (at, row, lane) in self.places() {
            states[at] = state(&rows[row..], lane);
        }
    }
    /// Rates of fields at their time, at the nodes of the design.
    #[inline(never)]
    pub fn rates(&self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        let mut scratch = fields.clone();
        let (now, written) = scratch.split();
        self.stage(now, written, 0..self.blocks.len(), [T::zero(), T::zero(), T::one()], fields.time);
        self.collect(&scratch.residual, states);
        Ok(())
    }

    /// Goes on by `dt`, m.
    #[inline(never)]
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
    #[inline(never)]
    pub(super) fn stage(
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
            || vec![zero(); 8 * self.tables.face_nodes],
            |scratch, (share, (((next, residual), (remembered, polarised)), blocks))| {
                let (tables, wave, first) = (&self.tables, self.design.wave, begin + share * TAKEN);
                let port = self.design.port.as_ref();
                dispatch(Stage {
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
pub(super) struct Written<'a, T> {
    next: &'a mut [Lane<T>],
    residual: &'a mut [Lane<T>],
    remembered: &'a mut [Vec<Remembered<T>>],
    polarised: &'a mut [Vec<Polarised<T>>],
}

impl<T> Fields<T> {
    /// What a stage reads, and what it writes.
    pub(super) fn split(&mut self) -> (&[Lane<T>], Written<'_, T>) {
        let Self { now, next, residual, remembered, polarised, .. } = self;
        (now, Written { next, residual, remembered, polarised })
    }
}

/// a, b and dt of a stage, and its time, m.
pub(super) fn factors<T: Real>(stage: usize, time: f64, dt: f64) -> ([T; 3], f64) {
    ([lsrk::A[stage], lsrk::B[stage], dt].map(T::of), time + lsrk::C[stage] * dt)
}

/// The fields of a node in a lane, from its first row on.
fn state<T: Real>(rows: &[Lane<T>], lane: usize) -> State {
    State::of(|component| rows[component][lane])
}
