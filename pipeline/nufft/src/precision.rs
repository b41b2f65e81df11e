//! `f32` and `f64`.

use kernels::plain::Float;
use numerics::real::Real;

/// The precision of a plan: `f32` or `f64`.
pub trait Precision: Real + Float {
    /// The least tolerance that it holds at any number of modes.
    const REACH: f64;
}

impl Precision for f32 {
    const REACH: f64 = 3e-7;
}

impl Precision for f64 {
    const REACH: f64 = 1e-14;
}
