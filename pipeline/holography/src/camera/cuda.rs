//! The camera on a card: iterations are nodes of graphs.
//!
//! ```text
//! new rows in mapped memory -> front end (rings on the card) -> holography -> fields in mapped memory, signal
//!                                                                          -> old part of the next window
//! ```
//!
//! A graph has one iteration, launched when its rows are there; or sixteen of them, launched before: the card then waits for the
//! rows of each ([`Camera::wait_ahead`]), and neither the launch nor the start of kernels is part of an iteration. An iteration that
//! is queued when no rows will come is called off: it ends without any. One may also be told to take the rows of many hops and to
//! make nothing of them ([`Camera::skip`]): whoever is late catches up for the price of one iteration, and the queue stays as it is.
//!
//! Front ends are linear in the words of their window, and nearly all of the next window is on the card before its rows are: when
//! the fields are out, the card makes their part. When the rows have come, they add a few products.
//!
//! The rings of bits and samples stay on the card; only new rows cross the bus on the way in and only fields on the way
//! out. The graph's arguments only change with the hop: the card itself counts the rows that it has taken. The window is the
//! newest 32 x N bits that are whole words; a hop need not be a multiple of 32. Filters are chosen on the card too, from the
//! holograms that are there, when they are asked for.

use crate::cuda::fused;
use crate::cuda::tables::Operators;
use crate::cutoff::{self, Estimate};
use crate::design::KFilter;
use iterations::{Iterations, Memory, Stages};
use kernels::front_end::Rings;
use kernels::hologram::{Hologram, Shape, Tables};
use kernels::{Buffer, Device, Mail, Mapped, Signal, Stream};
use num_complex::Complex;
use signal::front_end;

mod iterations;

pub use super::error::CameraError as Error;

/// Iterations of a graph that is launched before their rows are there: its kernels begin while those before them run, which those
/// of the next graph do not.
const TOGETHER: usize = 16;
/// Most rows that one iteration skips: 2.7 ms of the camera's, beside which the iteration itself is nothing; 0.7 MiB of host memory.
const SKIPPED: usize = 4096;

type Complex32 = Complex<f32>;

/// What a live camera computes.
#[derive(Debug, Clone)]
pub struct Settings {
    /// From bits to bins.
    pub front_end: front_end::Settings,
    /// From holograms to the source plane.
    pub pnah: crate::Settings,
    /// The k-filter of every hologram until another is set.
    pub filter: KFilter,
    /// Most rows of bits between two results; as many until [`Camera::set_hop`].
    pub hop: usize,
}

/// The camera on a card, one hop after the other.
pub struct Camera {
    stream: Stream,
    one: Iterations,
    many: Iterations,
    stages: Stages,
    memory: Memory,
    hop: usize,
    /// Whether iterations are to be launched before their rows are there, and how many are.
    ahead: bool,
    queued: usize,
    operators: Operators<f32>,
    chooser: Option<cutoff::cuda::Chooser>,
    settings: Settings,
    iterations: u32,
}

impl Camera {
    /// The chain on `device`.
    pub fn new(device: &Device, settings: &Settings) -> Result<Self, Error> {
        let mut stream = device.stream()?;
        let channels = settings.front_end.layout.channels() as usize;
        let points = settings.pnah.grid.aperture.len();
        if channels != points {
            return Err(Error::Channels { array: points, stream: channels });
        }
        let (hop, row_bytes) = (settings.hop, settings.front_end.layout.row_bytes());
        let front_end = front_end::cuda::front_end(&mut stream, &settings.front_end, None, None)?;
        let n = settings.front_end.bins.len();
        let (shape, operators, tables) = holography(&mut stream, settings)?;
        let hologram = Hologram::new(device, shape, n)?;
        let capacity = settings.front_end.samples.max(kernels::front_end::SHORTEST);
        let mut memory = Memory {
            rings: Rings::idle(&mut stream, channels, capacity, hop.saturating_add(SKIPPED), n)?,
            bins: Buffer::poisoned(&mut stream, "bins", n * channels)?,
            fields: Mapped::zeros(&stream, "fields", shape.fields * n * points)?,
            signal: Signal::new(&stream, hologram.signals())?,
            mail: Mail::new(&stream, hop, SKIPPED, row_bytes)?,
            tables,
        };
        let stages = Stages { front_end, hologram };
        let mut camera = Self {
            one: Iterations::new(&mut stream, &stages, &mut memory, 1, hop)?,
            many: Iterations::new(&mut stream, &stages, &mut memory, TOGETHER, hop)?,
            stream,
            stages,
            memory,
            hop,
            ahead: false,
            queued: 0,
            operators,
            chooser: None,
            settings: settings.clone(),
            iterations: 0,
        };
        camera.call_off()?;
        Ok(camera)
    }

    /// Another number of rows, at most the settings', from the next iteration on.
    pub fn set_hop(&mut self, hop: usize) -> Result<(), Error> {
        self.release()?;
        self.one.set_hop(&self.stages, &mut self.memory, hop)?;
        self.many.set_hop(&self.stages, &mut self.memory, hop)?;
        self.hop = hop;
        // Makes the old words' part for the new hop.
        self.call_off()
    }

    /// Whether iterations are launched before their rows are there, from the next one on: results come a launch earlier, but
    /// the card is busy all the time. At first they are not. Every other call ends the wait; the iteration behind it is launched
    /// behind its rows, unless this is called again.
    ///
    /// While the card waits, the thread that will send the rows must not make or drop anything else on it: the driver may wait for
    /// all work first.
    pub fn wait_ahead(&mut self, ahead: bool) -> Result<(), Error> {
        self.ahead = ahead;
        if ahead { self.queue(true) } else { self.release() }
    }

    /// Takes the rows of a hop, as sent, and gives the fields of the newest window, `[field][bin][y][x]`: pressure, then velocity
    /// if asked for.
    pub fn execute(&mut self, rows: &[u8]) -> Result<&[Complex32], Error> {
        let (given, hop, needed) = (rows.len(), self.hop, self.hop * self.memory.mail.row_bytes());
        if given != needed {
            return Err(Error::Rows { given, hop, needed });
        }
        let iteration = self.iterations.wrapping_add(1);
        self.memory.mail.send(&mut self.stream, rows, iteration)?;
        self.iterate()?;
        self.fields()
    }

    /// The fields again that [`Camera::execute`] has just given.
    pub fn fields(&mut self) -> Result<&[Complex32], Error> {
        let idle = self.stream.wait_for(&self.memory.signal, self.iterations)?;
        Ok(self.memory.fields.read(idle))
    }

    /// Takes rows of which no fields are wanted, any number: the next hop's fields are, bit for bit, those that they would be if every
    /// hop had been executed. [`Camera::holograms`] are still those of the last hop that was.
    pub fn skip(&mut self, rows: &[u8]) -> Result<(), Error> {
        let (given, row) = (rows.len(), self.memory.mail.row_bytes());
        if !given.is_multiple_of(row) {
            return Err(Error::PartOfRow { given, row });
        }
        for rows in rows.chunks(SKIPPED * row) {
            let iteration = self.iterations.wrapping_add(1);
            self.memory.mail.skip(&mut self.stream, self.hop, rows, iteration)?;
            self.iterate()?;
        }
        Ok(())
    }

    /// The next iteration, whose mail is sent, to its end.
    fn iterate(&mut self) -> Result<(), Error> {
        self.queue(self.ahead)?;
        (self.iterations, self.queued) = (self.iterations.wrapping_add(1), self.queued - 1);
        let ahead = if self.ahead { self.queue(true) } else { Ok(()) };
        // Whatever became of the next launch: this iteration is under way.
        self.stream.wait_for(&self.memory.signal, self.iterations)?;
        ahead
    }

    /// Launches the next iterations, if none is in the queue: one, or as many as may wait ahead of their rows.
    fn queue(&mut self, ahead: bool) -> Result<(), Error> {
        if self.queued == 0 {
            let next = if ahead { &mut self.many } else { &mut self.one };
            next.launch(&mut self.stream)?;
            self.queued = next.len();
        }
        Ok(())
    }

    /// Iterations without rows, all that are queued or else one: bins and stream of bits stay as they were, the fields are made again.
    fn call_off(&mut self) -> Result<(), Error> {
        self.queue(false)?;
        while self.queued > 0 {
            let iteration = self.iterations.wrapping_add(1);
            self.memory.mail.skip(&mut self.stream, self.hop, &[], iteration)?;
            (self.iterations, self.queued) = (iteration, self.queued - 1);
            self.stream.wait_for(&self.memory.signal, iteration)?;
        }
        self.stream.wait()?;
        Ok(())
    }

    /// Nothing in the stream waits for rows: other work may follow.
    fn release(&mut self) -> Result<(), Error> {
        if self.queued > 0 { self.call_off() } else { Ok(()) }
    }

    /// The card's clock at the end of the last iteration's stages, ns (`kernels/cuda/clocks.cuh`); of one that was not
    /// launched before its rows were there.
    pub fn clocks(&mut self) -> Result<[u64; 32], Error> {
        self.release()?;
        Ok(self.stream.values(&self.memory.rings.state)?[0].clocks)
    }

    /// The holograms of the last window, `[bin][y][x]`.
    pub fn holograms(&mut self) -> Result<Vec<Complex32>, Error> {
        self.release()?;
        Ok(self.stream.values(&self.memory.bins)?)
    }

    /// Lets the card choose the k-filters by the automatic rule ([`cutoff`]) from the last window's holograms; they are in use
    /// from the next hop on. The host only asks for it and does not wait, unless the card waits for rows: that ends first.
    pub fn choose_filters(&mut self) -> Result<(), Error> {
        self.release()?;
        if self.chooser.is_none() {
            let Settings { front_end, pnah, .. } = &self.settings;
            let frequencies = front_end.frequencies_hz();
            self.chooser = Some(cutoff::cuda::Chooser::new(&mut self.stream, pnah, &frequencies, 1)?);
        }
        if let Some(chooser) = &mut self.chooser {
            chooser.choose(&mut self.stream, &self.memory.bins)?;
            chooser.write_operators(&mut self.stream, &mut self.memory.tables.operators)?;
        }
        Ok(())
    }

    /// What the last [`Camera::choose_filters`] found; none before.
    pub fn estimates(&mut self) -> Result<Vec<Result<Estimate, crate::Error>>, Error> {
        self.release()?;
        Ok(match &self.chooser {
            Some(chooser) => chooser.estimates(&mut self.stream)?,
            None => Vec::new(),
        })
    }

    /// Gives hologram `index` another k-filter from the next hop on.
    pub fn set_filter(&mut self, index: usize, filter: KFilter) -> Result<(), Error> {
        self.release()?;
        let Self { stream, operators, memory, .. } = self;
        Ok(operators.set_filter(stream, index, filter, &mut memory.tables.operators)?)
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        // A card that fails has ended the wait by itself.
        let _ = self.release();
    }
}

/// What both cameras need for holography.
fn holography(stream: &mut Stream, settings: &Settings) -> Result<(Shape, Operators<f32>, Tables), Error> {
    let (front_end, pnah) = (&settings.front_end, &settings.pnah);
    let mut operators = Operators::new(pnah, &front_end.frequencies_hz(), settings.filter)?;
    let shape = fused::shape(pnah, stream.device()).ok_or(Error::Shape)?;
    let tables = fused::tables(stream, &mut operators)?;
    Ok((shape, operators, tables))
}
