//! Dense complex systems: LU by panels, products of cuBLAS, and `cuda/dense.cu` beside them. Matrices lie column by column.

mod crout;
mod functions;
mod library;
mod lu;
mod norms;
mod panel;
mod parts;

pub use crout::Crout;
pub use library::{Library, is_present};
pub use lu::{LU, Lu};
pub use norms::Norms;
pub use panel::{LU_PANEL, Panels};
