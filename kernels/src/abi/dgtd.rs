//! `abi/dgtd.h`.

use crate::plain::Plain;

/// What the kernels of `dgtd.cu` are told of a stage of the Runge-Kutta scheme.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct Dgtd {
    /// a, b and dt, m.
    pub factors: [f64; 3],
    /// c t, m.
    pub time: f64,
    /// E of the plane wave where its signal is 1, V/m.
    pub electric: [f64; 3],
    /// H times the impedance of vacuum there, V/m.
    pub magnetic: [f64; 3],
    /// Of its signal, rad/m.
    pub wavenumber: f64,
    /// Of its signal, m.
    pub centre: f64,
    /// Of its signal, m; 0 for a sine.
    pub width: f64,
    /// a of the matched layers, rad/m.
    pub shift: f64,
    /// The first block in matched layers; launchers set it.
    pub first_matched: u64,
}

layout!(
    Dgtd,
    120,
    factors = 0,
    time = 24,
    electric = 32,
    magnetic = 56,
    wavenumber = 80,
    centre = 88,
    width = 96,
    shift = 104,
    first_matched = 112
);
