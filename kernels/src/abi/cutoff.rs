//! `abi/cutoff.h`.

use crate::plain::Plain;

/// What the data of one hologram say.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[repr(C)]
pub struct CutoffEstimate {
    /// k_co of the chosen filter, rad/m.
    pub cutoff: f64,
    /// alpha of the chosen filter.
    pub slope: f64,
    /// a: variance of a microphone that reads 0, square of the hologram's unit.
    pub additive: f64,
    /// g: variance against |p|^2.
    pub relative: f64,
    /// n: variances of all microphones together.
    pub total: f64,
    /// The same under the square of the Hann window: noise power of every ring.
    pub tapered: f64,
    /// z_h + h, m.
    pub range: f64,
    /// [`Self::SILENT`], [`Self::NOT_FINITE`], [`Self::OVERFLOW`].
    pub flags: u32,
    /// First value of `[frame][y][x]` that is not finite.
    pub place: u32,
}

impl CutoffEstimate {
    /// All values are zero.
    pub const SILENT: u32 = 1;
    /// A value is NaN or infinite: there is no filter.
    pub const NOT_FINITE: u32 = 2;
    /// Filter x propagator leaves the range: tables stay as they were.
    pub const OVERFLOW: u32 = 4;
}

layout!(
    CutoffEstimate,
    64,
    cutoff = 0,
    slope = 8,
    additive = 16,
    relative = 24,
    total = 32,
    tapered = 40,
    range = 48,
    flags = 56,
    place = 60,
);

/// What all holograms of a plan have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct CutoffSettings {
    /// Width of a ring, rad/m.
    pub ring_width: f64,
    /// Cutoff for a hologram that is all zero, rad/m.
    pub silent_cutoff: f64,
    /// Slope for a hologram that is all zero.
    pub silent_slope: f64,
    /// Largest filter x propagator.
    pub limit: f64,
    /// Holograms of each scene.
    pub frames: u32,
    /// Tables of each hologram: 1 pressure, 2 also normal velocity.
    pub fields: u32,
}

layout!(
    CutoffSettings,
    40,
    ring_width = 0,
    silent_cutoff = 8,
    silent_slope = 16,
    limit = 24,
    frames = 32,
    fields = 36,
);

/// A plane wave of one k_r: what the propagator does to it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct CutoffWave {
    /// kappa z.
    pub growth: f64,
    /// Real part of exp(j Re(k_z) z).
    pub phase_re: f64,
    /// Its imaginary part.
    pub phase_im: f64,
    /// Real part of k_z/(rho c k), m/(s Pa).
    pub admittance_re: f64,
    /// Its imaginary part.
    pub admittance_im: f64,
}

layout!(CutoffWave, 40, growth = 0, phase_re = 8, phase_im = 16, admittance_re = 24, admittance_im = 32,);

/// A circle of k-space in the integral of the expected error.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct CutoffCircle {
    /// k_r, rad/m.
    pub radius: f64,
    /// kappa, rad/m; 0 inside the radiation circle.
    pub kappa: f64,
    /// d^2/(4 pi^2) x area x exp(2 kappa z).
    pub weight: f64,
}

layout!(CutoffCircle, 24, radius = 0, kappa = 8, weight = 16);
