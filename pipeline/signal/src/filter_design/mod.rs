//! Design of the FIR behind a CIC: droop compensation, anti-alias stop band, integer taps.
//!
//! The bits come at f_s; a CIC of order N decimates by R, a FIR of T taps by D. The product of both must be flat up
//! to f_p, and everything that would fold into 0 .. f_p at the output rate f_o = f_s / (R D) must be rejected. The
//! CIC alone guards the bands around multiples of f_s / R, which no FIR can repair; the FIR guards from f_o - f_p up.
//!
//! | symbol | meaning |
//! |---|---|
//! | C(f) | CIC: (sin(pi R f / f_s) / (R sin(pi f / f_s)))^N |
//! | G(f) | zero-phase FIR at rate f_1 = f_s / R |
//! | H(f) | C(f) G(f), 1 at f = 0 |
//!
//! The FIR is the shortest odd Remez filter that meets the specification *after* rounding to integers.

mod design;
mod emit;
mod remez;

pub use design::{Design, DesignError, Specification};
pub use emit::rust_source;
pub use remez::{Band, remez};
