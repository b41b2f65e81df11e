//! The stage with cards that are none: what they are given, and what becomes of it.

use super::super::config;
use super::super::engine::{Card, CardError};
use super::super::exchange::{User, exchange};
use super::super::parts;
use super::super::span::{Policy, Reader, Writer, ring};
use super::*;
use holography::chain::Chain;
use num_complex::Complex32;
use rtrb::RingBuffer;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::Mutex;
use viewer::Publisher;

/// 64 microphones: rows of 8 bytes, which hold epoch and index of the row.
const SMALL: &str = "[source]\nudp = \"127.0.0.1:0\"\n[array]\nrows = 8\ncols = 8\n[hologram]\nsamples = 64\nhop_rows = 64\n\
    frequencies_hz = [3000.0]\nfilter = \"50:0.3\"\n[buffers]\nspan_rows = 32\nbehind_spans = 4\n[viewer]\nserve = false\n";
const ROW: usize = 8;
const SPAN: u32 = 32;
const HOP: usize = 64;

/// Puts spans into the ring.
struct Feed {
    writer: Writer,
    epoch: u32,
    row: u32,
}

impl Feed {
    /// Two for each hop.
    fn hops(&mut self, count: usize) {
        for _ in 0..2 * count {
            let mut span = self.writer.take(&|| false).expect("a ring that is long enough");
            span.clear(self.epoch.into(), self.row.into());
            for (row, bytes) in (self.row..).zip(span.room().chunks_exact_mut(ROW)) {
                bytes[..4].copy_from_slice(&self.epoch.to_le_bytes());
                bytes[4..].copy_from_slice(&row.to_le_bytes());
            }
            span.advance(SPAN as usize * ROW);
            self.row += SPAN;
            self.writer.send(span);
        }
    }
}

/// What comes while a card is at work.
#[derive(Clone, Copy)]
enum Meanwhile {
    Hops(usize),
    /// Hops, a restart, and hops.
    Restart(usize, usize),
    /// It fails.
    Failure,
}

/// A card that keeps what it is given: hops that it executes and rows that it skips.
struct Fake {
    feed: Option<Feed>,
    script: VecDeque<Meanwhile>,
    epoch: u32,
    row: u32,
    fields: Vec<Complex32>,
    calls: Arc<Mutex<Vec<Call>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// Of a clean window or not.
    Execute(bool),
    /// So many hops.
    Skip(usize),
}

impl Fake {
    /// Rows come whole, in order, and none is missing but at a restart.
    fn take(&mut self, rows: &[u8], call: Call) -> Result<(), CardError> {
        self.calls.lock().unwrap().push(call);
        let meanwhile = self.script.pop_front();
        if let Some(Meanwhile::Failure) = meanwhile {
            return Err(CardError::Other("fell off the bus".into()));
        }
        assert!(rows.len().is_multiple_of(HOP * ROW) && !rows.is_empty());
        for row in rows.chunks_exact(ROW) {
            let [epoch, index] = [0, 4].map(|i| u32::from_le_bytes(row[i..i + 4].try_into().unwrap()));
            let expected = if epoch == self.epoch { self.row } else { 0 };
            assert_eq!(index, expected, "of epoch {epoch}");
            (self.epoch, self.row) = (epoch, index + 1);
        }
        match (meanwhile, &mut self.feed) {
            (Some(Meanwhile::Hops(hops)), Some(feed)) => feed.hops(hops),
            (Some(Meanwhile::Restart(before, after)), Some(feed)) => {
                feed.hops(before);
                (feed.epoch, feed.row) = (feed.epoch + 1, 0);
                feed.hops(after);
            }
            // The writer goes, and the stage ends.
            _ => self.feed = None,
        }
        Ok(())
    }
}

impl Card for Fake {
    fn execute(&mut self, rows: &[u8], clean: bool) -> Result<Filters, CardError> {
        assert_eq!(rows.len(), HOP * ROW, "a hop");
        self.take(rows, Call::Execute(clean))?;
        // Where the window ends.
        self.fields[0] = Complex32::new(self.row as f32, self.epoch as f32);
        Ok(Filters::Chosen)
    }

    fn fields(&mut self) -> Option<&[Complex32]> {
        Some(&self.fields)
    }

    fn skip(&mut self, rows: &[u8]) -> Result<(), CardError> {
        self.take(rows, Call::Skip(rows.len() / (HOP * ROW)))
    }
}

/// What a stage did.
struct Ran {
    calls: Vec<Call>,
    counts: Arc<Counts>,
    /// Number, first value and flags of every hologram.
    holograms: Vec<(u64, Complex32, Flags)>,
    /// Hops of a window.
    first: usize,
}

impl Ran {
    fn skipped(&self) -> u64 {
        self.counts.skipped.load(Ordering::Relaxed)
    }

    /// Numbers of the holograms, each of which must be of the rows that its number says: `start` hops, and one for each before it.
    fn numbers(&self, holograms: std::ops::Range<usize>, epoch: u32, start: usize) -> Vec<u64> {
        let check = |(number, value, _): &(u64, Complex32, Flags)| {
            let end = (start + *number as usize) * HOP;
            assert_eq!(*value, Complex32::new(end as f32, epoch as f32), "hologram {number}");
            *number
        };
        self.holograms[holograms].iter().map(check).collect()
    }
}

fn ends(shots: usize) -> (Ends, User<Box<Snapshot>>) {
    let (snapshots, taken) = exchange(vec![Box::<Snapshot>::default(); shots]);
    let ends = Ends {
        publisher: Publisher::new(),
        controller: None,
        done: RingBuffer::new(1).0,
        snapshots,
        blocks: exchange(Vec::new()).0,
        tape: None,
        orders: RingBuffer::new(1).1,
        spent: RingBuffer::new(1).0,
    };
    (ends, taken)
}

/// Runs a stage on so many hops and what comes while its card works; `change` its shape.
fn run(hops: usize, script: &[Meanwhile], change: impl FnOnce(&mut Shape)) -> Ran {
    let settings = config::settings(SMALL, Path::new("")).unwrap();
    let chain = Chain::new(settings.chain.as_ref().unwrap(), settings.hop_rows).unwrap();
    let mut shape = Shape { every: 1, ..parts::shape(&settings, true) };
    assert_eq!((shape.row_bytes, shape.hop, shape.most_waiting), (ROW, HOP as u64, 4));
    change(&mut shape);
    let (writer, reader): (Writer, Reader) = ring(1 << 13, 2, SPAN as usize * ROW, Policy::DropNewest);
    let mut feed = Feed { writer, epoch: 0, row: 0 };
    feed.hops(hops);
    let calls = Arc::new(Mutex::new(Vec::new()));
    let card = Fake {
        feed: Some(feed),
        script: script.iter().copied().collect(),
        epoch: 0,
        row: 0,
        fields: vec![Complex32::default(); chain.source().len()],
        calls: calls.clone(),
    };
    let engine = Engine::new(Box::new(chain), Some(Box::new(card)), HOP * ROW);
    let (ends, mut taken) = ends(1 << 10);
    let label = Box::new(parts::label(&settings));
    let compute = Compute::new(shape, Some(engine), label, false, 0, ends, Clock::start());
    let counts = compute.counts.clone();
    compute.run(reader).unwrap();
    let shots = std::iter::from_fn(|| taken.next());
    let holograms: Vec<_> = shots.map(|shot| (shot.sequence, shot.source[0], shot.flags)).collect();
    assert_eq!(counts.holograms.load(Ordering::Relaxed), holograms.len() as u64);
    let calls = calls.lock().unwrap().clone();
    Ran { calls, counts, holograms, first: (shape.needed / HOP as u64) as usize }
}

/// Hops of the first window, by a run that ends before it.
fn first() -> usize {
    run(1, &[], |_| {}).first
}

/// One hop after the other comes while the card works, so many times; then `then`.
fn steady(hops: usize, then: &[Meanwhile]) -> Vec<Meanwhile> {
    [&vec![Meanwhile::Hops(1); hops][..], then].concat()
}

#[test]
fn hops_of_a_window_that_is_not_full_are_skipped_and_the_others_executed() {
    let first = first();
    let ran = run(1, &steady(first + 1, &[]), |_| {});
    let expected = [vec![Call::Skip(1); first - 1], vec![Call::Execute(true); 3]].concat();
    assert_eq!((ran.calls.clone(), ran.skipped()), (expected, 0));
    assert_eq!(ran.numbers(0..3, 0, first), [0, 1, 2]);
}

#[test]
fn a_card_is_given_all_that_waits_at_once_and_the_next_hologram_is_of_the_newest_rows() {
    let first = first();
    // Two holograms; a hundred hops come while the second is made; then as before.
    let script = steady(first, &[Meanwhile::Hops(100), Meanwhile::Hops(1), Meanwhile::Hops(1)]);
    let ran = run(1, &script, |_| {});
    let tail =
        [Call::Execute(true), Call::Execute(true), Call::Skip(100), Call::Execute(true), Call::Execute(true)];
    assert_eq!(ran.calls[first - 1..], tail);
    assert_eq!((ran.skipped(), ran.counts.failures.load(Ordering::Relaxed)), (100, 0));
    assert_eq!(ran.numbers(0..4, 0, first), [0, 1, 102, 103]);
}

#[test]
fn a_long_backlog_goes_in_pieces() {
    let first = first();
    // 2^19 bytes are 1024 hops. The last piece is short, for 60 more come while the second is taken.
    let more = [2000, 0, 60, 1].map(Meanwhile::Hops);
    let ran = run(1, &steady(first - 1, &more), |_| {});
    let tail = [Call::Execute(true), Call::Skip(1024), Call::Skip(976), Call::Skip(60), Call::Execute(true)];
    assert_eq!(ran.calls[first - 1..], tail);
    assert_eq!(ran.skipped(), 2060);
    assert_eq!(ran.numbers(0..2, 0, first), [0, 2061]);
}

#[test]
fn a_short_backlog_leaves_nothing_out() {
    let first = first();
    // Two hops behind the one whose second span is taken: four spans.
    let ran = run(1, &steady(first - 1, &[3, 0, 0, 1].map(Meanwhile::Hops)), |_| {});
    assert_eq!(ran.calls[first - 1..], [Call::Execute(true); 5]);
    assert_eq!((ran.skipped(), ran.numbers(0..5, 0, first)), (0, vec![0, 1, 2, 3, 4]));
    // And one more: it goes until less than a hop waits, for two spans are half of four.
    let ran = run(1, &steady(first - 1, &[4, 1].map(Meanwhile::Hops)), |_| {});
    assert_eq!(ran.calls[first - 1..], [Call::Execute(true), Call::Skip(4), Call::Execute(true)]);
    assert_eq!((ran.skipped(), ran.numbers(0..2, 0, first)), (4, vec![0, 5]));
}

#[test]
fn where_more_may_wait_a_card_catches_up_until_half_of_it_does() {
    let first = first();
    let script = [&[Meanwhile::Hops(30)][..], &[Meanwhile::Hops(0); 9]].concat();
    let ran = run(1, &steady(first - 1, &script), |shape| shape.most_waiting = 40);
    // Of sixty spans less than twenty wait behind the 21st hop.
    let tail = [&[Call::Execute(true), Call::Skip(21)][..], &[Call::Execute(true); 9]].concat();
    assert_eq!(ran.calls[first - 1..], tail);
    assert_eq!((ran.skipped(), ran.numbers(1..10, 0, first)), (21, (22..31).collect()));
}

#[test]
fn a_source_that_waits_leaves_nothing_out_whatever_waits() {
    let first = first();
    let ran = run(first + 50, &steady(first + 48, &[]), |shape| shape.most_waiting = usize::MAX);
    let expected = [vec![Call::Skip(1); first - 1], vec![Call::Execute(true); ran.holograms.len()]].concat();
    assert_eq!((ran.skipped(), &ran.calls), (0, &expected));
    assert_eq!(ran.numbers(0..ran.holograms.len(), 0, first).last(), Some(&(ran.holograms.len() as u64 - 1)));
    assert!(ran.holograms.len() > 50, "{}", ran.holograms.len());
}

#[test]
fn a_restart_drops_what_is_held_and_the_window_fills_anew() {
    let first = first();
    // Thirty hops wait, then those of another run: the card gets none of the thirty.
    let script = [vec![Meanwhile::Restart(30, 20)], vec![Meanwhile::Hops(1); first - 20 + 1]].concat();
    let ran = run(1, &steady(first - 1, &script), |_| {});
    assert_eq!(ran.calls[first - 1..=first], [Call::Execute(true), Call::Skip(20)]);
    // Of both runs' holograms only those between that waited are missing.
    assert_eq!((ran.skipped(), ran.numbers(0..1, 0, first)), (30, vec![0]));
    let of_second = &ran.holograms[1..];
    let ended: Vec<_> =
        of_second.iter().map(|(number, value, flags)| (*number, *value, flags.restarted)).collect();
    let end = |hops: usize| Complex32::new((hops * HOP) as f32, 1.0);
    assert_eq!(ended, [(31, end(first), true), (32, end(first + 1), false)]);
}

#[test]
fn a_card_that_fails_to_catch_up_is_replaced_and_no_hologram_has_a_window_in_parts() {
    let first = first();
    // It fails on the first 1024 hops; the chain has what comes behind them.
    let ran = run(1, &steady(first - 1, &[Meanwhile::Hops(1024 + first + 3), Meanwhile::Failure]), |_| {});
    assert_eq!(ran.calls[first - 1..], [Call::Execute(true), Call::Skip(1024)]);
    assert_eq!(ran.counts.failures.load(Ordering::Relaxed), 1);
    // 1023 were held, one was lost with the card; then the window fills, and a hologram is left out that more than four spans follow.
    let numbers: Vec<_> = ran.holograms.iter().map(|(number, ..)| *number).collect();
    assert_eq!((ran.skipped(), numbers), (1024, vec![0, 1025, 1026, 1027]));
    assert_eq!(ran.numbers(0..1, 0, first), [0]);
    let fallback: Vec<_> = ran.holograms.iter().map(|(_, _, flags)| flags.fallback).collect();
    assert_eq!(fallback, [false, true, true, true]);
}

#[test]
fn a_hologram_that_is_wanted_behind_held_hops_has_their_rows() {
    let settings = config::settings(SMALL, Path::new("")).unwrap();
    let chain = Chain::new(settings.chain.as_ref().unwrap(), settings.hop_rows).unwrap();
    let (calls, fields) = (Arc::new(Mutex::new(Vec::new())), vec![Complex32::default()]);
    let (feed, script) = (None, VecDeque::new());
    let card = Fake { feed, script, epoch: 0, row: 0, fields, calls: calls.clone() };
    let mut engine = Engine::new(Box::new(chain), Some(Box::new(card)), HOP * ROW);
    for hop in 0..3 {
        let rows = (hop * HOP as u32..(hop + 1) * HOP as u32).flat_map(|row| [0, row]);
        engine.push(&rows.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        let wish = if hop < 2 { Wish::NorTheNext } else { Wish::Hologram { clean: false } };
        match engine.hop(wish).unwrap() {
            Some(Made::Fields(fields)) => {
                assert_eq!((fields.source[0].re, fields.filters), (192.0, Some(Filters::Chosen)))
            }
            made => assert!(made.is_none() && hop < 2),
        }
    }
    assert_eq!(*calls.lock().unwrap(), [Call::Skip(2), Call::Execute(false)]);
}
