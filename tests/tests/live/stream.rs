//! The live instrument against the offline chain: the same bits give the same holograms and the same recording; and over a socket, what came and what was lost are
//! all that was sent, whatever the system drops.

use hil_sim::link::Rates;
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::holography::metrics::compare;
use pipeline::live::source::Source;
use pipeline::live::{Instrument, Record, Settings, snapshots};
use pipeline::signal::front_end::{Method, Sliding};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tests::live::{LAYOUT, Offline, bench, capture, loopback, rows, send, settings, turn};

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

fn same(found: &[Complex<f64>], expected: &[Complex<f32>]) -> bool {
    found.iter().zip(expected).all(|(a, b)| *a == Complex::new(b.re.into(), b.im.into()))
}

#[test]
fn holograms_are_those_of_the_offline_camera_bit_for_bit() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let bits = rows(&bench(), 150_000);
    let path = folder.path().join("sent.pcap");
    let (_, expected) = capture(&path, &[(0, &bits)], Rates::default());
    let files = Some(snapshots::Settings { folder: folder.path().into(), every: 20 });
    let record = Some(Record { name: folder.path().join("kept"), at_start: true, ring_spans: 256 });
    let settings = Settings { files, record, ..settings(Source::Capture { path, speed: None }) };
    let stop = Arc::new(AtomicBool::new(false));
    let report = Instrument::start(settings.clone(), None, &stop).unwrap().join().unwrap();
    assert_eq!((report.ingest.frames, report.ingest.samples), (expected.frames, 150_000));
    assert_eq!((report.ingest.lost_frames, report.filled_rows, report.dropped("rows")), (0, 0, 0));
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let hop = settings.hop_rows as usize;
    assert_eq!(report.holograms as usize, (150_000 - needed) / hop + 1);
    let files = written(folder.path());
    assert_eq!(report.files as usize, files.len());
    // Those that found the control thread late are counted.
    assert_eq!(report.files + report.dropped("files"), report.holograms.div_ceil(20));
    let mut offline = Offline::new(&settings);
    assert!(!files.is_empty());
    for (sequence, source, flags) in files {
        assert!(same(&source, offline.field(&bits, needed + sequence * hop)), "{sequence}");
        assert_eq!(flags, [0.0; 5]);
    }
    // The recording has every bit.
    let mut recording = pipeline::files::sigmf::Recording::open(folder.path().join("kept")).unwrap();
    let mut kept = vec![0; bits.len()];
    let count = recording.read_rows(0, &mut kept).unwrap();
    assert!(count * LAYOUT.row_bytes() == bits.len() && kept == bits, "{count} rows");
    let total = report.latency.total;
    assert!(0.0 < total.p50_s && total.p50_s <= total.p99_s && total.p99_s <= total.max_s, "{total:?}");
}

/// Relative L2 error between dot products of a window and sums that slide: single precision rounds the 256 folded terms of a dot product to 256 x 2^-24
/// of the sum of their magnitudes, 4/pi times the tone at most, and the filter lets a wave of 60 rad/m grow by e^(60 x 0.04) on its way to the source.
const SLIDING: f64 = 256.0 * 6e-8 * 1.3 * 11.0;

#[test]
fn sums_that_slide_are_the_dot_products_of_the_offline_camera() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let bits = rows(&bench(), 150_000);
    let path = folder.path().join("sent.pcap");
    capture(&path, &[(0, &bits)], Rates::default());
    let files = Some(snapshots::Settings { folder: folder.path().into(), every: 20 });
    let mut settings = Settings { files, ..settings(Source::Capture { path, speed: None }) };
    let front_end = &mut settings.chain.as_mut().unwrap().front_end;
    (front_end.method, front_end.taper) = (Method::Dot, Method::Dot.taper());
    assert!(Sliding::pays(front_end.samples, &front_end.bins, front_end.taper, settings.hop_rows / 32));
    let stop = Arc::new(AtomicBool::new(false));
    Instrument::start(settings.clone(), None, &stop).unwrap().join().unwrap();
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let mut offline = Offline::new(&settings);
    let files = written(folder.path());
    assert!(!files.is_empty());
    for (sequence, source, _) in files {
        let field = offline.field(&bits, needed + sequence * settings.hop_rows as usize);
        let expected: Vec<Complex<f64>> =
            field.iter().map(|p| Complex::new(p.re.into(), p.im.into())).collect();
        let error = compare(&expected, &source).unwrap().relative_l2;
        assert!(error < SLIDING, "hologram {sequence}: {error}");
    }
}

/// Rows in the frame that begins and in those that end a run over a socket.
const FRAME: usize = 40;

/// Samples that came and that are known to be lost.
fn known(instrument: &Instrument) -> u64 {
    let counters = instrument.counters();
    counters.samples + counters.lost_samples
}

/// Gives a datagram the time that it may need.
fn wait_for(instrument: &Instrument, samples: u64) -> bool {
    let begin = Instant::now();
    while known(instrument) < samples && begin.elapsed() < Duration::from_millis(200) {
        std::thread::sleep(Duration::from_millis(5));
    }
    known(instrument) == samples
}

/// The system may drop any datagram of a socket. Losses show by the next one that comes, so the run begins with a frame that came and ends with one.
#[test]
fn over_a_socket_what_came_and_what_was_lost_is_what_was_sent() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let bits = rows(&bench(), 120_000);
    let files = Some(snapshots::Settings { folder: folder.path().into(), every: 4 });
    let settings = Settings { files, ..settings(loopback()) };
    let stop = Arc::new(AtomicBool::new(false));
    let instrument = Instrument::start(settings.clone(), None, &stop).unwrap();
    let to = instrument.listening.unwrap();
    let frames: Vec<&[u8]> = bits.chunks(FRAME * LAYOUT.row_bytes()).collect();
    let ends = 100;
    let begin = Instant::now();
    while {
        send(0, frames[0], to, 1.0);
        !wait_for(&instrument, FRAME as u64)
    } {
        assert!(begin.elapsed() < Duration::from_secs(60), "no frame comes");
    }
    let middle = frames[1..frames.len() - ends].concat();
    send(FRAME as u64, &middle, to, 0.05);
    let mut sent = FRAME + middle.len() / LAYOUT.row_bytes();
    for frame in &frames[frames.len() - ends..] {
        send(sent as u64, frame, to, 1.0);
        sent += FRAME;
        if wait_for(&instrument, sent as u64) {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    let report = instrument.join().unwrap();
    let ingest = report.ingest;
    println!("{sent} samples sent, {} came, {} were lost on the way", ingest.samples, ingest.lost_samples);
    assert_eq!(ingest.samples + ingest.lost_samples, sent as u64);
    assert_eq!((ingest.bad_frames, ingest.restarts), (0, 0));
    assert!(report.holograms > 0);
    // Behind a gap that is too long to fill, numbers of holograms are not those of rows any more.
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let mut offline = Offline::new(&settings);
    for (sequence, source, flags) in written(folder.path()).into_iter().filter(|_| report.long_gaps == 0) {
        let end = needed + sequence * settings.hop_rows as usize;
        assert!(same(&source, offline.field(&bits, end)) || flags[0] == 1.0, "hologram {sequence}");
    }
}
