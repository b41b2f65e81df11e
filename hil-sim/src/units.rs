//! Numbers of scene files in other units than the program's.

use num_complex::Complex;
use serde::{Deserialize, Deserializer};

/// A complex number as it is written: a real one, or `[re, im]`.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "expected a number or [re, im]")]
enum Number {
    Real(f64),
    Pair([f64; 2]),
}

/// A real number, or `[re, im]`.
pub fn complex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Complex<f64>, D::Error> {
    Ok(match Number::deserialize(deserializer)? {
        Number::Real(re) => re.into(),
        Number::Pair([re, im]) => Complex::new(re, im),
    })
}

/// Degrees to radians.
pub fn radians<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    f64::deserialize(deserializer).map(f64::to_radians)
}
