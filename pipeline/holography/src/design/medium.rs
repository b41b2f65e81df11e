//! The fluid that carries the sound.

use super::super::error::Error;
use std::f64::consts::TAU;

/// 0 degrees Celsius, K.
const ICE_POINT: f64 = 273.15;
/// Speed of sound in dry air at 0 degrees Celsius, m/s.
const SPEED_AT_ICE_POINT: f64 = 331.3;
/// Standard atmosphere, Pa.
const ATMOSPHERE: f64 = 101_325.0;
/// Specific gas constant of dry air, J/(kg K).
const DRY_AIR: f64 = 287.05;

/// The fluid between source and microphones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    /// c, m/s.
    pub speed_of_sound: f64,
    /// rho, kg/m^3.
    pub density: f64,
}

impl Default for Medium {
    /// 343 m/s and 1.2 kg/m^3: air at about 20 degrees Celsius.
    fn default() -> Self {
        Self { speed_of_sound: 343.0, density: 1.2 }
    }
}

impl Medium {
    /// Dry air at standard pressure: c = 331.3 sqrt(1 + t/273.15), rho = p/(R T).
    pub fn air_at(celsius: f64) -> Result<Self, Error> {
        let kelvin = celsius + ICE_POINT;
        if !(kelvin > 0.0 && kelvin.is_finite()) {
            return Err(Error::Temperature(celsius));
        }
        Ok(Self {
            speed_of_sound: SPEED_AT_ICE_POINT * (kelvin / ICE_POINT).sqrt(),
            density: ATMOSPHERE / (DRY_AIR * kelvin),
        })
    }

    /// k = 2 pi f/c, rad/m, of a frequency in Hz.
    pub fn wavenumber(&self, frequency: f64) -> f64 {
        TAU * frequency / self.speed_of_sound
    }
}
