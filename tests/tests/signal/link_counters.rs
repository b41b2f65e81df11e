//! What the bench injects is what the receiver reports: frames of a small array over links with every fault, into the
//! pipeline's own ingest.

use dsp_core::pdm::TileLayout;
use hil_sim::clock::{Clock, Restart};
use hil_sim::frames::Frames;
use hil_sim::link::{Expected, LATE, Link, RESTART, Rates};
use hil_sim::rows::Rows;
use hil_sim::{Error, FrameSource};
use pipeline::numerics::random::SplitMix64;
use pipeline::signal::ingest::{self, Ingest};

// The bench's model of a receiver and the receiver have the same rule.
const _: () = assert!(RESTART == ingest::RESTART && LATE == ingest::LATE);

/// Rows of nothing: only the frames matter here.
struct Blank(TileLayout);

impl Rows for Blank {
    fn layout(&self) -> TileLayout {
        self.0
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        rows.fill(0x55);
        Ok(rows.len() / self.0.row_bytes())
    }
}

/// Some faults at once, each with a rate of up to a twentieth, so that most frames arrive.
fn rates(random: &mut SplitMix64) -> Rates {
    let mut rate = || if random.uniform() < 0.5 { 0.05 * random.uniform() } else { 0.0 };
    Rates {
        loss: rate(),
        burst_start: rate() / 5.0,
        duplicate: rate(),
        reorder: rate(),
        corrupt: rate(),
        truncate: rate(),
        garbage: rate(),
        foreign: rate(),
        burst_length: 1.0 + 20.0 * random.uniform(),
        burst_loss: random.uniform(),
        reorder_depth: 1 + random.integer() as u32 % 8,
    }
}

/// Sends `frames` frames and gives what was heard and what should have been.
fn send(
    rates: Rates,
    seed: u64,
    clock: &Clock,
    samples: usize,
    frames: usize,
) -> (ingest::Counters, Expected) {
    let layout = TileLayout::new(4, 8, 4).unwrap();
    let mut source = FrameSource::of(Blank(layout), samples, 1.5e6).unwrap().restarting(clock);
    let mut link = Link::new(rates, seed).unwrap();
    let mut ingest = Ingest::new(u16::try_from(layout.channels()).unwrap());
    let mut hear = |datagram: &[u8]| {
        let _ = ingest.accept(datagram);
    };
    let mut datagram = Vec::new();
    for _ in 0..frames {
        let content = source.next(&mut datagram).unwrap().unwrap();
        link.push(&datagram, content, &mut hear);
    }
    link.finish(&mut hear);
    (ingest.counters(), link.expected())
}

fn assert_same(heard: ingest::Counters, expected: Expected, what: &str) {
    let ingest::Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
        heard;
    let heard = Expected { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts };
    assert_eq!(heard, expected, "{what}");
}

#[test]
fn random_faults_are_reported_as_injected() {
    let mut total = Expected::default();
    for seed in 0..200 {
        let rates = rates(&mut SplitMix64::new(seed));
        let (heard, expected) = send(rates, seed, &Clock::default(), 3, 500);
        assert_same(heard, expected, &format!("seed {seed}: {rates:?}"));
        total.lost_frames += expected.lost_frames;
        total.bad_frames += expected.bad_frames;
        total.late_frames += expected.late_frames;
    }
    // 1e5 frames, and half the links have a fault of 0.025 in the mean: none of the counters stayed idle.
    assert!(total.lost_frames > 500 && total.bad_frames > 500 && total.late_frames > 500, "{total:?}");
}

#[test]
fn restarts_are_reported_as_injected() {
    // Frames of 3000 samples: 11.2 s, the shortest run whose restart can be seen, are 5593 of them.
    let clock = Clock { restarts: vec![Restart { at_s: 12.0, silence_s: 0.1 }], ..Clock::default() };
    for seed in 0..5 {
        let rates = rates(&mut SplitMix64::new(1000 + seed));
        let (heard, expected) = send(rates, seed, &clock, 3000, 7000);
        assert_eq!(expected.restarts, 1, "seed {seed}");
        assert_same(heard, expected, &format!("seed {seed}: {rates:?}"));
    }
}
