//! One part of a run that several processes share.
//!
//! All processes call the same functions in the same order; what is whole is so on the first process only.

use super::cpu::{Exchange, Fields, Part};
use super::design::Design;
use super::dispersion::Polarisation;
use super::error::Error;
use super::moment::{Moment, Sums};
use super::numbers::{Numbers, flat, listed};
use super::partition::Partition;
use super::pml::Memory;
use super::probe::Probe;
use super::state::State;
use numerics::real::Real;

/// The processes of a run, numbered from 0, as one of them sees them.
pub trait Processes<T>: Exchange<T> {
    /// Number of this process.
    fn rank(&self) -> usize;
    /// Numbers of each process, in their order, on the first; on others nothing.
    fn lists(&self, own: Vec<f64>) -> Vec<Vec<f64>>;
    /// Numbers of one process for all.
    fn share(&self, from: usize, numbers: &mut [f64]);
}

/// The part of this process.
pub struct Shared<'a, T> {
    processes: &'a dyn Processes<T>,
    partition: Partition,
    part: Part<T>,
    fields: Fields<T>,
    /// Those of its elements.
    own: Sums,
    /// Those of all elements when they were last asked for.
    whole: Sums,
    /// The process that has the port.
    port: Option<usize>,
}

impl<'a, T: Real> Shared<'a, T> {
    /// From a moment of the whole design; sums go on from those that are given.
    pub(crate) fn new(
        processes: &'a dyn Processes<T>,
        partition: Partition,
        design: Design,
        from: &Moment,
        sums: Sums,
    ) -> Result<Self, Error> {
        let port = partition.port_owner(&design);
        let part = Part::new(design, &partition, processes.rank());
        let fields = part.plan().begin(from)?;
        let mut found = Self { processes, partition, part, fields, own: Sums::default(), whole: sums, port };
        found.take_own();
        Ok(found)
    }

    /// Begins anew.
    pub(crate) fn load(&mut self, from: &Moment, sums: Sums) -> Result<(), Error> {
        (self.fields, self.whole) = (self.part.plan().begin(from)?, sums);
        self.take_own();
        Ok(())
    }

    fn take_own(&mut self) {
        let Sums { spectrum, terminals } = &self.whole;
        let spectrum = spectrum.as_ref().map(|it| it.of(|element| self.part.plan().has(element)));
        let has_port = self.port == Some(self.processes.rank());
        self.own = Sums { spectrum, terminals: terminals.clone().filter(|_| has_port) };
    }

    pub(crate) fn design(&self) -> &Design {
        self.part.plan().design()
    }

    pub(crate) fn time(&self) -> f64 {
        self.fields.time
    }

    pub(crate) fn step(&mut self, dt: f64) {
        let Self { processes, part, fields, own, .. } = self;
        part.step(fields, dt, *processes);
        if let Some(spectrum) = &mut own.spectrum {
            part.plan().add(spectrum, fields, dt);
        }
        if let Some(terminals) = &mut own.terminals {
            terminals.add(fields.time, dt, |element, node| part.plan().node(fields, element, node));
        }
    }

    /// Those of a port on all processes, those of the far field on the first.
    pub(crate) fn sums(&mut self) -> &Sums {
        if let (Some(own), Some(whole)) = (&self.own.spectrum, &self.whole.spectrum) {
            let all = whole.wavenumbers.iter().flat_map(|_| &whole.points).map(|point| point.element);
            let (phasors, incident) = (self.whole(&own.phasors, all, 1), own.incident.clone());
            if let (Some(phasors), Some(whole)) = (phasors, &mut self.whole.spectrum) {
                (whole.phasors, whole.incident) = (phasors, incident);
            }
        }
        if let (Some(owner), Some(whole)) = (self.port, &mut self.whole.terminals) {
            if let Some(own) = &self.own.terminals {
                whole.clone_from(own);
            }
            for sums in [&mut whole.fields, &mut whole.source] {
                let mut numbers = flat(sums);
                self.processes.share(owner, &mut numbers);
                *sums = listed(&numbers);
            }
        }
        &self.whole
    }

    pub(crate) fn states(&self) -> Vec<State> {
        let nodes = self.design().element.node_count();
        self.whole(&self.part.states(&self.fields), self.all(), nodes).unwrap_or_default()
    }

    /// On all processes: the sum over elements in their order, as one process has it.
    pub(crate) fn energy(&self) -> f64 {
        let energies = self.whole(&self.part.energies(&self.fields), self.all(), 1);
        let mut energy = [energies.map_or(0.0, |energies| energies.iter().sum())];
        self.processes.share(0, &mut energy);
        energy[0]
    }

    pub(crate) fn probes(&self, probes: &[Probe]) -> Vec<State> {
        let own = probes.iter().filter(|probe| self.part.plan().has(probe.element));
        let own: Vec<State> = own.map(|probe| self.part.plan().probe(&self.fields, probe)).collect();
        self.whole(&own, probes.iter().map(|probe| probe.element), 1).unwrap_or_default()
    }

    pub(crate) fn remembered(&self) -> (Vec<Memory>, Vec<Polarisation>) {
        let (plan, nodes) = (self.part.plan(), self.design().element.node_count());
        let (absorber, dispersion) = (&self.design().absorber, &self.design().dispersion);
        let layers = absorber.iter().flat_map(|it| &it.elements).map(|element| *element as usize);
        let memory = self.whole(&plan.memories(&self.fields), layers, nodes).unwrap_or_default();
        let media = dispersion.iter().flat_map(|it| &it.elements).map(|element| *element as usize);
        let width = dispersion.as_ref().map_or(1, |it| it.width(nodes));
        let polarisations = self.whole(&plan.polarisations(&self.fields), media, width).unwrap_or_default();
        (memory, polarisations)
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.design().cells.len()
    }

    /// The lists of all processes as one, with `width` entries of each of these elements; none on other
    /// processes than the first.
    fn whole<V: Numbers + Default>(
        &self,
        own: &[V],
        elements: impl Iterator<Item = usize>,
        width: usize,
    ) -> Option<Vec<V>> {
        let lists = self.processes.lists(flat(own));
        let is_first = self.processes.rank() == 0;
        is_first.then(|| listed(&self.partition.merged(elements, &lists, width * V::COUNT)))
    }
}
