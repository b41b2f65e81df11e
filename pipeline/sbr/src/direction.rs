//! Directions from the target to a radar, and the polarisations there.

use super::Error;
use super::field::Receiver;
use numerics::vec3::Vec3;

/// A direction from the target.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// From the z axis, rad.
    pub theta: f64,
    /// From the x axis towards the y axis, rad.
    pub phi: f64,
}

impl Direction {
    /// A direction in degrees.
    pub fn degrees(theta: f64, phi: f64) -> Self {
        Self { theta: theta.to_radians(), phi: phi.to_radians() }
    }

    /// Unit vector from the target to the radar.
    pub fn unit(self) -> Vec3 {
        let ((st, ct), (sp, cp)) = (self.theta.sin_cos(), self.phi.sin_cos());
        Vec3::new(st * cp, st * sp, ct)
    }

    /// Unit vectors of the polarisations: v is theta-hat, h is phi-hat.
    pub fn polarisations(self) -> [Vec3; 2] {
        let ((st, ct), (sp, cp)) = (self.theta.sin_cos(), self.phi.sin_cos());
        [Vec3::new(ct * cp, ct * sp, -st), Vec3::new(-sp, cp, 0.0)]
    }

    /// The radar there.
    pub(crate) fn radar(self) -> Receiver {
        Receiver { sight: self.unit(), polarisations: self.polarisations() }
    }

    /// Refuses what is no number.
    pub fn validate(self) -> Result<(), Error> {
        let Self { theta, phi } = self;
        if theta.is_finite() && phi.is_finite() { Ok(()) } else { Err(Error::Direction { theta, phi }) }
    }
}
