//! The recorder: spans to a SigMF recording, on a thread of its own.
//!
//! Spans pass from the stage to the recorder and back, and nothing is copied. If the disk is too slow, spans go past it: their rows are
//! idle in the recording (time goes on), listed as a hole and counted. An epoch ends a recording and begins another. If the disk is full, the recording
//! stops with a message, and the instrument goes on.

use super::bell::Bell;
use super::span::{Policy, Span};
use crate::io::sigmf::{LiveWriter, Meta};
use crate::viewer::Recording;
use rtrb::{Consumer, Producer, RingBuffer};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long the thread sleeps at most.
const PATIENCE: Duration = Duration::from_millis(20);
/// Longest run of lost rows that is filled, in rows; a longer one begins another recording.
const LONGEST_FILL: u64 = 1 << 24;

/// Whether to record and what became of it, shared by all threads.
#[derive(Debug, Default)]
pub struct Switch {
    on: AtomicBool,
    state: Mutex<Recording>,
    /// Rows that the disk was too slow for.
    pub dropped: AtomicU64,
    /// Recordings that were closed.
    finished: Mutex<Vec<PathBuf>>,
}

impl Switch {
    /// Starts or stops the recorder.
    pub fn set(&self, on: bool) {
        self.on.store(on, Ordering::Relaxed);
    }

    /// Whether it is on.
    pub fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// What it does.
    pub fn state(&self) -> Recording {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The recordings made so far, closed ones.
    pub fn finished(&self) -> Vec<PathBuf> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
}

impl Tape {
    /// Hands a span to the recorder; gives it back if it is off or behind.
    pub fn offer(&mut self, span: Span) -> Option<Span> {
        if !self.switch.is_on() {
            return Some(span);
        }
        while self.policy == Policy::Block && self.to.is_full() && !self.to.is_abandoned() {
            std::thread::sleep(Duration::from_millis(1));
        }
        match self.to.push(span) {
            Ok(()) => {
                self.bell.ring();
                None
            }
            Err(rtrb::PushError::Full(span)) => Some(span),
        }
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
    let (back, back_out) = RingBuffer::new(length + 1);
    let bell = Arc::new(Bell::default());
    let tape = Tape { to, back: back_out, switch: switch.clone(), bell: bell.clone(), policy };
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
            }
            let Ok(span) = self.from.pop() else { continue };
            if let Err(error) = self.take(&span) {
                self.give_up(&error);
            }
            let _ = self.back.push(span);
        }
        self.close();
    }

    fn take(&mut self, span: &Span) -> Result<(), crate::io::Error> {
        if !self.switch.is_on() && self.open.is_none() {
            return Ok(());
        }
        let seam =
            |open: &Open| open.epoch != span.epoch || span.first.saturating_sub(open.next) > LONGEST_FILL;
        if self.open.as_ref().is_some_and(seam) {
            self.close();
        }
        let open = match &mut self.open {
            Some(open) => open,
            none => {
                let writer = begin(&self.place)?;
                none.insert(Open { writer, epoch: span.epoch, next: span.first })
            }
        };
        let row_bytes = self.place.meta.row_bytes();
        let lost = span.first.saturating_sub(open.next);
        if lost > 0 {
            self.switch.dropped.fetch_add(lost, Ordering::Relaxed);
            open.writer.note_hole(lost);
            fill(&mut open.writer, open.next, lost, row_bytes)?;
        }
        if span.filled > 0 {
            // Which of the span's rows is not told: all up to the last filled one are suspect.
            let rows = (span.rows().len() / row_bytes) as u64;
            open.writer.note_hole(rows - u64::from(span.clean).min(rows));
        }
        open.writer.write_rows(span.rows())?;
        open.next = span.first + (span.rows().len() / row_bytes) as u64;
        let (name, bytes) = (name_of(open.writer.path()), open.writer.samples() * row_bytes as u64);
        self.switch.tell(Recording::On { name, bytes });
        Ok(())
    }

    /// Closes the recording, if there is one.
    fn close(&mut self) {
        let Some(open) = self.open.take() else { return };
        let path = open.writer.path().to_owned();
        match open.writer.finish() {
            Ok(()) => {
                self.switch.tell(Recording::Off);
                self.switch.finished.lock().unwrap_or_else(PoisonError::into_inner).push(path);
            }
            Err(error) => self.give_up(&error),
        }
    }

    /// Stops recording; what is on the disk stays readable.
    fn give_up(&mut self, error: &crate::io::Error) {
        self.open = None;
        self.switch.set(false);
        self.switch.tell(Recording::Failed { reason: error.to_string() });
    }
}

/// Begins a recording under the first name that is free.
fn begin(place: &Place) -> Result<LiveWriter, crate::io::Error> {
    let mut number = 1;
    loop {
        let mut name = place.name.clone().into_os_string();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        match LiveWriter::create(Path::new(&name), place.meta.clone()) {
            Err(crate::io::Error::Write { source, .. })
                if source.kind() == std::io::ErrorKind::AlreadyExists && number < 100_000 =>
            {
                number += 1;
            }
            other => return other,
        }
    }
}

/// Idle rows in the place of those that went past.
fn fill(writer: &mut LiveWriter, first: u64, rows: u64, row_bytes: usize) -> Result<(), crate::io::Error> {
    let mut pair = vec![0xff; row_bytes];
    pair.resize(2 * row_bytes, 0x00);
    if first % 2 == 1 {
        pair.rotate_left(row_bytes);
    }
    for _ in 0..rows / 2 {
        writer.write_rows(&pair)?;
    }
    writer.write_rows(&pair[..(rows % 2) as usize * row_bytes])
}

fn name_of(path: &Path) -> String {
    path.with_extension("").display().to_string()
}

#[cfg(test)]
mod tests;
