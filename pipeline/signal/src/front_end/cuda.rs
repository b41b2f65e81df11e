//! The front ends on a card; twin of the stages beside it. The kernels are in `kernels/cuda/front_end.cu`
//! and `walsh.cu`.
//!
//! | method | kernel | tables |
//! |---|---|---|
//! | `nominal` | FFT | window, twiddles |
//! | `dot` | sums of samples with weights | `2 w[t]/S exp(-j 2 pi k t/N)` |
//! | `average` | sums of counts with weights | the same over 16: a mean is (count - 16)/16 |
//! | `walsh` | fast Walsh transform of counts, then sums of the coefficients | which, with which weights |
//! | `bits`, `walsh` with all coefficients | byte tables | `2/N exp(-j 2 pi k t/N)` summed over the bits of a byte |
//!
//! With all coefficients the Walsh functions are complete and the sum is the DFT of the bits itself, which byte tables give in
//! one pass.

mod batch;
mod kernel;
mod walsh;

pub use batch::FrontEnd;
pub use kernel::front_end;
