//! The solvers, one room each.

pub mod pnah;
