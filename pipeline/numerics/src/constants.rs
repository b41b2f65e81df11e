//! Physical constants in SI units.

/// Speed of light in vacuum, m/s; exact by the definition of the metre.
pub const SPEED_OF_LIGHT: f64 = 299_792_458.0;

/// Impedance of free space, ohm.
pub const ETA_0: f64 = 376.730_313_668;

/// Permeability of free space, H/m: eta_0 / c.
pub const MU_0: f64 = ETA_0 / SPEED_OF_LIGHT;

/// Permittivity of free space, F/m: 1 / (eta_0 c).
pub const EPSILON_0: f64 = 1.0 / (ETA_0 * SPEED_OF_LIGHT);
