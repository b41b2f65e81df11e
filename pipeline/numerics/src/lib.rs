//! Arithmetic that the solvers share, each piece once.
//!
//! | module | has |
//! |---|---|
//! | [`real`] | `f32` or `f64`, and their Fourier transforms |
//! | [`simd`] | loops that are compiled for each instruction set and run with the best |
//! | [`parallel`] | loops on all cores |
//! | [`vec3`] | vectors of three components |
//! | [`constants`] | speed of light, impedance of free space |
//! | [`random`] | random numbers that are the same on every machine |
//! | [`special`] | sin(x)/x, Bessel functions J_k and I_0 |
//! | [`quadrature`] | Legendre polynomials and the Gauss-Legendre rule |
//! | [`jacobi`] | Jacobi polynomials and the Gauss-Lobatto points |
//! | [`failure`] | whether a failure is of the input, the device or the run |
#![forbid(unsafe_code)]

pub mod constants;
pub mod failure;
pub mod jacobi;
pub mod parallel;
pub mod quadrature;
pub mod random;
pub mod real;
pub mod simd;
pub mod special;
pub mod vec3;
