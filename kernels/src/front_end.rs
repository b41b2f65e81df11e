//! `cuda/front_end.cu`: from bits to the chosen bins of every channel, in a live stream or window after window.

use crate::abi::{self, State};
use crate::device::Device;
use crate::error::{Error, size32};
use crate::graph::{Builder, Graph, NodeId};
use crate::kernel::{Argument, Geometry, Kernel, Module, unused, value};
use crate::memory::{Buffer, Mapped};
use crate::program::Parameter::{self, Input, Output, Value};
use crate::program::{Define, Program, Signature};
use crate::stream::Stream;
use num_complex::Complex;

/// The source.
pub const PROGRAM: Program = Program {
    name: "front_end",
    source: include_str!("../cuda/front_end.cu"),
    kernels: &[&FFT, &PROJECT, &EXACT],
    samples: &[&constants(1024, 0), &constants(1024, 1), &constants(64, 1), &constants(4096, 0)],
};

/// The source's constants; `source` is where `project_bins` takes its values from.
const fn constants(samples: usize, source: i64) -> [Define; 3] {
    [("SAMPLES", samples as i64), ("SOURCE", source), ("NOMINAL_BYTES", nominal_bytes(samples) as i64)]
}

/// Radices of the FFT's passes, as in the source.
const fn radices(samples: usize) -> [usize; 3] {
    let first = if samples >= 2048 { 16 } else { 8 };
    let second = if samples >= 4096 {
        16
    } else if samples >= 512 {
        8
    } else {
        4
    };
    [first, second, samples / (first * second)]
}

/// Bytes of `struct Nominal`; the source refuses to compile if it needs more.
const fn nominal_bytes(samples: usize) -> usize {
    let [first, second, _] = radices(samples);
    let ingest = 4 * (CHANNELS * (HISTORY + 32) + 5 * 256 + 96 + CHANNELS * 32) + 8 * 32;
    ingest + 8 * (CHANNELS / 2 * (samples + samples / 8) + first * (second - 1)) + 4 * samples
}

const SETTINGS: Parameter = Value("f", size_of::<abi::FrontEnd>());

const FFT: Signature = Signature {
    module: "front_end",
    name: "fft_bins",
    hot: true,
    capability: 80,
    parameters: &[
        Input("rows"),
        Input("cic"),
        Input("taps"),
        Input("window"),
        Input("twiddles"),
        Input("bins"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("samples"),
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
        Input("rows"),
        Input("cic"),
        Input("taps"),
        Input("patterns"),
        Input("weights"),
        Input("places"),
        Input("gains"),
        Output("state"),
        Output("inbox"),
        Output("pending"),
        Output("words"),
        Output("samples"),
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
        Input("rows"),
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
        Output("bins_out"),
        SETTINGS,
    ],
};

/// Threads of a block, as in the source.
const THREADS: usize = 512;
const WARPS: usize = THREADS / 32;
/// Channels of a block: the bits of a byte.
const CHANNELS: usize = 8;
/// Fewest samples of a ring: what a launch can add, and the history that the decimator needs.
pub const SHORTEST: usize = 64;
/// Longest window that the kernels transform in shared memory.
pub const LONGEST: usize = 4096;
/// Most rows of one launch.
pub const MOST_ROWS: usize = 1024;
/// Words before its own that a decimated sample depends on.
pub const HISTORY: usize = 24;

/// The two filters of the default decimator as tables.
#[derive(Debug)]
pub struct Filter {
    /// Half of a byte's share of a CIC output, `[age of the byte][its value]`, 5 x 256.
    pub cic: Buffer<i32>,
    /// Taps of the FIR, 93.
    pub taps: Buffer<i32>,
}

/// Where channels go and what they are multiplied by.
#[derive(Debug)]
pub struct Destination {
    /// Grid index of every channel.
    pub places: Buffer<u32>,
    /// `[bin][channel]`.
    pub gains: Buffer<Complex<f32>>,
}

/// What a stream leaves on the card between two launches.
#[derive(Debug)]
pub struct Rings {
    /// Rows that do not fill a word yet, `[byte of a row][32]`.
    pub pending: Buffer<u8>,
    /// `[channel][capacity]`.
    pub words: Buffer<u32>,
    /// `[channel][capacity]`.
    pub samples: Buffer<f32>,
    /// Rows that were fetched from host memory.
    pub inbox: Buffer<u8>,
    /// Where the stream stands.
    pub state: Buffer<State>,
    /// Words and samples of a channel.
    pub capacity: usize,
}

impl Rings {
    /// Channels that have been idle for ever, for launches of up to `rows` rows.
    pub fn idle(stream: &mut Stream, channels: usize, capacity: usize, rows: usize) -> Result<Self, Error> {
        let words = vec![0x5555_5555; channels * capacity];
        Ok(Self {
            pending: Buffer::zeros(stream, "pending rows", 32 * channels / CHANNELS)?,
            words: Buffer::from_slice(stream, "ring of words", &words)?,
            samples: Buffer::zeros(stream, "ring of samples", channels * capacity)?,
            inbox: Buffer::zeros(stream, "inbox", rows * channels / CHANNELS)?,
            state: Buffer::zeros(stream, "state of the stream", 1)?,
            capacity,
        })
    }
}

/// Which windows a launch takes.
#[derive(Debug, Clone, Copy)]
pub enum Windows<'a> {
    /// The newest, after new rows were taken.
    Live {
        /// The rows, in host memory.
        rows: &'a Mapped<u8>,
        /// Their number, at most [`MOST_ROWS`].
        count: usize,
    },
    /// Some of arrays that are complete.
    Of {
        /// First word of the first window.
        first: usize,
        /// Words from one to the next.
        stride: usize,
        /// How many.
        count: usize,
    },
}

/// Which kernel, with its tables.
#[derive(Debug)]
pub enum Tables {
    /// Nominal: FFT.
    Fft {
        /// Filters of the decimator.
        filter: Filter,
        /// Window over the samples, divided by its sum.
        window: Buffer<f32>,
        /// Of all passes, as [`twiddle_turns`] orders them.
        twiddles: Buffer<Complex<f32>>,
        /// k of every bin.
        bins: Buffer<u32>,
    },
    /// Sums of samples with weights.
    Dot {
        /// Filters of the decimator.
        filter: Filter,
        /// `[bin][t]`.
        weights: Buffer<Complex<f32>>,
    },
    /// Sums of popcount(word ^ pattern) - 16 with weights.
    Counts {
        /// One for each pass, then 1 for each pass and bin, `[pass][bin]`, where the bin has weights, else 0.
        patterns: Buffer<u32>,
        /// `[pass][bin][t]`.
        weights: Buffer<Complex<f32>>,
    },
    /// The exact DFT of the bits.
    Exact {
        /// `[plain bin][byte][value]`.
        byte_sums: Buffer<Complex<f32>>,
        /// exp(-j 2 pi i/N).
        twiddles: Buffer<Complex<f32>>,
        /// k of every plain bin, `terms` for each result.
        plain: Buffer<u32>,
        /// What each term is multiplied by.
        mix: Buffer<f32>,
    },
}

/// The FFT's twiddles as its passes take them, as fractions of a turn: the second pass, then the last for every bin.
pub fn twiddle_turns(samples: usize, bins: &[usize]) -> Vec<f64> {
    let [first, second, last] = radices(samples);
    let turn = |i: usize, n: usize| (i % n) as f64 / n as f64;
    let second = (1..second).flat_map(|r| (0..first).map(move |i| turn(i * r, first * second)));
    let last = bins.iter().flat_map(|k| (0..last).map(move |r| turn(r * k, samples)));
    second.chain(last).collect()
}

/// A front end for one array, window length and set of bins.
#[derive(Debug)]
pub struct FrontEnd {
    kernel: Kernel,
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
        let (signature, source, shared) = match &tables {
            Tables::Fft { .. } => (&FFT, 0, nominal_bytes(samples)),
            Tables::Dot { .. } => (&PROJECT, 0, 8 * CHANNELS * bins.max(WARPS) + 4 * CHANNELS * samples),
            Tables::Counts { .. } => (&PROJECT, 1, 8 * CHANNELS * bins.max(WARPS) + 8 * CHANNELS * samples),
            Tables::Exact { plain, .. } => {
                (&EXACT, 1, 8 * (samples + 4 * 256 + plain.len() * WARPS) + 4 * CHANNELS * samples)
            }
        };
        let module = Module::load(device, &PROGRAM, &constants(samples, source))?;
        let geometry = Geometry {
            // A live launch has a block that fetches the rows.
            grid: [
                size32("channels", channels / CHANNELS + usize::from(windows.is_none()))?,
                size32("windows", windows.unwrap_or(1))?,
                1,
            ],
            threads: size32("threads", THREADS)?,
            shared: size32("shared memory", shared)?,
        };
        let kernel = module.prepare(signature, geometry)?;
        let front_end = Self { kernel, tables, destination, channels, bins, samples, windows };
        front_end.check_tables()?;
        Ok(front_end)
    }

    /// Channels of the array.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Bins of a window.
    pub fn bins(&self) -> usize {
        self.bins
    }

    /// Other gains, `[bin][channel]`.
    pub fn set_gains(&mut self, stream: &mut Stream, gains: &[Complex<f32>]) -> Result<(), Error> {
        stream.upload(gains, &mut self.destination.gains)
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
        self.kernel.launch(stream, &arguments)
    }

    /// The same as a node of a graph.
    pub fn add_to(
        &self,
        graph: &mut Builder,
        windows: Windows<'_>,
        rings: &mut Rings,
        bins: &mut Buffer<Complex<f32>>,
    ) -> Result<NodeId, Error> {
        let settings = self.check(windows, rings, bins)?;
        let arguments = self.arguments(windows, rings, bins, &settings);
        graph.kernel(&self.kernel, &arguments)
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

    fn arguments<'a>(
        &'a self,
        windows: Windows<'a>,
        rings: &'a mut Rings,
        bins: &'a mut Buffer<Complex<f32>>,
        settings: &'a abi::FrontEnd,
    ) -> Vec<Argument<'a>> {
        let Destination { places, gains } = &self.destination;
        let mut arguments = vec![match windows {
            Windows::Live { rows, .. } => rows.input(),
            Windows::Of { .. } => unused(),
        }];
        let decimates = match &self.tables {
            Tables::Fft { filter, window, twiddles, bins } => {
                arguments.extend([filter.cic.input(), filter.taps.input()]);
                arguments.extend([window.input(), twiddles.input(), bins.input()]);
                true
            }
            Tables::Dot { filter, weights } => {
                arguments.extend([filter.cic.input(), filter.taps.input(), unused()]);
                arguments.push(weights.input());
                true
            }
            Tables::Counts { patterns, weights } => {
                arguments.extend([unused(), unused(), patterns.input()]);
                arguments.push(weights.input());
                true
            }
            Tables::Exact { byte_sums, twiddles, plain, mix } => {
                arguments.extend([byte_sums.input(), twiddles.input(), plain.input(), mix.input()]);
                false
            }
        };
        arguments.extend([places.input(), gains.input(), rings.state.output()]);
        arguments.extend([rings.inbox.output(), rings.pending.output(), rings.words.output()]);
        if decimates {
            arguments.push(rings.samples.output());
        }
        arguments.extend([bins.output(), value(settings)]);
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
            Windows::Live { rows, count } => {
                at_most("bytes of rows", count * row_bytes, rows.len())?;
                at_most("rows of a launch", count, MOST_ROWS)?;
                at_most("samples of a window in the ring", self.samples, rings.capacity)?;
                at_most("samples that a ring needs", SHORTEST, rings.capacity)?;
                at_most("rows in the inbox", count * row_bytes, rings.inbox.len())?;
                at_most("rows", 1, count)?;
                (count, 0, 0, 1)
            }
            Windows::Of { first, stride, count } => {
                let end = first + count.saturating_sub(1) * stride + self.samples;
                at_most("words of all windows", end, rings.capacity)?;
                (0, first, stride, count)
            }
        };
        same("windows", count, self.windows.unwrap_or(1))?;
        same("live", usize::from(rows > 0), usize::from(self.windows.is_none()))?;
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
            patterns: match &self.tables {
                Tables::Counts { patterns, .. } => size32("patterns", patterns.len() / (1 + self.bins))?,
                _ => 1,
            },
            terms: match &self.tables {
                Tables::Exact { mix, .. } => size32("terms", mix.len())?,
                _ => 1,
            },
        })
    }

    fn check_tables(&self) -> Result<(), Error> {
        let (n, bins) = (self.samples, self.bins);
        same("channels of whole bytes", self.channels % CHANNELS, 0)?;
        same("gains", self.destination.gains.len(), bins * self.channels)?;
        let filter = |filter: &Filter| {
            same("tables of the CIC", filter.cic.len(), 5 * 256)?;
            same("taps", filter.taps.len(), 93)
        };
        match &self.tables {
            Tables::Fft { filter: f, window, twiddles, bins: k } => {
                filter(f)?;
                let power = usize::from(n.is_power_of_two() && (SHORTEST..=LONGEST).contains(&n));
                same("power of two from 64 to 4096", power, 1)?;
                same("window", window.len(), n)?;
                let [first, second, last] = radices(n);
                same("twiddles", twiddles.len(), first * (second - 1) + bins * last)?;
                same("bins", k.len(), bins)
            }
            Tables::Dot { filter: f, weights } => {
                filter(f)?;
                same("weights", weights.len(), bins * n)
            }
            Tables::Counts { patterns, weights } => {
                let passes = patterns.len() / (1 + bins);
                same("patterns", patterns.len(), passes * (1 + bins))?;
                same("weights", weights.len(), passes * bins * n)
            }
            Tables::Exact { byte_sums, twiddles, plain, mix } => {
                same("sums of bytes", byte_sums.len(), plain.len() * 4 * 256)?;
                same("twiddles", twiddles.len(), n)?;
                same("plain bins", plain.len(), bins * mix.len())
            }
        }
    }
}

fn same(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given == needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

fn at_most(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given <= needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}
