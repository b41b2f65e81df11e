//! The live instrument against the offline chain: the same bits over loopback UDP give the same holograms, and what the link does is
//! what is reported.

use hil_sim::link::{Expected, Rates};
use num_complex::Complex;
use pipeline::camera::{Camera, Image};
use pipeline::ingest::Counters;
use pipeline::io::npz;
use pipeline::live::report::Report;
use pipeline::live::{Instrument, Record, Settings, files};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tests::live::{LAYOUT, bench, loopback, rows, send, settings, turn};

/// Runs an instrument while the bench sends; stops it when nothing comes any more.
fn run(settings: Settings, bits: &[u8], rates: Rates, speed: f64) -> (Report, Expected) {
    let stop = Arc::new(AtomicBool::new(false));
    let instrument = Instrument::start(settings, None, &stop).unwrap();
    let expected = send(bits, instrument.listening().unwrap(), rates, speed);
    let begin = Instant::now();
    while instrument.counters().frames < expected.frames && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    stop.store(true, Ordering::Relaxed);
    (instrument.join().unwrap(), expected)
}

fn assert_counted(found: Counters, expected: Expected) {
    let Counters { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts } = found;
    let found = Expected { frames, samples, lost_frames, lost_samples, bad_frames, late_frames, restarts };
    assert_eq!(found, expected);
}

/// The fields on the source plane that the offline camera makes of the window that ends with row `end`.
fn offline(settings: &Settings, bits: &[u8], end: usize) -> Vec<Complex<f32>> {
    let chain = settings.chain.as_ref().unwrap();
    let mut camera =
        Camera::<f32>::new(None, &chain.front_end, &chain.array, &chain.pnah, settings.filter).unwrap();
    let start = end - chain.rows_needed() as usize;
    let window = &bits[start * LAYOUT.row_bytes()..end * LAYOUT.row_bytes()];
    let measured = camera.measure(window).unwrap().to_vec();
    let mut image = Image::default();
    camera.reconstruct(&measured, &mut image).unwrap();
    image.pressure
}

/// Sequence numbers, fields and flags of the files in a folder.
fn written(folder: &Path) -> Vec<(usize, Vec<Complex<f64>>, Vec<f64>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if let Some(sequence) = name.strip_prefix("hologram-") {
            let fields = npz::read_complex(&path, "source").unwrap().0;
            found.push((sequence.parse().unwrap(), fields, npz::read_real(&path, "flags").unwrap().0));
        }
    }
    found.sort_by_key(|(sequence, ..)| *sequence);
    found
}

#[test]
fn holograms_are_those_of_the_offline_camera_bit_for_bit() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let (bench, seconds) = (bench(), 0.1);
    let bits = rows(&bench, (seconds * 1.5e6) as usize);
    let files = Some(files::Settings { folder: folder.path().into(), every: 20 });
    let record = Some(Record { name: folder.path().join("kept"), at_start: true, ring_spans: 256 });
    let settings = Settings { files, record, ..settings(loopback()) };
    let (report, expected) = run(settings.clone(), &bits, Rates::default(), 0.2);
    assert_counted(report.ingest, expected);
    assert_eq!((report.ingest.lost_frames, report.system_drops, report.filled_rows), (0, 0, 0));
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let hop = settings.hop_rows as usize;
    assert_eq!(report.holograms as usize, (bits.len() / LAYOUT.row_bytes() - needed) / hop + 1);
    let files = written(folder.path());
    assert_eq!(report.files as usize, files.len());
    assert!(files.len() >= 3, "{files:?}");
    for (sequence, source, flags) in files {
        let expected = offline(&settings, &bits, needed + sequence * hop);
        assert!(
            source.iter().zip(&expected).all(|(a, b)| *a == Complex::new(b.re.into(), b.im.into())),
            "{sequence}"
        );
        assert_eq!(flags, [0.0; 5]);
    }
    // The recording has every bit.
    let mut recording = pipeline::io::sigmf::Recording::open(folder.path().join("kept")).unwrap();
    let mut kept = vec![0; bits.len()];
    let count = recording.read_rows(0, &mut kept).unwrap();
    assert!(count * LAYOUT.row_bytes() == bits.len() && kept == bits, "{count} rows");
    let total = report.latency.total;
    assert!(0.0 < total.p50_s && total.p50_s <= total.p99_s && total.p99_s <= total.max_s, "{total:?}");
}

#[test]
fn what_the_link_does_is_reported_and_flagged() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let bits = rows(&bench(), 300_000);
    let files = Some(files::Settings { folder: folder.path().into(), every: 1 });
    let settings = Settings { files, ..settings(loopback()) };
    // A loss every 2000 frames, 80 000 rows or four windows, so that windows with and without holes are there.
    let rates = Rates {
        loss: 5e-4,
        duplicate: 0.01,
        corrupt: 5e-4,
        garbage: 0.01,
        foreign: 0.01,
        ..Rates::default()
    };
    let (report, expected) = run(settings.clone(), &bits, rates, 0.2);
    assert_counted(report.ingest, expected);
    assert!(expected.lost_frames > 0 && expected.bad_frames > 0 && expected.late_frames > 0, "{expected:?}");
    assert_eq!(report.filled_rows, expected.lost_samples);
    assert!(
        report.flagged > 0 && report.flagged < report.holograms,
        "{} of {}",
        report.flagged,
        report.holograms
    );
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let (mut right, mut wrong) = (0, 0);
    for (sequence, source, flags) in written(folder.path()) {
        let expected = offline(&settings, &bits, needed + sequence * settings.hop_rows as usize);
        let same = source.iter().zip(&expected).all(|(a, b)| *a == Complex::new(b.re.into(), b.im.into()));
        // Never a wrong hologram presented as right.
        assert!(same || flags[0] == 1.0, "hologram {sequence}");
        right += usize::from(same && flags[0] == 0.0);
        wrong += usize::from(!same);
    }
    assert!(right > 0 && wrong > 0, "{right} right, {wrong} wrong");
}
