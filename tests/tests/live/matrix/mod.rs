//! The fault matrix: every fault of the link at three rates, failing microphones in three numbers, restarts, a device that fails and pages that are too slow,
//! through the live instrument. What was injected is what is reported in every row; holograms over holes are flagged and their error is stated; all
//! others are those of the offline camera, bit for bit. The datagrams come from captures, so that nothing but the link can lose one; `live_stream` sends over
//! loopback. A full disk, which needs a process of its own, is in `pipeline/nearfield/tests/program/full_disk.rs`. `cargo test -p tests --test live matrix -- --nocapture` prints it.

mod device;
mod viewer;

use hil_sim::Bench;
use hil_sim::faults::{Chosen, Fault, Trouble};
use hil_sim::link::{Expected, Injected, Rates};
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::holography::metrics::compare;
use pipeline::live::report::Report;
use pipeline::live::source::Source;
use pipeline::live::{Instrument, Settings, snapshots};
use pipeline::signal::ingest::Counters;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tests::live::{LAYOUT, Offline, bench, capture, loopback, rows, settings, turn};

/// Rows of a run: six windows. The instrument's ring holds 131 072, so that none can be dropped.
const ROWS: usize = 120_000;

/// A frame. At the lowest one a few of the 3000 meet each fault.
const RATES: [f64; 3] = [0.002, 0.01, 0.1];

/// Runs an instrument over a capture of what the bench sends, to its end.
fn run(settings: Settings, bits: &[u8], rates: Rates, speed: Option<f64>) -> (Report, Injected, Expected) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sent.pcap");
    let (injected, expected) = capture(&path, &[(0, bits)], rates);
    let settings = Settings { source: Source::Capture { path, speed }, ..settings };
    let instrument = Instrument::start(settings, None, &Arc::new(AtomicBool::new(false))).unwrap();
    (instrument.join().unwrap(), injected, expected)
}

/// Holograms of the offline camera by number, each made once: all rows of the matrix have the same bits.
struct Truth<'a> {
    offline: Offline,
    settings: Settings,
    bits: &'a [u8],
    known: HashMap<usize, Vec<Complex<f64>>>,
}

impl<'a> Truth<'a> {
    fn new(settings: Settings, bits: &'a [u8]) -> Self {
        Self { offline: Offline::new(&settings), settings, bits, known: HashMap::new() }
    }

    fn hologram(&mut self, number: usize) -> &[Complex<f64>] {
        self.known.entry(number).or_insert_with(|| {
            let needed = self.settings.chain.as_ref().unwrap().rows_needed() as usize;
            let field = self.offline.field(self.bits, needed + number * self.settings.hop_rows as usize);
            field.iter().map(|p| Complex::new(p.re.into(), p.im.into())).collect()
        })
    }
}

/// Holograms of the files: how many are right to the bit, how many are flagged, and the largest error of those.
fn judge(folder: &Path, truth: &mut Truth<'_>) -> (usize, usize, f64) {
    let (mut right, mut flagged, mut worst) = (0, 0, 0f64);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let sequence: usize = path.file_stem().unwrap().to_str().unwrap()[9..].parse().unwrap();
        let source = npz::read_complex(&path, "source").unwrap().0;
        let expected = truth.hologram(sequence);
        if npz::read_real(&path, "flags").unwrap().0[0] == 1.0 {
            flagged += 1;
            worst = worst.max(compare(expected, &source).unwrap().relative_l2);
        } else {
            assert!(source == expected, "hologram {sequence} is wrong and not flagged");
            right += 1;
        }
    }
    (right, flagged, worst)
}

#[test]
fn what_is_injected_is_reported_in_every_row() {
    let _turn = turn();
    let bits = rows(&bench(), ROWS);
    let mut truth = Truth::new(settings(loopback()), &bits);
    type Of = (&'static str, fn(f64) -> Rates, fn(Injected) -> u64);
    let faults: [Of; 8] = [
        ("loss", |p| Rates { loss: p, ..Rates::default() }, |i| i.lost),
        (
            "burst",
            |p| Rates { burst_start: p / 5.0, burst_length: 5.0, ..Rates::default() },
            |i| i.burst_lost,
        ),
        ("duplicate", |p| Rates { duplicate: p, ..Rates::default() }, |i| i.duplicated),
        ("reorder", |p| Rates { reorder: p, ..Rates::default() }, |i| i.reordered),
        ("corrupt", |p| Rates { corrupt: p, ..Rates::default() }, |i| i.corrupted),
        ("truncate", |p| Rates { truncate: p, ..Rates::default() }, |i| i.truncated),
        ("garbage", |p| Rates { garbage: p, ..Rates::default() }, |i| i.garbage),
        ("foreign", |p| Rates { foreign: p, ..Rates::default() }, |i| i.foreign),
    ];
    println!(
        "fault      rate    frames  lost  bad  late | filled rows | right  flagged  worst error of flagged, %"
    );
    let mut rows_checked = 0;
    let none: Of = ("none", |_| Rates::default(), |_| 0);
    for (name, rates, injected_of) in std::iter::once(none).chain(faults) {
        for rate in if name == "none" { &[0.0][..] } else { &RATES } {
            let folder = tempfile::tempdir().unwrap();
            let files = Some(snapshots::Settings { folder: folder.path().into(), every: 4 });
            let settings = Settings { files, ..settings(loopback()) };
            let (report, injected, expected) = run(settings, &bits, rates(*rate), Some(0.2));
            assert_eq!(
                injected_of(injected) > 0,
                *rate > 0.0,
                "{name} at {rate}: a row that injects nothing"
            );
            let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
                report.ingest;
            let found =
                Expected { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts };
            assert_eq!(found, expected, "{name} at {rate}");
            assert_eq!(report.filled_rows, lost_samples, "{name} at {rate}");
            let (right, flagged, worst) = judge(folder.path(), &mut truth);
            assert!(right + flagged > 0, "{name} at {rate}: no hologram was written");
            // On a busy machine holograms are left out, and counted.
            let told = report.flagged + if lost_samples > 0 { report.dropped("holograms") } else { 0 };
            assert_eq!(told > 0, lost_samples > 0, "{name} at {rate}");
            println!(
                "{name:<10} {rate:<6} {frames:>7} {lost_frames:>5} {bad_frames:>4} {late_frames:>5} | {:>11} | {right:>5} {flagged:>8}  {:.2}",
                report.filled_rows,
                100.0 * worst
            );
            rows_checked += 1;
        }
    }
    assert_eq!(rows_checked, 25);
}

#[test]
fn restarts_are_counted_in_every_number() {
    let _turn = turn();
    let bits = rows(&bench(), ROWS);
    println!("restarts  reported  holograms");
    for restarts in [1, 2, 4] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sent.pcap");
        // Whole frames of 40 rows; numbers so much lower each time that they are a restart and no late frames.
        let parts = bits.chunks(ROWS / (restarts + 1) / 40 * 40 * LAYOUT.row_bytes()).take(restarts + 1);
        let parts: Vec<(u64, &[u8])> =
            parts.zip((0..=restarts as u64).rev()).map(|(p, n)| (n << 26, p)).collect();
        let (_, expected) = capture(&path, &parts, Rates::default());
        let settings = settings(Source::Capture { path, speed: None });
        let instrument =
            Instrument::start(settings.clone(), None, &Arc::new(AtomicBool::new(false))).unwrap();
        let report = instrument.join().unwrap();
        let needed = settings.chain.as_ref().unwrap().rows_needed();
        // Each window fills anew.
        let of = |part: &[u8]| (((part.len() / LAYOUT.row_bytes()) as u64 - needed) / settings.hop_rows) + 1;
        let holograms: u64 = parts.iter().map(|(_, part)| of(part)).sum();
        println!("{restarts:>8}  {:>8}  {:>9}", report.ingest.restarts, report.holograms);
        assert_eq!((report.ingest.restarts, expected.restarts), (restarts as u64, restarts as u64));
        assert_eq!((report.ingest.frames, report.ingest.lost_frames), (expected.frames, 0));
        assert_eq!((report.holograms, report.flagged, report.filled_rows), (holograms, 0, 0));
    }
}

/// Bits with some microphones' as they are in others.
fn replaced(bits: &[u8], others: &[u8], microphones: &[u32]) -> Vec<u8> {
    let mut mask = vec![0; LAYOUT.row_bytes()];
    for &microphone in microphones {
        let line = LAYOUT.position_of(microphone).unwrap() as usize;
        mask[line / 8] |= 1 << (line % 8);
    }
    let masks: Vec<(usize, u8)> = mask.into_iter().enumerate().filter(|(_, mask)| *mask != 0).collect();
    let mut all = bits.to_vec();
    for (row, others) in all.chunks_mut(LAYOUT.row_bytes()).zip(others.chunks(LAYOUT.row_bytes())) {
        for &(byte, mask) in &masks {
            row[byte] = row[byte] & !mask | others[byte] & mask;
        }
    }
    all
}

#[test]
fn failing_microphones_are_found_in_every_number() {
    let _turn = turn();
    println!("microphones  fault      found");
    let count = (0.5 * 1.5e6) as usize;
    let sound = rows(&bench(), count);
    // Apart from one another: two broken neighbours may vouch for each other.
    let all: Vec<u32> = (0..12).map(|i| 17 + 48 * (i / 4) + 4 * (i % 4)).collect();
    for (name, trouble) in [
        ("dead", Trouble::Idle),
        ("stuck", Trouble::One),
        ("noisy", Trouble::Noisy { rms_pa: 5.0 }),
        ("saturated", Trouble::Saturated { gain_db: 40.0 }),
    ] {
        let chosen = Chosen::List(all.clone());
        let faults = vec![Fault { chosen, trouble, from_s: 0.0, to_s: f64::INFINITY }];
        let broken = rows(&Bench { faults, ..bench() }, count);
        assert!(
            replaced(&sound, &broken, &all) == broken,
            "{name}: microphones that hear each other's faults"
        );
        for chosen in [&all[..1], &all[..4], &all] {
            let bits = replaced(&sound, &broken, chosen);
            let settings = Settings { health: true, ..settings(loopback()) };
            // The rule goes by time: at the pace of the bits.
            let (report, ..) = run(settings, &bits, Rates::default(), Some(0.8));
            let expected: Vec<usize> = chosen.iter().map(|&c| c as usize).collect();
            println!("{:>11}  {name:<9}  {:?}", chosen.len(), report.masked);
            assert_eq!(report.masked, expected, "{} {name}: {:?}", chosen.len(), report.messages);
        }
    }
}
