//! The queue of a card's work: everything in it happens in order, one piece after the other.

use crate::device::{Device, check};
use crate::error::Error;
use cudarc::driver::{result, sys};
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A queue of work. Queueing needs it alone (`&mut`), so work of one stream never races with itself.
#[derive(Debug)]
pub struct Stream {
    device: Device,
    pub(crate) raw: sys::CUstream,
    id: u64,
    /// What captured work uses, while it is captured.
    kept: Option<Vec<Kept>>,
}

/// Memory or a plan that captured work uses.
pub(crate) type Kept = Arc<dyn Any + Send + Sync>;

// SAFETY: a stream may be used from any thread that has made its context current, which every call does first.
unsafe impl Send for Stream {}

/// Proof that no work of a stream can read or write host memory, but for its mail, while it lives: all such work is done, or it
/// waits for [`Mail`](crate::Mail), and to send some, as to queue more work, needs the stream alone.
///
/// Made where this was waited for alone: here and for a [`Signal`](crate::Signal).
#[derive(Debug, Clone, Copy)]
pub struct Idle<'a>(pub(crate) &'a Stream);

impl Idle<'_> {
    pub(crate) fn stream_id(&self) -> u64 {
        self.0.id
    }
}

impl Device {
    /// A queue of work on this card.
    pub fn stream(&self) -> Result<Stream, Error> {
        self.bind()?;
        let raw = check("cuStreamCreate", result::stream::create(result::stream::StreamKind::NonBlocking))?;
        Ok(Stream::of(self, raw))
    }
}

impl Stream {
    /// Whose work goes before that of other streams.
    pub(crate) fn urgent(device: &Device) -> Result<Self, Error> {
        device.bind()?;
        let (_, greatest) = check("cuCtxGetStreamPriorityRange", result::stream::get_priority_range())?;
        let kind = result::stream::StreamKind::NonBlocking;
        let raw = check("cuStreamCreate", result::stream::create_with_priority(kind, greatest))?;
        Ok(Self::of(device, raw))
    }

    fn of(device: &Device, raw: sys::CUstream) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { device: device.clone(), raw, id: NEXT.fetch_add(1, Ordering::Relaxed), kept: None }
    }

    /// Whose stream it is.
    pub fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    pub(crate) fn begin_keeping(&mut self) {
        self.kept = Some(Vec::new());
    }

    pub(crate) fn end_keeping(&mut self) -> Vec<Kept> {
        self.kept.take().unwrap_or_default()
    }

    /// Work that is being captured uses it.
    pub(crate) fn keep<T: Any + Send + Sync>(&mut self, used: &Arc<T>) {
        if let Some(kept) = &mut self.kept {
            let used: Kept = used.clone();
            kept.push(used);
        }
    }

    /// Waits until all work is done. Errors of earlier work surface here.
    pub fn wait(&mut self) -> Result<Idle<'_>, Error> {
        self.device.bind()?;
        // SAFETY: the stream lives as long as `self`.
        check("waiting for the card", unsafe { result::stream::synchronize(self.raw) })?;
        Ok(Idle(self))
    }

    /// Lets `side` go on from here: what it is given next runs behind the work that is queued now, and beside what is queued later, until
    /// [`join`](Self::join). The caller sees to it that what runs side by side does not write to what the other reads or writes.
    pub fn fork(&mut self, side: &mut Self) -> Result<(), Error> {
        if self.kept.is_some() {
            side.begin_keeping();
        }
        self.before(side)
    }

    /// What is queued next runs behind the work of `side` so far; `side` goes on beside it.
    pub fn join_here(&mut self, side: &mut Self) -> Result<(), Error> {
        side.before(self)
    }

    /// What is queued next runs behind all work of `side`, which is not used any further.
    pub fn join(&mut self, side: &mut Self) -> Result<(), Error> {
        side.before(self)?;
        let kept = side.end_keeping();
        self.kept.iter_mut().for_each(|own| own.extend(kept.iter().cloned()));
        Ok(())
    }

    /// What is queued here comes before what is queued in `next` from now on.
    fn before(&self, next: &Self) -> Result<(), Error> {
        let event = Event::new(&self.device)?;
        event.record(self)?;
        // SAFETY: the event was recorded, and may go once the wait is queued; both streams are alive.
        let waits = unsafe {
            result::stream::wait_event(next.raw, event.0, sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT)
        };
        check("cuStreamWaitEvent", waits)
    }

    /// Seconds that the card needs for `work`, by its own clock.
    pub fn time(&mut self, work: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<f64, Error> {
        let timer = self.timer()?;
        work(self)?;
        timer.seconds(self)
    }

    /// Starts a clock behind the work that is queued now.
    pub fn timer(&mut self) -> Result<Timer, Error> {
        let (start, end) = (Event::new(&self.device)?, Event::new(&self.device)?);
        start.record(self)?;
        Ok(Timer { start, end })
    }
}

/// The card's clock, started.
#[derive(Debug)]
pub struct Timer {
    start: Event,
    end: Event,
}

impl Timer {
    /// Seconds to the end of the work that is queued now, which is waited for.
    pub fn seconds(self, stream: &mut Stream) -> Result<f64, Error> {
        self.end.record(stream)?;
        stream.wait()?;
        // SAFETY: both events were recorded in a stream that has been waited for.
        let ms = check("cuEventElapsedTime", unsafe { result::event::elapsed(self.start.0, self.end.0) })?;
        Ok(f64::from(ms) * 1e-3)
    }
}

#[derive(Debug)]
struct Event(sys::CUevent);

impl Event {
    fn new(device: &Device) -> Result<Self, Error> {
        device.bind()?;
        check("cuEventCreate", result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT)).map(Self)
    }

    fn record(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: event and stream are of the same context and alive.
        check("cuEventRecord", unsafe { result::event::record(self.0, stream.raw) })
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { result::event::destroy(self.0) };
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.wait().is_ok() {
            // SAFETY: created once, destroyed once, and idle.
            let _ = unsafe { result::stream::destroy(self.raw) };
        }
    }
}
