//! From datagrams or rows to spans: order, losses, holes.
//!
//! **The rule for holes.** Rows that are lost are filled with the idle pattern (ones and zeros in turn, which the decimator takes
//! for silence), so that time goes on, and the span says so; every hologram whose window or filter history holds such a row
//! is flagged. A gap longer than window and history begins a new epoch instead: nothing of the old window would be left. Rows that
//! found no empty span are lost in the same way.

use super::clock::{Clock, SensorClock};
use super::span::{Span, Writer};
use dsp_core::frame::Kind;
use dsp_core::pdm::TileLayout;
use signal::ingest::{Counters, Ingest};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of the idle pattern: a row of ones, a row of zeros.
const IDLE: [u8; 2] = [0xff, 0x00];

/// What the intake has counted, for other threads.
#[derive(Debug, Default)]
pub struct Tally {
    counts: [AtomicU64; 7],
    /// Datagrams that the system dropped because nobody took them in time; none where it does not say.
    pub system_drops: AtomicU64,
    /// Rows filled with the idle pattern.
    pub filled: AtomicU64,
    /// Epochs begun by a gap that was too long to fill.
    pub long_gaps: AtomicU64,
    /// Bytes that came.
    pub bytes: AtomicU64,
}

impl Tally {
    fn store(&self, counters: &Counters) {
        let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
            *counters;
        let all = [frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts];
        for (place, count) in self.counts.iter().zip(all) {
            place.store(count, Ordering::Relaxed);
        }
    }

    /// The counters of the ingest.
    pub fn counters(&self) -> Counters {
        let [frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts] =
            [0, 1, 2, 3, 4, 5, 6].map(|i: usize| self.counts[i].load(Ordering::Relaxed));
        Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts }
    }
}

/// What an intake is made for.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// The array.
    pub layout: TileLayout,
    /// Rows that come in a second, by this machine's clock.
    pub pace_hz: f64,
    /// Rows of window and history: the longest gap that is filled.
    pub longest_gap: u64,
}

/// The receiving end of the instrument.
pub struct Intake {
    shape: Shape,
    ingest: Ingest,
    /// Rows that came without frames.
    plain: u64,
    writer: Writer,
    span: Option<Span>,
    epoch: u64,
    /// Index of the row that is due.
    next: u64,
    /// The epoch has no row yet: whichever comes is its first.
    empty: bool,
    /// When the frame or the rows in hand came, s.
    arrived: f64,
    clock: Clock,
    sensor: SensorClock,
    /// What is counted.
    pub tally: Arc<Tally>,
    stop: Arc<AtomicBool>,
}

impl Intake {
    /// An intake that writes to `writer` until `stop`.
    pub fn new(shape: Shape, writer: Writer, clock: Clock, tally: Arc<Tally>, stop: Arc<AtomicBool>) -> Self {
        // A frame's header has 16 bits for the channels; a layout with more has no frames.
        let channels = u16::try_from(shape.layout.channels()).unwrap_or(u16::MAX);
        Self {
            shape,
            ingest: Ingest::new(channels),
            plain: 0,
            writer,
            span: None,
            epoch: 0,
            next: 0,
            empty: true,
            arrived: 0.0,
            clock,
            sensor: SensorClock::default(),
            tally,
            stop,
        }
    }

    /// Whether the instrument is stopping.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes one datagram that came at `arrived` (s); refused ones are counted.
    pub fn datagram(&mut self, datagram: &[u8], arrived: f64) {
        let Ok(span) = self.ingest.accept(datagram) else { return };
        self.arrived = arrived;
        let padded = Kind::Bits.row_len(u16::try_from(self.shape.layout.channels()).unwrap_or(u16::MAX));
        let rows = span.rows.len() / padded.max(1);
        if span.restarted {
            self.sensor.reset();
        }
        let period = 1.0 / self.shape.pace_hz;
        // The sensor's clock is its counter of samples, which the ingest has checked; the frame's own stamp could say anything.
        let last = (span.first_sample + rows as u64) as f64 * period;
        let taken = self.sensor.taken(last, arrived);
        if !self.place(span.first_sample, span.restarted, taken - rows as f64 * period) {
            self.writer.drop_rows(rows as u64);
        } else if padded == self.shape.layout.row_bytes() {
            self.append(span.rows, taken, true);
        } else {
            let row_bytes = self.shape.layout.row_bytes();
            for (i, row) in span.rows.chunks_exact(padded).enumerate() {
                self.append(&row[..row_bytes], taken - (rows - 1 - i) as f64 * period, true);
                if self.next != span.first_sample + i as u64 + 1 {
                    // The next row would come into the place of one that found no span.
                    self.writer.drop_rows((rows - 1 - i) as u64);
                    break;
                }
            }
        }
    }

    /// Takes rows of a file, which follow one another; not `whole` ones were filled by whoever recorded them.
    pub fn rows(&mut self, rows: &[u8], whole: bool) {
        let (taken, first) = (self.clock.now(), self.plain);
        let count = (rows.len() / self.shape.layout.row_bytes()) as u64;
        self.plain += count;
        self.arrived = taken;
        if self.place(first, false, taken - count as f64 / self.shape.pace_hz) {
            self.append(rows, taken, whole);
        } else {
            self.writer.drop_rows(count);
        }
        self.tally.bytes.fetch_add(rows.len() as u64, Ordering::Relaxed);
    }

    /// Shows the counters to other threads; once a batch.
    pub fn publish(&self) {
        let mut counters = self.ingest.counters();
        counters.samples += self.plain;
        self.tally.store(&counters);
    }

    /// The source ended: what is in the last span goes on.
    pub fn finish(mut self) {
        self.hand_over();
        self.publish();
    }

    /// Makes `first` the row that is due; false if there is no span for the rows before it, the last of which was taken at
    /// `before`.
    fn place(&mut self, first: u64, restarted: bool, before: f64) -> bool {
        if self.empty {
            self.next = first;
        }
        // Rows that never came, and rows that found no span.
        let behind = if restarted { 0 } else { first.saturating_sub(self.next) };
        if restarted || behind > self.shape.longest_gap {
            self.tally.long_gaps.fetch_add(u64::from(!restarted), Ordering::Relaxed);
            self.begin_epoch(first);
        } else {
            self.fill(behind, before);
        }
        self.next == first
    }

    fn begin_epoch(&mut self, first: u64) {
        self.hand_over();
        self.epoch += 1;
        (self.next, self.empty) = (first, true);
    }

    /// Appends rows, the last of which was taken at `taken`, the sensor's or not; what finds no span is left out.
    fn append(&mut self, rows: &[u8], taken: f64, whole: bool) {
        let row_bytes = self.shape.layout.row_bytes();
        let mut rest = rows;
        while !rest.is_empty() {
            let left = (rest.len() / row_bytes) as u64;
            let Some(span) = self.open() else {
                // `next` stays: these rows are missing when a span is there again.
                self.writer.drop_rows(left);
                return;
            };
            let room = span.room();
            let bytes = room.len().min(rest.len());
            room[..bytes].copy_from_slice(&rest[..bytes]);
            span.advance(bytes);
            let count = (bytes / row_bytes) as u32;
            if whole {
                span.clean += count;
            } else {
                (span.filled, span.clean) = (span.filled + count, 0);
                self.tally.filled.fetch_add(count.into(), Ordering::Relaxed);
            }
            rest = &rest[bytes..];
            self.next += (bytes / row_bytes) as u64;
            self.empty = false;
            self.close_full(taken - (rest.len() / row_bytes) as f64 / self.shape.pace_hz);
        }
    }

    /// Appends idle rows, the last of which would have been taken at `taken`.
    fn fill(&mut self, rows: u64, taken: f64) {
        let row_bytes = self.shape.layout.row_bytes();
        let mut left = rows;
        while left > 0 {
            let next = self.next;
            let Some(span) = self.open() else { return };
            let room = span.room();
            let count = (room.len() / row_bytes).min(usize::try_from(left).unwrap_or(usize::MAX));
            for (row, index) in room.chunks_exact_mut(row_bytes).take(count).zip(next..) {
                row.fill(IDLE[(index % 2) as usize]);
            }
            span.advance(count * row_bytes);
            span.filled += count as u32;
            span.clean = 0;
            left -= count as u64;
            self.next += count as u64;
            self.tally.filled.fetch_add(count as u64, Ordering::Relaxed);
            self.close_full(taken - left as f64 / self.shape.pace_hz);
        }
    }

    /// The span that is being filled.
    fn open(&mut self) -> Option<&mut Span> {
        if self.span.is_none() {
            let stop = self.stop.clone();
            let mut span = self.writer.take(&|| stop.load(Ordering::Relaxed))?;
            span.clear(self.epoch, self.next);
            self.span = Some(span);
        }
        self.span.as_mut()
    }

    fn close_full(&mut self, taken: f64) {
        if let Some(span) = &mut self.span {
            (span.taken, span.arrived) = (taken, self.arrived);
            if span.is_full() {
                self.hand_over();
            }
        }
    }

    fn hand_over(&mut self) {
        if let Some(mut span) = self.span.take() {
            span.ring_in = self.clock.now();
            self.writer.send(span);
        }
    }
}

#[cfg(test)]
mod tests;
