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

/// A node of a port's sheet as one of its two elements sees it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct DgtdGap {
    /// Outwards.
    pub normal: [f64; 3],
    /// Y+.
    pub beyond: f64,
    /// 1/(Y+ + Y-).
    pub both: f64,
    /// G/(Y+ + Y- + G).
    pub share: f64,
    /// Of what the sheet adds to E* in the rate of E, 1/m.
    pub electric: f64,
    /// Of its cross product with the normal in that of H, 1/m.
    pub magnetic: f64,
    /// Node of the element.
    pub own: u32,
    /// Node of the element behind the face.
    pub other: u32,
    /// Of LIFT.
    pub column: u32,
    /// Of the element.
    pub place: u32,
}

layout!(
    DgtdGap,
    80,
    normal = 0,
    beyond = 24,
    both = 32,
    share = 40,
    electric = 48,
    magnetic = 56,
    own = 64,
    other = 68,
    column = 72,
    place = 76
);

/// What a port's generator does at a time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct DgtdPort {
    /// E_s, V/m.
    pub field: [f64; 3],
    /// c t, m.
    pub time: f64,
    /// b and dt, m, of a stage; of a step dt alone.
    pub factors: [f64; 2],
}

layout!(DgtdPort, 48, field = 0, time = 24, factors = 32);
