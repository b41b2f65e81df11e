//! What all devices agree on: the lattice of the elements, the series of the far field and the kernel of the radiated power.

mod convolution;
mod kernel;
mod lattice;
mod spectrum;

pub use convolution::Convolution;
pub use kernel::Kernel;
pub use lattice::Lattice;
pub use spectrum::Spectrum;
