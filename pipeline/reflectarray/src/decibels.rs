//! Decibels of powers.

/// From decibels.
pub(super) fn linear(level_db: f64) -> f64 {
    10f64.powf(0.1 * level_db)
}

/// To decibels, from a natural logarithm.
pub(super) const DECIBELS: f64 = 10.0 / std::f64::consts::LN_10;
