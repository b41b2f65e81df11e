//! One part of a design, computed beside others that have the rest.
//!
//! ```text
//! own elements            computed here: first those that see nothing of other parts, then the others
//! ghosts                  elements of other parts behind their faces: fields at the nodes of those faces alone, as they come
//! stage                   send; compute the first; receive; compute the others
//! ```
//! The arithmetic of an element does not depend on what else is in its block: fields are the same bits in any number of parts.

use super::lane::{LANES, Lane};
use super::plan::{Fields, Plan, factors};
use crate::design::Design;
use crate::partition::Partition;
use crate::{State, lsrk, reference};
use numerics::real::Real;

/// How parts send each other what is at their faces.
pub trait Exchange<T> {
    /// Sends and receives all mail, and works in the meantime.
    fn exchange(&self, mail: &mut [Mail<T>], work: Box<dyn FnOnce() + Send + '_>);
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
    /// What goes along them.
    mail: Vec<Mail<T>>,
}

/// First row and lane of the nodes at faces to another part.
#[derive(Debug, Clone)]
struct Route {
    from: Vec<(usize, usize)>,
    to: Vec<(usize, usize)>,
}

numerics::compiled! { T: Real => Part<T>: new, states, energies }

impl<T: Real> Part<T> {
    /// Part number `part` of a design.
    #[inline(never)]
    pub fn new(design: Design, partition: &Partition, part: usize) -> Self {
        let links = partition.links(&design, part);
        let mut order = crate::order::along_a_curve(&design);
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
        let routes =
            links.values().map(|link| Route { from: places(&link.sent), to: places(&link.received) });
        let routes: Vec<Route> = routes.collect();
        let mail = links.keys().zip(&routes).map(|(part, route)| Mail {
            part: *part,
            sent: vec![T::zero(); 6 * route.from.len()],
            received: vec![T::zero(); 6 * route.to.len()],
        });
        Self { mail: mail.collect(), routes, plan, elements, inner }
    }

    /// The plan of its elements.
    pub fn plan(&self) -> &Plan<T> {
        &self.plan
    }

    /// Its elements, ascending.
    pub fn elements(&self) -> &[u32] {
        &self.elements
    }

    /// Fields at the nodes of its elements, ascending.
    #[inline(never)]
    pub fn states(&self, fields: &Fields<T>) -> Vec<State> {
        let nodes = 0..self.plan.tables.nodes;
        let all = self.elements.iter().flat_map(|element| nodes.clone().map(move |node| (*element, node)));
        all.map(|(element, node)| self.plan.node(fields, element as usize, node)).collect()
    }

    /// Half the integral of eps E^2 + mu H^2 in each of its elements, V^2 m, with what the poles of dispersive media have.
    #[inline(never)]
    pub fn energies(&self, fields: &Fields<T>) -> Vec<f64> {
        let (design, own) = (self.plan.design(), self.plan.polarisations(fields));
        reference::total_energies(design, &self.elements, &self.states(fields), &own)
    }

    /// Goes on by `dt`, m, as all other parts must.
    pub fn step(&mut self, fields: &mut Fields<T>, dt: f64, exchange: &(impl Exchange<T> + ?Sized)) {
        let Self { plan, routes, mail, inner, .. } = self;
        let (inner, all) = (0..*inner, *inner..plan.blocks.len());
        for stage in 0..lsrk::STAGES {
            let (factors, time) = factors(stage, fields.time, dt);
            for (route, mail) in routes.iter().zip(mail.iter_mut()) {
                pack(&fields.now, &route.from, &mut mail.sent);
            }
            let (now, written) = fields.split();
            let work = || plan.stage(now, written, inner.clone(), factors, time);
            exchange.exchange(mail, Box::new(work));
            for (route, mail) in routes.iter().zip(mail.iter()) {
                unpack(&mail.received, &route.to, &mut fields.now);
            }
            let (now, written) = fields.split();
            plan.stage(now, written, all.clone(), factors, time);
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
        let nodes = self.design().element.face_nodes[usize::from(face)].iter();
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
