//! Why a Walsh routine refuses its arguments, and the checks that they share.

/// Why a Walsh routine refused its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum WalshError {
    /// So many samples are not a power of two (or are none).
    Length(usize),
    /// Function index outside `0..N`.
    Index {
        /// Index given.
        index: usize,
        /// Samples `N`.
        samples: usize,
    },
    /// More coefficients asked for than there are samples.
    TooMany {
        /// Coefficients asked for.
        coefficients: usize,
        /// Samples `N`.
        samples: usize,
    },
    /// Fourier bin outside `0..=N/2`.
    Bin {
        /// Bin given.
        bin: usize,
        /// Samples `N`.
        samples: usize,
    },
    /// Two slices that belong together differ in length.
    Mismatch {
        /// Length of the first.
        expected: usize,
        /// Length of the other.
        found: usize,
    },
}

texts! {
    WalshError:
    Self::Length(samples) => "{samples} samples are not a power of two",
    Self::Index { index, samples } => "Walsh function {index} of {samples} samples",
    Self::TooMany { coefficients, samples } => "{coefficients} Walsh coefficients of {samples} samples",
    Self::Bin { bin, samples } => "Fourier bin {bin} of {samples} samples",
    Self::Mismatch { expected, found } => "slices of {expected} and {found} elements belong together",
}

/// `log2` of a power of two.
pub(super) const fn log2(samples: usize) -> Result<u32, WalshError> {
    if samples.is_power_of_two() { Ok(samples.trailing_zeros()) } else { Err(WalshError::Length(samples)) }
}

/// Checks that two slices have one length.
pub(super) const fn same_length(expected: usize, found: usize) -> Result<(), WalshError> {
    if expected == found { Ok(()) } else { Err(WalshError::Mismatch { expected, found }) }
}
