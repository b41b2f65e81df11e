//! `f32` and `f64`, with the loops of the processor.
//!
//! The loops exist for every width, number of axes and instruction set: minutes of a compiler. They are compiled here,
//! once, and not again in every program that has a plan.

use super::Error;
use super::cpu::{Lanes, Map, Places, bands};
use kernels::plain::Float;
use num_complex::Complex;
use numerics::real::Real;

/// The precision of a plan: `f32` or `f64`.
pub trait Precision: Loops + Float {
    /// The least tolerance that it holds at any number of modes.
    const REACH: f64;
}

impl Precision for f32 {
    const REACH: f64 = 3e-7;
}

impl Precision for f64 {
    const REACH: f64 = 1e-14;
}

numerics::compiled! { Loops: Real {
    fn sort(
        places: &mut Places<Self>, points: &[&[f64]], maps: &[Map], padded: &[usize], width: usize
    ) -> Result<(), Error> = Places::set;
    fn spread(
        lanes: &Lanes<Self>, places: &Places<Self>, strengths: &[Complex<Self>], grid: &mut [[Self; 2]],
        padded: &[usize]
    ) = bands::spread_all;
    fn interpolate(
        lanes: &Lanes<Self>, places: &Places<Self>, grid: &[[Self; 2]], padded: &[usize],
        values: &mut [Complex<Self>]
    ) = bands::interpolate_all;
} }
