//! An instrument from start to end: opens everything, rehearses, starts the threads, joins them.

use super::chain::Chain;
use super::clock::Clock;
use super::compute::{Block, Compute, Ends, Order, Snapshot, Spent};
use super::control::{Control, Links, cpu_name};
use super::controller::Controller;
use super::engine::{Card, Engine};
use super::exchange::exchange;
use super::intake::{Intake, Tally};
use super::latency::Done;
use super::plan::{Figures, Plan, Refusal};
use super::realtime::{self, Outcome};
use super::recorder::Switch;
use super::report::Report;
use super::settings::Settings;
use super::source::{self, Open};
use super::span::{self, Policy};
use super::{SPARE, health, parts};
use crate::camera::CameraError;
use crate::viewer::{self, Metrics, Publisher, Server};
use rtrb::RingBuffer;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

/// Stamps of holograms that may wait for the control thread: a second at 20 kHz.
const DONE: usize = 1 << 15;
/// Orders that may wait for the stage.
const ORDERS: usize = 256;
/// Snapshots on their way.
const SNAPSHOTS: usize = 4;

/// Why an instrument cannot start, or stopped.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Where the bits come from.
    #[error(transparent)]
    Source(#[from] source::Error),
    /// From bits to fields.
    #[error(transparent)]
    Camera(#[from] CameraError),
    /// The arithmetic of buffers and latency.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The page.
    #[error(transparent)]
    Viewer(#[from] viewer::Error),
    /// The controller's socket.
    #[error("cannot send to the controller at {to}: {reason}")]
    Controller {
        /// Asked for.
        to: SocketAddr,
        /// What the system says.
        reason: std::io::Error,
    },
    /// The system gives no thread.
    #[error("cannot start a thread: {0}")]
    Thread(String),
    /// A thread of ours has a fault.
    #[error("the {0} thread panicked; this is a fault of the program")]
    Panicked(&'static str),
}

impl Error {
    /// Whether the configuration or an input is to blame, not the run.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Source(source::Error::Recording(error)) => error.is_input(),
            Self::Source(_) | Self::Refused(_) | Self::Viewer(_) | Self::Controller { .. } => true,
            Self::Camera(error) => !error.is_of_card(),
            Self::Thread(_) | Self::Panicked(_) => false,
        }
    }
}

/// An instrument that runs.
pub struct Instrument {
    intake: JoinHandle<Result<(), source::Error>>,
    compute: JoinHandle<Result<(), CameraError>>,
    recorder: Option<JoinHandle<()>>,
    control: JoinHandle<Report>,
    ended: Arc<AtomicBool>,
    server: Option<Server>,
    tally: Arc<Tally>,
    counts: Arc<super::compute::Counts>,
    listening: Option<SocketAddr>,
    socket_buffer: Option<usize>,
    plan: Option<Plan>,
    realtime: Vec<Outcome>,
}

impl Instrument {
    /// Starts `settings`, on `card` if there is one, until the source ends or `stop` is set.
    pub fn start(
        settings: Settings,
        card: Option<(String, Card)>,
        stop: &Arc<AtomicBool>,
    ) -> Result<Self, Error> {
        let clock = Clock::start();
        let open = parts::open(&settings, clock)?;
        let (listening, socket_buffer) = match &open {
            Open::Udp(receiver) => (Some(receiver.address()), Some(receiver.buffer())),
            _ => (None, None),
        };
        let (chain, stage_s) = match &settings.chain {
            // Plans are made for as many threads as the pool has in which they are made.
            Some(chain) => {
                pool(settings.threads)?.install(|| parts::rehearse(Chain::new(chain)?, &settings))?
            }
            None => (None, None),
        };
        let figures = parts::figures(&settings);
        // A card keeps pace by itself; the rehearsal is of the chain behind it.
        let plan = stage_s
            .map(|times| if card.is_some() { [0.0; 2] } else { times })
            .map(|[best, longest]| figures.check(best, longest))
            .transpose()?;
        Builder { settings, clock, stop, figures }.launch(open, chain, card, |parts| Self {
            intake: parts.intake,
            compute: parts.compute,
            recorder: parts.recorder,
            control: parts.control,
            ended: parts.ended,
            server: parts.server,
            tally: parts.tally,
            counts: parts.counts,
            listening,
            socket_buffer,
            plan,
            realtime: parts.realtime,
        })
    }

    /// Where the source listens, if it does.
    pub fn listening(&self) -> Option<SocketAddr> {
        self.listening
    }

    /// Bytes that the system holds for the source's socket.
    pub fn socket_buffer(&self) -> Option<usize> {
        self.socket_buffer
    }

    /// Where the page is.
    pub fn page(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(Server::address)
    }

    /// The arithmetic that the instrument was started with; none if it only records.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// What became of the wishes for pinning, locking and priority.
    pub fn realtime(&self) -> &[Outcome] {
        &self.realtime
    }

    /// Counters of the ingest so far.
    pub fn counters(&self) -> crate::ingest::Counters {
        self.tally.counters()
    }

    /// Holograms so far.
    pub fn holograms(&self) -> u64 {
        self.counts.holograms.load(Ordering::Relaxed)
    }

    /// Whether the source has ended and everything was computed.
    pub fn is_finished(&self) -> bool {
        self.intake.is_finished() && self.compute.is_finished()
    }

    /// Waits for the end; closes recordings and the page.
    pub fn join(self) -> Result<Report, Error> {
        let intake = self.intake.join().map_err(|_| Error::Panicked("intake"))?;
        let compute = self.compute.join().map_err(|_| Error::Panicked("compute"))?;
        if let Some(recorder) = self.recorder {
            recorder.join().map_err(|_| Error::Panicked("recorder"))?;
        }
        self.ended.store(true, Ordering::Relaxed);
        let report = self.control.join().map_err(|_| Error::Panicked("control"))?;
        if let Some(server) = self.server {
            server.shutdown();
        }
        intake?;
        compute?;
        Ok(report)
    }
}

/// What is started.
struct Parts {
    intake: JoinHandle<Result<(), source::Error>>,
    compute: JoinHandle<Result<(), CameraError>>,
    recorder: Option<JoinHandle<()>>,
    control: JoinHandle<Report>,
    ended: Arc<AtomicBool>,
    server: Option<Server>,
    tally: Arc<Tally>,
    counts: Arc<super::compute::Counts>,
    realtime: Vec<Outcome>,
}

struct Builder<'a> {
    settings: Settings,
    clock: Clock,
    stop: &'a Arc<AtomicBool>,
    figures: Figures,
}

impl Builder<'_> {
    /// Makes the rings and the threads.
    fn launch(
        self,
        open: Open,
        chain: Option<Box<Chain>>,
        card: Option<(String, Card)>,
        made: impl FnOnce(Parts) -> Instrument,
    ) -> Result<Instrument, Error> {
        let Self { settings, clock, stop, figures } = self;
        let policy = if settings.source.is_live() { Policy::DropNewest } else { Policy::Block };
        let span_bytes = settings.span_rows * settings.layout.row_bytes();
        let (writer, reader) =
            span::ring(settings.ring_spans, figures.recorder_spans + SPARE, span_bytes, policy);
        let (tally, switch) = (Arc::new(Tally::default()), Arc::new(Switch::default()));
        let (tape, mut recorder) = parts::recorder_of(&settings, policy, &switch);
        let label = parts::label(&settings);
        let controller = parts::controller(&settings, label.shape)?;
        let controller_dropped = controller.as_ref().map(Controller::dropped);
        let (done_in, done) = RingBuffer::<Done>::new(DONE);
        let (orders, orders_out) = RingBuffer::<Order>::new(ORDERS);
        let (spent_in, spent) = RingBuffer::<Spent>::new(ORDERS);
        let (snapshots_in, snapshots) = exchange(vec![Box::<Snapshot>::default(); SNAPSHOTS]);
        let wanted = health::ROWS * settings.layout.row_bytes();
        let block = Block { rows: Vec::with_capacity(wanted), wanted };
        let (blocks_in, blocks) = exchange(if settings.health { vec![block] } else { Vec::new() });
        let publisher = Publisher::new();
        let metrics = Metrics::new();
        let (server, controls) = parts::page(&settings, &label, &publisher, &metrics)?.unzip();

        let threads = settings.threads;
        let device = card.as_ref().map_or_else(|| cpu_name(threads), |(name, _)| name.clone());
        let on_card = card.is_some();
        let hop_bytes = settings.hop_rows as usize * settings.layout.row_bytes();
        let engine = chain.map(|chain| Engine::new(chain, card.map(|(_, card)| card), hop_bytes));
        let ends = Ends {
            publisher: publisher.clone(),
            controller,
            done: done_in,
            snapshots: snapshots_in,
            blocks: blocks_in,
            tape,
            orders: orders_out,
            spent: spent_in,
        };
        let masked = settings.chain.as_ref().is_some_and(|chain| chain.array.live().contains(&false));
        let compute = Compute::new(
            parts::shape(&settings, on_card),
            engine,
            Box::new(label.clone()),
            masked,
            ends,
            clock,
        );
        let (counts, failure, ended) =
            (compute.counts(), compute.failure(), Arc::new(AtomicBool::new(false)));
        let links = Links {
            done,
            snapshots,
            blocks,
            orders,
            spent,
            tally: tally.clone(),
            dropped_rows: writer.dropped(),
            counts: counts.clone(),
            failure,
            switch,
            controller_dropped,
            publisher,
            controls,
            metrics,
            ended: ended.clone(),
        };
        let mut realtime = Vec::new();
        if settings.realtime.lock_memory {
            realtime.push(realtime::lock_memory());
        }
        let control = Control::new(settings.clone(), label, device, links, clock)?;
        let control = spawn("control", move || on_pool(threads, || control.run()))?;
        let intake = Intake::new(parts::intake_shape(&settings), writer, clock, tally.clone(), stop.clone());
        let (told, wishes) = std::sync::mpsc::channel();
        let (wish, tell) = (settings.realtime.clone(), told.clone());
        let ending = stop.clone();
        let compute = spawn("compute", move || {
            apply("compute", &wish, 1, &tell);
            drop(tell);
            // An error ends the source as well.
            on_pool(threads, || compute.run(reader)).inspect_err(|_| ending.store(true, Ordering::Relaxed))
        })?;
        let recorder =
            recorder.take().map(|recorder| spawn("recorder", move || recorder.run())).transpose()?;
        let wish = settings.realtime.clone();
        let intake = spawn("intake", move || {
            apply("intake", &wish, 0, &told);
            drop(told);
            open.run(intake)
        })?;
        realtime.extend(wishes);
        Ok(made(Parts { intake, compute, recorder, control, ended, server, tally, counts, realtime }))
    }
}

/// Pins and prioritises the calling thread as wished; `place` 0 is the intake, 1 the stage.
fn apply(name: &str, wish: &realtime::Settings, place: usize, tell: &std::sync::mpsc::Sender<Outcome>) {
    // Whoever asks may be gone.
    if let Some(cores) = wish.cores {
        let _ = tell.send(realtime::pin(name, cores[place]));
    }
    if let Some(priority) = wish.priority {
        let _ = tell.send(realtime::prioritise(name, priority.saturating_sub(place as u8).max(1)));
    }
}

fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, Error> {
    let thread = std::thread::Builder::new().name(name.into()).spawn(work);
    thread.map_err(|error| Error::Thread(error.to_string()))
}

/// Threads to plan for.
fn pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Thread(error.to_string()))
}

/// Works with a pool of which the calling thread, pinned or not, is the first; without the other threads if the system gives
/// none.
fn on_pool<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).use_current_thread().build();
    let result = work();
    drop(pool);
    result
}
