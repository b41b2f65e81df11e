//! What is injected against what a receiver that decodes the bytes finds.

use super::*;
use dsp_core::frame::{Frame, FrameError, HEADER_LEN, sequence_gap};
use proptest::prelude::*;

const SAMPLES: u64 = 3;

/// A receiver that knows the bytes only: decodes, and keeps the books of `pipeline::ingest` in its own way.
#[derive(Default)]
struct Ear {
    last: Option<Frame<'static>>,
    due: u64,
    counted: Expected,
}

impl Ear {
    fn hear(&mut self, datagram: &[u8]) {
        let sound: Result<Frame<'_>, FrameError> = Frame::decode_datagram(datagram);
        let Some(frame) = sound.ok().filter(|f| f.header.kind == Kind::Bits && f.header.channels == 40)
        else {
            self.counted.bad_frames += 1;
            return;
        };
        let first = frame.header.first_sample;
        if let Some(last) = self.last {
            let jump = i128::from(first) - i128::from(self.due);
            if jump > i128::from(RESTART) || -jump > i128::from(LATE) {
                self.counted.restarts += 1;
            } else if jump < 0 {
                self.counted.late_frames += 1;
                return;
            } else {
                self.counted.lost_samples += jump as u64;
                let gap = sequence_gap(last.header.sequence, frame.header.sequence);
                self.counted.lost_frames += u64::from(if gap >> 31 == 0 { gap } else { 0 });
            }
        }
        self.due = first + frame.rows() as u64;
        self.counted.frames += 1;
        self.counted.samples += frame.rows() as u64;
        self.last = Some(Frame { header: frame.header, payload: &[] });
    }
}

fn frame(sequence: u32, first_sample: u64) -> (Vec<u8>, Content) {
    let header = Header {
        kind: Kind::Bits,
        layout: 0,
        channels: 40,
        stride: 1,
        sequence,
        first_sample,
        timestamp_ns: 77,
    };
    let mut bytes = vec![0; HEADER_LEN + 8 * SAMPLES as usize];
    header.encode(&[sequence as u8; 8 * SAMPLES as usize], &mut bytes).unwrap();
    (bytes, Content::Frame(Stamp { sequence, first_sample, samples: SAMPLES }))
}

/// Sends `count` frames; the sensor restarts before each frame of `restarts`.
fn send(rates: Rates, seed: u64, count: u64, restarts: &[u64]) -> (Vec<Vec<u8>>, Link, Expected) {
    let mut link = Link::new(rates, seed).unwrap();
    let mut datagrams = Vec::new();
    let mut out = |d: &[u8]| datagrams.push(d.to_vec());
    // Far from 0, so that a restart is a jump that shows.
    let (mut sequence, mut sample) = (0u32.wrapping_sub(5), 1 << 40);
    for i in 0..count {
        if restarts.contains(&i) {
            (sequence, sample) = (0, if sample > RESTART { 0 } else { 1 << 40 });
        }
        let (bytes, content) = frame(sequence, sample);
        link.push(&bytes, content, &mut out);
        (sequence, sample) = (sequence.wrapping_add(1), sample + SAMPLES);
    }
    link.finish(&mut out);
    let mut ear = Ear::default();
    datagrams.iter().for_each(|d| ear.hear(d));
    (datagrams, link, ear.counted)
}

fn all() -> Rates {
    Rates {
        loss: 0.02,
        burst_start: 0.01,
        duplicate: 0.03,
        reorder: 0.04,
        corrupt: 0.05,
        truncate: 0.06,
        garbage: 0.07,
        foreign: 0.08,
        ..Rates::default()
    }
}

#[test]
fn perfect_link_changes_nothing() {
    let (datagrams, link, counted) = send(Rates::default(), 1, 100, &[]);
    assert_eq!(datagrams.len(), 100);
    assert_eq!((counted.frames, counted.samples), (100, 100 * SAMPLES));
    assert_eq!(link.expected(), counted);
    assert_eq!(link.injected().bytes, 100 * 64);
}

#[test]
fn same_seed_gives_the_same_datagrams() {
    assert_eq!(send(all(), 3, 1000, &[]).0, send(all(), 3, 1000, &[]).0);
    assert_ne!(send(all(), 3, 1000, &[]).0, send(all(), 4, 1000, &[]).0);
}

#[test]
fn every_fault_is_counted_by_its_name() {
    let n = 20_000;
    let one = |rates: Rates| {
        let (_, link, counted) = send(rates, 9, n, &[]);
        assert_eq!(link.expected(), counted, "{rates:?}");
        (link.injected(), counted)
    };
    // Six standard deviations of n draws with p = 0.05: 6 sqrt(n p (1 - p)) = 185.
    let about = |count: u64| assert!(count.abs_diff(1000) < 185, "{count}");
    let base = Rates::default();
    let (injected, counted) = one(Rates { corrupt: 0.05, ..base });
    about(injected.corrupted);
    assert_eq!(counted.bad_frames, injected.corrupted);
    let (injected, counted) = one(Rates { truncate: 0.05, ..base });
    about(injected.truncated);
    assert_eq!(counted.bad_frames, injected.truncated);
    let (injected, counted) = one(Rates { duplicate: 0.05, ..base });
    about(injected.duplicated);
    assert_eq!((counted.late_frames, counted.lost_frames), (injected.duplicated, 0));
    let (injected, counted) = one(Rates { garbage: 0.05, ..base });
    about(injected.garbage);
    assert_eq!((counted.bad_frames, counted.frames), (injected.garbage, n));
    let (injected, counted) = one(Rates { foreign: 0.05, ..base });
    about(injected.foreign);
    assert_eq!((counted.bad_frames, counted.frames), (injected.foreign, n));
    let (injected, counted) = one(Rates { loss: 0.05, ..base });
    about(injected.lost);
    // At most the last few, or the first, are not seen.
    assert!(injected.lost - counted.lost_frames < 6, "{injected:?} {counted:?}");
    assert_eq!(counted.lost_samples, SAMPLES * counted.lost_frames);
    let (injected, counted) = one(Rates { reorder: 0.05, ..base });
    about(injected.reordered);
    assert_eq!(counted.late_frames, counted.lost_frames);
    // A frame whose successors are held back too is not late: less than one in 20.
    let on_time = injected.reordered - counted.late_frames;
    assert!(on_time < injected.reordered / 10, "{injected:?} {counted:?}");
}

#[test]
fn bursts_have_their_length() {
    let rates = Rates { burst_start: 0.01, burst_length: 20.0, ..Rates::default() };
    let (_, link, counted) = send(rates, 5, 100_000, &[]);
    let injected = link.injected();
    assert_eq!(link.expected(), counted);
    // Frames in bursts: 100000 * 20/(20 + 100) = 16667; bursts 833, lengths geometric with deviation 20: the
    // mean of 833 is 20 +- 0.7. Six standard deviations.
    let mean = injected.burst_lost as f64 / injected.bursts as f64;
    assert!((mean - 20.0).abs() < 4.2, "{mean}");
    assert!(injected.bursts.abs_diff(833) < 173, "{injected:?}");
}

#[test]
fn the_ends_cannot_be_seen() {
    let mut link = Link::new(Rates { loss: 1.0, ..Rates::default() }, 1).unwrap();
    for i in 0..10 {
        let (bytes, content) = frame(i, 3 * u64::from(i));
        link.push(&bytes, content, &mut |_| panic!("all are lost"));
    }
    assert_eq!(link.injected().lost, 10);
    assert_eq!(link.expected(), Expected::default());
}

#[test]
fn overtaken_frames_arrive_after_the_stated_number() {
    let rates = Rates { reorder: 0.2, reorder_depth: 4, ..Rates::default() };
    let (datagrams, link, _) = send(rates, 8, 5000, &[]);
    assert_eq!(datagrams.len(), 5000);
    let order: Vec<u64> =
        datagrams.iter().map(|d| Frame::decode_datagram(d).unwrap().header.first_sample / 3).collect();
    let start = *order.iter().min().unwrap();
    let furthest = order.iter().enumerate().map(|(i, s)| i.abs_diff((s - start) as usize)).max().unwrap();
    // A frame leaves at most four frames later, others that wait too may leave before it.
    assert!((3..=8).contains(&furthest), "{furthest}");
    assert!(link.injected().reordered > 800);
}

#[test]
fn nonsense_is_refused() {
    let base = Rates::default();
    let bad = [
        Rates { loss: -0.1, ..base },
        Rates { loss: f64::NAN, ..base },
        Rates { burst_length: 0.5, ..base },
        Rates { burst_length: f64::INFINITY, ..base },
        Rates { reorder_depth: 0, ..base },
        Rates { reorder_depth: MAX_DEPTH + 1, ..base },
        Rates { corrupt: 0.6, truncate: 0.6, ..base },
    ];
    assert!(bad.iter().all(|rates| Link::new(*rates, 1).is_err()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn receiver_counts_what_is_expected(
        p in proptest::array::uniform8(0.0f64..0.25),
        depth in 1u32..20,
        length in 1.0f64..40.0,
        seed: u64,
        restarts in proptest::collection::vec(0u64..400, 0..4),
    ) {
        let rates = Rates {
            loss: p[0], burst_start: p[1], burst_length: length, burst_loss: 1.0 - p[0],
            duplicate: p[2], reorder: p[3], reorder_depth: depth, corrupt: p[4], truncate: p[5],
            garbage: p[6], foreign: p[7],
        };
        let (datagrams, link, counted) = send(rates, seed, 400, &restarts);
        prop_assert_eq!(link.expected(), counted);
        let i = link.injected();
        prop_assert_eq!(i.datagrams, datagrams.len() as u64);
        prop_assert_eq!(counted.bad_frames, i.corrupted + i.truncated + i.garbage + i.foreign);
        let sound = i.frames - i.lost - i.burst_lost - i.corrupted - i.truncated + i.duplicated;
        prop_assert_eq!(counted.frames + counted.late_frames, sound);
    }
}
