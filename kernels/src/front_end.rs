//! `cuda/front_end.cu`: from bits to the chosen bins of every channel, in a live stream or window after window.

mod rings;
mod sizes;
mod tables;

pub use rings::{Rings, Windows};
pub(crate) use sizes::{CHANNELS, THREADS};
pub use sizes::{HISTORY, LONGEST, MOST_ROWS, NEWEST, RESPONSE, SHORTEST};
pub use tables::{Destination, Tables, twiddle_turns};

use crate::abi;
use crate::call::{Call, UNUSED};
use crate::calls::{self, sources};
use crate::device::Device;
use crate::error::{Error, at_most, same, size32};
use crate::graph::{Builder, Graph, NodeId};
use crate::kernel::{Geometry, Kernel, Module};
use crate::memory::Buffer;
use crate::program::Program;
use crate::stream::Stream;
use crate::walsh;
use num_complex::Complex;
use tables::constants;

/// The source.
pub const PROGRAM: Program = Program {
    samples: &[
        &constants(1024, 0, true),
        &constants(1024, 0, false),
        &constants(1024, 1, true),
        &constants(1024, 1, false),
        &constants(64, 1, true),
        &constants(64, 1, false),
        &constants(4096, 0, true),
        &constants(4096, 0, false),
    ],
    ..sources::FRONT_END
};

/// Blocks that fetch rows, as in the source.
const FETCHERS: usize = 2;

/// A front end for one array, window length and set of bins.
#[derive(Debug)]
pub struct FrontEnd {
    kernel: Kernel,
    /// Of a stream: for the old words of the next window.
    old: Option<Kernel>,
    tables: Tables,
    destination: Destination,
    channels: usize,
    bins: usize,
    samples: usize,
    /// None: live.
    windows: Option<usize>,
}

impl FrontEnd {
    /// Compiles and prepares launches of `windows` windows of `samples` samples, or live ones if there is no number.
    pub fn new(
        device: &Device,
        tables: Tables,
        destination: Destination,
        samples: usize,
        windows: Option<usize>,
    ) -> Result<Self, Error> {
        let channels = destination.places.len();
        let bins = destination.gains.len() / channels.max(1);
        tables.check(samples, bins)?;
        same("channels of whole bytes", channels % CHANNELS, 0)?;
        same("gains", destination.gains.len(), bins * channels)?;
        // The new part of a stream is a program of its own: what it needs lies close together.
        let module = |fresh: bool| match &tables {
            Tables::Fft { .. } | Tables::Dot { .. } => {
                Module::load(device, &PROGRAM, &constants(samples, 0, fresh))
            }
            Tables::Counts { .. } | Tables::Exact { .. } => {
                Module::load(device, &PROGRAM, &constants(samples, 1, fresh))
            }
            Tables::Walsh(_) => Module::load(device, &walsh::PROGRAM, &walsh::constants(samples, fresh)),
        };
        let signature = match &tables {
            Tables::Fft { .. } => &calls::FFT_BINS,
            Tables::Dot { .. } | Tables::Counts { .. } => &calls::PROJECT_BINS,
            Tables::Exact { .. } => &calls::EXACT_BINS,
            Tables::Walsh(_) => &calls::WALSH_BINS,
        };
        let shared = tables.shared(samples, bins);
        let prepare = |fetching: usize, shared: usize| {
            let grid = [channels / CHANNELS + fetching, windows.unwrap_or(1), 1];
            module(fetching > 0)?.prepare(signature, Geometry::new(grid, THREADS, shared)?)
        };
        let (kernel, old) = match windows {
            Some(_) => (prepare(0, shared)?, None),
            None => {
                // No two blocks of the new part are to share a multiprocessor, although some find no room at first: it begins beside
                // the iteration before. Nor of a long old part, which begins beside holography; a brief one is to find room at once.
                let half = device.properties().shared_memory / 2;
                let least = if tables.is_brief(bins) { 0 } else { half };
                (prepare(FETCHERS, shared.max(half))?, Some(prepare(0, shared.max(least))?))
            }
        };
        Ok(Self { kernel, old, tables, destination, channels, bins, samples, windows })
    }

    /// Channels of the array.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Bins of a window.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// The bins of all windows, `[window][bin][grid index]`.
    pub fn run(
        &self,
        stream: &mut Stream,
        windows: Windows<'_>,
        rings: &mut Rings,
        bins: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        let call = self.call(windows, rings, bins)?;
        self.kernel(windows).launch(stream, call)
    }

    /// The same as a node of a graph. It may begin before the node before it ends, which must be that of
    /// [`hologram`](crate::hologram) for [`Windows::Next`], and that of the iteration before for [`Windows::Live`].
    pub fn add_to(
        &self,
        graph: &mut Builder,
        windows: Windows<'_>,
        rings: &mut Rings,
        bins: &mut Buffer<Complex<f32>>,
    ) -> Result<NodeId, Error> {
        let call = self.call(windows, rings, bins)?;
        graph.kernel(self.kernel(windows), call)
    }

    /// Gives such a node other arguments from the next launch on.
    pub fn update(
        &self,
        graph: &mut Graph,
        node: NodeId,
        windows: Windows<'_>,
        rings: &mut Rings,
        bins: &mut Buffer<Complex<f32>>,
    ) -> Result<(), Error> {
        let call = self.call(windows, rings, bins)?;
        graph.update(node, call)
    }

    fn kernel(&self, windows: Windows<'_>) -> &Kernel {
        match (windows, &self.old) {
            (Windows::Next { .. }, Some(old)) => old,
            _ => &self.kernel,
        }
    }

    fn call(
        &self,
        windows: Windows<'_>,
        rings: &mut Rings,
        bins: &mut Buffer<Complex<f32>>,
    ) -> Result<Call, Error> {
        let f = &self.check(windows, rings, bins)?;
        let Destination { places, gains } = &self.destination;
        let Rings { pending, words, samples, inbox, kept, shares, state, .. } = rings;
        let mail = match windows {
            Windows::Live { mail, .. } => mail.pointer(),
            Windows::Of { .. } | Windows::Next { .. } => UNUSED,
        };
        Ok(match &self.tables {
            Tables::Fft { response, window, twiddles, newest, bins: k } => calls::fft_bins(
                mail, response, window, twiddles, newest, k, places, gains, state, inbox, pending, words,
                samples, shares, kept, bins, f,
            ),
            Tables::Dot { response, weights } => calls::project_bins(
                mail, response, weights, places, gains, state, inbox, pending, words, samples, shares, kept,
                bins, f,
            ),
            Tables::Counts { weights } => calls::project_bins(
                mail, UNUSED, weights, places, gains, state, inbox, pending, words, samples, shares, kept,
                bins, f,
            ),
            Tables::Exact { byte_sums, twiddles, plain, mix } => calls::exact_bins(
                mail, byte_sums, twiddles, plain, mix, places, gains, state, inbox, pending, words, kept,
                bins, f,
            ),
            Tables::Walsh(walsh::Tables { patterns, tables, newest, settings, .. }) => calls::walsh_bins(
                mail, patterns, tables, newest, places, gains, state, inbox, pending, words, kept, bins, f,
                settings,
            ),
        })
    }

    fn check(
        &self,
        windows: Windows<'_>,
        rings: &Rings,
        bins: &Buffer<Complex<f32>>,
    ) -> Result<abi::FrontEnd, Error> {
        let row_bytes = self.channels / CHANNELS;
        let ring = self.channels * rings.capacity;
        let (rows, first, stride, count) = match windows {
            Windows::Live { mail, count } => {
                same("bytes of a row of mail", mail.row_bytes(), row_bytes)?;
                at_most("rows of mail", count, mail.rows())?;
                let mailed = mail.rows().saturating_add(mail.skipped());
                at_most("rows in the inbox", rings::inbox_units(mailed, row_bytes), rings.inbox.len())?;
                (count, 0, 0, 1)
            }
            Windows::Next { count } => (count, 0, 0, 1),
            Windows::Of { first, stride, count } => {
                let end = first + count.saturating_sub(1) * stride + self.samples;
                at_most("words of all windows", end, rings.capacity)?;
                (0, first, stride, count)
            }
        };
        let phase = match windows {
            Windows::Of { .. } => abi::front_end::PHASE_WINDOWS,
            Windows::Next { .. } => abi::front_end::PHASE_OLD,
            Windows::Live { .. } => abi::front_end::PHASE_NEW,
        };
        same("windows", count, self.windows.unwrap_or(1))?;
        let of_stream = phase != abi::front_end::PHASE_WINDOWS;
        same("of a stream", usize::from(of_stream), usize::from(self.windows.is_none()))?;
        if of_stream {
            at_most("rows", 1, rows)?;
            at_most("rows of a launch", rows, MOST_ROWS)?;
            at_most("samples of a window in the ring", self.samples, rings.capacity)?;
            at_most("samples that a ring needs", SHORTEST, rings.capacity)?;
            same("kept bins", rings.kept.len(), self.bins * self.channels)?;
            same("kept shares", rings.shares.len(), 2 * NEWEST * self.channels)?;
        }
        same("pending rows", rings.pending.len(), 32 * row_bytes)?;
        same("words", rings.words.len(), ring)?;
        if matches!(self.tables, Tables::Fft { .. } | Tables::Dot { .. }) {
            same("samples", rings.samples.len(), ring)?;
        }
        same("bins", bins.len(), count * self.bins * self.channels)?;
        Ok(abi::FrontEnd {
            rows: size32("rows", rows)?,
            row_bytes: size32("bytes of a row", row_bytes)?,
            bins: size32("bins", self.bins)?,
            capacity: size32("capacity", rings.capacity)?,
            first: size32("first window", first)?,
            stride: size32("stride of windows", stride)?,
            terms: match &self.tables {
                Tables::Exact { mix, .. } => size32("terms", mix.len())?,
                _ => 1,
            },
            phase,
        })
    }
}
