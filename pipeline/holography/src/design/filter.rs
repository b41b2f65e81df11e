//! Propagator and k-filter.

use super::super::error::Error;
use num_complex::Complex;
use std::f64::consts::LN_2;

/// k_z on the branch of exp(+j omega t): positive, or negative imaginary outside the radiation circle.
pub fn vertical_wavenumber(k: f64, radial: f64) -> Complex<f64> {
    let squared = (k - radial) * (k + radial);
    if squared >= 0.0 { Complex::new(squared.sqrt(), 0.0) } else { Complex::new(0.0, -(-squared).sqrt()) }
}

/// exp(+j k_z z): back towards the source by z > 0, forward by z < 0.
pub fn propagator(k: f64, radial: f64, z: f64) -> Complex<f64> {
    let kz = vertical_wavenumber(k, radial);
    Complex::from_polar((-kz.im * z).exp(), kz.re * z)
}

/// The low-pass filter in k-space. A slope of 0 is a brick wall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KFilter {
    /// k_co, rad/m: the gain is 1/2 there.
    pub cutoff: f64,
    /// alpha, as a part of the cutoff.
    pub slope: f64,
}

impl KFilter {
    /// Passes everything: the limit of a brick wall at infinity.
    pub const NONE: Self = Self { cutoff: f64::INFINITY, slope: 0.0 };
    /// What the thesis used everywhere.
    pub const THESIS: Self = Self { cutoff: 50.0, slope: 0.3 };
    /// Stands in until one is chosen: so low that it overflows at no standoff.
    pub const UNTIL_CHOSEN: Self = Self { cutoff: 1.0, slope: 0.0 };

    /// Refuses a cutoff that is not positive and a slope that is negative or infinite.
    pub fn check(&self) -> Result<(), Error> {
        let Self { cutoff, slope } = *self;
        let good = cutoff > 0.0 && slope >= 0.0 && slope.is_finite();
        if good { Ok(()) } else { Err(Error::Filter { cutoff, slope }) }
    }

    /// The gain at k_r = `radial` rad/m, between 0 and 1.
    pub fn gain(&self, radial: f64) -> f64 {
        let fall = self.fall(radial);
        if radial <= self.cutoff { 1.0 - 0.5 * (-fall).exp() } else { 0.5 * fall.exp() }
    }

    /// gain x exp(`growth`) without an intermediate overflow: above the cutoff the two exponents are added.
    pub fn gain_times_exp(&self, radial: f64, growth: f64) -> f64 {
        if radial <= self.cutoff {
            self.gain(radial) * growth.exp()
        } else {
            (self.fall(radial) + growth - LN_2).exp()
        }
    }

    /// q/alpha, and 0 at the cutoff itself even for a brick wall.
    fn fall(&self, radial: f64) -> f64 {
        if radial == self.cutoff { 0.0 } else { (1.0 - radial / self.cutoff) / self.slope }
    }
}
