//! The recorder: spans to a SigMF recording, on a thread of its own.
//!
//! Spans pass from the stage to the recorder and back, and nothing is copied. If the disk is too slow, spans go past it until half of the ring is
//! free again: their rows are counted, and what follows them begins another recording, as an epoch does, so that rows of a recording always follow
//! one another, and a disk that is too slow is not given rows that nobody sent. If the disk is full, the recording stops with a message, and the
//! instrument goes on; the rows that it had and that are not on the disk are counted, and so are all that follow until somebody starts or stops the recorder.

use super::bell::Bell;
use super::span::{Policy, Span};
use files::sigmf::{LiveWriter, Meta};
use holography::product::Recording;
use rtrb::{Consumer, Producer, RingBuffer};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the thread sleeps at most.
const PATIENCE: Duration = Duration::from_millis(20);

/// Nobody wants a recording.
const OFF: u8 = 0;
/// Rows are recorded.
const ON: u8 = 1;
/// Rows were to be recorded and the disk refused them.
const REFUSED: u8 = 2;

/// Whether to record and what became of it, shared by all threads.
#[derive(Debug, Default)]
pub struct Switch {
    position: AtomicU8,
    state: Mutex<Recording>,
    /// Rows that the disk was too slow for, or that it refused.
    pub dropped: AtomicU64,
    /// Recordings that were closed.
    finished: Mutex<Vec<PathBuf>>,
}

impl Switch {
    /// Starts or stops the recorder.
    pub fn set(&self, on: bool) {
        self.position.store(if on { ON } else { OFF }, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.position.load(Ordering::Relaxed) == ON
    }

    /// What it does.
    pub fn state(&self) -> Recording {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The recordings made so far, closed ones.
    pub fn finished(&self) -> Vec<PathBuf> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Counts rows that go past the recorder, if they were to be recorded.
    fn pass(&self, rows: u64) {
        if self.position.load(Ordering::Relaxed) == REFUSED {
            self.dropped.fetch_add(rows, Ordering::Relaxed);
        }
    }

    fn tell(&self, state: Recording) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// The stage's end.
pub struct Tape {
    to: Producer<Span>,
    back: Consumer<Span>,
    switch: Arc<Switch>,
    bell: Arc<Bell>,
    policy: Policy,
    row_bytes: usize,
    /// The ring was full and is not half empty yet.
    behind: bool,
}

impl Tape {
    /// Hands a span to the recorder; gives it back if it is off or behind.
    pub fn offer(&mut self, span: Span) -> Option<Span> {
        if !self.switch.is_on() {
            self.switch.pass(span.count(self.row_bytes));
            return Some(span);
        }
        while self.policy == Policy::Block && self.to.is_full() && !self.to.is_abandoned() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // One span in, one past would make a recording of every span.
        self.behind &= self.to.slots() < self.to.buffer().capacity().div_ceil(2);
        if self.behind {
            return Some(self.past(span));
        }
        match self.to.push(span) {
            Ok(()) => {
                self.bell.ring();
                None
            }
            Err(rtrb::PushError::Full(span)) => Some(self.past(span)),
        }
    }

    /// A span that the disk was too slow for.
    fn past(&mut self, span: Span) -> Span {
        self.behind = true;
        self.switch.dropped.fetch_add(span.count(self.row_bytes), Ordering::Relaxed);
        span
    }

    /// Spans that come back.
    pub fn returned(&mut self) -> impl Iterator<Item = Span> {
        std::iter::from_fn(|| self.back.pop().ok())
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        self.bell.ring();
    }
}

/// Where recordings go.
#[derive(Debug, Clone)]
pub struct Place {
    /// First part of the names; further recordings have -2, -3 and so on behind it.
    pub name: PathBuf,
    /// What all of them have in common.
    pub meta: Meta,
}

/// The recorder's end.
pub struct Recorder {
    from: Consumer<Span>,
    back: Producer<Span>,
    switch: Arc<Switch>,
    bell: Arc<Bell>,
    place: Place,
    open: Option<Open>,
}

struct Open {
    writer: LiveWriter,
    epoch: u64,
    /// Index of the row that is due.
    next: u64,
}

/// A recorder with room for `length` spans.
pub fn recorder(place: Place, length: usize, policy: Policy, switch: &Arc<Switch>) -> (Tape, Recorder) {
    let (to, from) = RingBuffer::new(length);
    // The stage empties it before each offer: then come those that wait, one in the recorder's hands, and the one offered.
    let (back, back_out) = RingBuffer::new(length + 2);
    let bell = Arc::new(Bell::default());
    let row_bytes = place.meta.row_bytes();
    let (switched, rung) = (switch.clone(), bell.clone());
    let tape = Tape { to, back: back_out, switch: switched, bell: rung, policy, row_bytes, behind: false };
    (tape, Recorder { from, back, switch: switch.clone(), bell, place, open: None })
}

impl Recorder {
    /// Writes until the stage is gone, then closes.
    pub fn run(mut self) {
        loop {
            if self.from.is_empty() {
                if self.from.is_abandoned() && self.from.is_empty() {
                    break;
                }
                if !self.switch.is_on() {
                    self.close();
                }
                self.bell.wait(PATIENCE, || !self.from.is_empty());
                if self.from.is_empty() {
                    self.rest();
                }
            }
            let Ok(span) = self.from.pop() else { continue };
            if let Err(error) = self.take(&span) {
                let rows = span.count(self.place.meta.row_bytes());
                let missing = self.open.take().map_or(rows, |open| open.writer.missing(rows));
                self.give_up(&error, missing);
            }
            let _ = self.back.push(span);
        }
        self.close();
    }

    /// Nothing comes for a while: what is here may not come to harm.
    fn rest(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        match open.writer.flush() {
            Ok(()) => self.open = Some(open),
            Err(error) => self.give_up(&error, open.writer.missing(0)),
        }
    }

    fn take(&mut self, span: &Span) -> Result<(), files::Error> {
        let row_bytes = self.place.meta.row_bytes();
        let rows = span.count(row_bytes);
        let seam = |open: &Open| open.epoch != span.epoch || open.next != span.first;
        if self.open.as_ref().is_some_and(seam) {
            self.close();
        }
        // Off: by somebody, or because the recording before the seam could not be closed.
        if !self.switch.is_on() && self.open.is_none() {
            self.switch.pass(rows);
            return Ok(());
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let writer = begin(&self.place)?;
                none.insert(Open { writer, epoch: span.epoch, next: span.first })
            }
        };
        if span.filled > 0 {
            // Which of the span's rows is not told: all up to the last filled one are suspect.
            open.writer.note_hole(rows - u64::from(span.clean).min(rows));
        }
        open.writer.write_rows(span.rows())?;
        open.next = span.first + rows;
        let (name, bytes) = (name_of(open.writer.path()), open.writer.samples() * row_bytes as u64);
        self.switch.tell(Recording::On { name, bytes });
        Ok(())
    }

    /// Closes the recording, if there is one.
    fn close(&mut self) {
        let Some(mut open) = self.open.take() else { return };
        let path = open.writer.path().to_owned();
        // Rows that cannot be written are counted while the writer is there to tell.
        if let Err(error) = open.writer.flush() {
            return self.give_up(&error, open.writer.missing(0));
        }
        match open.writer.finish() {
            Ok(()) => {
                self.switch.tell(Recording::Off);
                self.switch.finished.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
            Err(error) => self.give_up(&error, 0),
        }
    }

    /// Stops recording, without `rows` that came too late for it; what is on the disk stays readable.
    fn give_up(&mut self, error: &files::Error, rows: u64) {
        self.switch.position.store(REFUSED, Ordering::Relaxed);
        self.switch.dropped.fetch_add(rows, Ordering::Relaxed);
        self.switch.tell(Recording::Failed { reason: error.to_string() });
    }
}

/// Begins a recording under the first name that is free.
fn begin(place: &Place) -> Result<LiveWriter, files::Error> {
    let mut number = 1;
    loop {
        let mut name = place.name.clone().into_os_string();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        match LiveWriter::create(Path::new(&name), place.meta.clone()) {
            Err(files::Error::Write { source, .. })
                if source.kind() == std::io::ErrorKind::AlreadyExists && number < 100_000 =>
            {
                number += 1;
            }
            other => return other,
        }
    }
}

fn name_of(path: &Path) -> String {
    path.with_extension("").display().to_string()
}

#[cfg(test)]
mod tests;
