//! What a plan is made for.

use super::design::Kind;
use super::{Error, Precision, Result};

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

/// A sum of either type over the plan's modes and points, or what follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sum {
    /// From where to where, without `adjoint`.
    pub kind: Type,
    /// The axis along which i s k is under the sum.
    ///
    /// Of type 2 that is the derivative of every value with respect to that coordinate of its point. Of type 1 with
    /// strengths `c_j d_j` it is what the modes change by when the points move by `d_j`. As modes weigh with k, the
    /// relative error is up to sqrt(3) of the tolerance.
    pub derivative: Option<usize>,
    /// The adjoint of all that: the other type with the other sign.
    ///
    /// For gradients: where a real function L of type 1's modes changes by `Re sum_k conj(g[k]) df[k]`, the adjoint of
    /// the derivative makes of g the h for which L changes by `Re(conj(c_j) h_j)` a radian when point j moves.
    pub adjoint: bool,
}

impl From<Type> for Sum {
    fn from(kind: Type) -> Self {
        Self { kind, derivative: None, adjoint: false }
    }
}

impl Sum {
    /// With i s k of an axis under it.
    pub fn derivative(kind: Type, axis: usize) -> Self {
        Self { derivative: Some(axis), ..kind.into() }
    }

    /// Its adjoint.
    pub fn adjoint(self) -> Self {
        Self { adjoint: !self.adjoint, ..self }
    }
}

/// What stands under a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Exponent {
    /// exp(+i k . x).
    pub positive: bool,
    /// Times i s k of this axis.
    pub derivative: Option<usize>,
}

/// Number of right-hand sides in so many numbers of input and output.
pub(super) fn check_batch(kind: Type, ends: [usize; 2], modes: usize, points: usize) -> Result<usize> {
    let [values, f] = match kind {
        Type::One => ends,
        Type::Two => [ends[1], ends[0]],
    };
    let batch = f / modes;
    if !f.is_multiple_of(modes) || batch == 0 {
        return Err(Error::Length { what: "array of modes", given: f, needed: modes * batch.max(1) });
    }
    let (given, needed) = (values, batch * points);
    if given != needed {
        return Err(Error::Length { what: "array of values at the points", given, needed });
    }
    Ok(batch)
}

/// Refuses numbers of modes that no plan can have.
pub(super) fn check_modes(modes: &[usize]) -> Result<()> {
    if !(1..=3).contains(&modes.len()) {
        return Err(Error::Axes(modes.len()));
    }
    match modes.iter().position(|&n| n == 0) {
        Some(axis) => Err(Error::Modes(axis)),
        None => Ok(()),
    }
}

/// `size` times all these numbers.
pub(super) fn product(size: usize, numbers: &[usize]) -> u128 {
    numbers.iter().fold(size as u128, |product, &n| product.saturating_mul(n as u128))
}

/// Refuses grids whose points cannot be numbered.
pub(super) fn check_count(n: &[usize]) -> Result<()> {
    u32::try_from(product(1, n)).map(drop).map_err(|_| Error::Grid(n.to_vec()))
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

    /// The type that a sum runs, and what is under it, for so many axes.
    pub(super) fn resolved(&self, sum: Sum, axes: usize) -> Result<(Type, Exponent)> {
        let Sum { kind, derivative, adjoint } = sum;
        if let Some(axis) = derivative.filter(|axis| *axis >= axes) {
            return Err(Error::Axis { axis, axes });
        }
        let positive = self.sign.is_positive() != adjoint;
        Ok((if adjoint { kind.other() } else { kind }, Exponent { positive, derivative }))
    }

    /// Refuses tolerances that are lost in the rounding of `T`. The paper's window has its own error, whatever the tolerance.
    pub(super) fn check_reach<T: Precision>(&self) -> Result<()> {
        let (tolerance, reach) = (self.tolerance, T::REACH);
        // Powers of ten are rounded too.
        if tolerance >= 0.999 * reach || matches!(self.window, Kind::Kaiser(_)) {
            return Ok(());
        }
        Err(Error::Rounding { tolerance, precision: std::any::type_name::<T>(), reach })
    }

    /// Bytes of the padded grid and two arrays of stages; of one axis, two lines of an FFT.
    pub(super) fn needed(n: &[usize], padded: &[usize], modes: &[usize], bytes: usize) -> u128 {
        let line = if n.len() == 1 { n[0] } else { modes[0] };
        let values = product(1, padded).saturating_add(product(line, &n[1..]).saturating_mul(2));
        values.saturating_mul(bytes as u128)
    }

    /// Refuses a fine grid that takes more bytes than are allowed, before anything is allocated.
    pub(super) fn check_memory(&self, grid: &[usize], needed: u128) -> Result<()> {
        let (grid, allowed) = (grid.to_vec(), self.memory);
        if needed > allowed { Err(Error::Memory { grid, needed, allowed }) } else { Ok(()) }
    }
}
