//! A lumped port: a generator and its resistance on a sheet between two conductors.
//!
//! ```text
//! n x (H+ - H-) = G (E - E_s),   G = length/(width R),   E_s = -d V_s/length        on the sheet
//! E* - E- = (Y+ [E] + n x [H] - G (E- - E_s))/(Y+ + Y- + G)                         across n; n x (H* - H-) = Y- (E* - E-)
//! ```
//! d is the unit vector from the minus to the plus terminal, G is multiplied by the impedance of vacuum. With G = 0 the flux is that of any other face.

use super::{Error, Pulse, State};
use numerics::constants::ETA_0;
use numerics::vec3::Vec3;

/// What is at the port.
#[derive(Debug, Clone, PartialEq)]
pub struct Port {
    /// Group of faces inside the mesh that are the sheet.
    pub group: String,
    /// From the minus to the plus terminal.
    pub direction: Vec3,
    /// Between the terminals, m.
    pub length: f64,
    /// Across that, m.
    pub width: f64,
    /// R, ohm, also of the S-parameters.
    pub resistance: f64,
    /// V_s, V.
    pub pulse: Pulse,
}

impl Port {
    /// Refuses what has no size.
    pub fn validate(&self) -> Result<(), Error> {
        let numbers = [self.length, self.width, self.resistance];
        let has_unit = (self.direction.unit().length() - 1.0).abs() < 1e-9;
        if has_unit && self.pulse.is_right() && numbers.iter().all(|x| x.is_finite() && *x > 0.0) {
            return Ok(());
        }
        let allowed = "length, width and resistance of a port must be positive, its direction no zero, and its signal finite";
        Err(Error::value("the port", self, allowed))
    }

    /// G times the impedance of vacuum.
    pub fn conductance(&self) -> f64 {
        ETA_0 * self.length / (self.width * self.resistance)
    }

    /// E_s at a time, m.
    pub fn field(&self, time: f64) -> Vec3 {
        self.direction.unit() * (-self.pulse.at(time) / self.length)
    }
}

/// E* - E- across a face of the port with the normal n, from the fields on both sides, Y+, Y-, G and E_s.
pub fn step(n: Vec3, own: State, jump: State, [y, y_own, g]: [f64; 3], source: Vec3) -> Vec3 {
    let across = |vector: Vec3| vector - n * n.dot(vector);
    (across(jump.e) * y + n.cross(jump.h) - across(own.e - source) * g) * (y + y_own + g).recip()
}
