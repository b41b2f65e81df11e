//! Dispersive media: poles of Debye, Drude and Lorentz, each with a polarisation and its current at every node.
//!
//! ```text
//! eps(s) = eps + sum of chi(s),   s = jw                  fields have exp(+jwt)
//! Debye     chi = delta/(1 + s tau)                       g = delta/tau, r = 1/tau
//! Drude     chi = w_p^2/(s^2 + s gamma)                   c = w_p^2
//! Lorentz   chi = delta w_0^2/(s^2 + s gamma + w_0^2)     c = delta w_0^2, k = w_0^2
//!
//! dP/dt = g E - r P + J
//! dJ/dt = c E - gamma J - k P                             what a kind does not have is 0
//! dE/dt = ... - (1/eps) sum of dP/dt
//! ```
//! eps is that of high frequencies, and the one in fluxes: polarisations are local to a node and add nothing to them. Times are c t, m, and P is over the permittivity of vacuum, V/m. With the energy of a pole, half the integral of
//!
//! ```text
//! P^2/delta          Debye      loses tau |dP/dt|^2/delta
//! J^2/c + k P^2/c    others     loses gamma J^2/c
//! ```
//! the energy of fields and poles never grows.
//!
//! Auxiliary differential equations: Joseph, Hagness and Taflove, Opt. Lett. 16, 1412 (1991).

use super::error::Error;
use num_complex::Complex64;
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;

/// Most poles of a medium.
pub const MOST_POLES: usize = 16;

/// A term of the permittivity; all numbers are of SI.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pole {
    /// Relaxation, as of polar liquids.
    Debye {
        /// What it adds to the permittivity at low frequencies.
        delta: f64,
        /// tau, s.
        relaxation: f64,
    },
    /// Free charges, as of metals and plasmas.
    Drude {
        /// w_p, rad/s.
        plasma: f64,
        /// gamma, 1/s.
        collision: f64,
    },
    /// Resonance of bound charges.
    Lorentz {
        /// What it adds to the permittivity at low frequencies.
        delta: f64,
        /// w_0, rad/s.
        resonance: f64,
        /// gamma, 1/s.
        damping: f64,
    },
}

/// The numbers of a pole's equations, with times in m.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// g, 1/m.
    pub g: f64,
    /// r, 1/m.
    pub r: f64,
    /// c, 1/m^2.
    pub c: f64,
    /// gamma, 1/m.
    pub gamma: f64,
    /// k, 1/m^2.
    pub k: f64,
}

impl Pole {
    /// The numbers of its equations.
    pub fn rates(&self) -> Rates {
        match *self {
            Self::Debye { delta, relaxation } => {
                let rate = (SPEED_OF_LIGHT * relaxation).recip();
                Rates { g: delta * rate, r: rate, ..Rates::default() }
            }
            Self::Drude { plasma, collision } => Rates {
                c: (plasma / SPEED_OF_LIGHT).powi(2),
                gamma: collision / SPEED_OF_LIGHT,
                ..Rates::default()
            },
            Self::Lorentz { delta, resonance, damping } => {
                let k = (resonance / SPEED_OF_LIGHT).powi(2);
                Rates { c: delta * k, gamma: damping / SPEED_OF_LIGHT, k, ..Rates::default() }
            }
        }
    }

    /// chi at a wavenumber of vacuum, rad/m.
    pub fn susceptibility(&self, wavenumber: f64) -> Complex64 {
        let (s, Rates { g, r, c, gamma, k }) = (Complex64::new(0.0, wavenumber), self.rates());
        if c > 0.0 { c / (s * s + s * gamma + k) } else { g / (s + r) }
    }

    /// Refuses what no medium is: energy would grow out of nothing.
    pub fn validate(&self, group: &str) -> Result<(), Error> {
        let numbers = match *self {
            Self::Debye { delta, relaxation } => {
                vec![("delta_eps", delta, false), ("tau_s", relaxation, false)]
            }
            Self::Drude { plasma, collision } => {
                vec![("plasma_rad_per_s", plasma, false), ("collision_per_s", collision, true)]
            }
            Self::Lorentz { delta, resonance, damping } => vec![
                ("delta_eps", delta, false),
                ("resonance_rad_per_s", resonance, false),
                ("damping_per_s", damping, true),
            ],
        };
        let name = |what: &str| format!("material of group '{group}', {self:?}: {what}");
        Error::check_signs(&numbers, name)?;
        let Rates { g, r, c, gamma, k } = self.rates();
        if [g, r, c, gamma, k].iter().all(|rate| rate.is_finite()) {
            return Ok(());
        }
        Err(Error::value(name("its fastest rate"), f64::INFINITY, "it must be a number"))
    }
}

impl Rates {
    /// What a pole adds at most to the spectral radius of an element of this permittivity, 1/m: in the norm of the energy, that of its own equations.
    pub fn radius(&self, permittivity: f64) -> f64 {
        self.g / permittivity + self.r + (self.c / permittivity + self.k).sqrt() + self.gamma
    }

    /// Factors of P^2 and J^2 in twice the density of energy.
    pub(crate) fn stiffness(&self) -> [f64; 2] {
        if self.c > 0.0 {
            [self.k / self.c, self.c.recip()]
        } else if self.g > 0.0 {
            [self.r / self.g, 0.0]
        } else {
            [0.0; 2]
        }
    }
}

/// eps at a wavenumber of vacuum, rad/m, of a medium whose permittivity at high frequencies is `high`.
pub fn permittivity(high: f64, poles: &[Pole], wavenumber: f64) -> Complex64 {
    poles.iter().fold(high.into(), |sum, pole| sum + pole.susceptibility(wavenumber))
}

/// What a pole has at a node.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Polarisation {
    /// P over the permittivity of vacuum, V/m.
    pub p: Vec3,
    /// J: the current, V/m^2; nothing where the pole is one of Debye.
    pub j: Vec3,
}

/// Dispersive media in a mesh.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Dispersion {
    /// Elements of such media, ascending.
    pub elements: Vec<u32>,
    /// Poles of each of them.
    pub poles: Vec<Vec<Rates>>,
    /// Most poles of an element: all have so many polarisations at each node, the last of which stay zero where there are fewer poles.
    pub most: usize,
}

impl Dispersion {
    /// From the poles of every element; none where no element has any.
    pub fn new<'a>(poles: impl Iterator<Item = &'a [Pole]>) -> Option<Self> {
        let mut found = Self::default();
        for (element, poles) in poles.enumerate().filter(|(_, poles)| !poles.is_empty()) {
            found.elements.push(element as u32);
            found.poles.push(poles.iter().map(Pole::rates).collect());
            found.most = found.most.max(poles.len());
        }
        (!found.elements.is_empty()).then_some(found)
    }

    /// Poles of an element.
    pub fn of(&self, element: u32) -> &[Rates] {
        self.elements.binary_search(&element).map_or(&[], |at| &self.poles[at])
    }

    /// Polarisations of an element.
    pub fn width(&self, nodes: usize) -> usize {
        self.most * nodes
    }
}
