//! `abi/mom.h`.

use crate::plain::Plain;

/// Intervals, powers of their polynomials, terms below the first interval, powers that 32 bits see.
pub const INTERVALS: usize = 4;
/// See [`INTERVALS`].
pub const POWERS: usize = 16;
/// See [`INTERVALS`].
pub const TERMS: usize = 13;
/// See [`INTERVALS`].
pub const SHORT_POWERS: usize = 8;

/// An interval of x with the polynomials of the Hankel functions in it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct MomInterval {
    /// The least x.
    pub from: f64,
    /// What 1/x^2 is multiplied with, and
    pub scale: f64,
    /// what is then taken away, to make -1 to 1 of it.
    pub shift: f64,
    /// P - 1 and x Q of order 0, both of order 1.
    pub powers: [[f64; POWERS]; 4],
}

/// All polynomials of the Hankel functions.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct MomHankel {
    /// In rising order.
    pub intervals: [MomInterval; INTERVALS],
    /// Below the first interval.
    pub series: [[f64; TERMS]; 4],
    /// Of the last interval, in 32 bits.
    pub short_powers: [[f32; SHORT_POWERS]; 4],
}

/// What the kernels of `mom.cu` and `mom_near.cu` are told of an equation.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Mom {
    /// Of the Hankel functions.
    pub hankel: MomHankel,
    /// 2 pi/wavelength, rad/m.
    pub k: f64,
    /// Parts of S, K', K and T, complex.
    pub parts: [[f64; 2]; 4],
    /// What stands before the unknown itself, complex.
    pub jump: [f64; 2],
    /// Of local corrections, m.
    pub reach: f64,
    /// Nodes.
    pub count: u32,
    /// Cells.
    pub cells: u32,
}

/// A node.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct MomNode {
    /// m.
    pub point: [f64; 2],
    /// Outward unit vector.
    pub normal: [f64; 2],
    /// m.
    pub weight: f64,
}

/// A cell.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct MomCell {
    /// Its middle, in u of its piece.
    pub middle: f64,
    /// Half of its extent in u.
    pub half: f64,
    /// m.
    pub ends: [[f64; 2]; 2],
    /// m.
    pub length: f64,
    /// Both ends of a segment, or centre and radius of a circle, m.
    pub numbers: [f64; 4],
    /// 0: segment, 1: circle, 2: series.
    pub kind: u32,
    /// The first term of a series.
    pub first_term: u32,
    /// How many it has.
    pub terms: u32,
    /// The first node.
    pub first: u32,
}

layout!(MomInterval, 536, from = 0, scale = 8, shift = 16, powers = 24);
layout!(MomHankel, 2688, intervals = 0, series = 2144, short_powers = 2560);
layout!(Mom, 2792, hankel = 0, k = 2688, parts = 2696, jump = 2760, reach = 2776, count = 2784, cells = 2788);
layout!(MomNode, 40, point = 0, normal = 16, weight = 32);
layout!(
    MomCell,
    104,
    middle = 0,
    half = 8,
    ends = 16,
    length = 48,
    numbers = 56,
    kind = 88,
    first_term = 92,
    terms = 96,
    first = 100
);
