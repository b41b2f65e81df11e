//! Faults that the live instrument survives without stopping and without a wrong hologram presented as right: restarts and microphones that
//! fail; and what it hands out meanwhile. The bits come from captures in this process, so that counts are exact on any machine.

use hil_sim::faults::{Chosen, Fault, Trouble};
use hil_sim::link::Rates;
use num_complex::Complex;
use pipeline::files::npz;
use pipeline::holography::metrics::compare;
use pipeline::live::controller::Values;
use pipeline::live::engine::{Card, CardError, Filters, OnCard};
use pipeline::live::plan::Refusal;
use pipeline::live::source::Source;
use pipeline::live::{Error, Instrument, Settings, Viewer, snapshots};
use pipeline::numerics::failure::Failure as _;
use std::io::{Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tests::live::{
    Heard, LAYOUT, Listener, Offline, at_points, bench, capture, loopback, rows, settings, turn,
};

/// A source of these runs; the capture lies in `folder`.
fn source(folder: &Path, runs: &[(u64, &[u8])], speed: Option<f64>) -> Source {
    let path = folder.join("sent.pcap");
    capture(&path, runs, Rates::default());
    Source::Capture { path, speed }
}

fn start(settings: Settings) -> Instrument {
    Instrument::start(settings, None, &Arc::new(AtomicBool::new(false))).unwrap()
}

/// Field and flags (holes, masked, fallback, restarted, provisional) of one file.
fn written(folder: &Path, sequence: usize) -> Option<(Vec<Complex<f64>>, Vec<f64>)> {
    let path = folder.join(format!("hologram-{sequence:09}.npz"));
    let fields = npz::read_complex(&path, "source").ok()?.0;
    Some((fields, npz::read_real(&path, "flags").unwrap().0))
}

fn every(folder: &Path, every: u64) -> Option<snapshots::Settings> {
    Some(snapshots::Settings { folder: folder.into(), every })
}

/// Flag of the first hologram after a restart.
const RESTARTED: u16 = 8;

#[test]
fn after_a_restart_the_window_fills_first() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let bits = rows(&bench(), 120_000);
    let (before, after) = bits.split_at(60_000 * LAYOUT.row_bytes());
    // Numbers so high that the next ones are a restart and no late frames.
    let source = source(folder.path(), &[(1 << 26, before), (0, after)], None);
    let (listener, controller) = Listener::new();
    let settings = Settings { controller: Some(controller), ..settings(source) };
    let report = start(settings.clone()).join().unwrap();
    assert_eq!((report.ingest.restarts, report.filled_rows, report.flagged), (1, 0, 0));
    let (needed, hop) = (settings.chain.as_ref().unwrap().rows_needed() as usize, settings.hop_rows as usize);
    let each = (60_000 - needed) / hop + 1;
    assert_eq!(report.holograms as usize, 2 * each);
    let mut offline = Offline::new(&settings);
    for sequence in 0..2 * each {
        // A window with rows of both runs would be another.
        let run = if sequence < each { before } else { after };
        let values = at_points(offline.field(run, needed + sequence % each * hop));
        let flags = if sequence == each { RESTARTED } else { 0 };
        assert_eq!(listener.next(), Heard { sequence: sequence as u64, flags, values });
    }
}

#[test]
fn microphones_that_fail_are_left_out_and_the_field_is_right_again() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let mut bench = bench();
    let sound = rows(&bench, 1_200_000);
    let broken = [
        (20, Trouble::Idle),
        (75, Trouble::One),
        (130, Trouble::Noisy { rms_pa: 10.0 }),
        (200, Trouble::Saturated { gain_db: 40.0 }),
    ];
    let fault = |(microphone, trouble): &(u32, Trouble)| Fault {
        chosen: Chosen::List(vec![*microphone]),
        trouble: *trouble,
        from_s: 0.1,
        to_s: f64::INFINITY,
    };
    bench.faults = broken.iter().map(fault).collect();
    let bits = rows(&bench, 1_200_000);
    // The rule goes by time: at a quarter of the pace of the bits there is enough of it.
    let source = source(folder.path(), &[(0, &bits)], Some(0.25));
    let settings = Settings { health: true, files: every(folder.path(), 10), ..settings(source) };
    let report = start(settings.clone()).join().unwrap();
    assert_eq!(report.masked, [20, 75, 130, 200], "{:?}", report.messages);
    let needed = settings.chain.as_ref().unwrap().rows_needed() as usize;
    let mut offline = Offline::new(&settings);
    let (mut masked, mut spoilt) = (0, 0);
    for sequence in (0..report.holograms as usize).step_by(10) {
        // Files are left out while the host is late.
        let Some((source, flags)) = written(folder.path(), sequence) else { continue };
        let field = offline.field(&sound, needed + sequence * settings.hop_rows as usize);
        let field: Vec<_> = field.iter().map(|p| Complex::new(p.re.into(), p.im.into())).collect();
        let error = compare(&field, &source).unwrap().relative_l2;
        // Four interpolated microphones of 256: a few parts in a hundred of the field, and noise. They are not found at once, nor all at the same time.
        if flags[1] == 1.0 && error < 0.1 {
            masked += 1
        } else {
            masked = 0
        }
        spoilt += usize::from(error > 0.1);
    }
    assert!(masked > 3 && spoilt > 0, "{masked} right at the end, {spoilt} spoilt before");
}

#[test]
fn controller_and_page_get_what_is_computed() {
    let _turn = turn();
    let folder = tempfile::tempdir().unwrap();
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let bits = rows(&bench(), 60_000);
    let source = source(folder.path(), &[(0, &bits)], None);
    let settings = Settings {
        controller: Some((receiver.local_addr().unwrap(), Values::Pixels(vec![[3, 4], [15, 0]]))),
        viewer: Some(Viewer { address: ([127, 0, 0, 1], 0).into(), token: None }),
        files: every(folder.path(), 1),
        ..settings(source)
    };
    let instrument = start(settings);
    let page = instrument.page().unwrap();
    let mut stream = TcpStream::connect(page).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {page}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let report = instrument.join().unwrap();
    assert!(text.contains("nearfield_lost_frames_total 0"), "{text}");
    assert!(text.contains("nearfield_latency_seconds_count"), "{text}");
    let mut checked = 0;
    for sequence in 0..report.holograms as usize {
        let mut datagram = [0; 200];
        assert_eq!(receiver.recv(&mut datagram).unwrap(), 96);
        assert_eq!(u64::from_le_bytes(datagram[8..16].try_into().unwrap()), sequence as u64);
        let values: Vec<f32> =
            datagram[80..96].as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
        let times: Vec<f64> = datagram[24..72].as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect();
        assert!(times.is_sorted(), "{times:?}");
        // 512 samples at a tenth of 46 875 Hz: the pace at which they come by this machine's clock.
        assert!((times[1] - times[0] - 512.0 / 4687.5).abs() < 1e-9);
        let Some((source, _)) = written(folder.path(), sequence) else { continue };
        let expected = [source[3 * 16 + 4], source[15 * 16]].map(|p| [p.re as f32, p.im as f32]);
        assert_eq!(values, expected.concat());
        checked += 1;
    }
    assert!(checked > 0);
}

#[test]
fn an_instrument_that_cannot_keep_its_promise_is_refused() {
    let _turn = turn();
    let stop = Arc::new(AtomicBool::new(false));
    let late = Settings { bound_s: Some(1e-4), ..settings(loopback()) };
    let error = Instrument::start(late, None, &stop).err().unwrap();
    assert!(matches!(error, Error::Refused(Refusal::Bound { .. })), "{error}");
    assert!(error.is_input() && error.to_string().contains("span_rows"), "{error}");
    let short = Settings { ring_spans: 4, ..settings(loopback()) };
    let error = Instrument::start(short, None, &stop).err().unwrap();
    assert!(matches!(error, Error::Refused(Refusal::Ring { needed: 20, .. })), "{error}");
}

/// A card that pauses for every hop, or fails at once.
struct Slow {
    hop_bytes: usize,
    pause: Option<Duration>,
}

impl Card for Slow {
    fn execute(&mut self, rows: &[u8], clean: bool) -> Result<Filters, CardError> {
        assert_eq!((rows.len(), clean), (self.hop_bytes, false), "every hop of a rehearsal is alike");
        std::thread::sleep(self.pause.ok_or_else(|| CardError::Other("fell off the bus".into()))?);
        Ok(Filters::Chosen)
    }

    fn fields(&mut self) -> Option<&[Complex<f32>]> {
        None
    }

    fn skip(&mut self, _: &[u8]) -> Result<(), CardError> {
        Err(CardError::Other("a rehearsal makes every hologram".into()))
    }
}

#[test]
fn a_card_is_judged_by_its_own_rehearsal() {
    let _turn = turn();
    let stop = Arc::new(AtomicBool::new(false));
    let settings = settings(loopback());
    let hop_s = settings.hop_rows as f64 / settings.pace_hz;
    let hop_bytes = settings.hop_rows as usize * settings.layout.row_bytes();
    let mut card = Slow { hop_bytes, pause: Some(Duration::from_secs_f64(1.5 * hop_s)) };
    let times_s = Instrument::rehearse_card(&settings, &mut card).unwrap();
    let card = OnCard { name: "a slow card".into(), card: Box::new(card), times_s };
    let error = Instrument::start(settings, Some(card), &stop).err().unwrap();
    let Error::Refused(Refusal::Pace { best_s, .. }) = error else { panic!("{error}") };
    assert!(best_s >= 1.5 * hop_s, "{best_s}");
    let mut broken = Slow { hop_bytes, pause: None };
    let told = Instrument::rehearse_card(&self::settings(loopback()), &mut broken).unwrap_err();
    assert_eq!(told.to_string(), "fell off the bus");
}

#[test]
fn an_instrument_without_a_sensor_waits_and_ends_when_told() {
    let _turn = turn();
    let stop = Arc::new(AtomicBool::new(false));
    let instrument = Instrument::start(settings(loopback()), None, &stop).unwrap();
    // Something that is no frame is counted and harms nothing.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let begin = Instant::now();
    while instrument.counters().bad_frames == 0 {
        assert!(begin.elapsed() < Duration::from_secs(60), "it counts nothing");
        socket.send_to(b"hello", instrument.listening.unwrap()).unwrap();
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(!instrument.is_finished());
    stop.store(true, Ordering::Relaxed);
    let report = instrument.join().unwrap();
    assert_eq!((report.holograms, report.ingest.frames, report.ingest.samples), (0, 0, 0));
}
