//! Receivers and what they get: sums at all frequencies, and the bins of paths that come before them.

use super::band::Band;
use super::sizes::ENTRIES;
use crate::abi::{Sbr, SbrReceiver};
use crate::calls::{self, sources};
use crate::error::{Error, size32};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::stream::Stream;

/// Sums of receivers at all frequencies, and where they are; all [`super::Rays`] may add to them at once.
#[derive(Debug)]
pub struct Receivers {
    pub(super) receivers: Buffer<SbrReceiver>,
    band: Band,
    /// Frequencies and tables of their band.
    pub(super) waves: Buffer<f64>,
    /// Of all receivers, and behind them their bins.
    pub(super) sums: Buffer<i64>,
    kernel: Kernel,
}

impl Receivers {
    /// For these receivers at all frequencies of a band.
    pub fn new(stream: &mut Stream, receivers: &[SbrReceiver], band: &Band) -> Result<Self, Error> {
        let device = stream.device().clone();
        let geometry = Geometry::new([8 * device.properties().multiprocessors, 1, 1], 128, 0)?;
        Ok(Self {
            receivers: Buffer::from_slice(stream, "receivers", receivers)?,
            band: band.clone(),
            waves: Buffer::from_slice(stream, "frequencies", &band.values)?,
            sums: Buffer::zeros(stream, "sums of tubes", receivers.len() * band.sums())?,
            kernel: Module::load(&device, &sources::SBR_BINS, &[])?.prepare(&calls::SBR_BINS, geometry)?,
        })
    }

    /// For others from now on, with no sums yet. Memory is kept where there are as many.
    pub fn set(&mut self, stream: &mut Stream, receivers: &[SbrReceiver], band: &Band) -> Result<(), Error> {
        if receivers.len() != self.receivers.len() || *band != self.band {
            *self = Self::new(stream, receivers, band)?;
            return Ok(());
        }
        stream.upload(receivers, &mut self.receivers)?;
        stream.fill(&self.sums, 0)
    }

    /// Numbers of kernels, with those of receivers, frequencies and bins.
    pub(super) fn numbers(&self, numbers: &Sbr) -> Result<Sbr, Error> {
        let Band { frequencies, bands, bins, start, width, .. } = self.band;
        Ok(Sbr {
            frequencies: size32("frequencies", frequencies)?,
            bands: size32("tables of a band", bands)?,
            observers: size32("receivers", self.receivers.len())?,
            bins: size32("bins of paths", bins)?,
            start,
            width,
            ..*numbers
        })
    }

    /// Quanta: of every receiver the numbers of a matrix, one of them at all frequencies after the other. Once for what was added since the last [`set`](Self::set).
    pub fn sums(&mut self, stream: &mut Stream, numbers: &Sbr) -> Result<Vec<i64>, Error> {
        if self.band.bins > 0 {
            let numbers = self.numbers(numbers)?;
            self.kernel.launch(stream, calls::sbr_bins(&self.waves, &mut self.sums, &numbers))?;
        }
        let mut sums = vec![i64::MIN; self.receivers.len() * self.band.frequencies * ENTRIES];
        stream.download_front(&self.sums, &mut sums)?;
        Ok(sums)
    }
}
