//! Nearfield as one library: every crate of the workspace under one name.
//!
//! | module | does |
//! |---|---|
//! | [`signal`] | one-bit rows to samples, samples to complex bins, bins to a regular microphone grid |
//! | [`holography`] | pressure on the array to pressure, velocity and intensity on the source plane |
//! | [`live`], [`viewer`] | the same on threads beside a sensor, and the page that shows it |
//! | [`nufft`] | Fourier sums at points on no grid |
//! | [`reflectarray`] | phases and positions of a reflectarray's elements |
//! | [`sbr`] | radar cross-sections by shooting and bouncing rays |
//! | [`dgtd`] | Maxwell's equations in time on tetrahedra |
//! | [`mom`] | scattering by cylinders in the plane |
//! | [`files`], [`mesh`], [`plot`] | files of other programs, surfaces and volumes, figures |
//! | [`numerics`] | floating-point types, vectors, constants, random numbers |
//!
//! Each is a package of its own (`nearfield-nufft`, ...), for programs that need no more than one.
#![forbid(unsafe_code)]

mod cli;

// The program names the crates as its users do.
extern crate self as pipeline;

#[doc(hidden)]
pub use cli::main;
pub use {
    dgtd, files, holography, live, mesh, mom, nufft, numerics, plot, reflectarray, sbr, signal, viewer,
};
