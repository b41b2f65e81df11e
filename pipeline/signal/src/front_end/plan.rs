//! The front end as a whole: one method, from rows to bins, for a window or a stream.

use super::average::Average;
use super::bits::Bits;
use super::dot::Dot;
use super::error::{FrontEndError, check_length};
use super::fft::Fft;
use super::kept::Kept;
use super::samples::Samples;
use super::settings::{Method, Settings};
use super::sliding::Sliding;
use super::walsh::Walsh;
use crate::decimate::ArrayDecimator;
use num_complex::Complex;
use numerics::real::{Real, rounded};

/// Rows of an array to the chosen bins of all its microphones.
///
/// ```
/// use signal::front_end::{FrontEnd, Method, Settings};
/// let settings = Settings::camera(Method::Bits, vec![22, 45]);
/// let mut front_end = FrontEnd::<f32>::new(&settings)?;
/// let rows = vec![0x55; (front_end.history_rows() + front_end.window_rows()) * 128];
/// let mut holograms = vec![Default::default(); 2 * 1024];
/// front_end.holograms(&rows, &mut holograms)?;
/// # Ok::<(), signal::front_end::FrontEndError>(())
/// ```
pub struct FrontEnd<T> {
    settings: Settings,
    stage: Stage<T>,
    corrections: Vec<Complex<T>>,
    /// The window of a stream, for methods that keep no sums of it.
    kept: Kept,
}

enum Stage<T> {
    Decimated { decimator: ArrayDecimator, frames: Vec<i32>, samples: Samples<T>, transform: Transform<T> },
    Sliding { decimator: ArrayDecimator, frames: Vec<i32>, sliding: Sliding },
    Average(Average<T>),
    Walsh(Walsh<T>),
    Bits(Bits<T>),
}

enum Transform<T> {
    Dot(Dot<T>),
    Fft(Fft<T>),
}

numerics::compiled! { T: Real => FrontEnd<T>: new, stream, holograms, push, newest }

impl<T: Real> FrontEnd<T> {
    /// The plan for `settings`.
    #[inline(never)]
    pub fn new(settings: &Settings) -> Result<Self, FrontEndError> {
        Self::made(settings, None)
    }

    /// The plan for a stream of which a window is wanted every `hop` rows: `dot` by sums that slide on, where that is less work.
    #[inline(never)]
    pub fn stream(settings: &Settings, hop: u64) -> Result<Self, FrontEndError> {
        Self::made(settings, Some(hop))
    }

    fn made(settings: &Settings, hop: Option<u64>) -> Result<Self, FrontEndError> {
        settings.check()?;
        let Settings { method, taper, samples, layout, .. } = *settings;
        let (bins, channels) = (&settings.bins[..], layout.channels() as usize);
        let decimator = || ArrayDecimator::new(&settings.design(), &layout);
        let decimated = |transform| -> Result<Stage<T>, FrontEndError> {
            Ok(Stage::Decimated {
                decimator: decimator()?,
                frames: Vec::new(),
                samples: Samples::new(samples, channels),
                transform,
            })
        };
        let slides = hop.is_some_and(|hop| Sliding::pays(samples, bins, taper, hop / 32));
        let stage = match method {
            Method::Nominal => decimated(Transform::Fft(Fft::new(samples, channels, bins, taper)?))?,
            Method::Dot if slides => {
                let sliding = Sliding::new(samples, channels, bins, taper)?;
                Stage::Sliding { decimator: decimator()?, frames: Vec::new(), sliding }
            }
            Method::Dot => decimated(Transform::Dot(Dot::new(samples, channels, bins, taper)?))?,
            Method::Average => Stage::Average(Average::new(&layout, samples, bins, taper)?),
            Method::Walsh { coefficients } => {
                Stage::Walsh(Walsh::new(&layout, samples, bins, taper, coefficients)?)
            }
            Method::Bits => Stage::Bits(Bits::new(&layout, samples, bins, taper)?),
        };
        let corrections = settings.corrections().into_iter().map(rounded).collect();
        let kept = Kept::new(settings.window_rows() * layout.row_bytes());
        Ok(Self { settings: settings.clone(), stage, corrections, kept })
    }

    /// The settings of the plan.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Rows that must precede the window; see [`Settings::history_rows`].
    pub fn history_rows(&self) -> usize {
        self.settings.history_rows()
    }

    /// Rows of the window.
    pub fn window_rows(&self) -> usize {
        self.settings.window_rows()
    }

    /// The amplitudes `P[k]` of all microphones, `[bin][grid index]`, from history and window as sent.
    ///
    /// Windows are independent of one another: nothing is kept from the last call.
    #[inline(never)]
    pub fn holograms(&mut self, rows: &[u8], out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let layout = &self.settings.layout;
        let expected = (self.history_rows() + self.window_rows()) * layout.row_bytes();
        check_length("bytes of rows", expected, rows.len())?;
        check_length("results", self.corrections.len() * layout.channels() as usize, out.len())?;
        match &mut self.stage {
            Stage::Walsh(walsh) => walsh.execute(rows, out)?,
            Stage::Bits(bits) => bits.execute(rows, out)?,
            Stage::Decimated { .. } | Stage::Sliding { .. } | Stage::Average(_) => {
                self.push(rows);
                return self.newest(out);
            }
        }
        self.correct(out);
        Ok(())
    }

    /// Takes the next rows of a stream, whole groups of 32 (what is beyond is left out). [`FrontEnd::newest`] gives the
    /// window that ends with them; decimated samples and averages are kept, so that nothing is computed twice.
    #[inline(never)]
    pub fn push(&mut self, rows: &[u8]) {
        match &mut self.stage {
            Stage::Decimated { decimator, frames, samples, .. } => {
                frames.clear();
                let _ = decimator.process(rows, frames);
                samples.push(frames);
            }
            Stage::Sliding { decimator, frames, sliding } => {
                frames.clear();
                let _ = decimator.process(rows, frames);
                sliding.push(frames);
            }
            Stage::Average(average) => average.push(rows),
            Stage::Walsh(_) | Stage::Bits(_) => {
                let group = 32 * self.settings.layout.row_bytes();
                self.kept.push(&rows[..rows.len() / group * group]);
            }
        }
    }

    /// The amplitudes `P[k]` of the newest window of what was pushed; they mean nothing before history and window were.
    #[inline(never)]
    pub fn newest(&mut self, out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        let channels = self.settings.layout.channels() as usize;
        check_length("results", self.corrections.len() * channels, out.len())?;
        match &mut self.stage {
            Stage::Decimated { samples, transform: Transform::Dot(dot), .. } => dot.execute(samples, out)?,
            Stage::Decimated { samples, transform: Transform::Fft(fft), .. } => fft.execute(samples, out)?,
            Stage::Sliding { sliding, .. } => sliding.newest(out)?,
            Stage::Average(average) => average.execute(out)?,
            Stage::Walsh(walsh) => walsh.execute(self.kept.window(), out)?,
            Stage::Bits(bits) => bits.execute(self.kept.window(), out)?,
        }
        self.correct(out);
        Ok(())
    }

    fn correct(&self, out: &mut [Complex<T>]) {
        let channels = self.settings.layout.channels() as usize;
        for (image, correction) in out.chunks_exact_mut(channels).zip(&self.corrections) {
            image.iter_mut().for_each(|p| *p *= *correction);
        }
    }
}
