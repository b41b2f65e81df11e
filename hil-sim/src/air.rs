//! The air of every scene.

/// Speed of sound in metres a second.
pub const SPEED_OF_SOUND: f64 = 343.0;

/// Density of air in kilograms a cubic metre.
pub const AIR_DENSITY: f64 = 1.2;

/// k = 2 pi f / c.
pub(crate) fn wave_number(frequency_hz: f64) -> f64 {
    std::f64::consts::TAU * frequency_hz / SPEED_OF_SOUND
}
