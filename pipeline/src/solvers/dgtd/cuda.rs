//! The card's twin of [`cpu`](super::cpu): the same stages in one kernel, `kernels/cuda/dgtd.cu`.
//!
//! Elements are in the order of the same curve, those in matched layers last, in blocks of as many as fit a multiprocessor. Fields and what they become stay on the card; the host sees
//! them when it asks.

mod tables;

use super::design::Design;
use super::lsrk;
use super::pml::Memory;
use super::spectrum::{Phasor, signal_sum};
use super::wave::Pulse;
use super::{Error, PlaneWave, Probe, Spectrum, State};
use crate::real::Real;
use crate::vec3::Vec3;
use kernels::dgtd::{self, Layout, MEMORIES};
use kernels::plain::Float;
use kernels::{Device, Stream, abi};
use num_complex::Complex64;

/// `f32` or `f64`, here and on the card.
pub trait Number: Real + Float {}

impl Number for f32 {}
impl Number for f64 {}

/// Kernels and tables of a design on a card.
pub struct Plan<T> {
    design: Design,
    layout: Layout,
    /// Place of each element on the card.
    places: Vec<usize>,
    /// The first place in a block of matched layers.
    first_matched: usize,
    mesh: dgtd::Mesh<T>,
    stream: Stream,
    /// What all stages are told.
    numbers: abi::Dgtd,
}

/// Fields at a time, of one plan.
pub struct Fields<T> {
    on_card: dgtd::Fields<T>,
    /// c t, m.
    pub time: f64,
}

/// The running sums of a [`Spectrum`] on the card.
pub struct Running {
    sums: dgtd::Spectrum,
    incident: Vec<Complex64>,
    wavenumbers: Vec<f64>,
}

impl<T: Number> Plan<T> {
    /// Orders the elements and sends everything to the card. Refuses what is only done on the processor: ports and dipoles.
    pub fn new(device: &Device, design: Design) -> Result<Self, Error> {
        if design.port.is_some() || !design.sources.is_empty() {
            return Err(Error::NotOnCard { what: "ports and dipoles" });
        }
        let layout = Layout::new(design.element.order, size_of::<T>())?;
        let (places, first_matched, tables) = tables::arranged::<T>(&design, &layout);
        let mut stream = device.stream()?;
        let mesh = dgtd::Mesh::new(&mut stream, layout, &tables)?;
        let shift = design.absorber.as_ref().map_or(0.0, |absorber| absorber.shift);
        let numbers = abi::Dgtd { shift, ..design.wave.as_ref().map_or_else(Default::default, told) };
        Ok(Self { design, layout, places, first_matched, mesh, stream, numbers })
    }

    /// What the plan is for.
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// Fields from their values at the nodes of the design, element by element.
    pub fn load(&mut self, states: &[State], time: f64) -> Result<Fields<T>, Error> {
        self.check(states.len())?;
        let mut on_card = self.mesh.fields(&mut self.stream)?;
        let (nodes, values) = (self.layout.nodes, self.layout.values());
        let mut all = vec![T::zero(); on_card.now.len()];
        for (place, states) in self.places.iter().zip(states.chunks_exact(nodes)) {
            let (to, _) = all[place * values..][..values].as_chunks_mut::<6>();
            for (to, State { e, h }) in to.iter_mut().zip(states) {
                let six = e.to_array().into_iter().chain(h.to_array());
                to.iter_mut().zip(six).for_each(|(to, value)| *to = T::of(value));
            }
        }
        self.stream.upload(&all, &mut on_card.now)?;
        Ok(Fields { on_card, time })
    }

    /// Values of fields at the nodes of the design, element by element.
    pub fn store(&mut self, fields: &Fields<T>, states: &mut [State]) -> Result<(), Error> {
        self.check(states.len())?;
        let mut all = vec![T::nan(); fields.on_card.now.len()];
        self.stream.download(&fields.on_card.now, &mut all)?;
        let (nodes, values) = (self.layout.nodes, self.layout.values());
        for (place, states) in self.places.iter().zip(states.chunks_exact_mut(nodes)) {
            let (from, _) = all[place * values..][..values].as_chunks::<6>();
            states.iter_mut().zip(from).for_each(|(state, six)| *state = of(six));
        }
        Ok(())
    }

    /// Rates of fields at their time, at the nodes of the design.
    pub fn rates(&mut self, fields: &mut Fields<T>, states: &mut [State]) -> Result<(), Error> {
        let mut kept = vec![State::default(); self.design.states()];
        self.store(fields, &mut kept)?;
        let mut scratch = self.load(&kept, fields.time)?;
        let memories = self.memories(fields)?;
        self.remember(&mut scratch, &memories)?;
        self.stage(&mut scratch, [0.0, 0.0, 1.0], fields.time)?;
        let mut all = vec![T::nan(); scratch.on_card.residual.len()];
        self.stream.download(&scratch.on_card.residual, &mut all)?;
        let Layout { nodes, lanes, .. } = self.layout;
        for (place, states) in self.places.iter().zip(states.chunks_exact_mut(nodes)) {
            let first = place / lanes * lanes * self.layout.values() + place % lanes;
            for (node, state) in states.iter_mut().enumerate() {
                *state = of(&std::array::from_fn(|c| all[first + (6 * node + c) * lanes]));
            }
        }
        Ok(())
    }

    /// Goes on by `dt`, m.
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

    fn stage(&mut self, fields: &mut Fields<T>, factors: [f64; 3], time: f64) -> Result<(), Error> {
        let numbers = abi::Dgtd { factors, time, ..self.numbers };
        self.mesh.run(&mut self.stream, &mut fields.on_card, &numbers)?;
        Ok(())
    }

    /// Fields at a probe of the plan's design.
    pub fn probe(&mut self, fields: &Fields<T>, probe: &Probe) -> Result<State, Error> {
        let values = self.layout.values();
        let mut own = vec![T::nan(); values];
        self.stream.download_at(&fields.on_card.now, self.places[probe.element] * values, &mut own)?;
        let (own, _) = own.as_chunks::<6>();
        Ok(probe.at(own.iter().map(of)))
    }

    /// What matched layers remember, node by node of their elements.
    pub fn memories(&mut self, fields: &Fields<T>) -> Result<Vec<Memory>, Error> {
        let mut all = vec![T::nan(); fields.on_card.memory.len()];
        self.stream.download(&fields.on_card.memory, &mut all)?;
        let vector =
            |first: usize| Vec3::from([0, 1, 2].map(|axis| all[first + axis * self.layout.lanes].to_f64()));
        let memory = |places: [[usize; 2]; 3]| Memory {
            e: places.map(|[e, _]| vector(e)),
            h: places.map(|[_, h]| vector(h)),
        };
        Ok(self.remembering().map(memory).collect())
    }

    /// Puts back what they remember.
    pub fn remember(&mut self, fields: &mut Fields<T>, memories: &[Memory]) -> Result<(), Error> {
        let (given, needed) = (memories.len(), self.remembering().count());
        if given != needed {
            return Err(Error::Length { what: "memories", given, needed });
        }
        let mut all = vec![T::zero(); fields.on_card.memory.len()];
        for (places, memory) in self.remembering().zip(memories) {
            for (kind, [e, h]) in places.into_iter().enumerate() {
                for axis in 0..3 {
                    all[e + axis * self.layout.lanes] = T::of(memory.e[kind][axis]);
                    all[h + axis * self.layout.lanes] = T::of(memory.h[kind][axis]);
                }
            }
        }
        self.stream.upload(&all, &mut fields.on_card.memory)?;
        Ok(())
    }

    /// Where the first components of all three memories of E and H lie, of every node of elements in layers.
    fn remembering(&self) -> impl Iterator<Item = [[usize; 2]; 3]> {
        let Layout { nodes, lanes, .. } = self.layout;
        let values = self.layout.values();
        let elements = self.design.absorber.iter().flat_map(|absorber| &absorber.elements);
        let places = elements.map(move |element| self.places[*element as usize] - self.first_matched);
        places.flat_map(move |place| {
            let first = place / lanes * lanes * values * MEMORIES + place % lanes;
            let at = move |kind: usize, component: usize| first + (kind * values + component) * lanes;
            (0..nodes).map(move |node| [0, 1, 2].map(|kind| [at(kind, 6 * node), at(kind, 6 * node + 3)]))
        })
    }

    /// Running sums that go on from those of a spectrum.
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
    pub fn add(
        &mut self,
        running: &mut Running,
        fields: &Fields<T>,
        wave: Option<&PlaneWave>,
        dt: f64,
    ) -> Result<(), Error> {
        let signal = wave.map_or(0.0, |wave| wave.signal(fields.time));
        signal_sum(&running.wavenumbers, &mut running.incident, signal, fields.time, dt);
        running.sums.add(&mut self.stream, &fields.on_card, fields.time, dt)?;
        Ok(())
    }

    /// What has been summed up.
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
        let needed = self.design.states();
        if given == needed { Ok(()) } else { Err(Error::Length { what: "states", given, needed }) }
    }
}

/// The fields of a node.
fn of<T: Number>(six: &[T; 6]) -> State {
    let [e, h] = [0, 3].map(|first| [0, 1, 2].map(|axis| six[first + axis].to_f64()).into());
    State { e, h }
}

/// A wave as the card is told.
fn told(wave: &PlaneWave) -> abi::Dgtd {
    let (wavenumber, centre, width) = match wave.pulse() {
        Pulse::Sine { wavenumber } => (wavenumber, 0.0, 0.0),
        Pulse::Gauss { centre, width, wavenumber } => (wavenumber, centre, width),
    };
    let State { e, h } = wave.amplitude();
    let (electric, magnetic) = (e.to_array(), h.to_array());
    abi::Dgtd { electric, magnetic, wavenumber, centre, width, ..Default::default() }
}
