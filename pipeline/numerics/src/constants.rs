//! Physical constants in SI units.

/// Speed of light in vacuum, m/s; exact by the definition of the metre.
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Impedance of free space, ohm.
pub const ETA_0: f64 = 376.730_313_668;
