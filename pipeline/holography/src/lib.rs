//! Planar near-field acoustic holography: the sound field on a source plane from a hologram, the complex pressure
//! that a plane array of microphones measures a small distance away at one frequency.
//!
//! # Formulas
//! ```text
//! e(x, y)      the hologram continued beyond the aperture              lpbp, plpbp, or zeros
//! w(x, y)      separable Tukey window, 1 on the aperture               design::window
//! P(kx, ky)    DFT2 of w e
//! G(kr)        k-space low-pass filter, cutoff kco and slope alpha     design::KFilter
//! p_s(x, y)    IDFT2 of G exp(+j kz z) P, cropped to the aperture      design::propagator
//! v_s(x, y)    IDFT2 of G exp(+j kz z) kz/(rho c k) P                  normal velocity
//! kz           sqrt(k^2 - kr^2), or -j sqrt(kr^2 - k^2) where kr > k
//! ```
//! Time factor exp(+j omega t), outgoing waves exp(-j k r)/r, forward DFT exp(-j ..) without a scale.
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | x, y | along a row, down a column; z points from the source to the array | m |
//! | z | standoff: positive towards the source, negative away from it | m |
//! | k = 2 pi f/c | acoustic wavenumber, radius of the radiation circle | rad/m |
//! | kx, ky, kr | wavenumbers of a plane wave along the array, kr^2 = kx^2 + ky^2 | rad/m |
//! | kz | wavenumber across the array | rad/m |
//! | kco, alpha | cutoff and slope of the k-filter | rad/m, 1 |
//! | p, v | pressure and normal velocity, peak amplitudes | Pa, m/s |
//! | c, rho | speed of sound, density | m/s, kg/m^3 |
//! | d, u | pitch of the microphones, refinement of the output | m, 1 |
//!
//! # Validity
//! All sources lie on the far side of the result's plane, the medium is at rest, and half a wavelength is longer than
//! the pitch. Evanescent waves are recovered up to about ln(signal/noise)/z above k: what the filter has to cut lies
//! there. Within a few pitches of the border the result rests on the continuation.
//!
//! # Cost
//! For n x n microphones on a grid of 3n x 3n: padding of order p about 32 n^2 p complex multiplications, half of them in
//! Burg's fit; transforms 5/3 of one FFT of 3n x 3n, because the inverse only computes the columns and rows of the
//! aperture. Figures are in `docs/measured/`.
//!
//! # References
//! Williams, Fourier Acoustics, 1999, chapters 2 and 3; Maynard, Williams and Lee, J. Acoust. Soc. Am. 78, 1395
//! (1985); Oznaya Angeles, Domain transform acceleration for the GPU-based real-time planar near-field acoustic
//! holography, Eindhoven 2014 (the thesis). US patent 8,701,491 (to 2030) claims model-based extrapolation of an
//! aperture for acoustic holography: zero padding does without.
//!
//! # What differs from the thesis
//! - Its eq. 2.11 belongs to exp(-j omega t) and does not fit its DFT (6.1); here propagator and branch of kz are a
//!   pair.
//! - It gives neither estimator, order nor guard of the linear prediction: Burg, order 6, a lattice ([`lpbp`]).
//! - It names planar prediction without defining it; ours is in [`plpbp`].
//! - Its filter is fixed at 50 rad/m and 0.3; here each hologram has its own ([`cutoff`], `l_curve`).
//! - Finer output by zeros in k-space splits the highest wavenumber of an even grid between both signs, so that every
//!   u-th value is the plain result.
#![forbid(unsafe_code)]

mod border;
pub mod camera;
pub mod chain;
pub mod cpu;
pub mod cuda;
pub mod cutoff;
pub mod design;
mod error;
mod fft2;
mod irregular;
mod l_curve;
pub mod lpbp;
pub mod metrics;
pub mod noise;
pub mod plpbp;
pub mod product;
pub mod quantities;
pub mod reference;
mod settings;
#[cfg(test)]
mod testing;
mod uncertainty;

use cuda::Number;
use design::KFilter;
pub use error::Error;
use kernels::{Device, Stream};
use num_complex::Complex;
pub use settings::{Direction, Padding, Settings};

/// A batch of holograms on the device that was chosen when the plan was made.
pub enum Plan<T: Number> {
    /// All cores of the current rayon pool.
    Cpu(Box<cpu::Plan<T>>),
    /// A card, and the queue of the plan's work on it.
    Cuda(Box<cuda::Plan<T>>, Stream),
}

numerics::compiled! { T: Number => Plan<T>: on_cpu, on_cuda, set_filter, execute }

impl<T: Number> Plan<T> {
    /// A plan for the CPU: one hologram at each of `frequencies` (Hz), all with the k-filter `filter`.
    #[inline(never)]
    pub fn on_cpu(settings: &Settings, frequencies: &[f64], filter: KFilter) -> Result<Self, Error> {
        Ok(Self::Cpu(Box::new(cpu::Plan::new(settings, frequencies, filter)?)))
    }

    /// The same for a card.
    #[inline(never)]
    pub fn on_cuda(
        device: &Device,
        settings: &Settings,
        frequencies: &[f64],
        filter: KFilter,
    ) -> Result<Self, Error> {
        let mut stream = device.stream()?;
        let plan = cuda::Plan::new(&mut stream, settings, frequencies, filter)?;
        Ok(Self::Cuda(Box::new(plan), stream))
    }

    /// What the plan was made of.
    pub fn settings(&self) -> &Settings {
        match self {
            Self::Cpu(plan) => plan.settings(),
            Self::Cuda(plan, _) => plan.settings(),
        }
    }

    /// The k-filter of each hologram.
    pub fn filters(&self) -> &[KFilter] {
        match self {
            Self::Cpu(plan) => plan.filters(),
            Self::Cuda(plan, _) => plan.filters(),
        }
    }

    /// Rows and columns of a result.
    pub fn output_shape(&self) -> (usize, usize) {
        match self {
            Self::Cpu(plan) => plan.output_shape(),
            Self::Cuda(plan, _) => plan.output_shape(),
        }
    }

    /// Gives hologram `index` another k-filter; it stays as it was after an error of the filter.
    #[inline(never)]
    pub fn set_filter(&mut self, index: usize, filter: KFilter) -> Result<(), Error> {
        match self {
            Self::Cpu(plan) => plan.set_filter(index, filter),
            Self::Cuda(plan, stream) => plan.set_filter(stream, index, filter),
        }
    }

    /// Holograms `[n][y][x]` to the pressure on the other plane, and to the normal velocity there if asked for.
    #[inline(never)]
    pub fn execute(
        &mut self,
        holograms: &[Complex<T>],
        pressure: &mut [Complex<T>],
        velocity: Option<&mut [Complex<T>]>,
    ) -> Result<(), Error> {
        match self {
            Self::Cpu(plan) => plan.execute(holograms, pressure, velocity),
            Self::Cuda(plan, stream) => plan.execute(stream, holograms, pressure, velocity),
        }
    }
}
