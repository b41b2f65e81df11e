//! The fault matrix: every fault of the link at three rates, failing microphones in three numbers, restarts, a device that fails and pages that are too slow,
//! through the live instrument. What was injected is what is reported in every row; holograms over holes are flagged and their error is stated; all
//! others are those of the offline camera, bit for bit. The datagrams come from captures, so that nothing but the link can lose one; `live_stream` sends over
//! loopback. A full disk, which needs a process of its own, is in `pipeline/nearfield/tests/program/full_disk.rs`. `cargo test -p tests --test live matrix -- --nocapture` prints it.

mod device;
mod viewer;

use hil_sim::faults::{Chosen, Fault, Trouble};
use hil_sim::link::{Expected, Injected, Rates};
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::holography::metrics::compare;
use pipeline::live::report::Report;
use pipeline::live::source::Source;
use pipeline::live::{Instrument, Settings, snapshots};
use pipeline::signal::ingest::Counters;
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

/// Holograms of the files: how many are right to the bit, how many are flagged, and the largest error of those.
fn judge(folder: &Path, settings: &Settings, bits: &[u8]) -> (usize, usize, f64) {
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let mut offline = Offline::new(settings);
    let (mut right, mut flagged, mut worst) = (0, 0, 0f64);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let sequence: usize = path.file_stem().unwrap().to_str().unwrap()[9..].parse().unwrap();
        let source = npz::read_complex(&path, "source").unwrap().0;
        let end = needed + sequence * settings.hop_rows as usize;
        let field = offline.field(bits, end);
        let expected: Vec<Complex<f64>> =
            field.iter().map(|p| Complex::new(p.re.into(), p.im.into())).collect();
        if npz::read_real(&path, "flags").unwrap().0[0] == 1.0 {
            flagged += 1;
            worst = worst.max(compare(&expected, &source).unwrap().relative_l2);
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
            let (report, injected, expected) = run(settings.clone(), &bits, rates(*rate), Some(0.2));
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
            let (right, flagged, worst) = judge(folder.path(), &settings, &bits);
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

#[test]
fn failing_microphones_are_found_in_every_number() {
    let _turn = turn();
    println!("microphones  fault      found");
    let seconds = 0.5;
    for (name, trouble) in [
        ("dead", Trouble::Idle),
        ("stuck", Trouble::One),
        ("noisy", Trouble::Noisy { rms_pa: 5.0 }),
        ("saturated", Trouble::Saturated { gain_db: 40.0 }),
    ] {
        // Apart from one another: two broken neighbours may vouch for each other.
        for count in [1, 4, 12] {
            let chosen: Vec<u32> = (0..count).map(|i| 17 + 48 * (i / 4) + 4 * (i % 4)).collect();
            let mut bench = bench();
            bench.faults = vec![Fault {
                chosen: Chosen::List(chosen.clone()),
                trouble,
                from_s: 0.0,
                to_s: f64::INFINITY,
            }];
            let bits = rows(&bench, (seconds * 1.5e6) as usize);
            let settings = Settings { health: true, ..settings(loopback()) };
            // The rule goes by time: at the pace of the bits.
            let (report, ..) = run(settings, &bits, Rates::default(), Some(0.8));
            let expected: Vec<usize> = chosen.iter().map(|&c| c as usize).collect();
            println!("{count:>11}  {name:<9}  {:?}", report.masked);
            assert_eq!(report.masked, expected, "{count} {name}: {:?}", report.messages);
        }
    }
}
