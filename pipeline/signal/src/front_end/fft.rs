//! The whole spectrum of every channel by FFT, of which the chosen bins are kept.
//!
//! Two real channels make one complex signal `z = x + j y`, and their bins follow from its spectrum:
//!
//! ```text
//! X[k] = (Z[k] + conj Z[N-k])/2,    Y[k] = (Z[k] - conj Z[N-k])/(2 j)
//! ```
//!
//! Neighbouring lanes are such a signal as they lie in memory. Cost: half a complex FFT of N for each channel,
//! whatever the number of bins. The rounding error of a channel is relative to the louder of the pair.

use super::error::{FrontEndError, check_length, check_window};
use super::lanes::{LANES, Pair, scatter, share, workers, zero_pair};
use super::samples::{Block, Samples};
use super::settings::Taper;
use num_complex::Complex;
use numerics::real::Real;
use std::sync::Arc;

/// The plan, with room for the results.
pub struct Fft<T> {
    bins: Vec<usize>,
    order: Vec<usize>,
    places: Vec<usize>,
    /// Window times `1/sum(w)`: half the amplitude's scale, the other half is in the split of the pair.
    window: Vec<T>,
    sums: Vec<Pair<T>>,
    workers: Vec<Worker<T>>,
}

/// What one thread needs for itself.
#[derive(Clone)]
pub struct Worker<T> {
    fft: Arc<dyn rustfft::Fft<T>>,
    /// One pair of channels after the other, `[pair][t]`.
    signals: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

numerics::compiled! { T: Real => Fft<T>: new, execute }

impl<T: Real> Fft<T> {
    /// A plan for `bins` of `samples` samples (a multiple of 4) of `channels` channels.
    #[inline(never)]
    pub fn new(samples: usize, channels: usize, bins: &[usize], taper: Taper) -> Result<Self, FrontEndError> {
        check_window(samples, bins)?;
        let fft = T::transforms(&[samples])[0][0].clone();
        let zero = Complex::new(T::zero(), T::zero());
        let worker = Worker {
            signals: vec![zero; LANES / 2 * samples],
            scratch: vec![zero; fft.get_inplace_scratch_len()],
            fft,
        };
        let blocks = channels.div_ceil(LANES);
        let window = taper.window(samples);
        let scale = 1.0 / window.iter().sum::<f64>();
        Ok(Self {
            bins: bins.to_vec(),
            order: (0..bins.len()).collect(),
            places: (0..channels).collect(),
            window: window.iter().map(|w| T::of(scale * w)).collect(),
            sums: vec![zero_pair(); blocks * bins.len()],
            workers: workers(blocks, worker),
        })
    }

    /// Peak amplitudes `2 X[k]/sum(w)` of all channels, `[bin][channel]`.
    #[inline(never)]
    pub fn execute(&mut self, samples: &Samples<T>, out: &mut [Complex<T>]) -> Result<(), FrontEndError> {
        check_length("samples", self.window.len(), samples.length())?;
        check_length("channels", self.places.len(), samples.channels())?;
        check_length("results", self.bins.len() * samples.channels(), out.len())?;
        let (bins, window) = (&self.bins, &self.window);
        share(&mut self.workers, &mut self.sums, bins.len(), |worker, block, sums| {
            worker.run(samples.block(block), window, bins, sums);
        });
        scatter(&self.sums, &self.order, &self.places, out);
        Ok(())
    }
}

/// Samples whose lines stay in the first cache while all pairs are taken from them.
const TILE: usize = 64;

impl<T: Real> Worker<T> {
    /// The chosen bins of a block.
    fn run(&mut self, block: Block<'_, T>, window: &[T], bins: &[usize], sums: &mut [Pair<T>]) {
        self.gather(block, window);
        self.fft.process_with_scratch(&mut self.signals, &mut self.scratch);
        self.pick(bins, sums);
    }

    /// Windows a block's samples and turns them from time-major into one signal after the other.
    fn gather(&mut self, block: Block<'_, T>, window: &[T]) {
        let n = window.len();
        for (tile, window) in window.chunks(TILE).enumerate() {
            for (pair, signal) in self.signals.chunks_exact_mut(n).enumerate() {
                let values = signal[tile * TILE..].iter_mut().zip(window).enumerate();
                for (t, (z, w)) in values {
                    let [x, y] = block.at(tile * TILE + t).0.as_chunks::<2>().0[pair];
                    *z = Complex::new(x * *w, y * *w);
                }
            }
        }
    }

    /// The chosen bins of both channels of every pair.
    fn pick(&self, bins: &[usize], sums: &mut [Pair<T>]) {
        let n = self.signals.len() / (LANES / 2);
        for (pair, spectrum) in self.signals.chunks_exact(n).enumerate() {
            for (&bin, [re, im]) in bins.iter().zip(sums.iter_mut()) {
                let (z, mirror) = (spectrum[bin], spectrum[n - bin].conj());
                let (x, y) = (z + mirror, z - mirror);
                (re.0[2 * pair], im.0[2 * pair]) = (x.re, x.im);
                (re.0[2 * pair + 1], im.0[2 * pair + 1]) = (y.im, -y.re);
            }
        }
    }
}
