//! The stage between rows and results: one thread that takes spans, pushes them through the engine and makes a hologram every hop.
//!
//! A first hologram is made when filter history and window are full, counted from the begin of the epoch, and another one
//! every hop of rows after it. When spans wait, holograms are left out and counted: rows never are. A card takes the rows of
//! many hops about as fast as it makes one hologram: it is given those of all that are left out together.

mod mail;
mod outlet;
mod shape;
#[cfg(test)]
mod tests;

pub use mail::{Block, Counts, Ends, Label, Order, Snapshot, Spent};
pub use shape::Shape;

use super::clock::Clock;
use super::engine::{Engine, Filters, Made, Wish};
use super::latency::{Came, Done};
use super::span::{Reader, Span};
use holography::camera::CameraError;
use holography::product::{Flags, Stamps};
use outlet::Outlet;
use signal::decimate::ROWS;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long the thread sleeps at most before it looks at its orders.
const PATIENCE: Duration = Duration::from_millis(20);
/// Between two blocks of rows for the microphones' health, s.
const HEALTH_S: f64 = 0.1;

/// What waits behind a hop.
#[derive(Debug, Clone, Copy)]
struct Backlog {
    /// Spans.
    waiting: usize,
    /// Rows, of the same span too.
    rows: usize,
}

/// The stage.
pub struct Compute {
    shape: Shape,
    /// None: rows are only passed on.
    engine: Option<Engine>,
    out: Outlet,
    /// What it counts.
    pub counts: Arc<Counts>,
    clock: Clock,
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
    /// The next hop is to be left out too, so that a card catches up.
    catching_up: bool,
    sequence: u64,
    block: Option<Block>,
    next_block: f64,
    /// Why the card stopped, once it has.
    pub failure: Arc<arc_swap::ArcSwapOption<String>>,
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
        let counts = Arc::<Counts>::default();
        Self {
            shape,
            engine,
            out: Outlet::new(&shape, label, ends, clock, counts.clone()),
            counts,
            clock,
            epoch: 0,
            filled: 0,
            clean: u64::MAX / 2,
            restarted: false,
            masked,
            broken: false,
            unchosen,
            catching_up: false,
            sequence: 0,
            block: None,
            next_block: 0.0,
            failure: Arc::default(),
        }
    }

    /// Takes spans until the writer is gone.
    pub fn run(mut self, mut reader: Reader) -> Result<(), CameraError> {
        while !reader.is_done() {
            self.obey();
            let span = reader.next(PATIENCE);
            if let Some(tape) = &mut self.out.ends.tape {
                tape.returned().for_each(|span| reader.recycle(span));
            }
            let Some(span) = span else { continue };
            self.take(&span, reader.waiting())?;
            let left = match &mut self.out.ends.tape {
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
                let backlog =
                    Backlog { waiting, rows: (rest.len() + waiting * span.rows().len()) / row_bytes };
                self.hop(came, span.ring_in, backlog)?;
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

    fn hop(&mut self, came: Came, ring_in: f64, backlog: Backlog) -> Result<(), CameraError> {
        let full = self.filled >= self.shape.needed;
        let device_in = self.clock.now();
        let wish = self.wish(full, backlog);
        let Some(engine) = &mut self.engine else { return Ok(()) };
        // A card takes all microphones for sound ones.
        let unmasked = self.broken || self.masked && engine.is_card();
        let made = engine.hop(wish)?;
        let device_out = self.clock.now();
        match made {
            Some(Made::Lost) => {
                self.counts.failures.fetch_add(1, Ordering::Relaxed);
                self.failure.store(engine.failure.as_ref().map(|reason| Arc::new(reason.to_string())));
                // The chain has what the card had not, and no window.
                (self.filled, self.catching_up) = (0, false);
            }
            Some(Made::Fields(fields)) => {
                let window_s = self.shape.window as f64 / self.shape.pace_hz;
                let first_sample = came.last_sample - window_s;
                let stamps = Stamps { first_sample, ring_in, device_in, device_out, sink: 0.0 };
                let flags = Flags {
                    holes: self.clean < self.shape.needed || unmasked,
                    masked: self.masked,
                    fallback: self.counts.failures.load(Ordering::Relaxed) > 0,
                    restarted: std::mem::take(&mut self.restarted),
                    provisional: fields
                        .filters
                        .map_or(self.unchosen > 0, |filters| filters == Filters::Provisional),
                };
                self.out.give(&fields, Done { sequence: self.sequence, stamps, came, flags });
                self.sequence += 1;
            }
            None if full => {
                self.counts.skipped.fetch_add(1, Ordering::Relaxed);
                // Its number is missing.
                self.sequence += 1;
            }
            None => {}
        }
        Ok(())
    }

    /// What is wanted of a hop: a hologram if its window is full, unless the stage is behind. Then a card catches up, until half of what may
    /// wait does, so that it is not behind again when it has taken the rows, or until no hop is left. It takes them before a hologram
    /// is wanted, which would be later than the plan says.
    fn wish(&mut self, full: bool, backlog: Backlog) -> Wish {
        let Shape { hop, most_waiting, .. } = self.shape;
        let behind = backlog.waiting > most_waiting || self.catching_up;
        let more = backlog.rows as u64 >= hop && backlog.waiting >= most_waiting.div_ceil(2);
        self.catching_up = behind && more && self.engine.as_ref().is_some_and(Engine::is_card);
        match (full && !behind, self.catching_up) {
            (true, _) => Wish::Hologram { clean: self.clean >= self.shape.needed },
            (false, false) => Wish::Nothing,
            (false, true) => Wish::NorTheNext,
        }
    }

    /// Collects rows for the microphones' health.
    fn block_take(&mut self, span: &Span) {
        if self.block.is_none() && span.ring_in >= self.next_block {
            self.block = self.out.ends.blocks.take();
        }
        let Some(block) = &mut self.block else { return };
        let missing = block.wanted.saturating_sub(block.rows.len());
        block.rows.extend_from_slice(&span.rows()[..missing.min(span.rows().len())]);
        if block.rows.len() == block.wanted {
            self.next_block = span.ring_in + HEALTH_S;
            if let Some(block) = self.block.take() {
                self.out.ends.blocks.send(block);
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
        while let Ok(order) = self.out.ends.orders.pop() {
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
                    (self.out.label, self.unchosen) = (label, unchosen);
                    (self.shape.needed, self.filled) = (needed, 0);
                    Some(Spent::Chain(engine.set_chain(chain)))
                }
            };
            if let Some(spent) = spent {
                // Without room it is dropped here, which costs time but nothing else.
                let _ = self.out.ends.spent.push(spent);
            }
        }
    }
}
