//! Where a hologram goes: to the controller at once, to the page if it is due, to the accounts, and now and then as a whole to those
//! who look at leisure.

use super::super::clock::Clock;
use super::super::engine::Fields;
use super::super::latency::Done;
use super::mail::{Counts, Ends, Label};
use super::shape::Shape;
use holography::product::{Field, Map};
use num_complex::Complex32;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Between two snapshots, s.
const SNAPSHOT_S: f64 = 0.1;

/// The stage's end.
pub struct Outlet {
    pub ends: Ends,
    pub label: Box<Label>,
    counts: Arc<Counts>,
    clock: Clock,
    /// Distance of the map's points, m.
    pitch_m: f32,
    /// Every so many holograms one is a file; 0 for none.
    every: u64,
    next_snapshot: f64,
}

impl Outlet {
    pub fn new(shape: &Shape, label: Box<Label>, ends: Ends, clock: Clock, counts: Arc<Counts>) -> Self {
        let Shape { pitch_m, every, .. } = *shape;
        Self { ends, label, counts, clock, pitch_m, every, next_snapshot: 0.0 }
    }

    /// Hands out a hologram and counts it.
    pub fn give(&mut self, fields: &Fields<'_>, mut done: Done) {
        self.hand_out(fields.source, &mut done);
        self.count(&done);
        self.snapshot(fields, &done);
    }

    fn hand_out(&mut self, source: &[Complex32], done: &mut Done) {
        let Self { ends, label, clock, pitch_m, .. } = self;
        if let Some(controller) = &mut ends.controller {
            done.stamps.sink = clock.now();
            controller.send(source, done);
        }
        done.stamps.sink = clock.now();
        if ends.publisher.map_due() {
            let (rows, cols) = label.shape;
            let field = Field::Pressure(source[..(rows * cols).min(source.len())].to_vec());
            if let Ok(mut map) = Map::new(rows, cols, [*pitch_m; 2], field) {
                (map.sequence, map.stamps, map.flags) = (done.sequence, done.stamps, done.flags);
                map.frequency_hz = label.frequencies.first().copied().unwrap_or(0.0);
                map.method = label.method;
                ends.publisher.map(map);
            }
        }
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
    fn snapshot(&mut self, fields: &Fields<'_>, done: &Done) {
        let for_file = self.every > 0 && done.sequence.is_multiple_of(self.every);
        if !for_file && done.stamps.sink < self.next_snapshot {
            return;
        }
        let Some(mut shot) = self.ends.snapshots.take() else {
            self.counts.files_dropped.fetch_add(u64::from(for_file), Ordering::Relaxed);
            return;
        };
        self.next_snapshot = done.stamps.sink + SNAPSHOT_S;
        (shot.label, shot.sequence, shot.flags) = (self.label.number, done.sequence, done.flags);
        (shot.stamps, shot.for_file) = (done.stamps, for_file);
        let Fields { channels, measured, source, .. } = *fields;
        let parts =
            [(&mut shot.channels, channels), (&mut shot.measured, measured), (&mut shot.source, source)];
        for (to, from) in parts {
            to.clear();
            to.extend_from_slice(from);
        }
        self.ends.snapshots.send(shot);
    }
}
