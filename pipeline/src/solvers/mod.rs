//! The solvers, one room each.

pub mod dgtd;
pub mod mom;
pub mod nufft;
pub mod pnah;
pub mod reflectarray;
pub mod sbr;
