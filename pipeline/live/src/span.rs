//! Spans of rows on their way from the source to the stages, in buffers that come back.
//!
//! ```text
//! pool -> intake fills a span -> ring -> compute -> (recorder) -> pool
//! ```
//!
//! A span is a fixed number of rows, one memory block made at the start. It says which run of the sensor it belongs to
//! (its epoch: a restart, or a gap too long to fill, begins another), the index of its first row, when its last row was
//! taken and came, and which of its rows are not the sensor's. The pool bounds what can be under way: a stage that is slow
//! holds spans back, and the writer finds none. What happens then is the ring's [`Policy`].

use super::bell::Bell;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a writer does without an empty span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// Waits: for files, which do.
    Block,
    /// Drops the newest rows and counts them: for sensors, which do not.
    DropNewest,
}

/// Rows of one epoch without a seam.
#[derive(Debug)]
pub struct Span {
    bytes: Box<[u8]>,
    /// Bytes in use.
    used: usize,
    /// Counts restarts and gaps that were too long to fill.
    pub epoch: u64,
    /// Index of the first row by the sensor's counter.
    pub first: u64,
    /// When the last row was taken, s of the instrument's clock.
    pub taken: f64,
    /// When the frame that brought the last row came, s; as the system says, where it does.
    pub arrived: f64,
    /// When the span came into the ring, s.
    pub ring_in: f64,
    /// Rows that were lost and filled with the idle pattern.
    pub filled: u32,
    /// Rows after the last filled one.
    pub clean: u32,
}

impl Span {
    fn new(bytes: usize) -> Self {
        // Not zeros, which the system would only promise: every page is there from the start.
        let bytes = vec![0x55; bytes].into_boxed_slice();
        Self {
            bytes,
            used: 0,
            epoch: 0,
            first: 0,
            taken: 0.0,
            arrived: 0.0,
            ring_in: 0.0,
            filled: 0,
            clean: 0,
        }
    }

    /// The rows, as sent and without padding.
    pub fn rows(&self) -> &[u8] {
        &self.bytes[..self.used]
    }

    /// Their number, of `row_bytes` each.
    pub fn count(&self, row_bytes: usize) -> u64 {
        (self.rows().len() / row_bytes) as u64
    }

    /// The free part.
    pub(super) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes[self.used..]
    }

    /// Bytes of the free part were written.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.used += bytes;
    }

    pub(super) fn is_full(&self) -> bool {
        self.used == self.bytes.len()
    }

    pub(super) fn clear(&mut self, epoch: u64, first: u64) {
        (self.used, self.epoch, self.first, self.filled, self.clean) = (0, epoch, first, 0, 0);
    }
}

/// The filling end.
pub struct Writer {
    full: Producer<Span>,
    empty: Consumer<Span>,
    /// Empty spans, the last that came back on top: it is the one that is still in the caches.
    pool: Vec<Span>,
    policy: Policy,
    /// Rings at the reader's and at this end.
    reader: Arc<Bell>,
    writer: Arc<Bell>,
    /// Rows that found no span.
    pub dropped: Arc<AtomicU64>,
}

/// The using end.
pub struct Reader {
    full: Consumer<Span>,
    reader: Arc<Bell>,
    writer: Arc<Bell>,
    empty: Producer<Span>,
    /// Looks without a pause instead of sleeping.
    spin: bool,
}

/// A ring of `length` spans of `bytes` each. `spare` more are in the pool: those in the hands of the two ends and of
/// stages behind the reader.
pub fn ring(length: usize, spare: usize, bytes: usize, policy: Policy) -> (Writer, Reader) {
    let (full, full_out) = RingBuffer::new(length);
    // As long as the pool: there is room for every span.
    let (empty_in, empty) = RingBuffer::new(length + spare);
    let pool = std::iter::repeat_with(|| Span::new(bytes)).take(length + spare).collect();
    let (reader, writer) = (Arc::new(Bell::default()), Arc::new(Bell::default()));
    let dropped = Arc::new(AtomicU64::new(0));
    let out = Reader {
        full: full_out,
        reader: reader.clone(),
        writer: writer.clone(),
        empty: empty_in,
        spin: false,
    };
    (Writer { full, empty, pool, policy, reader, writer, dropped }, out)
}

impl Writer {
    /// An empty span. Where there is none, waits by policy until there is one or `stop` says so.
    pub fn take(&mut self, stop: &dyn Fn() -> bool) -> Option<Span> {
        // The ring has a place for every span but the spare ones: without one the span could not be sent either.
        let free = |this: &mut Self| {
            this.pool.extend(std::iter::from_fn(|| this.empty.pop().ok()));
            if this.full.is_full() { None } else { this.pool.pop() }
        };
        while self.policy == Policy::Block && !stop() && !self.full.is_abandoned() {
            if let Some(span) = free(self) {
                return Some(span);
            }
            self.writer.wait(Duration::from_millis(5), || {
                !self.full.is_full() && (!self.empty.is_empty() || !self.pool.is_empty())
            });
        }
        free(self)
    }

    /// Hands a span over. `take` has seen to the room.
    pub fn send(&mut self, span: Span) {
        let _ = self.full.push(span);
        self.reader.ring();
    }

    /// Counts rows that found no span.
    pub fn drop_rows(&self, rows: u64) {
        self.dropped.fetch_add(rows, Ordering::Relaxed);
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.reader.ring();
    }
}

impl Reader {
    /// The same; one that spins looks for spans without a pause.
    pub fn spinning(self, spin: bool) -> Self {
        Self { spin, ..self }
    }

    /// The next span, or none within `patience`.
    pub fn next(&mut self, patience: Duration) -> Option<Span> {
        if self.spin {
            let begin = Instant::now();
            while self.full.is_empty() && !self.full.is_abandoned() && begin.elapsed() < patience {
                std::hint::spin_loop();
            }
        } else if self.full.is_empty() {
            self.reader.wait(patience, || !self.full.is_empty());
        }
        self.full.pop().ok()
    }

    /// Whether the writer is gone and everything was read.
    pub fn is_done(&self) -> bool {
        self.full.is_abandoned() && self.full.is_empty()
    }

    /// Spans that wait.
    pub fn waiting(&self) -> usize {
        self.full.slots()
    }

    /// Gives a span back to the pool.
    pub fn recycle(&mut self, span: Span) {
        // The pool has a place for every span that was made.
        let _ = self.empty.push(span);
        self.writer.ring();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_go_round_and_a_full_ring_drops_or_waits() {
        let (mut writer, mut reader) = ring(2, 1, 8, Policy::DropNewest);
        for first in 0..2 {
            let mut span = writer.take(&|| false).unwrap();
            span.clear(0, first);
            writer.send(span);
        }
        assert!(writer.take(&|| false).is_none(), "a full ring has no room though the pool has a span");
        let span = reader.next(Duration::ZERO).unwrap();
        assert_eq!((span.first, reader.waiting()), (0, 1));
        reader.recycle(span);
        assert!(writer.take(&|| false).is_some());
        drop(writer);
        assert!(!reader.is_done());
        assert_eq!(reader.next(Duration::ZERO).unwrap().first, 1);
        assert!(reader.is_done() && reader.next(Duration::ZERO).is_none());

        let (mut writer, reader) = ring(1, 0, 8, Policy::DropNewest);
        let mut reader = reader.spinning(true);
        assert!(reader.next(Duration::from_micros(10)).is_none(), "its patience ends");
        let span = writer.take(&|| false).unwrap();
        writer.send(span);
        assert!(reader.next(Duration::from_secs(60)).is_some());
        drop(writer);
        assert!(reader.next(Duration::from_secs(60)).is_none(), "a writer that is gone ends the wait");

        let (mut writer, mut reader) = ring(1, 0, 8, Policy::Block);
        let span = writer.take(&|| false).unwrap();
        writer.send(span);
        assert!(writer.take(&|| true).is_none(), "a stop ends the wait");
        let reading = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            let span = reader.next(Duration::ZERO).unwrap();
            reader.recycle(span);
            reader
        });
        assert!(writer.take(&|| false).is_some(), "a reader ends the wait");
        drop(reading.join().unwrap());
    }
}
