//! One part of a design, computed beside others that have the rest.
//!
//! ```text
//! own elements            computed here: first those that see nothing of other parts, then the others
//! ghosts                  elements of other parts behind their faces: fields at the nodes of those faces alone, as they come
//! stage                   send; compute the first; receive; compute the others
//! ```
//! The arithmetic of an element does not depend on what else is in its block: fields are the same bits in any number of parts.

use super::{Compiled, Fields, LANES, Lane, Plan, factors};
use crate::design::Design;
use crate::dispersion::Polarisation;
use crate::partition::Partition;
use crate::pml::Memory;
use crate::{Error, PlaneWave, Probe, Spectrum, State, reference};
use numerics::real::Real;

/// How parts send each other what is at their faces.
pub trait Exchange<T> {
    /// Sends and receives all mail, and works in the meantime.
    fn exchange(&self, mail: &mut [Mail<T>], work: impl FnOnce() + Send);
}

/// What goes to another part, and what comes from it.
#[derive(Debug, Clone)]
pub struct Mail<T> {
    /// Number of the other part.
    pub part: usize,
    /// Goes.
    pub sent: Vec<T>,
    /// Comes; it has its length before.
    pub received: Vec<T>,
}

/// The plan of a part.
#[derive(Debug, Clone)]
pub struct Part<T> {
    plan: Plan<T>,
    /// Its elements, ascending.
    elements: Vec<u32>,
    /// Its blocks, from the first one on, that see nothing of other parts.
    inner: usize,
    routes: Vec<Route>,
}

/// First row and lane of the nodes at faces to another part.
#[derive(Debug, Clone)]
struct Route {
    part: usize,
    from: Vec<(usize, usize)>,
    to: Vec<(usize, usize)>,
}

/// Fields at a time, of one part.
#[derive(Debug, Clone)]
pub struct PartFields<T> {
    fields: Fields<T>,
    mail: Vec<Mail<T>>,
}

impl<T> PartFields<T> {
    /// c t, m.
    pub fn time(&self) -> f64 {
        self.fields.time
    }
}

impl<T: Real> Part<T> {
    /// Part number `part` of a design.
    pub fn new(design: Design, partition: &Partition, part: usize) -> Self {
        let links = partition.links(&design, part);
        let mut order = super::order::along_a_curve(&design);
        order.retain(|element| partition.owner(*element as usize) == part);
        let is_at_others: Vec<bool> =
            design.cells.iter().map(|cell| partition.is_beside(cell, part)).collect();
        order.sort_by_key(|element| is_at_others[*element as usize]);
        let inner = order.iter().filter(|element| !is_at_others[**element as usize]).count() / LANES;
        let mut ghosts: Vec<u32> =
            links.values().flat_map(|link| &link.received).map(|(element, _)| *element).collect();
        ghosts.dedup();
        let plan = Plan::of(design, &order, &ghosts);
        let mut elements = order;
        elements.sort_unstable();
        let places = |faces: &[(u32, u8)]| faces.iter().flat_map(|face| plan.face(*face)).collect();
        let routes = links.iter().map(|(part, link)| Route {
            part: *part,
            from: places(&link.sent),
            to: places(&link.received),
        });
        Self { routes: routes.collect(), plan, elements, inner }
    }

    /// What all parts are of.
    pub fn design(&self) -> &Design {
        self.plan.design()
    }

    /// Its elements, ascending.
    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// Whether it has an element.
    pub fn has(&self, element: usize) -> bool {
        self.plan.lanes[element] < self.plan.elements.len()
    }

    /// Fields of this part, from their values at the nodes of the whole design.
    pub fn load(&self, states: &[State], time: f64) -> Result<PartFields<T>, Error> {
        let mail = |route: &Route| Mail {
            part: route.part,
            sent: vec![T::zero(); 6 * route.from.len()],
            received: vec![T::zero(); 6 * route.to.len()],
        };
        let fields = self.plan.load(states, time)?;
        Ok(PartFields { fields, mail: self.routes.iter().map(mail).collect() })
    }

    /// Puts back what layers of the whole design remember.
    pub fn remember(&self, fields: &mut PartFields<T>, memories: &[Memory]) -> Result<(), Error> {
        let nodes = self.plan.tables.nodes;
        let elements = self.design().absorber.iter().flat_map(|absorber| &absorber.elements);
        let (given, needed) = (memories.len(), nodes * elements.clone().count());
        if given != needed {
            return Err(Error::Length { what: "memories", given, needed });
        }
        let own = elements.zip(memories.chunks(nodes)).filter(|(element, _)| self.has(**element as usize));
        let own: Vec<Memory> = own.flat_map(|(_, memories)| memories).copied().collect();
        self.plan.remember(&mut fields.fields, &own)
    }

    /// What the layers of this part remember, node by node of its elements.
    pub fn memories(&self, fields: &PartFields<T>) -> Vec<Memory> {
        self.plan.memories(&fields.fields)
    }

    /// Puts back the polarisations of the whole design.
    pub fn polarise(&self, fields: &mut PartFields<T>, polarisations: &[Polarisation]) -> Result<(), Error> {
        let dispersion = self.design().dispersion.as_ref();
        let width = dispersion.map_or(1, |it| it.width(self.plan.tables.nodes));
        let elements = dispersion.iter().flat_map(|it| &it.elements);
        let (given, needed) = (polarisations.len(), width * elements.clone().count());
        if given != needed {
            return Err(Error::Length { what: "polarisations", given, needed });
        }
        let each = elements.zip(polarisations.chunks(width));
        let own = each.filter(|(element, _)| self.has(**element as usize));
        let own: Vec<Polarisation> = own.flat_map(|(_, polarisations)| polarisations).copied().collect();
        self.plan.polarise(&mut fields.fields, &own)
    }

    /// Those of this part.
    pub fn polarisations(&self, fields: &PartFields<T>) -> Vec<Polarisation> {
        self.plan.polarisations(&fields.fields)
    }

    /// Fields at the nodes of its elements, ascending.
    pub fn states(&self, fields: &PartFields<T>) -> Vec<State> {
        let nodes = 0..self.plan.tables.nodes;
        let all = self.elements.iter().flat_map(|element| nodes.clone().map(move |node| (*element, node)));
        all.map(|(element, node)| self.node(fields, element as usize, node)).collect()
    }

    /// Half the integral of eps E^2 + mu H^2 in each of its elements, V^2 m, with what the poles of dispersive media have.
    pub fn energies(&self, fields: &PartFields<T>) -> Vec<f64> {
        let (design, own) = (self.design(), self.polarisations(fields));
        reference::total_energies(design, &self.elements, &self.states(fields), &own)
    }

    /// Fields at a probe in one of its elements.
    pub fn probe(&self, fields: &PartFields<T>, probe: &Probe) -> State {
        self.plan.probe(&fields.fields, probe)
    }

    /// Fields at a node of one of its elements.
    pub fn node(&self, fields: &PartFields<T>, element: usize, node: usize) -> State {
        self.plan.node(&fields.fields, element, node)
    }

    /// Adds the fields of a step to sums at points of its elements.
    pub fn add(&self, sums: &mut Spectrum, fields: &PartFields<T>, wave: Option<&PlaneWave>, dt: f64) {
        sums.add(&self.plan, &fields.fields, wave, dt);
    }
}

impl<T: Compiled> Part<T> {
    /// Goes on by `dt`, m, as all other parts must.
    pub fn step(&self, fields: &mut PartFields<T>, dt: f64, exchange: &impl Exchange<T>) {
        let PartFields { fields, mail } = fields;
        let (inner, all) = (0..self.inner, self.inner..self.plan.blocks.len());
        for stage in 0..super::lsrk::STAGES {
            let (factors, time) = factors(stage, fields.time, dt);
            for (route, mail) in self.routes.iter().zip(mail.iter_mut()) {
                pack(&fields.now, &route.from, &mut mail.sent);
            }
            let (now, written) = fields.split();
            exchange.exchange(mail, || self.plan.stage(now, written, inner.clone(), factors, time));
            for (route, mail) in self.routes.iter().zip(mail.iter()) {
                unpack(&mail.received, &route.to, &mut fields.now);
            }
            let (now, written) = fields.split();
            self.plan.stage(now, written, all.clone(), factors, time);
            std::mem::swap(&mut fields.now, &mut fields.next);
        }
        fields.time += dt;
    }
}

impl<T: Real> Plan<T> {
    /// First row and lane of the nodes of a face of an element.
    fn face(&self, (element, face): (u32, u8)) -> impl Iterator<Item = (usize, usize)> {
        let lane = self.lanes[element as usize];
        let first = lane / LANES * self.rows();
        let nodes = self.design.element.face_nodes[usize::from(face)].iter();
        nodes.map(move |node| (first + 6 * node, lane % LANES))
    }
}

fn pack<T: Real>(rows: &[Lane<T>], places: &[(usize, usize)], numbers: &mut [T]) {
    for ((row, lane), six) in places.iter().zip(numbers.as_chunks_mut::<6>().0) {
        six.iter_mut().zip(&rows[*row..]).for_each(|(number, lanes)| *number = lanes[*lane]);
    }
}

fn unpack<T: Real>(numbers: &[T], places: &[(usize, usize)], rows: &mut [Lane<T>]) {
    for ((row, lane), six) in places.iter().zip(numbers.as_chunks::<6>().0) {
        six.iter().zip(&mut rows[*row..]).for_each(|(number, lanes)| lanes[*lane] = *number);
    }
}
