//! What a run goes on from, and what it sums up on its way.

use super::design::Design;
use super::dispersion::Polarisation;
use super::pml::Memory;
use super::spectrum::Spectrum;
use super::state::State;
use super::terminals::Terminals;

/// Fields at a time with all that they remember.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moment {
    /// c t, m.
    pub time: f64,
    /// Fields at all nodes, element by element.
    pub states: Vec<State>,
    /// Memories of matched layers, node by node of their elements.
    pub memory: Vec<Memory>,
    /// Polarisations of dispersive media, `[element][node][pole]`.
    pub polarisations: Vec<Polarisation>,
}

impl Moment {
    /// Fields at time 0 of which nothing is remembered.
    pub fn start(design: &Design, states: Vec<State>) -> Self {
        let (memory, polarisations) = (design.memories(), design.polarisations());
        let (memory, polarisations) =
            (vec![Memory::default(); memory], vec![Default::default(); polarisations]);
        Self { time: 0.0, states, memory, polarisations }
    }
}

/// Sums over the steps of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Sums {
    /// Fields on a Huygens surface at some frequencies.
    pub spectrum: Option<Spectrum>,
    /// Fields of a port at some frequencies.
    pub terminals: Option<Terminals>,
}
