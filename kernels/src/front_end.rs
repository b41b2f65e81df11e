//! `cuda/front_end.cu`: from bits to the chosen bins of every channel, in a live stream or window after window.

mod rings;
mod sizes;
mod tables;

pub use rings::{Rings, Windows};
pub(crate) use sizes::{CHANNELS, THREADS};
pub use sizes::{HISTORY, LONGEST, MOST_ROWS, NEWEST, RESPONSE, SHORTEST};
pub use tables::{Destination, Tables, twiddle_turns};

use crate::abi;
use crate::device::Device;
use crate::error::{Error, at_most, same, size32};
use crate::graph::{Builder, Graph, NodeId};
use crate::kernel::{Argument, Geometry, Kernel, Module, unused, value};
use crate::memory::Buffer;
use crate::program::Parameter::{self, Input, Output, Value};
use crate::program::{Program, Signature};
use crate::stream::Stream;
use crate::walsh;
use num_complex::Complex;
use tables::constants;

/// The source.
pub const PROGRAM: Program = Program {
    name: "front_end",
    source: include_str!("../cuda/front_end.cu"),
    kernels: &[&FFT, &PROJECT, &EXACT],
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
};

const SETTINGS: Parameter = Value("f", size_of::<abi::FrontEnd>());

const FFT: Signature = Signature {
    module: "front_end",
    name: "fft_bins",
    hot: true,
    capability: 80,
    parameters: &[
        Input("mail"),
        Input("response"),
        Input("window"),
        Input("twiddles"),
        Input("newest"),
        Input("bins"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("samples"),
        Output("shares"),
        Output("kept"),
        Output("bins_out"),
        SETTINGS,
    ],
};

const PROJECT: Signature = Signature {
    module: "front_end",
    name: "project_bins",
    hot: true,
    capability: 80,
    parameters: &[
        Input("mail"),
        Input("response"),
        Input("weights"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("samples"),
        Output("shares"),
        Output("kept"),
        Output("bins_out"),
        SETTINGS,
    ],
};

const EXACT: Signature = Signature {
    module: "front_end",
    name: "exact_bins",
    hot: true,
    capability: 80,
    parameters: &[
        Input("mail"),
        Input("byte_sums"),
        Input("twiddles"),
        Input("plain"),
        Input("mix"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("kept"),
        Output("bins_out"),
        SETTINGS,
    ],
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
            Tables::Fft { .. } => &FFT,
            Tables::Dot { .. } | Tables::Counts { .. } => &PROJECT,
            Tables::Exact { .. } => &EXACT,
            Tables::Walsh(_) => &walsh::WALSH,
        };
        let shared = tables.shared(samples, bins);
        let prepare = |fetching: usize, shared: usize| {
            let blocks = channels / CHANNELS + fetching;
            let grid = [size32("channels", blocks)?, size32("windows", windows.unwrap_or(1))?, 1];
            let (threads, shared) = (size32("threads", THREADS)?, size32("shared memory", shared)?);
            module(fetching > 0)?.prepare(signature, Geometry { grid, threads, shared })
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
        let settings = self.check(windows, rings, bins)?;
        let arguments = self.arguments(windows, rings, bins, &settings);
        self.kernel(windows).launch(stream, &arguments)
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
        let settings = self.check(windows, rings, bins)?;
        let arguments = self.arguments(windows, rings, bins, &settings);
        graph.overlapping_kernel(self.kernel(windows), &arguments)
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
        let settings = self.check(windows, rings, bins)?;
        let arguments = self.arguments(windows, rings, bins, &settings);
        graph.update(node, &arguments)
    }

    fn kernel(&self, windows: Windows<'_>) -> &Kernel {
        match (windows, &self.old) {
            (Windows::Next { .. }, Some(old)) => old,
            _ => &self.kernel,
        }
    }

    fn arguments<'a>(
        &'a self,
        windows: Windows<'a>,
        rings: &'a mut Rings,
        bins: &'a mut Buffer<Complex<f32>>,
        settings: &'a abi::FrontEnd,
    ) -> Vec<Argument<'a>> {
        let Destination { places, gains } = &self.destination;
        let mut arguments = vec![match windows {
            Windows::Live { mail, .. } => mail.input(),
            Windows::Of { .. } | Windows::Next { .. } => unused(),
        }];
        match &self.tables {
            Tables::Fft { response, window, twiddles, newest, bins } => {
                arguments.extend([response.input(), window.input(), twiddles.input()]);
                arguments.extend([newest.input(), bins.input()]);
            }
            Tables::Dot { response, weights } => {
                arguments.extend([response.input(), weights.input()]);
            }
            Tables::Counts { weights } => arguments.extend([unused(), weights.input()]),
            Tables::Exact { byte_sums, twiddles, plain, mix } => {
                arguments.extend([byte_sums.input(), twiddles.input(), plain.input(), mix.input()]);
            }
            Tables::Walsh(tables) => arguments.extend(tables.arguments()),
        }
        arguments.extend([places.input(), gains.input(), rings.state.output()]);
        arguments.extend([rings.inbox.output(), rings.pending.output(), rings.words.output()]);
        if !matches!(self.tables, Tables::Exact { .. } | Tables::Walsh(_)) {
            arguments.extend([rings.samples.output(), rings.shares.output()]);
        }
        arguments.extend([rings.kept.output(), bins.output(), value(settings)]);
        if let Tables::Walsh(tables) = &self.tables {
            arguments.push(tables.settings());
        }
        arguments
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
