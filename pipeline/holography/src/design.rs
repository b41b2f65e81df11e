//! What every device agrees on: medium, aperture, padded grid, window, k-filter and propagator, in `f64` on the host.
//!
//! # Formulas
//! - Wavenumbers of the padded grid: k_x = 2 pi i/(n_x d) for i = 0, 1, .., n_x/2, .., -1 in the order of the DFT,
//!   k_y likewise, k_r = sqrt(k_x^2 + k_y^2).
//! - [`vertical_wavenumber`]: k_z = sqrt(k^2 - k_r^2) inside the radiation circle (k_r <= k), -j sqrt(k_r^2 - k^2)
//!   outside.
//! - [`propagator`]: exp(+j k_z z). For z > 0 this goes back towards the source, where evanescent waves grow; for z <
//!   0 it goes forward, where they decay.
//! - [`KFilter::gain`]: with q = 1 - k_r/k_co, 1 - exp(-q/alpha)/2 for k_r <= k_co and exp(q/alpha)/2 above.
//! - [`window`]: tapered cosine over the border, exactly 1 on the measured samples.
//!
//! # Symbols
//! | symbol | meaning | unit |
//! |---|---|---|
//! | c, rho | speed of sound, density of the medium | m/s, kg/m^3 |
//! | f, k = 2 pi f/c | frequency, acoustic wavenumber | Hz, rad/m |
//! | d | pitch of the microphones, both ways | m |
//! | n_y, n_x | rows and columns of the padded grid | 1 |
//! | z | distance towards the source | m |
//! | k_co, alpha | cutoff and slope of the k-filter | rad/m, 1 |
//!
//! # Range of numbers
//! exp(kappa z) leaves the range of `f32` when kappa z > 88: a metre of standoff at the corner of a 2 cm grid gives
//! 222. Filter and propagator are therefore multiplied as one exponential, ln(gain) + kappa z, and a plan refuses a
//! product beyond the square root of the largest number of its precision ([`Error::Overflow`]): squares of the
//! result, which intensity and error measures need, then still exist. No value is clamped: a clamped propagator would
//! be a different, undocumented filter.

mod operator;

use super::Error;
use num_complex::Complex;
pub use operator::{Field, Operator, Radii, Wave, largest};
use std::f64::consts::{LN_2, PI, TAU};

/// 0 degrees Celsius, K.
const ICE_POINT: f64 = 273.15;
/// Speed of sound in dry air at 0 degrees Celsius, m/s.
const SPEED_AT_ICE_POINT: f64 = 331.3;
/// Standard atmosphere, Pa.
const ATMOSPHERE: f64 = 101_325.0;
/// Specific gas constant of dry air, J/(kg K).
const DRY_AIR: f64 = 287.05;

/// Largest refinement of the output.
pub const FINEST: usize = 64;

/// The fluid between source and microphones.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Medium {
    /// c, m/s.
    pub speed_of_sound: f64,
    /// rho, kg/m^3.
    pub density: f64,
}

impl Default for Medium {
    /// 343 m/s and 1.2 kg/m^3: air at about 20 degrees Celsius.
    fn default() -> Self {
        Self { speed_of_sound: 343.0, density: 1.2 }
    }
}

impl Medium {
    /// Dry air at standard pressure: c = 331.3 sqrt(1 + t/273.15), rho = p/(R T).
    pub fn air_at(celsius: f64) -> Result<Self, Error> {
        let kelvin = celsius + ICE_POINT;
        if !(kelvin > 0.0 && kelvin.is_finite()) {
            return Err(Error::Temperature { celsius });
        }
        Ok(Self {
            speed_of_sound: SPEED_AT_ICE_POINT * (kelvin / ICE_POINT).sqrt(),
            density: ATMOSPHERE / (DRY_AIR * kelvin),
        })
    }

    /// k = 2 pi f/c, rad/m, of a frequency in Hz.
    pub fn wavenumber(&self, frequency: f64) -> f64 {
        TAU * frequency / self.speed_of_sound
    }
}

/// The microphones: a rectangle of equal pitch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aperture {
    /// Microphones down a column (y).
    pub rows: usize,
    /// Microphones along a row (x).
    pub cols: usize,
    /// Distance of neighbours, m.
    pub pitch: f64,
}

impl Aperture {
    /// The 32 x 32 camera with 2 cm pitch.
    pub const CAMERA: Self = Self { rows: 32, cols: 32, pitch: 0.02 };

    /// Number of microphones.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether there are no microphones.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The padded grid with the aperture in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// What is measured.
    pub aperture: Aperture,
    /// n_y.
    pub rows: usize,
    /// n_x.
    pub cols: usize,
}

impl Grid {
    /// A grid of `rows` x `cols`, neither smaller than the aperture.
    pub fn new(aperture: Aperture, rows: usize, cols: usize) -> Result<Self, Error> {
        if aperture.is_empty() || !(aperture.pitch > 0.0 && aperture.pitch.is_finite()) {
            let Aperture { rows, cols, pitch } = aperture;
            return Err(Error::Aperture { rows, cols, pitch });
        }
        for (grid, measured) in [(rows, aperture.rows), (cols, aperture.cols)] {
            if grid < measured {
                return Err(Error::Grid { grid, measured });
            }
        }
        if rows.checked_mul(cols).is_none_or(|n| n > u32::MAX as usize) {
            return Err(Error::GridSize { rows, cols });
        }
        Ok(Self { aperture, rows, cols })
    }

    /// Three times the aperture each way.
    pub fn triple(aperture: Aperture) -> Result<Self, Error> {
        Self::new(aperture, aperture.rows.saturating_mul(3), aperture.cols.saturating_mul(3))
    }

    /// `side` along the longer edge of the aperture and the other edge in proportion, rounded up.
    pub fn with_side(aperture: Aperture, side: usize) -> Result<Self, Error> {
        let longer = aperture.rows.max(aperture.cols).max(1);
        let scaled = |edge: usize| edge.saturating_mul(side).div_ceil(longer);
        Self::new(aperture, scaled(aperture.rows), scaled(aperture.cols))
    }

    /// Points of the grid.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Never: a grid holds at least one microphone.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the grid that holds the first measured row.
    pub fn top(&self) -> usize {
        (self.rows - self.aperture.rows) / 2
    }

    /// Column of the grid that holds the first measured column.
    pub fn left(&self) -> usize {
        (self.cols - self.aperture.cols) / 2
    }

    /// Tukey weights of the grid's rows (first) and columns; the window is their outer product.
    pub fn windows(&self) -> (Vec<f64>, Vec<f64>) {
        (window(self.rows, self.aperture.rows), window(self.cols, self.aperture.cols))
    }

    /// k_y of the rows and k_x of the columns, rad/m, in the order of the DFT.
    pub fn wavenumbers(&self) -> (Vec<f64>, Vec<f64>) {
        (wavenumbers(self.rows, self.aperture.pitch), wavenumbers(self.cols, self.aperture.pitch))
    }
}

/// Tapered cosine of `n` samples with the middle `measured` exactly 1.
///
/// With alpha = 1 - measured/n the sample at distance i from its end has weight (1 - cos(2 pi i/(alpha (n - 1))))/2,
/// which is the usual Tukey window of parameter alpha.
pub fn window(n: usize, measured: usize) -> Vec<f64> {
    let (before, alpha) = ((n - measured) / 2, 1.0 - measured as f64 / n as f64);
    let weight = |i: usize| {
        if (before..before + measured).contains(&i) {
            return 1.0;
        }
        let from_end = i.min(n - 1 - i) as f64;
        0.5 * (1.0 - (TAU * from_end / (alpha * (n - 1) as f64)).cos())
    };
    (0..n).map(weight).collect()
}

/// Wavenumbers of a DFT of `n` samples at `pitch`, rad/m: 0, 1, .., then the negative ones, times 2 pi/(n pitch).
pub fn wavenumbers(n: usize, pitch: f64) -> Vec<f64> {
    let step = TAU / (n as f64 * pitch);
    (0..n).map(|i| if i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 } * step).collect()
}

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

/// Largest frequency whose half wavelength is not under the pitch, Hz.
pub fn highest_frequency(medium: &Medium, aperture: &Aperture) -> f64 {
    medium.speed_of_sound / (2.0 * aperture.pitch)
}

/// k of a frequency; refuses what is not positive, or has k >= pi/d and would alias.
pub fn checked_wavenumber(medium: &Medium, aperture: &Aperture, frequency: f64) -> Result<f64, Error> {
    if !(frequency > 0.0 && frequency.is_finite()) {
        return Err(Error::Frequency { frequency });
    }
    let k = medium.wavenumber(frequency);
    if k < PI / aperture.pitch {
        return Ok(k);
    }
    let (limit, pitch) = (highest_frequency(medium, aperture), aperture.pitch);
    Err(Error::SpatialAliasing { frequency, limit, pitch })
}

#[cfg(test)]
mod tests;
