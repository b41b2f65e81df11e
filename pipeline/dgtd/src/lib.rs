//! Maxwell's equations in time on tetrahedra: the nodal discontinuous Galerkin method.
//!
//! # Formulas
//! ```text
//! eps dE/dt = +curl H - sigma E + LIFT n x (Z+ [H] - alpha n x [E])/(Z+ + Z-)                reference
//! mu  dH/dt = -curl E           + LIFT n x (-Y+ [E] - alpha n x [H])/(Y+ + Y-)
//! grad      = (grad r) D_r + (grad s) D_s + (grad t) D_t                                     element, design
//! R_i       = a_i R_(i-1) + dt f(q_(i-1)),   q_i = q_(i-1) + b_i R_i,   i = 1..5             lsrk
//! s_i       = 1 + sigma_i/(a + jw) in matched layers                                         pml
//! dP/dt     = g E - r P + J,   dJ/dt = c E - gamma J - k P,   eps dE/dt = ... - dP/dt        dispersion
//! RCS       = 4 pi |F|^2/|E_incident|^2,   E -> F exp(-j k r)/r                              spectrum, far_field
//! s         = sum g_i s_i, sum g_i = 1, |sum g_i (s_(i+1) - s_i)| smallest                   ringing
//! E* - E-   = (Y+ [E] + n x [H] - G (E- - E_s))/(Y+ + Y- + G)                                port
//! dt        = LIMIT/max of (c SHARPNESS (p + 1)(p + 3)/r + rates of losses and poles)       time_step
//! ```
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | E, H | electric field; magnetic field times the impedance of vacuum | V/m |
//! | t, dt | time and time step, times the speed of light in vacuum | m |
//! | eps, mu | relative permittivity and permeability of an element | 1 |
//! | sigma | conductivity times the impedance of vacuum | 1/m |
//! | P, J | polarisation of a pole over the permittivity of vacuum, and its current | V/m, V/m^2 |
//! | n | normal of a face, outwards | 1 |
//! | `[q]` | q behind the face less q before it | |
//! | Z, Y | sqrt(mu/eps) and its inverse, + behind the face | 1 |
//! | alpha | 1 is the upwind flux, 0 the central one | 1 |
//! | p, Np, Nfp | order; nodes of an element, (p + 1)(p + 2)(p + 3)/6, and of a face, (p + 1)(p + 2)/2 | |
//! | K, r | number of elements; inscribed radius of one | 1, m |
//!
//! # Validity
//! Elements have straight edges and one medium each, isotropic; dispersive ones have poles of Debye, Drude
//! and Lorentz. Some four nodes a wavelength are needed at order 3 and more below it; an absorbing boundary
//! absorbs what comes along its normal, matched layers what comes at other angles too.
//!
//! # Cost
//! A stage has 6 K (3 Np^2 + 4 Np Nfp) multiply-adds in products of matrices; memory is three copies of 6 Np
//! K values and some 1 kB an element for geometry in `f32`; matched layers have four copies more in their
//! elements, dispersive media two more for each pole. Time steps shrink with the smallest element and with
//! p^2 ([`mesh::quality`]).
//!
//! # References
//! Zhao, Chen and Yu, GPU accelerated discontinuous Galerkin time domain algorithm for electromagnetic
//! problems of electrically large objects (2016) (the paper); Hesthaven and Warburton, Nodal discontinuous
//! Galerkin methods (2008); Carpenter and Kennedy, NASA TM 109112 (1994). Mathematics: `docs/math/dgtd.md`.
//!
//! # What differs from the paper
//! - Its flux (15) has the denominators exchanged and a factor of a half, (16) leaves n x `[H]` outside the
//!   fraction, (17) has the wrong signs, and (23c) begins every stage anew; as printed the method is not
//!   stable.
//! - Nodes are Warburton's, which are defined on the tetrahedron; those of Legendre, Gauss and Lobatto are
//!   theirs on edges.
//! - The flux can be blended between upwind and central.
//!
//! # Reading order
//! `basis`, `nodes`, `matrix`, `element`; [`mesh`]; `material`, [`dispersion`], `wave`, `dipole`, [`port`],
//! `settings`, [`design`]; [`reference`](mod@reference), [`lsrk`], [`time_step`]; [`pml`], [`cpu`],
//! [`partition`], [`cuda`]; `probe`, [`spectrum`], `terminals`, [`ringing`], [`far_field`]; [`Plan`];
//! [`snapshot`]; [`case`], [`numbers`], [`checkpoint`].
#![forbid(unsafe_code)]

mod basis;
pub mod case;
pub mod checkpoint;
pub mod cpu;
pub mod cuda;
pub mod design;
mod dipole;
pub mod dispersion;
mod element;
mod error;
pub mod far_field;
pub mod lsrk;
mod material;
mod matrix;
pub mod mesh;
mod moment;
mod nodes;
pub mod numbers;
mod order;
pub mod partition;
pub mod pml;
pub mod port;
mod probe;
mod processes;
pub mod reference;
pub mod ringing;
mod settings;
pub mod snapshot;
pub mod spectrum;
mod state;
mod terminals;
#[cfg(test)]
mod tests;
mod tetrahedron;
pub mod time_step;
mod wave;

pub use dipole::Dipole;
pub use dispersion::Pole;
pub use error::Error;
pub use material::Material;
pub use moment::{Moment, Sums};
pub use pml::Layers;
pub use port::Port;
pub use probe::Probe;
pub use processes::{Processes, Shared};
pub use settings::{Boundary, Settings};
pub use spectrum::Spectrum;
pub use state::State;
pub use terminals::Terminals;
pub use wave::{Mode, PlaneWave, Pulse};

use cuda::{Running, RunningPort};
use design::Design;
use kernels::Device;
use partition::Partition;

/// A design and its fields on the device that was chosen when the plan was made, in `f32` or `f64`, from host
/// memory to host memory.
pub enum Plan<'a, T> {
    /// All cores of the current rayon pool.
    Cpu(Box<cpu::Plan<T>>, cpu::Fields<T>, Box<Sums>),
    /// A GPU.
    Cuda(Box<cuda::Plan<T>>, cuda::Fields<T>, Box<OnDevice>),
    /// The CPUs of several processes, of which each has a part of the elements.
    Processes(Box<Shared<'a, T>>),
}

/// Sums of a run on a GPU: those that it has, and what was last brought from it.
pub struct OnDevice {
    spectrum: Option<Running>,
    terminals: Option<RunningPort>,
    sums: Sums,
}

impl OnDevice {
    fn new<T: cuda::Number>(plan: &mut cuda::Plan<T>, sums: Sums) -> Result<Self, Error> {
        let spectrum = sums.spectrum.as_ref().map(|it| plan.spectrum(it)).transpose()?;
        let terminals = sums.terminals.as_ref().map(|it| plan.terminals(it)).transpose()?;
        Ok(Self { spectrum, terminals, sums })
    }
}

numerics::compiled! {
    T: cuda::Number => Plan<T>: on_cpu, on_cuda, on_processes, load, step, sums, states, energy, probes,
    moment
}

impl<'a, T: cuda::Number> Plan<'a, T> {
    /// On the CPU, from a moment; sums go on from those that are given.
    #[inline(never)]
    pub fn on_cpu(design: Design, from: &Moment, sums: Sums) -> Result<Self, Error> {
        let plan = cpu::Plan::new(design);
        let fields = plan.begin(from)?;
        Ok(Self::Cpu(Box::new(plan), fields, Box::new(sums)))
    }

    /// The same on a GPU.
    #[inline(never)]
    pub fn on_cuda(device: &Device, design: Design, from: &Moment, sums: Sums) -> Result<Self, Error> {
        let mut plan = cuda::Plan::new(device, design)?;
        let fields = plan.begin(from)?;
        let sums = Box::new(OnDevice::new(&mut plan, sums)?);
        Ok(Self::Cuda(Box::new(plan), fields, sums))
    }

    /// The same on the CPUs of several processes, all of which call the plan's functions in the same order.
    /// Fields, sums and moments are whole on the first of them.
    #[inline(never)]
    pub fn on_processes(
        processes: &'a dyn Processes<T>,
        partition: Partition,
        design: Design,
        from: &Moment,
        sums: Sums,
    ) -> Result<Self, Error> {
        Ok(Self::Processes(Box::new(Shared::new(processes, partition, design, from, sums)?)))
    }

    /// Begins anew from a moment and with sums.
    #[inline(never)]
    pub fn load(&mut self, from: &Moment, new: Sums) -> Result<(), Error> {
        match self {
            Self::Cpu(plan, fields, sums) => (*fields, **sums) = (plan.begin(from)?, new),
            Self::Cuda(plan, fields, sums) => {
                (*fields, **sums) = (plan.begin(from)?, OnDevice::new(plan, new)?);
            }
            Self::Processes(part) => part.load(from, new)?,
        }
        Ok(())
    }

    /// What the plan is for.
    pub fn design(&self) -> &Design {
        match self {
            Self::Cpu(plan, ..) => plan.design(),
            Self::Cuda(plan, ..) => plan.design(),
            Self::Processes(part) => part.design(),
        }
    }

    /// c t, m.
    pub fn time(&self) -> f64 {
        match self {
            Self::Cpu(_, fields, _) => fields.time,
            Self::Cuda(_, fields, _) => fields.time,
            Self::Processes(part) => part.time(),
        }
    }

    /// Goes on by `dt`, m, and adds to the sums.
    #[inline(never)]
    pub fn step(&mut self, dt: f64) -> Result<(), Error> {
        match self {
            Self::Cpu(plan, fields, sums) => {
                plan.step(fields, dt);
                if let Some(spectrum) = &mut sums.spectrum {
                    plan.add(spectrum, fields, dt);
                }
                if let Some(terminals) = &mut sums.terminals {
                    terminals.add(fields.time, dt, |element, node| plan.node(fields, element, node));
                }
            }
            Self::Cuda(plan, fields, running) => {
                let OnDevice { spectrum, terminals, sums } = &mut **running;
                plan.step(fields, dt)?;
                if let (Some(running), Some(terminals)) = (terminals, &mut sums.terminals) {
                    plan.add_port(running, terminals, fields, dt)?;
                }
                if let Some(running) = spectrum {
                    plan.add(running, fields, dt)?;
                }
            }
            Self::Processes(part) => part.step(dt),
        }
        Ok(())
    }

    /// Waits until all steps are done.
    pub fn wait(&mut self) -> Result<(), Error> {
        if let Self::Cuda(plan, ..) = self { plan.wait() } else { Ok(()) }
    }

    /// What has been summed up.
    #[inline(never)]
    pub fn sums(&mut self) -> Result<&Sums, Error> {
        match self {
            Self::Cpu(.., sums) => Ok(sums),
            Self::Cuda(plan, _, running) => {
                let OnDevice { spectrum, terminals, sums } = &mut **running;
                if let (Some(running), Some(spectrum)) = (spectrum, &mut sums.spectrum) {
                    plan.finish(running, spectrum)?;
                }
                if let (Some(running), Some(terminals)) = (terminals, &mut sums.terminals) {
                    plan.finish_port(running, terminals)?;
                }
                Ok(sums)
            }
            Self::Processes(part) => Ok(part.sums()),
        }
    }

    /// Fields at all nodes, element by element.
    #[inline(never)]
    pub fn states(&mut self) -> Result<Vec<State>, Error> {
        let mut states = vec![State::default(); self.design().states()];
        match self {
            Self::Cpu(plan, fields, _) => plan.store(fields, &mut states)?,
            Self::Cuda(plan, fields, _) => plan.store(fields, &mut states)?,
            Self::Processes(part) => states = part.states(),
        }
        Ok(states)
    }

    /// Half the integral of eps E^2 + mu H^2 and what the poles of dispersive media have, V^2 m; on all
    /// processes.
    #[inline(never)]
    pub fn energy(&mut self) -> Result<f64, Error> {
        match self {
            Self::Cpu(plan, fields, _) => Ok(plan.energy(fields)),
            Self::Cuda(plan, fields, _) => plan.energy(fields),
            Self::Processes(part) => Ok(part.energy()),
        }
    }

    /// Fields at probes.
    #[inline(never)]
    pub fn probes(&mut self, probes: &[Probe]) -> Result<Vec<State>, Error> {
        match self {
            Self::Cpu(plan, fields, _) => Ok(probes.iter().map(|probe| plan.probe(fields, probe)).collect()),
            Self::Cuda(plan, fields, _) => probes.iter().map(|probe| plan.probe(fields, probe)).collect(),
            Self::Processes(part) => Ok(part.probes(probes)),
        }
    }

    /// What another plan of the same design can go on from with the same bits.
    #[inline(never)]
    pub fn moment(&mut self) -> Result<Moment, Error> {
        let (time, states) = (self.time(), self.states()?);
        let (memory, polarisations) = match self {
            Self::Cpu(plan, fields, _) => (plan.memories(fields), plan.polarisations(fields)),
            Self::Cuda(plan, fields, _) => (plan.memories(fields)?, plan.polarisations(fields)?),
            Self::Processes(part) => part.remembered(),
        };
        Ok(Moment { time, states, memory, polarisations })
    }
}
