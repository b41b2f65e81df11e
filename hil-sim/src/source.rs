//! Pressure of one source at one frequency: monopole, dipole, plate mode, piston.
//!
//! ```text
//! monopole  p = A exp(-jkr) / r
//! dipole    p = A d . grad_s (exp(-jkr) / r) = A cos(theta) (jk + 1/r) exp(-jkr) / r
//! plate     p = j f rho  integral of v(s) exp(-jkr) / r  over the plate      (Rayleigh)
//!           v = V sin(m pi u) sin(n pi w),  u and w in 0 .. 1 along the sides
//! piston    the same integral with v = V on a disc, see [`piston`]
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | r | distance from the source point s to the microphone | m |
//! | k | wave number 2 pi f / c | rad/m |
//! | A | amplitude: pressure times distance, for the dipole times distance squared | Pa m, Pa m2 |
//! | d, theta | unit vector of the dipole, and the angle between it and the direction to the microphone | |
//! | V | velocity amplitude of the plate along +z | m/s |
//!
//! The plate is simply supported in an infinite rigid baffle in its own plane, so the field holds in front of
//! it only. The integral is a midpoint sum with steps h of about [`PLATE_STEP`]. Its error falls with the
//! square of the step: (pi m h/a)^2 / 24 for m half waves along a side a, 1.3e-4 for three on 0.42 m, while
//! the microphones are at least four steps away. Cost: one phasor a step and microphone.

pub mod piston;

use num_complex::Complex;
use serde::Deserialize;

use crate::air::{AIR_DENSITY, SPEED_OF_SOUND, wave_number};
use crate::phase::{from_turns, phasor};
use crate::units::{complex, radians};

pub use piston::Piston;

/// Step of the midpoint sum over a plate, in metres.
pub const PLATE_STEP: f64 = 0.0025;

/// Something that makes sound at one frequency. Positions are x, y, z in metres.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "lowercase")]
pub enum Source {
    /// A point source.
    Monopole {
        /// Where it is.
        #[serde(rename = "position_m")]
        position: [f64; 3],
        /// Pressure times distance, in pascal metres, peak.
        #[serde(rename = "amplitude_pa_m", deserialize_with = "complex")]
        amplitude: Complex<f64>,
    },
    /// Two opposite point sources very close together.
    Dipole {
        /// Where it is.
        #[serde(rename = "position_m")]
        position: [f64; 3],
        /// From the negative to the positive point; any length but zero.
        direction: [f64; 3],
        /// Pressure times distance squared in the near field, in pascal square metres, peak.
        #[serde(rename = "amplitude_pa_m2", deserialize_with = "complex")]
        amplitude: Complex<f64>,
    },
    /// One mode of a simply supported rectangular plate in a rigid baffle.
    Plate(Plate),
    /// A circular piston in a rigid baffle.
    Piston(Piston),
}

/// One mode of a simply supported rectangular plate parallel to the array.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plate {
    /// Its centre.
    #[serde(rename = "centre_m")]
    pub centre: [f64; 3],
    /// Lengths of its sides in metres, along x and y before the rotation.
    #[serde(rename = "sides_m")]
    pub sides: [f64; 2],
    /// Half waves along the two sides, at least one each.
    pub mode: [u32; 2],
    /// Rotation in its plane from x towards y, in radians.
    #[serde(rename = "rotation_deg", default, deserialize_with = "radians")]
    pub rotation: f64,
    /// Largest velocity of the mode along +z, in metres a second, peak.
    #[serde(rename = "velocity_m_s", deserialize_with = "complex")]
    pub velocity: Complex<f64>,
}

impl Source {
    /// Pressure at `point` in pascal, peak, for a sound of `frequency_hz`.
    pub fn pressure(&self, frequency_hz: f64, point: [f64; 3]) -> Complex<f64> {
        match self {
            Self::Monopole { position, amplitude } => {
                let (_, r) = offset(*position, point);
                amplitude * wave(frequency_hz, r)
            }
            Self::Dipole { position, direction, amplitude } => {
                let (to, r) = offset(*position, point);
                let cosine = dot(to, *direction) / (r * dot(*direction, *direction).sqrt());
                amplitude * wave(frequency_hz, r) * Complex::new(1.0 / r, wave_number(frequency_hz)) * cosine
            }
            Self::Plate(plate) => plate.pressure(frequency_hz, point, PLATE_STEP),
            Self::Piston(piston) => piston.pressure(frequency_hz, point),
        }
    }

    /// Where the source, or its centre, is.
    pub fn position(&self) -> [f64; 3] {
        match self {
            Self::Monopole { position, .. } | Self::Dipole { position, .. } => *position,
            Self::Plate(plate) => plate.centre,
            Self::Piston(piston) => piston.centre,
        }
    }
}

impl Plate {
    /// Rayleigh's integral as a midpoint sum with steps of about `step`.
    fn pressure(&self, frequency_hz: f64, point: [f64; 3], step: f64) -> Complex<f64> {
        let [along, across] = [0, 1].map(|i| Nodes::new(self.sides[i], self.mode[i], step));
        let axis = phasor(from_turns(self.rotation / std::f64::consts::TAU));
        let mut sum = Complex::ZERO;
        for (u, shape_u) in along.iter() {
            for (w, shape_w) in across.iter() {
                let [x, y, z] = self.centre;
                let s = [x + axis.re * u - axis.im * w, y + axis.im * u + axis.re * w, z];
                sum += wave(frequency_hz, offset(s, point).1) * (shape_u * shape_w);
            }
        }
        let area = along.width * across.width;
        self.velocity * Complex::new(0.0, frequency_hz * AIR_DENSITY * area) * sum
    }
}

/// Midpoints along one side of a plate and the mode's shape there.
struct Nodes {
    width: f64,
    side: f64,
    shape: Vec<f64>,
}

impl Nodes {
    fn new(side: f64, half_waves: u32, step: f64) -> Self {
        let count = (side / step).round().max(1.0);
        // sin(m pi u) with u = (i + 1/2) / count.
        let half_turns = f64::from(half_waves) / 2.0;
        let shape =
            (0..count as u32).map(|i| phasor(from_turns(half_turns * (f64::from(i) + 0.5) / count)).im);
        Self { width: side / count, side, shape: shape.collect() }
    }

    /// Distance from the plate's centre, and the mode's shape.
    fn iter(&self) -> impl Iterator<Item = (f64, f64)> {
        let start = 0.5 * self.width - 0.5 * self.side;
        self.shape.iter().enumerate().map(move |(i, &shape)| (start + i as f64 * self.width, shape))
    }
}

/// exp(-jkr) / r.
fn wave(frequency_hz: f64, r: f64) -> Complex<f64> {
    phasor(from_turns(-frequency_hz * r / SPEED_OF_SOUND)) / r
}

/// The vector from one point to another, and its length.
pub(crate) fn offset(from: [f64; 3], to: [f64; 3]) -> ([f64; 3], f64) {
    let d = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
    (d, dot(d, d).sqrt())
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests;
