//! `cuda/dgtd.cu`: stages of Maxwell's equations on tetrahedra.
//!
//! | array | layout |
//! |---|---|
//! | fields | `[element][node][component]`, Ex, Ey, Ez, Hx, Hy, Hz |
//! | residual | `[block][node][component][lane]` |
//! | memory | `[block][memory][values, then their residuals][node][E, H][lane]`, of blocks in matched layers, see [`memories`] |
//! | derivatives | `[tile][column][axis][row]`, see [`Layout::pitch`] |
//! | lift | `[tile][column][row]` |
//! | geometry | `[block][number][lane]` |
//! | neighbours, wet | `[block][face][lane]` |
//! | polarisations | `[pole][P and J, then their residuals][element][node]`, of dispersive media, see [`Poles`] |

mod energy;
mod layout;
mod mesh;
mod poles;
mod port;
mod source;

pub use energy::Energy;
pub use layout::{
    AXES_BITS, FACE, FACE_NUMBERS, GEOMETRY, Layout, ORDERS, PROGRAM, TABLE_BITS, TABLES, memories,
};
pub use mesh::{Fields, Mesh, Spectrum, Tables};
pub use poles::{POLE_NUMBERS, Poles};
pub use port::{Port, Terminals};
pub use source::Source;
