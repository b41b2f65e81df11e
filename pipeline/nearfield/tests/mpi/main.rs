//! `mpirun nearfield`: several processes against one. Needs the cargo feature `mpi`.

#[allow(dead_code, reason = "the other tests call the rest of it")]
#[path = "../program/common.rs"]
mod common;
mod dgtd;
mod sbr;
