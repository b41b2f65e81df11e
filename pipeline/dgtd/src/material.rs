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
            ("permittivity", self.permittivity, self.permittivity > 0.0, "above 0"),
            ("permeability", self.permeability, self.permeability > 0.0, "above 0"),
            ("conductivity", self.conductivity, self.conductivity >= 0.0, "0 or above"),
        ];
        match numbers.into_iter().find(|(_, value, is_right, _)| !is_right || !value.is_finite()) {
            Some((what, value, _, expected)) => {
                let (what, allowed) =
                    (format!("{what} of group '{group}'"), format!("it must be {expected}"));
                Err(Error::value(what, value, allowed))
            }
            None => Ok(()),
        }
    }
}
