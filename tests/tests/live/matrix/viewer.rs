//! Pages that are too slow: the stage does not notice, and what they miss is counted.
//!
//! A page that reads everything sets the pace: the device in this process makes a hologram when that page has the map of the one before. So every
//! hologram is shown, none by chance, and no clock is asked.

use hil_sim::link::Rates;
use num_complex::Complex;
use pipeline::live::engine::{Card, CardError, Filters, OnCard};
use pipeline::live::source::Source;
use pipeline::live::{Instrument, Settings, Viewer};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use tests::live::{bench, capture, rows, settings, turn};
use tungstenite::{Message, WebSocket};

/// How long anything may take that should happen at once; a busy machine is slow.
const SOON: Duration = Duration::from_secs(60);

/// Points for a microphone each way: a map has 1.2 MB, and all maps of a run have more than a system keeps for a reader that does not read.
const REFINEMENT: usize = 24;

/// How a page reads.
#[derive(Debug, Clone, Copy)]
enum Reading {
    /// Not at all.
    Nothing,
    /// A message in the time of so many maps.
    OneIn(u64),
    /// So many bytes in the time of a map.
    Bytes(usize),
}

/// A page that has been greeted.
fn connect(page: SocketAddr) -> WebSocket<TcpStream> {
    let stream = TcpStream::connect(page).unwrap();
    stream.set_read_timeout(Some(SOON)).unwrap();
    let (mut socket, _) = tungstenite::client(format!("ws://{page}/ws"), stream).unwrap();
    while !matches!(socket.read().unwrap(), Message::Text(text) if text.contains("hello")) {}
    socket
}

/// The sequence number of the next map.
fn map(socket: &mut WebSocket<TcpStream>) -> u64 {
    loop {
        if let Message::Binary(bytes) = socket.read().unwrap() {
            return u64::from_le_bytes(bytes[16..24].try_into().unwrap());
        }
    }
}

/// A figure of `/metrics`.
fn figure(page: SocketAddr, name: &str) -> u64 {
    let mut stream = TcpStream::connect(page).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: {page}\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{text}"));
    line.trim().parse().unwrap()
}

/// A device that waits for a word before each hologram.
struct Waiting {
    words: Receiver<()>,
    fields: Vec<Complex<f32>>,
}

impl Card for Waiting {
    fn execute(&mut self, _: &[u8], _: bool) -> Result<Filters, CardError> {
        self.words.recv_timeout(SOON).map_err(|error| CardError::Other(error.to_string()))?;
        let one = Complex::new(1.0, 0.0);
        self.fields.iter_mut().for_each(|value| *value += one);
        Ok(Filters::Chosen)
    }

    fn fields(&mut self) -> Option<&[Complex<f32>]> {
        Some(&self.fields)
    }

    fn skip(&mut self, _: &[u8]) -> Result<(), CardError> {
        Ok(())
    }
}

/// An instrument whose device waits for a word before each hologram, and the number of its holograms.
fn start(bits: &[u8], path: &std::path::Path, words: Receiver<()>) -> (Instrument, u64) {
    capture(path, &[(0, bits)], Rates::default());
    let mut settings = Settings {
        viewer: Some(Viewer { address: ([127, 0, 0, 1], 0).into(), token: None }),
        ..settings(Source::Capture { path: path.into(), speed: None })
    };
    let chain = settings.chain.as_mut().unwrap();
    chain.pnah.refinement = REFINEMENT;
    let first = chain.rows_needed().div_ceil(settings.hop_rows);
    let hops = (bits.len() / settings.layout.row_bytes()) as u64 / settings.hop_rows;
    let points = chain.pnah.grid.aperture.len() * REFINEMENT * REFINEMENT;
    let card = Box::new(Waiting { words, fields: vec![Complex::default(); points] });
    let card = Some(OnCard { name: "a card".into(), card, times_s: [0.0; 2] });
    let instrument = Instrument::start(settings, card, &Arc::new(AtomicBool::new(false))).unwrap();
    (instrument, hops - first + 1)
}

#[test]
fn slow_pages_miss_maps_and_nothing_else_happens() {
    let _turn = turn();
    let bits = rows(&bench(), 80_000);
    println!("page reads       | holograms  dropped | maps sent  missed, of both pages");
    let slow = [Reading::Nothing, Reading::OneIn(20), Reading::Bytes(4096)];
    for reading in std::iter::once(None).chain(slow.map(Some)) {
        let folder = tempfile::tempdir().unwrap();
        let (go, words) = channel();
        let (instrument, holograms) = start(&bits, &folder.path().join("sent.pcap"), words);
        let page = instrument.page().unwrap();
        let mut reader = connect(page);
        let mut slow = reading.map(|reading| (reading, connect(page)));
        for sequence in 0..holograms {
            go.send(()).unwrap();
            assert_eq!(map(&mut reader), sequence, "{reading:?}");
            match &mut slow {
                Some((Reading::OneIn(maps), slow)) if sequence % *maps == 0 => drop(slow.read().unwrap()),
                // It reads no message whole, so the bytes need not be understood.
                Some((Reading::Bytes(count), slow)) => {
                    slow.get_mut().read_exact(&mut vec![0; *count]).unwrap()
                }
                _ => {}
            }
        }
        let pages = 1 + u64::from(slow.is_some());
        drop(slow);
        let begin = Instant::now();
        while figure(page, "nearfield_viewers ") > 1 {
            assert!(begin.elapsed() < SOON, "{reading:?}: the page is gone and still counts");
            std::thread::sleep(Duration::from_millis(5));
        }
        let [sent, missed] =
            ["sent", "missed"].map(|what| figure(page, &format!("nearfield_viewer_maps_{what}_total ")));
        let report = instrument.join().unwrap();
        let dropped: u64 = report.dropped.iter().map(|dropped| dropped.count).sum();
        let name = reading.map_or("all".to_owned(), |reading| format!("{reading:?}"));
        println!("{name:<16} | {:>9} {dropped:>8} | {sent:>9} {missed:>7}", report.holograms);
        assert_eq!((report.holograms, dropped, report.device_failures), (holograms, 0, 0), "{reading:?}");
        assert_eq!(sent + missed, pages * holograms, "{reading:?}: each map was sent or missed");
        assert_eq!(missed > 0, reading.is_some(), "{reading:?}");
    }
}
