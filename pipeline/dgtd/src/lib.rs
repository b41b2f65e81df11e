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
//! Elements have straight edges and one medium each, isotropic; dispersive ones have poles of Debye, Drude and Lorentz. Some four nodes a wavelength are needed at order 3 and more below it; an absorbing boundary absorbs what comes along its normal, matched layers what comes at other angles too.
//!
//! # Cost
//! A stage has 6 K (3 Np^2 + 4 Np Nfp) multiply-adds in products of matrices; memory is three copies of 6 Np K values and some 1 kB an element for geometry in `f32`; matched layers have four copies more in their elements, dispersive media two more for each pole. Time steps shrink with the
//! smallest element and with p^2 ([`mesh::quality`]).
//!
//! # References
//! Zhao, Chen and Yu, GPU accelerated discontinuous Galerkin time domain algorithm for electromagnetic problems of electrically large objects (2016) (the paper);
//! Hesthaven and Warburton, Nodal discontinuous Galerkin methods (2008); Carpenter and Kennedy, NASA TM 109112 (1994). Mathematics: `docs/math/dgtd.md`.
//!
//! # What differs from the paper
//! - Its flux (15) has the denominators exchanged and a factor of a half, (16) leaves n x `[H]` outside the fraction, (17) has the wrong signs, and (23c) begins every stage anew; as printed the method is not stable.
//! - Nodes are Warburton's, which are defined on the tetrahedron; those of Legendre, Gauss and Lobatto are theirs on edges.
//! - The flux can be blended between upwind and central.
//!
//! # Reading order
//! [`basis`], [`nodes`], [`matrix`], [`element`]; [`mesh`]; [`material`], [`dispersion`], [`wave`], [`dipole`], [`port`], [`settings`], [`design`]; [`reference`](mod@reference), [`lsrk`], [`time_step`]; [`pml`], [`cpu`], [`partition`], [`cuda`]; [`probe`], [`spectrum`], [`ringing`], [`far_field`]; [`snapshot`]; [`case`], [`numbers`], [`checkpoint`].
#![forbid(unsafe_code)]

pub mod basis;
pub mod case;
pub mod checkpoint;
pub mod cpu;
pub mod cuda;
pub mod design;
pub mod dipole;
pub mod dispersion;
pub mod element;
mod error;
pub mod far_field;
pub mod lsrk;
pub mod material;
pub mod matrix;
pub mod mesh;
pub mod nodes;
pub mod numbers;
pub mod partition;
pub mod pml;
pub mod port;
pub mod probe;
pub mod reference;
pub mod ringing;
pub mod settings;
pub mod snapshot;
pub mod spectrum;
#[cfg(test)]
mod tests;
pub mod time_step;
pub mod wave;

pub use dipole::Dipole;
pub use dispersion::Pole;
pub use error::Error;
pub use material::Material;
pub use pml::Layers;
pub use port::Port;
pub use probe::Probe;
pub use settings::{Boundary, Settings};
pub use spectrum::Spectrum;
pub use wave::{Mode, PlaneWave, Pulse};

use numerics::vec3::Vec3;

/// Fields at a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct State {
    /// Electric field, V/m.
    pub e: Vec3,
    /// Magnetic field times the impedance of vacuum, V/m.
    pub h: Vec3,
}
