//! What a plan is made for.

use super::design::Kind;
use super::{Error, Precision};

/// Sign of the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sign {
    /// exp(-i k x).
    #[default]
    Negative,
    /// exp(+i k x).
    Positive,
}

impl Sign {
    /// Whether it is +1.
    pub const fn is_positive(self) -> bool {
        matches!(self, Self::Positive)
    }
}

/// Which sum over the plan's modes and points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// From strengths at the points to modes.
    One,
    /// From modes to values at the points.
    Two,
}

impl Type {
    /// The one that goes the other way.
    pub const fn other(self) -> Self {
        match self {
            Self::One => Self::Two,
            Self::Two => Self::One,
        }
    }
}

/// Refuses numbers of modes that no plan can have.
pub(super) fn check_modes(modes: &[usize]) -> Result<(), Error> {
    if !(1..=3).contains(&modes.len()) {
        return Err(Error::Axes(modes.len()));
    }
    match modes.iter().position(|&n| n == 0) {
        Some(axis) => Err(Error::Modes { axis }),
        None => Ok(()),
    }
}

/// Refuses grids whose points cannot be numbered.
pub(super) fn check_count(n: &[usize]) -> Result<(), Error> {
    let points = n.iter().fold(1u128, |points, &n| points.saturating_mul(n as u128));
    u32::try_from(points).map(drop).map_err(|_| Error::Grid(n.to_vec()))
}

/// Tolerance and what follows from it.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Relative error (l2) that is asked for.
    pub tolerance: f64,
    /// Sign of the exponent.
    pub sign: Sign,
    /// Window.
    pub window: Kind,
    /// Fine points over modes.
    pub oversampling: f64,
    /// Most bytes of a plan.
    pub memory: u128,
}

impl Settings {
    /// With the prolate window, twice the modes, and at most 16 GiB.
    pub fn new(tolerance: f64, sign: Sign) -> Self {
        Self { tolerance, sign, window: Kind::default(), oversampling: 2.0, memory: 16 << 30 }
    }

    /// Refuses tolerances that are lost in the rounding of `T`. The paper's window has its own error, whatever the tolerance.
    pub(super) fn check_reach<T: Precision>(&self) -> Result<(), Error> {
        let (tolerance, reach) = (self.tolerance, T::REACH);
        // Powers of ten are rounded too.
        if tolerance >= 0.999 * reach || matches!(self.window, Kind::Kaiser(_)) {
            return Ok(());
        }
        Err(Error::Rounding { tolerance, precision: std::any::type_name::<T>(), reach })
    }

    /// Bytes of the padded grid and two arrays of stages; of one axis, two lines of an FFT.
    pub(super) fn needed(n: &[usize], padded: &[usize], modes: &[usize], bytes: usize) -> u128 {
        let product =
            |numbers: &[usize]| numbers.iter().fold(1u128, |product, &n| product.saturating_mul(n as u128));
        let line = if n.len() == 1 { n[0] } else { modes[0] };
        let stage = product(&n[1..]).saturating_mul(line as u128);
        let values = product(padded).saturating_add(stage.saturating_mul(2));
        values.saturating_mul(bytes as u128)
    }

    /// Refuses what does not fit, before anything is allocated.
    pub(super) fn check_memory(
        &self,
        n: &[usize],
        padded: &[usize],
        modes: &[usize],
        bytes: usize,
    ) -> Result<(), Error> {
        let needed = Self::needed(n, padded, modes, bytes);
        if needed > self.memory {
            return Err(Error::Memory { grid: n.to_vec(), needed, allowed: self.memory });
        }
        Ok(())
    }
}
