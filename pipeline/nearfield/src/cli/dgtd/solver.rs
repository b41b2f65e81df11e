//! The plan of a run and its fields, on the processor or on a card, or a part of them beside other processes.

use super::super::ranks::{Ranks, Sent};
use super::part::Part;
use pipeline::dgtd::case::Case;
use pipeline::dgtd::cpu::{self, Compiled};
use pipeline::dgtd::cuda::{self, Number, Running, RunningPort};
use pipeline::dgtd::design::Design;
use pipeline::dgtd::dispersion::Polarisation;
use pipeline::dgtd::partition::Partition;
use pipeline::dgtd::pml::Memory;
use pipeline::dgtd::port::Terminals;
use pipeline::dgtd::{Error, Probe, Spectrum, State, reference};

/// What computes.
pub enum Solver<'a, T> {
    Cpu(Box<cpu::Plan<T>>, cpu::Fields<T>),
    Card(Box<Card<T>>),
    /// Where there are several processes.
    Part(Box<Part<'a, T>>),
}

/// A card, its fields, and the sums of the far field and of a port that it has.
pub struct Card<T> {
    plan: cuda::Plan<T>,
    fields: cuda::Fields<T>,
    running: Option<Running>,
    port: Option<RunningPort>,
}

impl<'a, T: Compiled + Number + Sent> Solver<'a, T> {
    /// A part of the design beside other processes.
    pub fn part(
        ranks: &'a Ranks,
        partition: Partition,
        design: Design,
        states: &[State],
        spectrum: Option<&Spectrum>,
    ) -> Result<Self, Error> {
        Ok(Self::Part(Box::new(Part::new(ranks, partition, design, states, spectrum)?)))
    }

    /// On the card that was asked for, else on the processor, from fields at time 0. Sums go on from those of a spectrum.
    pub fn new(
        device: Option<&kernels::Device>,
        design: Design,
        states: &[State],
        spectrum: Option<&Spectrum>,
        terminals: Option<&Terminals>,
    ) -> Result<Self, Error> {
        let Some(device) = device else {
            let plan = cpu::Plan::new(design);
            let fields = plan.load(states, 0.0)?;
            return Ok(Self::Cpu(Box::new(plan), fields));
        };
        let mut plan = cuda::Plan::new(device, design)?;
        let fields = plan.load(states, 0.0)?;
        let running = spectrum.map(|spectrum| plan.spectrum(spectrum)).transpose()?;
        let port = terminals.map(|terminals| plan.terminals(terminals)).transpose()?;
        Ok(Self::Card(Box::new(Card { plan, fields, running, port })))
    }

    /// Begins anew with fields at a time, m, what layers remember of them, polarisations, and sums.
    pub fn restart(
        &mut self,
        states: &[State],
        time: f64,
        memory: &[Memory],
        polarisations: &[Polarisation],
        spectrum: Option<&Spectrum>,
        terminals: Option<&Terminals>,
    ) -> Result<(), Error> {
        match self {
            Self::Cpu(plan, fields) => {
                *fields = plan.load(states, time)?;
                plan.remember(fields, memory)?;
                plan.polarise(fields, polarisations)
            }
            Self::Card(card) => {
                let Card { plan, fields, running, port } = &mut **card;
                *fields = plan.load(states, time)?;
                plan.remember(fields, memory)?;
                plan.polarise(fields, polarisations)?;
                *running = spectrum.map(|spectrum| plan.spectrum(spectrum)).transpose()?;
                *port = terminals.map(|terminals| plan.terminals(terminals)).transpose()?;
                Ok(())
            }
            Self::Part(part) => part.restart(states, time, memory, polarisations, spectrum),
        }
    }

    pub fn design(&self) -> &Design {
        match self {
            Self::Cpu(plan, _) => plan.design(),
            Self::Card(card) => card.plan.design(),
            Self::Part(part) => part.design(),
        }
    }

    /// c t, m.
    pub fn time(&self) -> f64 {
        match self {
            Self::Cpu(_, fields) => fields.time,
            Self::Card(card) => card.fields.time,
            Self::Part(part) => part.time(),
        }
    }

    /// Goes on by `dt`, m, and adds to the sums of the far field and of a port.
    pub fn step(
        &mut self,
        case: &Case,
        dt: f64,
        spectrum: Option<&mut Spectrum>,
        terminals: Option<&mut Terminals>,
    ) -> Result<(), Error> {
        let wave = case.settings.wave.as_ref();
        match self {
            Self::Cpu(plan, fields) => {
                plan.step(fields, dt);
                if let Some(spectrum) = spectrum {
                    spectrum.add(plan, fields, wave, dt);
                }
                if let Some(terminals) = terminals {
                    terminals.add(fields.time, dt, |element, node| plan.node(fields, element, node));
                }
                Ok(())
            }
            Self::Card(card) => {
                let Card { plan, fields, running, port } = &mut **card;
                plan.step(fields, dt)?;
                if let (Some(port), Some(terminals)) = (port, terminals) {
                    plan.add_port(port, terminals, fields, dt)?;
                }
                running.as_mut().map_or(Ok(()), |running| plan.add(running, fields, wave, dt))
            }
            Self::Part(part) => {
                part.step(case, dt, terminals);
                Ok(())
            }
        }
    }

    /// Waits until all steps are done.
    pub fn wait(&mut self) -> Result<(), Error> {
        match self {
            Self::Cpu(..) | Self::Part(_) => Ok(()),
            Self::Card(card) => card.plan.wait(),
        }
    }

    /// Brings the sums of the far field to the host, on the first process.
    pub fn fetch(&mut self, spectrum: &mut Spectrum) -> Result<(), Error> {
        match self {
            Self::Cpu(..) => Ok(()),
            Self::Card(card) => {
                let Card { plan, running, .. } = &mut **card;
                running.as_ref().map_or(Ok(()), |running| plan.finish(running, spectrum))
            }
            Self::Part(part) => {
                part.fetch(spectrum);
                Ok(())
            }
        }
    }

    /// Brings the sums of a port to this process.
    pub fn fetch_terminals(&mut self, terminals: &mut Terminals) -> Result<(), Error> {
        match self {
            Self::Cpu(..) => Ok(()),
            Self::Card(card) => {
                let Card { plan, port, .. } = &mut **card;
                port.as_ref().map_or(Ok(()), |port| plan.finish_port(port, terminals))
            }
            Self::Part(part) => {
                part.fetch_terminals(terminals);
                Ok(())
            }
        }
    }

    /// Fields at all nodes; nothing on other processes than the first.
    pub fn states(&mut self) -> Result<Vec<State>, Error> {
        let mut states = vec![State::default(); self.design().states()];
        match self {
            Self::Cpu(plan, fields) => plan.store(fields, &mut states)?,
            Self::Card(card) => card.plan.store(&card.fields, &mut states)?,
            Self::Part(part) => states = part.states(),
        }
        Ok(states)
    }

    /// Half the integral of eps E^2 + mu H^2 and what the poles of dispersive media have, V^2 m.
    pub fn energy(&mut self) -> Result<f64, Error> {
        match self {
            Self::Cpu(..) => {
                let (states, polarisations) = (self.states()?, self.polarisations()?);
                Ok(reference::total_energy(self.design(), &states, &polarisations))
            }
            Self::Card(card) => card.plan.energy(&card.fields),
            Self::Part(part) => Ok(part.energy()),
        }
    }

    /// Fields at probes; nothing on other processes than the first.
    pub fn probes(&mut self, probes: &[Probe]) -> Result<Vec<State>, Error> {
        match self {
            Self::Cpu(plan, fields) => Ok(probes.iter().map(|probe| plan.probe(fields, probe)).collect()),
            Self::Card(card) => probes.iter().map(|probe| card.plan.probe(&card.fields, probe)).collect(),
            Self::Part(part) => Ok(part.probes(probes)),
        }
    }

    /// What matched layers remember; nothing on other processes than the first.
    pub fn memories(&mut self) -> Result<Vec<Memory>, Error> {
        match self {
            Self::Cpu(plan, fields) => Ok(plan.memories(fields)),
            Self::Card(card) => card.plan.memories(&card.fields),
            Self::Part(part) => Ok(part.memories()),
        }
    }

    /// Polarisations of dispersive media; nothing on other processes than the first.
    pub fn polarisations(&mut self) -> Result<Vec<Polarisation>, Error> {
        match self {
            Self::Cpu(plan, fields) => Ok(plan.polarisations(fields)),
            Self::Card(card) => card.plan.polarisations(&card.fields),
            Self::Part(part) => Ok(part.polarisations()),
        }
    }
}
