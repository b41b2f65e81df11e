//! What a front end is asked for, and what its result must be multiplied by.

use super::error::{FrontEndError, check_bins, check_samples};
use crate::filter_design::{Design, Specification};
use dsp_core::decimator::{RATE, SETTLING, TAPS};
use dsp_core::pdm::TileLayout;
use dsp_core::window::Window;
use num_complex::Complex;
use std::f64::consts::TAU;
use std::fmt;
use std::mem::discriminant;
use std::str::FromStr;

/// How bits become bins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// Decimation, then an FFT.
    Nominal,
    /// Decimation, then n dot products.
    #[default]
    Dot,
    /// Means of 32 bits by popcount, then n dot products.
    Average,
    /// Walsh coefficients of the bits.
    Walsh {
        /// Coefficients a bin; all, and so exact, if absent.
        coefficients: Option<usize>,
    },
    /// The exact DFT of the bits.
    Bits,
}

impl Method {
    /// Fewest bins for which the FFT costs less than dot products, measured with 1024 samples of 1024 channels
    /// in `f32` on two threads with AVX-512. To measure it, time `execute` of both on one ring:
    ///
    /// ```
    /// use signal::front_end::{Dot, Fft, Method, Samples, Taper};
    /// let (samples, bins) = (Samples::<f32>::new(64, 32), [1, 2, 3]);
    /// let mut out = vec![Default::default(); 3 * 32];
    /// Dot::new(64, 32, &bins, Taper::Hann)?.execute(&samples, &mut out)?;
    /// Fft::new(64, 32, &bins, Taper::Hann)?.execute(&samples, &mut out)?;
    /// assert_eq!((Method::cheapest(1), Method::cheapest(500)), (Method::Dot, Method::Nominal));
    /// # Ok::<(), signal::front_end::FrontEndError>(())
    /// ```
    pub const CROSSOVER: usize = 220;

    /// The cheaper of [`Method::Dot`] and [`Method::Nominal`], which give the same result, for `n` bins.
    pub fn cheapest(n: usize) -> Self {
        if n < Self::CROSSOVER { Self::Dot } else { Self::Nominal }
    }

    /// The taper that a method has unless another is asked for.
    pub fn taper(self) -> Taper {
        match self {
            Self::Nominal | Self::Dot => Taper::Hann,
            Self::Average | Self::Walsh { .. } | Self::Bits => Taper::None,
        }
    }

    /// Whether the bits pass the decimator.
    pub(super) fn decimates(self) -> bool {
        matches!(self, Self::Nominal | Self::Dot)
    }
}

/// The methods by name; `walsh` with all coefficients.
const METHODS: [(&str, Method); 5] = [
    ("nominal", Method::Nominal),
    ("dot", Method::Dot),
    ("average", Method::Average),
    ("walsh", Method::Walsh { coefficients: None }),
    ("bits", Method::Bits),
];

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same = |(_, method): &&(&str, Self)| discriminant(method) == discriminant(self);
        f.pad(METHODS.iter().find(same).map_or("", |(name, _)| name))
    }
}

impl FromStr for Method {
    type Err = FrontEndError;

    fn from_str(name: &str) -> Result<Self, FrontEndError> {
        let known = "nominal, dot, average, walsh or bits";
        let found = METHODS.iter().find(|(known, _)| *known == name).map(|(_, method)| *method);
        found.ok_or_else(|| FrontEndError::Name { what: "method", name: name.into(), known })
    }
}

/// The window over the samples or bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taper {
    /// All ones.
    None,
    /// Periodic Hann.
    Hann,
}

impl Taper {
    /// The window of `n` samples.
    pub(super) fn window(self, n: usize) -> Vec<f64> {
        let mut window = vec![1.0; n];
        if self == Self::Hann {
            Window::Hann.periodic(&mut window);
        }
        window
    }
}

impl fmt::Display for Taper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Hann => "hann",
        })
    }
}

impl FromStr for Taper {
    type Err = FrontEndError;

    fn from_str(name: &str) -> Result<Self, FrontEndError> {
        match name {
            "none" => Ok(Self::None),
            "hann" => Ok(Self::Hann),
            _ => Err(FrontEndError::Name { what: "taper", name: name.into(), known: "none or hann" }),
        }
    }
}

/// What a front end is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How.
    pub method: Method,
    /// Window.
    pub taper: Taper,
    /// Bins k, in any order, repeated if need be; bin k is at k / (32 x samples) of the bit rate.
    pub bins: Vec<usize>,
    /// Length of the window in decimated samples of 32 bits.
    pub samples: usize,
    /// The array.
    pub layout: TileLayout,
    /// Bit rate, Hz.
    pub bit_rate_hz: f64,
}

impl Settings {
    /// The camera's settings: 1024 samples at 1.5 MHz, and the method's own taper.
    pub fn camera(method: Method, bins: Vec<usize>) -> Self {
        Self {
            method,
            taper: method.taper(),
            bins,
            samples: 1024,
            layout: TileLayout::CAMERA,
            bit_rate_hz: Specification::DEFAULT.bit_rate_hz,
        }
    }

    /// Frequency of bin `k`, Hz.
    pub fn frequency_hz(&self, k: usize) -> f64 {
        k as f64 * self.bit_rate_hz / (RATE * self.samples) as f64
    }

    /// Frequencies of all bins, Hz.
    pub fn frequencies_hz(&self) -> Vec<f64> {
        self.bins.iter().map(|&k| self.frequency_hz(k)).collect()
    }

    /// The highest bin that the method gets right: the end of the decimator's pass band (18 kHz at 1.5 MHz), or
    /// the last one below half the rate of the decimated samples.
    pub fn highest_bin(&self) -> usize {
        let s = Specification::DEFAULT;
        let pass = (s.pass_hz * self.samples as f64 / s.output_rate_hz()) as usize;
        if self.method.decimates() { pass } else { (self.samples / 2).saturating_sub(1) }
    }

    /// Rows before the window that the decimator needs to forget what was before them.
    pub fn history_rows(&self) -> usize {
        if self.method.decimates() { RATE * SETTLING } else { 0 }
    }

    /// Rows of the window.
    pub fn window_rows(&self) -> usize {
        RATE * self.samples
    }

    pub(super) fn check(&self) -> Result<(), FrontEndError> {
        let bit_rate_hz = self.bit_rate_hz;
        if !(bit_rate_hz > 0.0 && bit_rate_hz.is_finite()) {
            return Err(FrontEndError::BitRate(bit_rate_hz));
        }
        check_samples(self.samples)?;
        check_bins(&self.bins, self.highest_bin())
    }

    /// The default decimator at this bit rate.
    pub(super) fn design(&self) -> Design {
        let s = Specification::DEFAULT;
        let pass_hz = s.pass_hz / s.bit_rate_hz * self.bit_rate_hz;
        let specification = Specification { bit_rate_hz: self.bit_rate_hz, pass_hz, ..s };
        Design::with_taps(specification, TAPS.to_vec())
    }

    /// For every bin, the factor from the amplitude of the samples to that of the sound at the window's first bit:
    /// `exp(-j w t0)/H(w)`, where the first sample stands for the instant `t0` and H is the zero-phase response of
    /// the filter before it.
    ///
    /// `t0` is 31 bits less the decimator's delay, 15.5 bits for averages, 0 for the bits themselves.
    pub fn corrections(&self) -> Vec<Complex<f64>> {
        let design = self.design();
        let correction = |&k: &usize| {
            let f = k as f64 / self.window_rows() as f64;
            let (t0, response) = match self.method {
                Method::Nominal | Method::Dot => {
                    (RATE as f64 - 1.0 - design.delay_bits(), design.response(self.frequency_hz(k)))
                }
                Method::Average => ((RATE as f64 - 1.0) / 2.0, dsp_core::average::response(f, RATE)),
                Method::Walsh { .. } | Method::Bits => (0.0, 1.0),
            };
            Complex::from_polar(1.0 / response, -TAU * f * t0)
        };
        self.bins.iter().map(correction).collect()
    }
}
