//! The front ends on a card; twin of the stages beside it. The kernels are in `kernels/cuda/front_end.cu`.
//!
//! | method | kernel | tables |
//! |---|---|---|
//! | `nominal` | FFT | window, twiddles |
//! | `dot` | sums of samples with weights | `2 w[t]/S exp(-j 2 pi k t/N)` |
//! | `average` | sums of counts with weights | the same over 16: a mean is (count - 16)/16 |
//! | `walsh` | sums of counts with weights, one pass for each pattern | below |
//! | `bits`, `walsh` with all coefficients | byte tables | `2/N exp(-j 2 pi k t/N)` summed over the bits of a byte |
//!
//! **Walsh.** A bin is a sum of Walsh coefficients, each a sum over words of a sign and a count, so all the
//! coefficients of one pattern p together are one weight for each word:
//! ```text
//! 2 X[k]/S = sum_p sum_m (count_p[m] - 16) G_p[m],     G_p[m] = 2/N sum_l (a - j b)(p, l) WAL(l, m)
//! ```
//! The symbols are those of [`Walsh`](super::Walsh). The weights are made once; no transform is left. With all
//! coefficients the Walsh functions are complete and the sum is the DFT of the bits itself, which byte tables give in one
//! pass.

mod batch;

pub use batch::FrontEnd;

use super::walsh::weighted;
use super::{FrontEndError, Method, Settings, Taper};
use dsp_core::decimator::{CIC_IMPULSE, TAPS};
use dsp_core::walsh::{Order, Walsh};
use kernels::front_end::{self, Destination, Filter, LONGEST, SHORTEST, Tables, twiddle_turns};
use kernels::{Buffer, Stream};
use num_complex::Complex;
use std::f64::consts::TAU;

type Complex32 = Complex<f32>;

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
        super::check_length("gains", corrections.len() * places.len(), gains.len())?;
    }
    let gain = |bin: usize, place: u32| {
        let own = gains.map_or(Complex::ONE, |g| g[bin * places.len() + place as usize]);
        narrow(corrections[bin] * own)
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
            Tables::Fft {
                filter: filter(stream)?,
                window: Buffer::from_slice(stream, "window", &window)?,
                twiddles: Buffer::from_slice(stream, "twiddles", &fft_twiddles(n, bins))?,
                bins: Buffer::from_slice(stream, "bins", &indices(bins)?)?,
            }
        }
        Method::Nominal | Method::Dot => {
            let weights: Vec<Complex32> = weights().into_iter().map(narrow).collect();
            let weights = Buffer::from_slice(stream, "weights", &weights)?;
            Tables::Dot { filter: filter(stream)?, weights }
        }
        Method::Average => {
            let weights: Vec<Complex32> = weights().into_iter().map(|w| narrow(w / 16.0)).collect();
            let weights = Buffer::from_slice(stream, "weights", &weights)?;
            let patterns: Vec<u32> = std::iter::once(0).chain(bins.iter().map(|_| 1)).collect();
            Tables::Counts { patterns: Buffer::from_slice(stream, "patterns", &patterns)?, weights }
        }
        Method::Walsh { .. } if !n.is_power_of_two() => {
            return Err(FrontEndError::Samples { samples: n, must: "a power of two for walsh" });
        }
        Method::Walsh { coefficients: Some(count) } => {
            let (patterns, weights) = walsh_weights(settings, count)?;
            Tables::Counts {
                patterns: Buffer::from_slice(stream, "patterns", &patterns)?,
                weights: Buffer::from_slice(stream, "weights", &weights)?,
            }
        }
        Method::Walsh { coefficients: None } | Method::Bits => exact(stream, settings)?,
    })
}

/// `2 w[t]/S exp(-j 2 pi k t/N)`.
fn dot_weights(k: usize, n: usize, taper: Taper) -> Vec<Complex<f64>> {
    let window = taper.window(n);
    let scale = 2.0 / window.iter().sum::<f64>();
    window.iter().enumerate().map(|(t, w)| turn(k * t, n) * (scale * w)).collect()
}

/// The patterns in use with the bins that use them, as the kernel wants them, and the weights `[pattern][bin][word]`.
fn walsh_weights(settings: &Settings, count: usize) -> Result<(Vec<u32>, Vec<Complex32>), FrontEndError> {
    let (words, n) = (settings.samples, settings.window_rows());
    if !(1..=n).contains(&count) {
        return Err(FrontEndError::Coefficients { coefficients: count, most: n });
    }
    let bits = n.trailing_zeros();
    let chosen: Vec<_> = settings
        .bins
        .iter()
        .map(|&k| weighted(k, n, settings.taper, Some(count)))
        .collect::<Result<_, _>>()?;
    let mut patterns: Vec<usize> = chosen.iter().flatten().map(|term| term.dyadic / words).collect();
    patterns.sort_unstable();
    patterns.dedup();
    let bins = settings.bins.len();
    let mut weights = vec![Complex::<f64>::ZERO; patterns.len() * bins * words];
    for (bin, terms) in chosen.iter().enumerate() {
        for term in terms {
            let pass = patterns.partition_point(|&p| p < term.dyadic / words);
            let function = Walsh::new(term.dyadic % words, bits, Order::Dyadic);
            let weight = Complex::new(term.a, -term.b) * (2.0 / n as f64);
            for (m, g) in weights[(pass * bins + bin) * words..][..words].iter_mut().enumerate() {
                *g += if function.is_negative(32 * m) { -weight } else { weight };
            }
        }
    }
    let pattern = |&p: &usize| Walsh::new(p * words, bits, Order::Dyadic).word(0);
    let used = |&p: &usize| {
        chosen.iter().map(move |terms| u32::from(terms.iter().any(|term| term.dyadic / words == p)))
    };
    let list = patterns.iter().map(pattern).chain(patterns.iter().flat_map(used)).collect();
    Ok((list, weights.into_iter().map(narrow).collect()))
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
        narrow((0..8).map(|b| turn(k * (8 * byte + b), n) * sign(b)).sum())
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

/// The default decimator's tables.
fn filter(stream: &mut Stream) -> Result<Filter, FrontEndError> {
    // Bit b of a byte is 7 - b bits older than the byte's end.
    let share = |age: usize, value: usize| {
        let tap = |b: usize| CIC_IMPULSE.get(8 * age + 7 - b).copied().unwrap_or(0);
        (0..8).filter(|b| value >> b & 1 == 1).map(tap).sum::<i64>()
    };
    let cic: Vec<i32> =
        (0..5 * 256).map(|i| i32::try_from(share(i / 256, i % 256)).unwrap_or(i32::MAX)).collect();
    Ok(Filter {
        cic: Buffer::from_slice(stream, "tables of the CIC", &cic)?,
        taps: Buffer::from_slice(stream, "taps", &TAPS)?,
    })
}

fn fft_twiddles(n: usize, bins: &[usize]) -> Vec<Complex32> {
    twiddle_turns(n, bins).into_iter().map(|turn| narrow(Complex::cis(-TAU * turn))).collect()
}

fn twiddles(n: usize) -> Vec<Complex32> {
    (0..n).map(|i| narrow(turn(i, n))).collect()
}

/// `exp(-j 2 pi i/n)`.
fn turn(i: usize, n: usize) -> Complex<f64> {
    Complex::cis(-TAU * (i % n) as f64 / n as f64)
}

fn narrow(z: Complex<f64>) -> Complex32 {
    Complex::new(z.re as f32, z.im as f32)
}

fn indices(bins: &[usize]) -> Result<Vec<u32>, FrontEndError> {
    Ok(bins.iter().map(|&k| kernels::size32("bin", k)).collect::<Result<_, _>>()?)
}
