//! The kernel of a method with its tables, and where its bins go.

use super::super::error::{FrontEndError, check_length};
use super::super::settings::{Method, Settings, Taper};
use super::walsh;
use dsp_core::decimator::{CIC_IMPULSE, CIC_RATE, TAPS};
use kernels::front_end::{self, Destination, LONGEST, NEWEST, RESPONSE, SHORTEST, Tables, twiddle_turns};
use kernels::{Buffer, Stream};
use num_complex::Complex;
use numerics::real::rounded;
use std::f64::consts::TAU;

pub type Complex32 = Complex<f32>;

/// The kernel for `settings`, with `gains` (`[bin][grid index]`, over the settings' corrections) or none, for launches of so
/// many windows or live ones.
pub fn front_end(
    stream: &mut Stream,
    settings: &Settings,
    gains: Option<&[Complex<f64>]>,
    windows: Option<usize>,
) -> Result<front_end::FrontEnd, FrontEndError> {
    settings.check()?;
    if !(SHORTEST..=LONGEST).contains(&settings.samples) {
        let must = "64 to 4096 on a card; others run with --device cpu";
        return Err(FrontEndError::Samples { samples: settings.samples, must });
    }
    let tables = tables(stream, settings)?;
    let destination = destination(stream, settings, gains)?;
    let device = stream.device().clone();
    Ok(front_end::FrontEnd::new(&device, tables, destination, settings.samples, windows)?)
}

/// Where the stream's channels go, and their gains.
fn destination(
    stream: &mut Stream,
    settings: &Settings,
    gains: Option<&[Complex<f64>]>,
) -> Result<Destination, FrontEndError> {
    let channels = settings.layout.channels();
    let places: Vec<u32> = (0..channels).filter_map(|position| settings.layout.index_of(position)).collect();
    let corrections = settings.corrections();
    if let Some(gains) = gains {
        check_length("gains", corrections.len() * places.len(), gains.len())?;
    }
    let gain = |bin: usize, place: u32| {
        let own = gains.map_or(Complex::ONE, |g| g[bin * places.len() + place as usize]);
        rounded(corrections[bin] * own)
    };
    let gains: Vec<Complex32> = (0..corrections.len())
        .flat_map(|bin| places.iter().map(move |&p| (bin, p)))
        .map(|(b, p)| gain(b, p))
        .collect();
    Ok(Destination {
        gains: Buffer::from_slice(stream, "gains", &gains)?,
        places: Buffer::from_slice(stream, "places", &places)?,
    })
}

fn tables(stream: &mut Stream, settings: &Settings) -> Result<Tables, FrontEndError> {
    let Settings { method, taper, samples: n, ref bins, .. } = *settings;
    let weights = || bins.iter().flat_map(|&k| dot_weights(k, n, taper)).collect::<Vec<_>>();
    Ok(match method {
        // The FFT's length must be a power of two; the dot products give the same for others.
        Method::Nominal if n.is_power_of_two() => {
            let window = taper.window(n);
            let sum: f64 = window.iter().sum();
            let window: Vec<f32> = window.iter().map(|w| (w / sum) as f32).collect();
            let newest = |&k: &usize| dot_weights(k, n, taper).split_off(n - NEWEST);
            let newest: Vec<Complex32> = bins.iter().flat_map(newest).map(rounded).collect();
            Tables::Fft {
                response: response(stream)?,
                window: Buffer::from_slice(stream, "window", &window)?,
                twiddles: Buffer::from_slice(stream, "twiddles", &fft_twiddles(n, bins))?,
                newest: Buffer::from_slice(stream, "newest weights", &newest)?,
                bins: Buffer::from_slice(stream, "bins", &indices(bins)?)?,
            }
        }
        Method::Nominal | Method::Dot => {
            let weights: Vec<Complex32> = weights().into_iter().map(rounded).collect();
            let weights = Buffer::from_slice(stream, "weights", &weights)?;
            Tables::Dot { response: response(stream)?, weights }
        }
        Method::Average => {
            let weights: Vec<Complex32> = weights().into_iter().map(|w| rounded(w / 16.0)).collect();
            Tables::Counts { weights: Buffer::from_slice(stream, "weights", &weights)? }
        }
        Method::Walsh { .. } if !n.is_power_of_two() => {
            return Err(FrontEndError::Samples { samples: n, must: "a power of two for walsh" });
        }
        Method::Walsh { coefficients: Some(count) } => walsh::tables(stream, settings, count)?,
        Method::Walsh { coefficients: None } | Method::Bits => exact(stream, settings)?,
    })
}

/// `2 w[t]/S exp(-j 2 pi k t/N)`.
fn dot_weights(k: usize, n: usize, taper: Taper) -> Vec<Complex<f64>> {
    let window = taper.window(n);
    let scale = 2.0 / window.iter().sum::<f64>();
    window.iter().enumerate().map(|(t, w)| turn(k * t, n) * (scale * w)).collect()
}

/// Sums over the bits of a byte; a Hann window is three plain bins.
fn exact(stream: &mut Stream, settings: &Settings) -> Result<Tables, FrontEndError> {
    let (words, n) = (settings.samples, settings.window_rows());
    let mix: &[f32] = if settings.taper == Taper::Hann { &[-0.5, 1.0, -0.5] } else { &[1.0] };
    let neighbours = |&k: &usize| (k - mix.len() / 2..).take(mix.len());
    let plain: Vec<usize> = settings.bins.iter().flat_map(neighbours).collect();
    let scale = 2.0 / n as f64;
    let sum = |k: usize, byte: usize, value: usize| {
        let sign = |b: usize| if value >> b & 1 == 1 { scale } else { -scale };
        rounded((0..8).map(|b| turn(k * (8 * byte + b), n) * sign(b)).sum())
    };
    let sums: Vec<Complex32> = plain
        .iter()
        .flat_map(|&k| (0..4 * 256).map(move |i| (k, i)))
        .map(|(k, i)| sum(k, i / 256, i % 256))
        .collect();
    Ok(Tables::Exact {
        byte_sums: Buffer::from_slice(stream, "sums of bytes", &sums)?,
        twiddles: Buffer::from_slice(stream, "twiddles", &twiddles(words))?,
        plain: Buffer::from_slice(stream, "plain bins", &indices(&plain)?)?,
        mix: Buffer::from_slice(stream, "mix", mix)?,
    })
}

/// The default decimator's impulse response, the newest bit first: its CIC's taps behind every tap of its FIR. A sum
/// that 32 bits do not hold would not compile.
fn response(stream: &mut Stream) -> Result<Buffer<i32>, FrontEndError> {
    const TABLE: [i32; RESPONSE] = {
        let mut table = [0; RESPONSE];
        let mut i = 0;
        while i < TAPS.len() * CIC_IMPULSE.len() {
            let (tap, bit) = (i / CIC_IMPULSE.len(), i % CIC_IMPULSE.len());
            table[CIC_RATE * tap + bit] += TAPS[tap] * CIC_IMPULSE[bit] as i32;
            i += 1;
        }
        table
    };
    Ok(Buffer::from_slice(stream, "response", &TABLE)?)
}

fn fft_twiddles(n: usize, bins: &[usize]) -> Vec<Complex32> {
    twiddle_turns(n, bins).into_iter().map(|turn| rounded(Complex::cis(-TAU * turn))).collect()
}

fn twiddles(n: usize) -> Vec<Complex32> {
    (0..n).map(|i| rounded(turn(i, n))).collect()
}

/// `exp(-j 2 pi i/n)`.
fn turn(i: usize, n: usize) -> Complex<f64> {
    Complex::cis(-TAU * (i % n) as f64 / n as f64)
}

fn indices(bins: &[usize]) -> Result<Vec<u32>, FrontEndError> {
    Ok(bins.iter().map(|&k| kernels::size32("bin", k)).collect::<Result<_, _>>()?)
}
