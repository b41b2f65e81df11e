//! What elements are filled with.

use super::Error;
use numerics::constants::ETA_0;

/// An isotropic medium; poles of a dispersive one are beside it, in [`Settings`](super::Settings).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Material {
    /// Relative permittivity; of a dispersive medium that of high frequencies.
    pub permittivity: f64,
    /// Relative permeability.
    pub permeability: f64,
    /// Conductivity, S/m.
    pub conductivity: f64,
}

impl Material {
    /// Nothing.
    pub const VACUUM: Self = Self { permittivity: 1.0, permeability: 1.0, conductivity: 0.0 };

    /// sqrt(mu/eps), that of vacuum being 1.
    pub fn impedance(&self) -> f64 {
        (self.permeability / self.permittivity).sqrt()
    }

    /// Speed of light, that of vacuum being 1.
    pub fn speed(&self) -> f64 {
        (self.permeability * self.permittivity).sqrt().recip()
    }

    /// Conductivity times the impedance of vacuum, 1/m.
    pub fn loss(&self) -> f64 {
        self.conductivity * ETA_0
    }

    /// Refuses what no medium is: fields would grow without end.
    pub fn validate(&self, group: &str) -> Result<(), Error> {
        let numbers = [
            ("permittivity", self.permittivity, false),
            ("permeability", self.permeability, false),
            ("conductivity", self.conductivity, true),
        ];
        Error::check_signs(&numbers, |what| format!("{what} of group '{group}'"))
    }
}
