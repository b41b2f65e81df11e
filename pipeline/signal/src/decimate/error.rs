//! Why a decimator cannot be made.

use numerics::failure::{Failure, Kind};

/// Why a design cannot be run.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecimateError {
    /// The general engine knows only certain CICs.
    #[error(
        "no engine for a CIC of order {order} by {rate}: the order must be 1 to 6, the rate 4, 8, 16 or 32"
    )]
    NoEngine {
        /// Order asked for.
        order: u32,
        /// Rate asked for.
        rate: u32,
    },
    /// The FIR's sums could overflow.
    #[error(transparent)]
    Fir(#[from] dsp_core::fir::FirError),
    /// The CIC's output full scale and the taps leave no fractional bits to drop.
    #[error(
        "taps of {tap_bits} bits behind a CIC of gain 2^{gain_bits} do not fill 24 bits: use more tap bits"
    )]
    TooFewBits {
        /// Fractional bits of the taps.
        tap_bits: u32,
        /// Binary logarithm of the CIC's gain.
        gain_bits: u32,
    },
    /// The kernels have one chain.
    #[error(
        "the card has the default filters only (CIC of order 5 by 8, its FIR by 4); others run with --device cpu"
    )]
    NotDefault,
    /// The card, or what it needs, failed.
    #[error(transparent)]
    Card(#[from] kernels::Error),
}

impl Failure for DecimateError {
    fn kind(&self) -> Kind {
        match self {
            Self::Card(error) => error.kind(),
            _ => Kind::Input,
        }
    }
}
