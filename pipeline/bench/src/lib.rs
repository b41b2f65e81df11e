//! Benchmarks of the signal chain and of the solvers: how fast this machine is, every figure beside its baseline from the
//! same run.
//!
//! [`run`] runs one of [`BENCHES`] and gives its lines to an [`Output`]: text for people, JSON for programs. Each row is
//! run for a fixed time and reported by its best and its median run: other work on the machine only ever adds.
//!
//! | module | measures |
//! |---|---|
//! | `dsp` | decimators, transforms and filters of `dsp-core`, on one core |
//! | `pnah_cpu`, `pnah_cuda` | holograms, from bits to the source plane |
//! | `nufft_cpu`, `nufft_cuda` | sums of types 1 and 2 on two axes |
//! | `reflectarray_cpu`, `reflectarray_cuda` | objective and gradient, and whole designs |
//! | `sbr_cpu`, `sbr_cast`, `sbr_cuda` | trees, rays, and radar cross-sections of the paper's targets |
//! | `dgtd_cpu`, `dgtd_cuda`, `dgtd_roof` | stages of Maxwell's equations on tetrahedra, beside the roofs of the machine |
//! | `mom_cpu`, `mom_cuda` | fill and solution of a matrix of moments |
//! | `live_rate` | the rate that the live instrument sustains, by search |
#![forbid(unsafe_code)]

mod context;
mod dgtd_cpu;
mod dgtd_cuda;
mod dgtd_roof;
mod dsp;
mod live_rate;
mod meter;
mod mom_cpu;
mod mom_cuda;
mod nufft_cpu;
mod nufft_cuda;
mod nufft_data;
mod peer;
mod pnah_cpu;
mod pnah_cuda;
mod reflectarray_cases;
mod reflectarray_cpu;
mod reflectarray_cuda;
mod run;
mod sbr_cast;
mod sbr_cpu;
mod sbr_cuda;
mod sbr_stack;
mod sbr_targets;

pub use context::{Context, Output};
pub use run::{BENCHES, Bench, run};
