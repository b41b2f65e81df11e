//! The card's twin of [`cpu`](super::cpu): the same stages in one kernel, `kernels/cuda/dgtd.cu`.
//!
//! Elements are in the order of the same curve, those in matched layers last, in blocks of as many as fit a multiprocessor. Fields and what they become stay on the card; the host sees
//! them when it asks.

mod plan;
mod polarised;
mod port;
mod tables;

pub use plan::{Fields, Plan, Running};
pub use port::RunningPort;
pub use tables::Number;
