//! An instrument from start to end: opens everything, rehearses, starts the threads, joins them.

use super::clock::Clock;
use super::engine::{Card, CardError, OnCard};
use super::error::Error;
use super::parts::{self, Rehearsed};
use super::plan::Plan;
use super::realtime::{self, Outcome};
use super::report::Report;
use super::settings::Settings;
use super::source::{self, Open};
use super::wiring::{Shared, Wired, wire};
use files::sigmf::Holes;
use holography::camera::CameraError;
use holography::chain::Chain;
use holography::product::{Message, Recording};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use viewer::Server;

/// An instrument that runs.
pub struct Instrument {
    threads: Threads,
    shared: Shared,
    /// Where the source listens, if it does.
    pub listening: Option<SocketAddr>,
    /// Bytes that the system holds for the source's socket.
    pub socket_buffer: Option<usize>,
    /// What the recording that it replays has lost.
    pub holes: Holes,
    /// The arithmetic that the instrument was started with; none if it only records.
    pub plan: Option<Plan>,
    /// What became of the wishes for pinning, locking and priority.
    pub realtime: Vec<Outcome>,
}

impl Instrument {
    /// Shortest and second longest time of a hop of `settings` on this machine, s; none if nothing is computed.
    pub fn rehearse(settings: &Settings) -> Result<Option<[f64; 2]>, Error> {
        Ok(rehearsed(settings)?.map(|rehearsed| rehearsed.times_s))
    }

    /// The same of a card, which takes rows of noise.
    pub fn rehearse_card(settings: &Settings, card: &mut dyn Card) -> Result<[f64; 2], CardError> {
        parts::times_of_hops(settings, |rows| card.execute(rows, false).map(drop))
    }

    /// Starts `settings`, on `card` if there is one, until the source ends or `stop` is set.
    pub fn start(settings: Settings, card: Option<OnCard>, stop: &Arc<AtomicBool>) -> Result<Self, Error> {
        let clock = Clock::start();
        parts::check_folders(&settings)?;
        let open = parts::open(&settings, clock)?;
        let (listening, socket_buffer) = match &open {
            Open::Udp(receiver) => (Some(receiver.address), Some(receiver.buffer)),
            _ => (None, None),
        };
        let holes = if let Open::File(rows) = &open { rows.holes().clone() } else { Holes::default() };
        let (chain, stage_s) = rehearsed(&settings)?.map(|found| (found.chain, found.times_s)).unzip();
        let figures = parts::figures(&settings);
        // With a card the chain stands behind it.
        let plan = stage_s
            .map(|times| card.as_ref().map_or(times, |card| card.times_s))
            .map(|[best, longest]| figures.check(best, longest))
            .transpose()?;
        let (mut wired, shared) = wire(&settings, clock, stop, chain, card)?;
        let open = match open {
            // What came meanwhile is old: nobody's loss, and nobody's latency.
            Open::Udp(receiver) => {
                let receiver = receiver.without_stale();
                wired.control.watch(receiver.drops);
                Open::Udp(receiver)
            }
            other => other,
        };
        let (threads, realtime) = launch(&settings, open, wired, stop)?;
        Ok(Self { threads, shared, listening, socket_buffer, holes, plan, realtime })
    }

    /// Where the page is.
    pub fn page(&self) -> Option<SocketAddr> {
        self.shared.server.as_ref().map(Server::address)
    }

    /// Counters of the ingest so far.
    pub fn counters(&self) -> signal::ingest::Counters {
        self.shared.tally.counters()
    }

    /// Holograms so far.
    pub fn holograms(&self) -> u64 {
        self.shared.counts.holograms.load(Ordering::Relaxed)
    }

    /// What it has said since the last call.
    pub fn news(&self) -> impl Iterator<Item = Message> {
        self.shared.news.try_iter()
    }

    /// What its recorder does.
    pub fn recording(&self) -> Recording {
        self.shared.switch.state()
    }

    /// Whether the source has ended and everything was computed.
    pub fn is_finished(&self) -> bool {
        self.threads.intake.is_finished() && self.threads.compute.is_finished()
    }

    /// Waits for the end; closes recordings and the page.
    pub fn join(self) -> Result<Report, Error> {
        let Threads { intake, compute, recorder, control } = self.threads;
        // All first: what one of them has to say must not keep another from closing its files.
        let intake = intake.join().map_err(|_| Error::Panicked("intake"));
        let compute = compute.join().map_err(|_| Error::Panicked("compute"));
        let recorder =
            recorder.map_or(Ok(()), |thread| thread.join().map_err(|_| Error::Panicked("recorder")));
        self.shared.ended.store(true, Ordering::Relaxed);
        let report = control.join().map_err(|_| Error::Panicked("control"));
        if let Some(server) = self.shared.server {
            server.shutdown();
        }
        let report = report?;
        let outcome = intake
            .and_then(|intake| intake.map_err(Error::from))
            .and(compute.and_then(|compute| compute.map_err(Error::from)))
            .and(recorder);
        match outcome {
            Ok(()) => Ok(report),
            Err(reason) => Err(Error::Stopped { reason: Box::new(reason), report: Box::new(report) }),
        }
    }
}

/// The chain, and how long its hops take.
fn rehearsed(settings: &Settings) -> Result<Option<Rehearsed>, Error> {
    let Some(chain) = &settings.chain else { return Ok(None) };
    // Plans are made for as many threads as the pool has in which they are made.
    pool(settings.threads)?
        .install(|| parts::rehearse(Chain::new(chain, settings.hop_rows)?, settings))
        .map(Some)
}

/// The handles of the threads.
struct Threads {
    intake: JoinHandle<Result<(), source::Error>>,
    compute: JoinHandle<Result<(), CameraError>>,
    recorder: Option<JoinHandle<()>>,
    control: JoinHandle<Report>,
}

/// Starts the threads of a wired instrument, the source last; and what became of the wishes for them.
fn launch(
    settings: &Settings,
    open: Open,
    wired: Wired,
    stop: &Arc<AtomicBool>,
) -> Result<(Threads, Vec<Outcome>), Error> {
    let Wired { intake, reader, compute, control, recorder } = wired;
    let mut realtime = Vec::new();
    if settings.realtime.lock_memory {
        realtime.push(realtime::lock_memory());
    }
    if settings.realtime.spin {
        realtime.push(realtime::may_spin());
    }
    let (threads, ending) = (settings.threads, stop.clone());
    let control = spawn("control", move || on_pool(threads, || control.run()))?;
    let (told, wishes) = std::sync::mpsc::channel();
    let (wish, tell) = (settings.realtime.clone(), told.clone());
    let compute = spawn("compute", move || {
        let _guard = StopAtPanic(ending.clone());
        // The pool first: its other threads would inherit core and priority.
        let work = || {
            apply("compute", &wish, 1, tell);
            compute.run(reader)
        };
        // An error ends the source as well.
        on_pool(threads, work).inspect_err(|_| ending.store(true, Ordering::Relaxed))
    })?;
    let recorder = recorder.map(|recorder| spawn("recorder", move || recorder.run())).transpose()?;
    let wish = settings.realtime.clone();
    let intake = spawn("intake", move || {
        apply("intake", &wish, 0, told);
        open.run(intake)
    })?;
    // Ends when both threads have told.
    realtime.extend(wishes);
    Ok((Threads { intake, compute, recorder, control }, realtime))
}

/// Ends the source if the thread that holds it panics.
struct StopAtPanic(Arc<AtomicBool>);

impl Drop for StopAtPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Pins and prioritises the calling thread as wished; `place` 0 is the intake, 1 the stage.
fn apply(name: &str, wish: &realtime::Settings, place: usize, tell: std::sync::mpsc::Sender<Outcome>) {
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
