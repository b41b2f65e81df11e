//! Kernels and tables of a design on a card, and the steps of its fields.

use super::tables::{self, Number};
use crate::design::Design;
use crate::dipole::Source;
use crate::error::Error;
use crate::lsrk;
use crate::moment::Moment;
use crate::pml::Memory;
use crate::spectrum::Phasor;
use crate::wave::{Pulse, signal_sum};
use crate::{Probe, Spectrum, State};
use kernels::dgtd::{self, AXES_BITS, Layout};
use kernels::{Buffer, Device, Stream, abi};
use num_complex::Complex64;
use numerics::vec3::Vec3;

/// Kernels and tables of a design on a card.
pub struct Plan<T> {
    pub(super) design: Design,
    pub(super) layout: Layout,
    /// Place of each element on the card.
    pub(super) places: Vec<usize>,
    /// The first place in a block of matched layers.
    first_matched: usize,
    /// Where the memories of its block and of those after it begin, and their axes.
    starts: Vec<u32>,
    pub(super) mesh: dgtd::Mesh<T>,
    energy: dgtd::Energy,
    /// Of a port.
    sheet: Option<dgtd::Port>,
    /// Short currents and their signals.
    sources: Vec<(dgtd::Source<T>, Pulse)>,
    /// Of dispersive media.
    pub(super) poles: Option<dgtd::Poles<T>>,
    pub(super) stream: Stream,
    /// What all stages are told.
    numbers: abi::Dgtd,
}

/// Fields at a time, of one plan.
pub struct Fields<T> {
    pub(super) on_card: dgtd::Fields<T>,
    pub(super) polarised: Option<Buffer<T>>,
    /// c t, m.
    pub time: f64,
}

/// The running sums of a [`Spectrum`] on the card.
pub struct Running {
    sums: dgtd::Spectrum,
    incident: Vec<Complex64>,
    wavenumbers: Vec<f64>,
}

numerics::compiled! {
    T: Number => Plan<T>: new, load, begin, store, rates, step, energy, probe, memories, remember,
    spectrum, add, finish
}

impl<T: Number> Plan<T> {
    /// Orders the elements and sends everything to the card. Refuses what is only done on the processor: a port between total and scattered fields.
    #[inline(never)]
    pub fn new(device: &Device, design: Design) -> Result<Self, Error> {
        let mut sides = design.cells.iter().flat_map(|cell| &cell.sides);
        if design.wave.is_some() && sides.any(|side| side.sheet > 0.0 && side.incident != 0.0) {
            return Err(Error::NotOnCard("a port between total and scattered fields"));
        }
        let layout = Layout::new(design.element.order, size_of::<T>())?;
        let (places, first_matched, mut tables) = tables::arranged::<T>(&design, &layout);
        let mut stream = device.stream()?;
        let mesh = dgtd::Mesh::new(&mut stream, layout, &tables)?;
        let scales = tables::scales(&design, &places, tables.neighbours.len() / 4);
        let mass = design.element.mass();
        let mass: Vec<f64> = (0..mass.rows()).flat_map(|row| mass.row(row).to_vec()).collect();
        let energy = mesh.energy(&mut stream, &mass, &scales)?;
        let source = |source: &Source| {
            let rates: Vec<T> = source.rates.iter().flat_map(|rate| rate.to_array()).map(T::of).collect();
            Ok((mesh.source(&mut stream, places[source.element], &rates)?, source.pulse))
        };
        let sources: Result<Vec<_>, Error> = design.sources.iter().map(source).collect();
        let sources = sources?;
        let gaps = design.port.as_ref().map(|_| tables::gaps(&design, &places, false));
        let sheet = gaps.map(|gaps| mesh.port(&mut stream, &gaps)).transpose()?;
        let dispersion = design.dispersion.as_ref();
        let poles =
            dispersion.map(|it| tables::poles(&mut stream, &mesh, &design, it, &places)).transpose()?;
        let shift = design.absorber.as_ref().map_or(0.0, |absorber| absorber.shift);
        let numbers =
            abi::Dgtd { shift, ..design.wave.as_ref().map_or_else(Default::default, tables::incident) };
        let starts = std::mem::take(&mut tables.starts);
        Ok(Self {
            design,
            layout,
            places,
            first_matched,
            starts,
            mesh,
            energy,
            sheet,
            sources,
            poles,
            stream,
            numbers,
        })
    }

    /// What the plan is for.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Fields from their values at the nodes of the design, element by element.
    #[inline(never)]
    pub fn load(&mut self, states: &[State], time: f64) -> Result<Fields<T>, Error> {
        self.check(states.len())?;
        let mut on_card = self.mesh.fields(&mut self.stream)?;
        let (nodes, values) = (self.layout.nodes, self.layout.values());
        let mut all = vec![T::zero(); on_card.now.len()];
        for (place, states) in self.places.iter().zip(states.chunks_exact(nodes)) {
            let (to, _) = all[place * values..][..values].as_chunks_mut::<6>();
            to.iter_mut().zip(states).for_each(|(to, state)| *to = state.six().map(T::of));
        }
        self.stream.upload(&all, &mut on_card.now)?;
        let polarised = self.poles.as_ref().map(|poles| poles.polarised(&mut self.stream)).transpose()?;
        Ok(Fields { on_card, polarised, time })
    }

    /// Fields that go on from a moment.
    #[inline(never)]
    pub fn begin(&mut self, from: &Moment) -> Result<Fields<T>, Error> {
        let mut fields = self.load(&from.states, from.time)?;
        self.remember(&mut fields, &from.memory)?;
        self.polarise(&mut fields, &from.polarisations)?;
        Ok(fields)
    }

    /// Values of fields at the nodes of the design, element by element.
    #[inline(never)]
    pub fn store(&mut self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        let all = self.stream.values(&fields.on_card.now)?;
        let (nodes, values) = (self.layout.nodes, self.layout.values());
        for (place, states) in self.places.iter().zip(states.chunks_exact_mut(nodes)) {
            let (from, _) = all[place * values..][..values].as_chunks::<6>();
            states
                .iter_mut()
                .zip(from)
                .for_each(|(state, six)| *state = State::of(|component| six[component]));
        }
        Ok(())
    }

    /// Rates of fields at their time, at the nodes of the design.
    #[inline(never)]
    pub fn rates(&mut self, fields: &mut Fields<T>, states: &mut [State]) -> Result<(), Error> {
        let mut kept = vec![State::default(); self.design.states()];
        self.store(fields, &mut kept)?;
        let mut scratch = self.load(&kept, fields.time)?;
        let memories = self.memories(fields)?;
        self.remember(&mut scratch, &memories)?;
        let polarisations = self.polarisations(fields)?;
        self.polarise(&mut scratch, &polarisations)?;
        self.stage(&mut scratch, [0.0, 0.0, 1.0], fields.time)?;
        let all = self.stream.values(&scratch.on_card.residual)?;
        let Layout { nodes, lanes, .. } = self.layout;
        for (place, states) in self.places.iter().zip(states.chunks_exact_mut(nodes)) {
            let first = place / lanes * lanes * self.layout.values() + place % lanes;
            for (node, state) in states.iter_mut().enumerate() {
                *state = State::of(|c| all[first + (6 * node + c) * lanes]);
            }
        }
        Ok(())
    }

    /// Goes on by `dt`, m.
    #[inline(never)]
    pub fn step(&mut self, fields: &mut Fields<T>, dt: f64) -> Result<(), Error> {
        for stage in 0..lsrk::STAGES {
            let factors = [lsrk::A[stage], lsrk::B[stage], dt];
            self.stage(fields, factors, fields.time + lsrk::C[stage] * dt)?;
        }
        fields.time += dt;
        Ok(())
    }

    /// Waits until all steps are done.
    pub fn wait(&mut self) -> Result<(), Error> {
        self.stream.wait().map(drop)?;
        Ok(())
    }

    /// Bytes that a stage reads and writes at least.
    pub fn traffic(&self, fields: &Fields<T>) -> usize {
        let poles = self.poles.as_ref().zip(fields.polarised.as_ref());
        self.mesh.traffic(&fields.on_card) + poles.map_or(0, |(poles, polarised)| poles.traffic(polarised))
    }

    fn stage(&mut self, fields: &mut Fields<T>, factors: [f64; 3], time: f64) -> Result<(), Error> {
        let numbers = abi::Dgtd { factors, time, ..self.numbers };
        self.mesh.run(&mut self.stream, &mut fields.on_card, &numbers)?;
        if let (Some(poles), Some(polarised)) = (&self.poles, &mut fields.polarised) {
            poles.add(&mut self.stream, &mut fields.on_card, polarised, factors)?;
        }
        let [_, b, dt] = factors;
        if let (Some(sheet), Some(port)) = (&self.sheet, &self.design.port) {
            let numbers = tables::generator(port, time, [b, dt]);
            sheet.add(&mut self.stream, &self.mesh, &mut fields.on_card, &numbers)?;
        }
        for (source, pulse) in &self.sources {
            source.add(&mut self.stream, &mut fields.on_card, dt * pulse.at(time), b)?;
        }
        Ok(())
    }

    /// Half the integral of eps E^2 + mu H^2 and what poles have, V^2 m, as `reference::total_energy` has it.
    #[inline(never)]
    pub fn energy(&mut self, fields: &Fields<T>) -> Result<f64, Error> {
        let own: f64 = self.energy.of(&mut self.stream, &fields.on_card)?.iter().sum();
        Ok(own + self.polarised_energy(fields)?)
    }

    /// Fields at a probe of the plan's design.
    #[inline(never)]
    pub fn probe(&mut self, fields: &Fields<T>, probe: &Probe) -> Result<State, Error> {
        let values = self.layout.values();
        let mut own = vec![T::nan(); values];
        self.stream.download_at(&fields.on_card.now, self.places[probe.element] * values, &mut own)?;
        let (own, _) = own.as_chunks::<6>();
        Ok(probe.at(own.iter().map(|six| State::of(|component| six[component]))))
    }

    /// What matched layers remember, node by node of their elements.
    #[inline(never)]
    pub fn memories(&mut self, fields: &Fields<T>) -> Result<Vec<Memory>, Error> {
        let all = self.stream.values(&fields.on_card.memory)?;
        let value = |place: Option<usize>| place.map_or(0.0, |place| all[place].to_f64());
        let vector = |places: &Places, half: usize, kind: usize| {
            Vec3::from([0, 1, 2].map(|axis| value(places.of(kind, axis, half))))
        };
        let memory = |places: Places| Memory {
            e: [0, 1].map(|kind| vector(&places, 0, kind)),
            h: [0, 1].map(|kind| vector(&places, 1, kind)),
        };
        Ok(self.remembering().map(memory).collect())
    }

    /// Puts back what they remember.
    #[inline(never)]
    pub fn remember(&mut self, fields: &mut Fields<T>, memories: &[Memory]) -> Result<(), Error> {
        Error::check_length("memories", memories.len(), self.design.memories())?;
        let mut all = vec![T::zero(); fields.on_card.memory.len()];
        for (places, memory) in self.remembering().zip(memories) {
            for (half, kinds) in [memory.e, memory.h].iter().enumerate() {
                for (kind, axis) in [0, 1].into_iter().flat_map(|kind| [0, 1, 2].map(|axis| (kind, axis))) {
                    let place = places.of(kind, axis, half);
                    place.into_iter().for_each(|place| all[place] = T::of(kinds[kind][axis]));
                }
            }
        }
        self.stream.upload(&all, &mut fields.on_card.memory)?;
        Ok(())
    }

    /// Where the memories of every node of elements in layers lie.
    fn remembering(&self) -> impl Iterator<Item = Places> {
        let Layout { nodes, lanes, .. } = self.layout;
        let apart = self.layout.remembered();
        let elements = self.design.absorber.iter().flat_map(|absorber| &absorber.elements);
        let places = elements.map(move |element| self.places[*element as usize] - self.first_matched);
        places.flat_map(move |place| {
            let start = self.starts[place / lanes];
            let (first, axes) = ((start >> AXES_BITS) as usize * apart + place % lanes, start & 7);
            (0..nodes).map(move |node| Places { seconds: first + 2 * node * lanes, axes, apart, lanes })
        })
    }

    /// Running sums that go on from those of a spectrum.
    #[inline(never)]
    pub fn spectrum(&mut self, spectrum: &Spectrum) -> Result<Running, Error> {
        let node = |element: usize, node: usize| (self.places[element] * self.layout.nodes + node) as u32;
        let nodes: Vec<u32> = spectrum.points.iter().map(|point| node(point.element, point.node)).collect();
        let mut sums = self.mesh.spectrum(&mut self.stream, &nodes, &spectrum.wavenumbers)?;
        let count = spectrum.points.len();
        let phasor = |at: usize| {
            let (frequency, component, point) = (at / (6 * count), at / count % 6, at % count);
            let Phasor { e, h } = &spectrum.phasors[frequency * count + point];
            if component < 3 { e[component] } else { h[component - 3] }
        };
        let phasors: Vec<Complex64> = (0..6 * spectrum.phasors.len()).map(phasor).collect();
        sums.set(&mut self.stream, &phasors)?;
        Ok(Running { sums, incident: spectrum.incident.clone(), wavenumbers: spectrum.wavenumbers.clone() })
    }

    /// Adds the fields of a step of length `dt`, m, and the incident wave where there is one.
    #[inline(never)]
    pub fn add(&mut self, running: &mut Running, fields: &Fields<T>, dt: f64) -> Result<(), Error> {
        let signal = self.design.wave.as_ref().map_or(0.0, |wave| wave.signal(fields.time));
        signal_sum(&running.wavenumbers, &mut running.incident, signal, fields.time, dt);
        running.sums.add(&mut self.stream, &fields.on_card, fields.time, dt)?;
        Ok(())
    }

    /// What has been summed up.
    #[inline(never)]
    pub fn finish(&mut self, running: &Running, spectrum: &mut Spectrum) -> Result<(), Error> {
        let phasors = running.sums.phasors(&mut self.stream)?;
        let count = spectrum.points.len();
        for (at, phasor) in spectrum.phasors.iter_mut().enumerate() {
            let of = |component: usize| phasors[(at / count * 6 + component) * count + at % count];
            (phasor.e, phasor.h) = ([of(0), of(1), of(2)], [of(3), of(4), of(5)]);
        }
        spectrum.incident.clone_from(&running.incident);
        Ok(())
    }

    fn check(&self, given: usize) -> Result<(), Error> {
        Error::check_length("states", given, self.design.states())
    }
}

/// Where the memories of a node lie.
struct Places {
    /// The second one of its first component.
    seconds: usize,
    /// Of its block, as bits.
    axes: u32,
    /// Numbers from one axis to the next.
    apart: usize,
    /// Numbers from E to H.
    lanes: usize,
}

impl Places {
    /// Memory m_0, where there is one, or m_1 of E or H along an axis.
    fn of(&self, kind: usize, axis: usize, half: usize) -> Option<usize> {
        let has_first = |axis: usize| (self.axes | 1 << axis) == 7;
        let before = if kind == 1 { axis } else { 3 + (0..axis).filter(|axis| has_first(*axis)).count() };
        (kind == 1 || has_first(axis)).then(|| self.seconds + before * self.apart + half * self.lanes)
    }
}
