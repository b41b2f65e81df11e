//! Time to frequency: the chosen bins of every microphone, straight from the one-bit rows.
//!
//! ```text
//! P[k] = exp(-j w t0)/H(w) x 2/sum(w) sum_t w[t] x[t] exp(-j 2 pi k t/N)
//! ```
//!
//! | method | x | N | window by default | H, t0 |
//! |---|---|---|---|---|
//! | `nominal`, `dot` | decimated samples | 1024 | Hann | decimator's response, 31 bits - delay |
//! | `average` | means of 32 bits | 1024 | none | response of the mean, 15.5 bits |
//! | `walsh` | bits, by Walsh coefficients | 32768 | none | 1, 0 |
//! | `bits` | bits | 32768 | none | 1, 0 |
//!
//! `P[k]` is the complex peak amplitude (full scale 1) of the tone `Re P exp(j w t)` with `t = 0` at the window's first
//! bit, so all five agree on a steady tone. They differ in what they fold onto the bin: 96 dB of alias rejection behind
//! the decimator, 13 dB behind the mean, none needed for the bits.
//!
//! - [`FrontEnd`]: rows in, holograms out; a plan for one method.
//! - [`Samples`], [`Dot`], [`Fft`], [`Average`], [`Walsh`], [`Bits`]: the stages by themselves, for a stream; they give
//!   `2 X[k]/sum(w)` of their own samples, and [`Settings::corrections`] has the rest.
//! - [`mod@reference`]: the definitions, as direct sums.
//!
//! All are vectorised over channels, shared among the threads of the pool in which they were planned, and allocate
//! nothing once planned.
//!
//! **What differs from the thesis.** Amplitudes and phases are referred to the same instant, so methods can be
//! compared; a window may be had with every method; dot products use the symmetry of sines; Walsh coefficients
//! come from popcounts of words and one short transform.

mod average;
mod bits;
pub mod cuda;
mod dot;
mod error;
mod fft;
mod kept;
mod lanes;
mod plan;
mod quarter;
pub mod reference;
mod samples;
mod settings;
mod sliding;
mod strip;
#[cfg(test)]
mod tests;
mod walsh;

pub use average::Average;
pub use bits::Bits;
pub use dot::Dot;
pub use error::FrontEndError;
pub use fft::Fft;
pub use plan::FrontEnd;
pub use samples::Samples;
pub use settings::{Method, Settings, Taper};
pub use sliding::Sliding;
pub use walsh::Walsh;
