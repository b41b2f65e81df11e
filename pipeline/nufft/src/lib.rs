//! Fourier sums at points that lie on no grid: the NUFFT of type 1 (non-equispaced data, NED), type 2 (non-equispaced results,
//! NER) and type 3 (both), in one, two and three dimensions, either sign, `f32` and `f64`.
//!
//! # Formulas
//! ```text
//! type 1   f[k] = sum_j c_j exp(i s k . x_j)      -N/2 <= k <= (N - 1)/2 along every axis
//! type 2   c_j  = sum_k f[k] exp(i s k . x_j)
//! type 3   f_k  = sum_j c_j exp(i s s_k . x_j)    frequencies s_k anywhere                    cpu::type_3
//!
//! b[l]     = sum_j c_j phi(l - n x_j/(2 pi))      spread to n = sigma N fine points           cpu::spread
//! B[k]     = sum_l b[l] exp(i s 2 pi k l/n)       FFT                                         cpu::transform
//! f[k]     = B[k] / Phi(k)                        Phi: transform of the window                design::Window
//! ```
//! Type 2 is the transpose of this, step by step, so that each type is the other's adjoint with the other sign, to rounding. A plan
//! ([`cpu::Plan`]) has the modes' design and the points, and serves both types, their adjoints and derivatives with respect to the
//! points; [`Settings::tuned`] chooses its oversampling. [`cuda::Plan`] is its twin on a card; [`Plan`] is either, from host to host.
//! Type 3 has plans of its own, [`type_3::Plan`].
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x_j | points; reduced to one period, except by type 3 | rad |
//! | c_j | strengths, or values, at the points | |
//! | `f[k]` | modes, `[kz][ky][kx]` | |
//! | s | sign of the exponent, -1 or +1 | |
//! | N, n | modes and fine points of an axis | |
//! | sigma | oversampling, n/N | |
//! | w, phi | width of the window in fine points, and the window | |
//!
//! # Validity
//! The tolerance is the relative error (l2) for points and strengths without order; it is met down to 1e-14 in `f64` and 3e-7 in `f32`,
//! whatever N is: positions are scaled with all their digits and kept as cell and fraction ([`cpu`]). Memory of a run is at most three
//! times the fine grid, beside margins as wide as the window.
//!
//! # Cost
//! Type 1 of M points in two dimensions: M (w^2 + 2 w degree) complex multiply-adds, and FFTs of n lines of n and N lines of n; columns
//! that hold no wanted mode are left out.
//!
//! # References
//! Capozzoli, Curcio, Liseno and Toso, Fast, phase-only synthesis of aperiodic reflectarrays using NUFFTs and CUDA (the paper);
//! Fourmont, J. Fourier Anal. Appl. 9, 431 (2003); Barnett, Magland and af Klinteberg, SIAM J. Sci. Comput. 41, C479 (2019);
//! Slepian and Pollak, Bell Syst. Tech. J. 40, 43 (1961).
//!
//! # What differs from the paper
//! - Its window (`kaiser:K`, eq. 16 with the misprint mended: a sinh over a root) approximates the prolate one; ours is that itself, and its
//!   bandwidth is the one with the least error for the oversampling.
//! - Its sums run from -N/2 to N/2; ours end one mode earlier where N is even, as FINUFFT's do.
//! - Width, degree and bandwidth follow from the tolerance by a sum over the copies of the spectrum, without constants that were fitted.
#![forbid(unsafe_code)]

pub mod cpu;
pub mod cuda;
pub mod design;
mod error;
mod extents;
mod precision;
pub mod reference;
mod settings;
#[cfg(test)]
mod testing;
mod tuning;
pub mod type_3;

pub use error::Error;
use error::Result;
use kernels::Device;
use num_complex::Complex;
pub use precision::Precision;
pub use settings::{Settings, Sign, Sum, Type};

/// Sums between modes and points on the device that was chosen when the plan was made, from host memory to host memory.
pub enum Plan<T: Precision> {
    /// All cores of the current rayon pool; with the memory of a run.
    Cpu(Box<cpu::Plan<T>>, Box<cpu::Scratch<T>>),
    /// A card.
    Cuda(Box<cuda::Plan<T>>),
}

numerics::compiled! { T: Precision => Plan<T>: on_cpu, on_cuda, set_points, execute }

impl<T: Precision> Plan<T> {
    /// A plan for the CPU and modes -N/2 .. (N-1)/2 along every axis, x first; it has no points yet.
    #[inline(never)]
    pub fn on_cpu(modes: &[usize], settings: &Settings) -> Result<Self, Error> {
        let plan = cpu::Plan::new(modes, settings)?;
        let scratch = plan.scratch();
        Ok(Self::Cpu(Box::new(plan), Box::new(scratch)))
    }

    /// The same for a card.
    #[inline(never)]
    pub fn on_cuda(device: &Device, modes: &[usize], settings: &Settings) -> Result<Self, Error> {
        Ok(Self::Cuda(Box::new(cuda::Plan::new(device, modes, settings)?)))
    }

    /// Fine points of every axis, x first.
    pub fn fine_grid(&self) -> Vec<usize> {
        match self {
            Self::Cpu(plan, _) => plan.fine_grid(),
            Self::Cuda(plan) => plan.fine_grid().to_vec(),
        }
    }

    /// Takes points, radians, an array for each axis, x first; all of them are reduced to one period.
    #[inline(never)]
    pub fn set_points(&mut self, points: &[&[f64]]) -> Result<(), Error> {
        match self {
            Self::Cpu(plan, _) => plan.set_points(points),
            Self::Cuda(plan) => plan.set_points(points),
        }
    }

    /// The sum of either type with the sign of the settings: from strengths to modes, or from modes to values.
    #[inline(never)]
    pub fn execute(
        &mut self,
        kind: Type,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
    ) -> Result<(), Error> {
        match self {
            Self::Cpu(plan, scratch) => plan.execute(kind, input, output, scratch),
            Self::Cuda(plan) => plan.execute_on_host(kind, input, output),
        }
    }
}
