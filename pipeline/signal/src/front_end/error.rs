//! Why a front end refuses its settings or its input.

use crate::decimate::DecimateError;
use dsp_core::walsh::WalshError;
use numerics::failure::{Failure, Kind};

/// What is wrong, with the numbers.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FrontEndError {
    /// Nothing to compute.
    #[error("no bins: choose at least one frequency")]
    NoBins,
    /// A bin outside the band in which the method is right.
    #[error("bin {bin} is outside the usable band of this method: bins 1 to {highest}")]
    Bin {
        /// The bin asked for.
        bin: usize,
        /// The highest usable one.
        highest: usize,
    },
    /// A window length that the method cannot take.
    #[error("a window of {samples} samples: it must be {must}")]
    Samples {
        /// Decimated samples asked for.
        samples: usize,
        /// What it must be.
        must: &'static str,
    },
    /// No such number of Walsh functions.
    #[error("{coefficients} Walsh coefficients a bin: it must be 1 to {most}")]
    Coefficients {
        /// Coefficients asked for.
        coefficients: usize,
        /// All there are.
        most: usize,
    },
    /// The bit rate, Hz, is not a positive number.
    #[error("a bit rate of {0} Hz: it must be positive and finite")]
    BitRate(f64),
    /// A slice or a ring that does not fit the plan.
    #[error("{found} {what}, but the plan is for {expected}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// What the plan has.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// An unknown name of a method or a taper.
    #[error("unknown {what} {name:?}: use {known}")]
    Name {
        /// What it should have been.
        what: &'static str,
        /// The name given.
        name: String,
        /// The names there are.
        known: &'static str,
    },
    /// The decimator refused the design.
    #[error(transparent)]
    Decimate(#[from] DecimateError),
    /// The card refused.
    #[error(transparent)]
    Kernels(#[from] kernels::Error),
    /// The Walsh plan refused its arguments.
    #[error(transparent)]
    Walsh(#[from] WalshError),
}

impl Failure for FrontEndError {
    fn kind(&self) -> Kind {
        match self {
            Self::Decimate(error) => error.kind(),
            Self::Kernels(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}

/// At least one bin, and all of them between 1 and `highest`.
pub(super) fn check_bins(bins: &[usize], highest: usize) -> Result<(), FrontEndError> {
    if bins.is_empty() {
        return Err(FrontEndError::NoBins);
    }
    match bins.iter().find(|&&bin| !(1..=highest).contains(&bin)) {
        Some(&bin) => Err(FrontEndError::Bin { bin, highest }),
        None => Ok(()),
    }
}

/// A window that folds to a quarter and has a bin.
pub(super) fn check_samples(samples: usize) -> Result<(), FrontEndError> {
    let ok = samples >= 4 && samples.is_multiple_of(4);
    if ok { Ok(()) } else { Err(FrontEndError::Samples { samples, must: "a multiple of 4" }) }
}

/// A window that folds to a quarter, and bins below half the rate.
pub(super) fn check_window(samples: usize, bins: &[usize]) -> Result<(), FrontEndError> {
    check_samples(samples)?;
    check_bins(bins, samples / 2 - 1)
}

/// What was given fits the plan.
pub(super) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), FrontEndError> {
    if expected == found { Ok(()) } else { Err(FrontEndError::Length { what, expected, found }) }
}
