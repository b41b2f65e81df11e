//! CUDA from Rust: sources, layouts, compilation at run time, and typed launches.
//!
//! | module | idea |
//! |---|---|
//! | [`mod@device`] | the cards of this machine, found at run time |
//! | `stream` | a queue of work; what the host may look at, and when |
//! | `memory` | device memory, pinned and mapped host memory |
//! | [`Signal`] | what a kernel says before all of it is done |
//! | `mail` | rows of bits for kernels that may already be waiting for them |
//! | [`program`] | a source, its kernels and their parameters |
//! | [`compile`], [`cache`] | NVRTC, and its results on disk |
//! | `kernel` | a kernel with a launch that was checked when it was prepared |
//! | [`graph`] | kernels in a row, launched by one call |
//! | `capture` | whatever a stream does, launched by one call |
//! | [`fft`] | transforms of cuFFT |
//! | [`dense`] | factors and products of cuSOLVER and cuBLAS |
//! | [`abi`] | structures that host and card share |
//! | [`error`](Error) | what fails, and lengths that must be the same |
//!
//! | module | sources |
//! |---|---|
//! | [`front_end`], [`walsh`], [`decimate`] | from bits to bins, and to fewer samples |
//! | [`hologram`], [`border`], [`cutoff`], [`stages`] | holography: iterations, borders, cut-offs, stage by stage |
//! | [`nufft`] | non-uniform Fourier transforms |
//! | [`reflectarray`], [`lbfgs`] | phases of reflectarrays and their optimiser |
//! | [`sbr`] | shooting and bouncing rays |
//! | [`dgtd`] | Maxwell's equations on tetrahedra |
//! | [`mom`], [`dense`] | moments of integral equations and dense systems |
//! | [`roof`], [`clocks`] | what a card can do at most, and where its time goes |
//!
//! The CUDA sources are in `kernels/cuda`, one file for each module, the structures in `kernels/cuda/abi`;
//! both own what Rust knows of them. One file here for each source checks lengths and launches its kernels:
//! inputs `&`, outputs `&mut`, scalars by value. Sums that several streams add to at once, by atomic
//! operations alone, are `&`.
//!
//! # What makes it safe
//! - Arguments have the types of the CUDA prototypes, from which `build/` makes a function for each kernel;
//!   its parameters are compared with the compiled kernel's when the kernel is prepared.
//! - Work is queued through `&mut Stream`, in order. Device memory is seen by copies in the same stream, host
//!   memory that the card can reach only with `stream::Idle`, which proves that nothing touches it. Mail
//!   alone is written while a kernel looks at it, in numbers that are read and written at once.
//! - Graphs keep kernels and memory alive.
//! - Kernels are trusted to stay inside the lengths that their launcher checked, as `unsafe` Rust would be;
//!   the sanitizer run of `cargo xtask gpu` is their test.
//!
//! # What it does not know
//! What a hologram means: sizes, tables and order of work come from `pipeline`.

pub mod abi;
mod allocation;
pub mod border;
pub mod cache;
mod call;
#[allow(dead_code, clippy::too_many_arguments, reason = "kernels with the same parameters share a call")]
mod calls;
mod capture;
pub mod clocks;
pub mod compile;
pub mod cutoff;
pub mod decimate;
pub mod dense;
pub mod device;
pub mod dgtd;
mod error;
pub mod fft;
pub mod front_end;
pub mod graph;
pub mod hologram;
mod kernel;
pub mod lbfgs;
mod mail;
mod memory;
pub mod mom;
pub mod nufft;
pub mod plain;
pub mod program;
pub mod reflectarray;
pub mod roof;
pub mod sbr;
mod signal;
pub mod stages;
mod stream;
pub mod walsh;

pub use capture::Captured;
pub use device::Device;
pub use error::{Error, Version, size32};
pub use fft::Fft;
pub use kernel::{Geometry, Kernel, Module};
pub use mail::Mail;
pub use memory::{Buffer, Mapped};
pub use program::Program;
pub use signal::Signal;
pub use stream::Stream;

/// Every CUDA source, for builds that compile them all.
pub const PROGRAMS: &[&Program] = &[
    &border::PROGRAM,
    &cutoff::PROGRAM,
    &decimate::PROGRAM,
    &calls::sources::CROUT,
    &dense::LU,
    &dense::LU_PANEL,
    &calls::sources::DENSE,
    &dgtd::PROGRAM,
    &front_end::PROGRAM,
    &hologram::PROGRAM,
    &calls::sources::LBFGS,
    &mom::NEAR,
    &mom::PROGRAM,
    &nufft::DIRECT,
    &nufft::KERNELS,
    &nufft::PLANE,
    &nufft::POINTS,
    &nufft::RUNGS,
    &nufft::TYPE_3,
    &reflectarray::PROGRAM,
    &roof::PROGRAM,
    &calls::sources::SBR_BINS,
    &calls::sources::SBR_CELLS,
    &calls::sources::SBR_ORDER,
    &calls::sources::SBR_LISTS,
    &calls::sources::SBR_MATTER,
    &calls::sources::SBR_REGIONS,
    &calls::sources::SBR_PARTS,
    &calls::sources::SBR,
    &calls::sources::SBR_WEDGES,
    &stages::PROGRAM,
    &walsh::PROGRAM,
];
