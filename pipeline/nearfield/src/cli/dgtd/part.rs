//! One part of a run that several processes share. All of them call the same functions in the same order; what is whole is so on the first process only.

use super::super::ranks::{Ranks, Sent};
use pipeline::dgtd::case::Case;
use pipeline::dgtd::cpu::{self, Compiled};
use pipeline::dgtd::design::Design;
use pipeline::dgtd::dispersion::Polarisation;
use pipeline::dgtd::numbers::{Numbers, flat, listed};
use pipeline::dgtd::partition::Partition;
use pipeline::dgtd::pml::Memory;
use pipeline::dgtd::port::Terminals;
use pipeline::dgtd::{Error, Probe, Spectrum, State};

/// Deals out the elements of a design to all processes; none where there is one.
pub fn deal_out(ranks: &Ranks, design: &Design) -> anyhow::Result<Option<Partition>> {
    if ranks.size() == 1 {
        return Ok(None);
    }
    // One of them decides: others may be machines that compute otherwise. Numbers of parts are exact in any format.
    let made =
        if ranks.is_first() { Some(Partition::new(design, ranks.size())).transpose() } else { Ok(None) };
    let made = ranks.agree(made.map_err(Into::into))?;
    let mut owners: Vec<f64> = made.map_or_else(
        || vec![0.0; design.cells.len()],
        |partition| partition.owners().iter().copied().map(f64::from).collect(),
    );
    ranks.share(0, &mut owners);
    let owners = owners.into_iter().map(|owner| owner as u32).collect();
    Ok(Some(Partition::from_owners(ranks.size(), owners)))
}

/// The part of this process.
pub struct Part<'a, T> {
    ranks: &'a Ranks,
    partition: Partition,
    part: cpu::Part<T>,
    fields: cpu::PartFields<T>,
    /// Sums of the far field at points of its elements.
    spectrum: Option<Spectrum>,
    /// The process that has the port.
    port: Option<usize>,
}

impl<'a, T: Compiled + Sent> Part<'a, T> {
    /// From fields of the whole design at time 0. Sums go on from those of a spectrum.
    pub fn new(
        ranks: &'a Ranks,
        partition: Partition,
        design: Design,
        states: &[State],
        spectrum: Option<&Spectrum>,
    ) -> Result<Self, Error> {
        let port = partition.port_owner(&design);
        let part = cpu::Part::new(design, &partition, ranks.rank());
        let fields = part.load(states, 0.0)?;
        let spectrum = spectrum.map(|spectrum| spectrum.of(|element| part.has(element)));
        Ok(Self { ranks, partition, part, fields, spectrum, port })
    }

    /// Begins anew with fields of the whole design at a time, m, what layers remember of them, polarisations, and sums.
    pub fn restart(
        &mut self,
        states: &[State],
        time: f64,
        memory: &[Memory],
        polarisations: &[Polarisation],
        spectrum: Option<&Spectrum>,
    ) -> Result<(), Error> {
        self.fields = self.part.load(states, time)?;
        self.part.remember(&mut self.fields, memory)?;
        self.part.polarise(&mut self.fields, polarisations)?;
        self.spectrum = spectrum.map(|spectrum| spectrum.of(|element| self.part.has(element)));
        Ok(())
    }

    pub fn design(&self) -> &Design {
        self.part.design()
    }

    /// c t, m.
    pub fn time(&self) -> f64 {
        self.fields.time()
    }

    /// Goes on by `dt`, m, and adds to the sums of the far field and of a port.
    pub fn step(&mut self, case: &Case, dt: f64, terminals: Option<&mut Terminals>) {
        let Self { ranks, part, fields, spectrum, port, .. } = self;
        part.step(fields, dt, *ranks);
        if let Some(spectrum) = spectrum {
            part.add(spectrum, fields, case.settings.wave.as_ref(), dt);
        }
        if let Some(terminals) = terminals.filter(|_| *port == Some(ranks.rank())) {
            terminals.add(fields.time(), dt, |element, node| part.node(fields, element, node));
        }
    }

    /// Brings the sums of the far field to the first process.
    pub fn fetch(&self, whole: &mut Spectrum) {
        let Some(own) = &self.spectrum else { return };
        let all = whole.wavenumbers.iter().flat_map(|_| &whole.points).map(|point| point.element);
        if let Some(phasors) = self.whole(&own.phasors, all, 1) {
            (whole.phasors, whole.incident) = (phasors, own.incident.clone());
        }
    }

    /// Brings the sums of a port to all processes.
    pub fn fetch_terminals(&self, terminals: &mut Terminals) {
        let Some(owner) = self.port else { return };
        for sums in [&mut terminals.fields, &mut terminals.source] {
            let mut numbers = flat(sums);
            self.ranks.share(owner, &mut numbers);
            *sums = listed(&numbers);
        }
    }

    /// Fields at all nodes; nothing on other processes than the first.
    pub fn states(&self) -> Vec<State> {
        let nodes = self.design().element.node_count();
        self.whole(&self.part.states(&self.fields), self.all(), nodes).unwrap_or_default()
    }

    /// Half the integral of eps E^2 + mu H^2 and what poles have, V^2 m, on all processes: the sum over elements in their order, as one process has it.
    pub fn energy(&self) -> f64 {
        let energies = self.whole(&self.part.energies(&self.fields), self.all(), 1);
        let mut energy = [energies.map_or(0.0, |energies| energies.iter().sum())];
        self.ranks.share(0, &mut energy);
        energy[0]
    }

    /// Fields at probes; nothing on other processes than the first.
    pub fn probes(&self, probes: &[Probe]) -> Vec<State> {
        let own = probes.iter().filter(|probe| self.part.has(probe.element));
        let own: Vec<State> = own.map(|probe| self.part.probe(&self.fields, probe)).collect();
        self.whole(&own, probes.iter().map(|probe| probe.element), 1).unwrap_or_default()
    }

    /// What matched layers remember; nothing on other processes than the first.
    pub fn memories(&self) -> Vec<Memory> {
        let elements = self.design().absorber.iter().flat_map(|absorber| &absorber.elements);
        let elements = elements.map(|element| *element as usize);
        let nodes = self.design().element.node_count();
        self.whole(&self.part.memories(&self.fields), elements, nodes).unwrap_or_default()
    }

    /// Polarisations of dispersive media; nothing on other processes than the first.
    pub fn polarisations(&self) -> Vec<Polarisation> {
        let dispersion = self.design().dispersion.as_ref();
        let elements = dispersion.iter().flat_map(|it| &it.elements).map(|element| *element as usize);
        let width = dispersion.map_or(1, |it| it.width(self.design().element.node_count()));
        self.whole(&self.part.polarisations(&self.fields), elements, width).unwrap_or_default()
    }

    fn all(&self) -> std::ops::Range<usize> {
        0..self.design().cells.len()
    }

    /// The lists of all processes as one, with `width` entries of each of these elements; none on other processes than the first.
    fn whole<V: Numbers>(
        &self,
        own: &[V],
        elements: impl Iterator<Item = usize>,
        width: usize,
    ) -> Option<Vec<V>> {
        let lists = self.ranks.lists(flat(own));
        let is_first = self.ranks.is_first();
        is_first.then(|| listed(&self.partition.merged(elements, &lists, width * V::COUNT)))
    }
}
