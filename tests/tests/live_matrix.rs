//! The fault matrix: every fault of the link at three rates, and failing microphones in three numbers, over loopback through the live
//! instrument. What was injected is what is reported in every row; holograms over holes are flagged and their error is stated; all
//! others are those of the offline camera, bit for bit. `cargo test -p tests --test live_matrix -- --nocapture` prints it.

use hil_sim::faults::{Chosen, Fault, Trouble};
use hil_sim::link::{Expected, Rates};
use num_complex::Complex;
use pipeline::camera::{Camera, Image};
use pipeline::ingest::Counters;
use pipeline::io::npz;
use pipeline::live::report::Report;
use pipeline::live::{Instrument, Settings, files};
use pipeline::solvers::pnah::metrics::compare;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tests::live::{LAYOUT, bench, loopback, rows, send, settings, turn};

/// A fault's name, and the link that has it at a rate.
type Kind = (&'static str, fn(f64) -> Rates);

/// Rows of a run: six windows.
const ROWS: usize = 120_000;

fn run(settings: &Settings, bits: &[u8], rates: Rates, speed: f64) -> (Report, Expected) {
    let stop = Arc::new(AtomicBool::new(false));
    let instrument = Instrument::start(settings.clone(), None, &stop).unwrap();
    let expected = send(bits, instrument.listening().unwrap(), rates, speed);
    let begin = Instant::now();
    let all = |counters: Counters| {
        counters.frames + counters.bad_frames + counters.late_frames
            >= expected.frames + expected.bad_frames + expected.late_frames
    };
    while !all(instrument.counters()) && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    stop.store(true, Ordering::Relaxed);
    (instrument.join().unwrap(), expected)
}

/// Holograms of the files: how many are right to the bit, how many are flagged, and the largest error of those.
fn judge(folder: &Path, settings: &Settings, bits: &[u8]) -> (usize, usize, f64) {
    let chain = settings.chain.as_ref().unwrap();
    let mut camera =
        Camera::<f32>::new(None, &chain.front_end, &chain.array, &chain.pnah, settings.filter).unwrap();
    let needed = chain.rows_needed() as usize;
    let (mut right, mut flagged, mut worst) = (0, 0, 0f64);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let sequence: usize = path.file_stem().unwrap().to_str().unwrap()[9..].parse().unwrap();
        let source = npz::read_complex(&path, "source").unwrap().0;
        let end = needed + sequence * settings.hop_rows as usize;
        let window = &bits[(end - needed) * LAYOUT.row_bytes()..end * LAYOUT.row_bytes()];
        let measured = camera.measure(window).unwrap().to_vec();
        let mut image = Image::default();
        camera.reconstruct(&measured, &mut image).unwrap();
        let expected: Vec<Complex<f64>> =
            image.pressure.iter().map(|p| Complex::new(p.re.into(), p.im.into())).collect();
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
    let perfect = Rates::default();
    let faults: [Kind; 8] = [
        ("loss", |p| Rates { loss: p, ..Rates::default() }),
        ("burst", |p| Rates { burst_start: p / 5.0, burst_length: 5.0, ..Rates::default() }),
        ("duplicate", |p| Rates { duplicate: p, ..Rates::default() }),
        ("reorder", |p| Rates { reorder: p, ..Rates::default() }),
        ("corrupt", |p| Rates { corrupt: p, ..Rates::default() }),
        ("truncate", |p| Rates { truncate: p, ..Rates::default() }),
        ("garbage", |p| Rates { garbage: p, ..Rates::default() }),
        ("foreign", |p| Rates { foreign: p, ..Rates::default() }),
    ];
    println!(
        "fault      rate    frames  lost  bad  late | filled rows | right  flagged  worst error of flagged, %"
    );
    let mut rows_checked = 0;
    for (name, rates) in std::iter::once(("none", None)).chain(faults.map(|(n, r)| (n, Some(r)))) {
        for rate in if rates.is_some() { &[0.001, 0.01, 0.1][..] } else { &[0.0][..] } {
            let folder = tempfile::tempdir().unwrap();
            let files = Some(files::Settings { folder: folder.path().into(), every: 4 });
            let settings = Settings { files, ..settings(loopback()) };
            let (report, expected) = run(&settings, &bits, rates.map_or(perfect, |rates| rates(*rate)), 0.3);
            let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } =
                report.ingest;
            let found =
                Expected { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts };
            assert_eq!(found, expected, "{name} at {rate}");
            assert_eq!(report.filled_rows, lost_samples, "{name} at {rate}");
            let (right, flagged, worst) = judge(folder.path(), &settings, &bits);
            assert!(right + flagged > 0, "{name} at {rate}: no hologram was written");
            assert_eq!(report.flagged > 0, lost_samples > 0, "{name} at {rate}");
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
            let (report, _) = run(&settings, &bits, Rates::default(), 0.8);
            let expected: Vec<usize> = chosen.iter().map(|&c| c as usize).collect();
            println!("{count:>11}  {name:<9}  {:?}", report.masked);
            assert_eq!(report.masked, expected, "{count} {name}: {:?}", report.messages);
        }
    }
}
