//! `f32` and `f64`, with the loops of the processor.
//!
//! The loops exist for every width, number of axes and instruction set: minutes of a compiler. Behind pointers they are compiled here,
//! once, and not again in every program that has a plan.

use super::Error;
use super::cpu::{Lanes, Map, Places, bands};
use kernels::plain::Float;
use num_complex::Complex;
use numerics::real::Real;

/// The precision of a plan: `f32` or `f64`.
pub trait Precision: Real + Float {
    /// The least tolerance that it holds at any number of modes.
    const REACH: f64;

    /// Its loops.
    fn loops() -> &'static Loops<Self>;
}

/// Sorts points, by their maps to the padded grid, with a window of so many fine points.
type Sort<T> = fn(&mut Places<T>, &[&[f64]], &[Map], &[usize], usize) -> Result<(), Error>;
/// Strengths to a padded grid.
type Spread<T> = fn(&Lanes<T>, &Places<T>, &[Complex<T>], &mut [[T; 2]], &[usize]);
/// A padded grid to values.
type Interpolate<T> = fn(&Lanes<T>, &Places<T>, &[[T; 2]], &[usize], &mut [Complex<T>]);

/// Compiled loops.
#[derive(Debug)]
pub struct Loops<T: 'static> {
    pub(super) sort: Sort<T>,
    pub(super) spread: Spread<T>,
    pub(super) interpolate: Interpolate<T>,
}

impl<T: Real> Loops<T> {
    const fn new() -> Self {
        Self { sort: Places::set, spread: bands::spread_all, interpolate: bands::interpolate_all }
    }
}

impl Precision for f32 {
    const REACH: f64 = 3e-7;

    fn loops() -> &'static Loops<Self> {
        static LOOPS: Loops<f32> = Loops::new();
        &LOOPS
    }
}

impl Precision for f64 {
    const REACH: f64 = 1e-14;

    fn loops() -> &'static Loops<Self> {
        static LOOPS: Loops<f64> = Loops::new();
        &LOOPS
    }
}
