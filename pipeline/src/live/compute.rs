//! The stage between rows and results: one thread that takes spans, pushes them through the engine and makes a hologram every hop.
//!
//! A first hologram is made when filter history and window are full, counted from the begin of the epoch, and another one
//! every hop of rows after it. When spans wait, holograms are left out and counted: rows never are.

mod mail;

pub use mail::{Block, Counts, Ends, Label, Order, Snapshot, Spent};

use super::clock::Clock;
use super::engine::{Engine, Made};
use super::latency::{Came, Done};
use super::span::{Reader, Span};
use crate::camera::CameraError;
use crate::decimate::ROWS;
use crate::viewer::{Field, Flags, Map, Stamps};
use num_complex::Complex;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

type Complex32 = Complex<f32>;

/// How long the thread sleeps at most before it looks at its orders.
const PATIENCE: Duration = Duration::from_millis(20);
/// Between two snapshots, s.
const SNAPSHOT_S: f64 = 0.1;
/// Between two blocks of rows for the microphones' health, s.
const HEALTH_S: f64 = 0.1;

/// Numbers of the stage.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Bytes of a row.
    pub row_bytes: usize,
    /// Rows from one hologram to the next, a multiple of 32.
    pub hop: u64,
    /// Rows of history and window.
    pub needed: u64,
    /// Rows of the window.
    pub window: u64,
    /// Rows a second.
    pub pace_hz: f64,
    /// Spans that may wait before holograms are left out.
    pub most_waiting: usize,
    /// Distance of the map's points, m.
    pub pitch_m: f32,
    /// Every so many holograms one is a file; 0 for none.
    pub every: u64,
}

/// The stage.
pub struct Compute {
    shape: Shape,
    /// None: rows are only passed on.
    engine: Option<Engine>,
    label: Box<Label>,
    ends: Ends,
    clock: Clock,
    counts: Arc<Counts>,
    epoch: u64,
    /// Rows since the window began to fill.
    filled: u64,
    /// Rows since the last filled one.
    clean: u64,
    restarted: bool,
    masked: bool,
    /// Microphones are broken that cannot be left out.
    broken: bool,
    /// Filters that are still to be chosen.
    unchosen: usize,
    sequence: u64,
    block: Option<Block>,
    next_block: f64,
    next_snapshot: f64,
    /// Why the card stopped, until told.
    failure: Arc<arc_swap::ArcSwapOption<String>>,
}

impl Compute {
    /// The stage with its engine; `masked` if the array has dead microphones already, `unchosen` filters of the chain are to
    /// be chosen.
    pub fn new(
        shape: Shape,
        engine: Option<Engine>,
        label: Box<Label>,
        masked: bool,
        unchosen: usize,
        ends: Ends,
        clock: Clock,
    ) -> Self {
        Self {
            shape,
            engine,
            label,
            ends,
            clock,
            counts: Arc::default(),
            epoch: 0,
            filled: 0,
            clean: u64::MAX / 2,
            restarted: false,
            masked,
            broken: false,
            unchosen,
            sequence: 0,
            block: None,
            next_block: 0.0,
            next_snapshot: 0.0,
            failure: Arc::default(),
        }
    }

    /// What it counts.
    pub fn counts(&self) -> Arc<Counts> {
        self.counts.clone()
    }

    /// Why its card stopped, once it has.
    pub fn failure(&self) -> Arc<arc_swap::ArcSwapOption<String>> {
        self.failure.clone()
    }

    /// Takes spans until the writer is gone.
    pub fn run(mut self, mut reader: Reader) -> Result<(), CameraError> {
        while !reader.is_done() {
            self.obey();
            let span = reader.next(PATIENCE);
            if let Some(tape) = &mut self.ends.tape {
                tape.returned().for_each(|span| reader.recycle(span));
            }
            let Some(span) = span else { continue };
            self.take(&span, reader.waiting())?;
            let left = match &mut self.ends.tape {
                Some(tape) => tape.offer(span),
                None => Some(span),
            };
            if let Some(span) = left {
                reader.recycle(span);
            }
        }
        Ok(())
    }

    /// One span: the engine and its hops, the block for the microphones' health.
    fn take(&mut self, span: &Span, waiting: usize) -> Result<(), CameraError> {
        if span.epoch != self.epoch {
            (self.epoch, self.filled, self.clean, self.restarted) = (span.epoch, 0, u64::MAX / 2, true);
            self.block_lost();
            if let Some(engine) = &mut self.engine {
                engine.restart();
            }
        }
        if span.filled > 0 {
            self.clean = 0;
            self.block_lost();
        } else {
            self.block_take(span);
        }
        let Shape { row_bytes, pace_hz, .. } = self.shape;
        // Less than a group only at the end of an epoch.
        let usable = span.rows().len() / (ROWS * row_bytes) * ROWS * row_bytes;
        let mut rest = &span.rows()[..usable];
        while !rest.is_empty() && self.engine.is_some() {
            let left = self.until_hop() as usize * row_bytes;
            let (part, after) = rest.split_at(left.min(rest.len()));
            rest = after;
            let rows = (part.len() / row_bytes) as u64;
            self.filled += rows;
            if span.filled == 0 {
                self.clean = self.clean.saturating_add(rows);
            }
            if let Some(engine) = &mut self.engine {
                engine.push(part);
            }
            if self.until_hop() == self.shape.hop {
                let behind_s = (rest.len() / row_bytes) as f64 / pace_hz;
                let came = Came { last_sample: span.taken - behind_s, arrived: span.arrived - behind_s };
                self.hop(came, span.ring_in, waiting)?;
            }
        }
        if span.filled > 0 {
            self.clean = span.clean.into();
        }
        Ok(())
    }

    /// Rows to the end of the present hop; a whole hop at its end. The first hop ends with the first window.
    fn until_hop(&self) -> u64 {
        let Shape { hop, needed, .. } = self.shape;
        let phase = needed % hop;
        hop - (self.filled + hop - phase) % hop
    }

    fn hop(&mut self, came: Came, ring_in: f64, waiting: usize) -> Result<(), CameraError> {
        let full = self.filled >= self.shape.needed;
        let behind = waiting > self.shape.most_waiting;
        let device_in = self.clock.now();
        let Some(engine) = &mut self.engine else { return Ok(()) };
        // A card takes all microphones for sound ones.
        let unmasked = self.broken || self.masked && engine.is_card();
        let clean = self.clean >= self.shape.needed;
        let made = engine.hop(full && !behind, full && clean)?;
        let device_out = self.clock.now();
        match made {
            Some(Made::Lost) => {
                self.counts.failures.fetch_add(1, Ordering::Relaxed);
                self.failure.store(engine.failure().map(|reason| Arc::new(reason.to_owned())));
                // The chain has this hop only.
                self.filled = 0;
            }
            Some(Made::Fields { fields, chosen }) if full && !behind => {
                let window_s = self.shape.window as f64 / self.shape.pace_hz;
                let first_sample = came.last_sample - window_s;
                let stamps = Stamps { first_sample, ring_in, device_in, device_out, sink: 0.0 };
                let flags = Flags {
                    holes: !clean || unmasked,
                    masked: self.masked,
                    fallback: self.counts.failures.load(Ordering::Relaxed) > 0,
                    restarted: std::mem::take(&mut self.restarted),
                    provisional: !chosen.unwrap_or(self.unchosen == 0),
                };
                let mut done = Done { sequence: self.sequence, stamps, came, flags };
                hand_out(&mut self.ends, &self.label, self.shape.pitch_m, fields, &mut done, &self.clock);
                self.count(&done);
                self.snapshot(&done);
                self.sequence += 1;
            }
            _ if full => {
                self.counts.skipped.fetch_add(1, Ordering::Relaxed);
                // Its number is missing.
                self.sequence += 1;
            }
            _ => {}
        }
        Ok(())
    }

    fn count(&mut self, done: &Done) {
        self.counts.holograms.fetch_add(1, Ordering::Relaxed);
        let flagged = done.flags.holes || done.flags.provisional;
        self.counts.flagged.fetch_add(u64::from(flagged), Ordering::Relaxed);
        if self.ends.done.push(*done).is_err() {
            self.counts.done_dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A copy of everything, if one is due and a buffer is back.
    fn snapshot(&mut self, done: &Done) {
        let every = self.shape.every;
        let for_file = every > 0 && done.sequence.is_multiple_of(every);
        if !for_file && done.stamps.sink < self.next_snapshot {
            return;
        }
        let (Some(engine), Some(mut shot)) = (&mut self.engine, self.ends.snapshots.take()) else {
            self.counts.files_dropped.fetch_add(u64::from(for_file), Ordering::Relaxed);
            return;
        };
        self.next_snapshot = done.stamps.sink + SNAPSHOT_S;
        (shot.label, shot.sequence, shot.flags) = (self.label.number, done.sequence, done.flags);
        (shot.stamps, shot.for_file) = (done.stamps, for_file);
        let copy = |to: &mut Vec<Complex32>, from: &[Complex32]| {
            to.clear();
            to.extend_from_slice(from);
        };
        let is_card = engine.is_card();
        copy(&mut shot.source, engine.fields());
        let chain = engine.chain();
        copy(&mut shot.channels, if is_card { &[] } else { chain.channels() });
        copy(&mut shot.measured, if is_card { &[] } else { chain.measured() });
        self.ends.snapshots.send(shot);
    }

    /// Collects rows for the microphones' health.
    fn block_take(&mut self, span: &Span) {
        if self.block.is_none() && span.ring_in >= self.next_block {
            self.block = self.ends.blocks.take();
        }
        let Some(block) = &mut self.block else { return };
        let missing = block.wanted.saturating_sub(block.rows.len());
        block.rows.extend_from_slice(&span.rows()[..missing.min(span.rows().len())]);
        if block.rows.len() == block.wanted {
            self.next_block = span.ring_in + HEALTH_S;
            if let Some(block) = self.block.take() {
                self.ends.blocks.send(block);
            }
        }
    }

    /// A seam: the block begins again.
    fn block_lost(&mut self) {
        if let Some(block) = &mut self.block {
            block.rows.clear();
        }
    }

    /// Does what the control thread asks for.
    fn obey(&mut self) {
        while let Ok(order) = self.ends.orders.pop() {
            let Some(engine) = &mut self.engine else { continue };
            let spent = match order {
                Order::Filter(index, filter) => match engine.chain().set_filter(index, filter) {
                    Ok(()) => {
                        self.unchosen = self.unchosen.saturating_sub(1);
                        None
                    }
                    Err(error) => Some(Spent::Refused(error)),
                },
                Order::Broken => {
                    self.broken = true;
                    None
                }
                Order::Array(mut plan, masked) => {
                    (self.masked, self.broken) = (masked, false);
                    *plan = engine.chain().set_array(*plan);
                    Some(Spent::Array(plan))
                }
                Order::Chain(chain, label, needed, unchosen) => {
                    (self.label, self.unchosen) = (label, unchosen);
                    (self.shape.needed, self.filled) = (needed, 0);
                    Some(Spent::Chain(engine.set_chain(chain)))
                }
            };
            if let Some(spent) = spent {
                // Without room it is dropped here, which costs time but nothing else.
                let _ = self.ends.spent.push(spent);
            }
        }
    }
}

/// To the controller at once, to the page if it is due.
fn hand_out(
    ends: &mut Ends,
    label: &Label,
    pitch_m: f32,
    fields: &[Complex32],
    done: &mut Done,
    clock: &Clock,
) {
    if let Some(controller) = &mut ends.controller {
        done.stamps.sink = clock.now();
        controller.send(fields, done);
    }
    done.stamps.sink = clock.now();
    if ends.publisher.map_due() {
        let (rows, cols) = label.shape;
        let field = Field::Pressure(fields[..(rows * cols).min(fields.len())].to_vec());
        if let Ok(mut map) = Map::new(rows, cols, [pitch_m; 2], field) {
            (map.sequence, map.stamps, map.flags) = (done.sequence, done.stamps, done.flags);
            map.frequency_hz = label.frequencies.first().copied().unwrap_or(0.0);
            map.method = label.method;
            ends.publisher.map(map);
        }
    }
}
