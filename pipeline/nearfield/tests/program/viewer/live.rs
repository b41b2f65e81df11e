//! The page over a real instrument: the bench's moving source, its bits as datagrams over loopback, the live pipeline, and the page in a browser.
//!
//! The test sends the bits, a hop at a time, and waits until the instrument has them and their map is out: what the page shows last is known to the row.

use super::browser::{self, brightest, is_content, set};
use super::cdp::Browser;
use super::support::{Client, until};
use dsp_core::pdm::TileLayout;
use hil_sim::frames::Frames;
use hil_sim::moving::{Moving, Path};
use hil_sim::{Array, Bench, FrameSource, Line, Scene, Simulator, Source};
use num_complex::Complex;
use pipeline::live::{Instrument, Settings, config};
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tungstenite::Message;

/// Bin 22 is at 2014 Hz, bin 33 at 3021 Hz.
const INSTRUMENT: &str = "\
title = \"Turning arm\"
[source]
udp = \"127.0.0.1:0\"
[array]
rows = 16
cols = 16
[hologram]
bins = [22]
samples = 512
hop_rows = 1280
standoff_m = 0.04
filter = \"60:0.2\"
";

const RATE_HZ: f64 = 1.5e6;
/// Rows of a hop: five spans, so that every hop completes one hologram, and 32 frames, which the smallest buffer of a socket holds.
const HOP: u64 = 1280;
const SPAN: u64 = 256;
const FRAME: usize = 40;
const WINDOW: u64 = 32 * 512;
/// From point to point of the map, m.
const PITCH: f64 = 0.02;

/// A tone on an arm of 8 cm that turns four times a second.
const ARM: Path =
    Path::Circle { centre: [0.0, 0.0, -0.03], radius: 0.08, turns_per_s: 4.0, start_turns: 0.0 };
/// Where another tone stands still.
const STILL: [f64; 3] = [0.09, -0.07, -0.03];

/// How far the map's maximum may be from the source along an axis, m. The hologram is a weighted mean over its window, in which the source moves by v T =
/// 2.01 m/s x 10.9 ms = 22 mm, half of it to either side of its place in the middle of the window: the maximum lies between the ends of that piece. The
/// nearest point of the map is within half a pitch of it. The sound's way, 0.2 ms, moves the source by less than half a millimetre.
const MOVING: f64 = 0.011 + 0.0005 + PITCH / 2.0;
/// The same of the one that stands still: half a pitch, and as much for which of two points is the larger where both are nearly as near.
const STANDING: f64 = PITCH;

fn bench() -> Bench {
    let array = Array { layout: TileLayout::new(16, 16, 8).unwrap(), ..Array::CAMERA };
    let still = Source::Monopole { position: STILL, amplitude: Complex::new(0.03, 0.0) };
    let scene = Scene { lines: vec![Line { frequency_hz: 3021.0, sources: vec![still] }] };
    let mut bench = Bench::new(scene, array, hil_sim::Settings::default());
    bench.moving = vec![Moving { frequency_hz: 2014.0, amplitude: Complex::new(0.03, 0.0), path: ARM }];
    bench
}

/// An instrument, the bench before it, and a client that sees every map.
struct Wired {
    instrument: Instrument,
    frames: FrameSource<Simulator>,
    socket: UdpSocket,
    client: Client,
    sent: u64,
    /// Rows of history and window.
    needed: u64,
    /// Rows sent when the first hologram is made: whole spans, and whole frames.
    first: u64,
    stop: Arc<AtomicBool>,
}

impl Wired {
    fn start() -> Self {
        let settings = config::settings(INSTRUMENT, std::path::Path::new("")).unwrap();
        let needed = settings.chain.as_ref().unwrap().rows_needed();
        let stop = Arc::new(AtomicBool::new(false));
        // The test is slower than a sensor.
        let settings = Settings { pace_hz: 0.02 * RATE_HZ, ..settings };
        let instrument = Instrument::start(settings, None, &stop).unwrap();
        let client = Client::open(instrument.page().unwrap(), &[]).unwrap();
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.connect(instrument.listening.unwrap()).unwrap();
        let frames = FrameSource::new(Simulator::of(&bench()).unwrap(), FRAME).unwrap();
        let first = needed.next_multiple_of(SPAN).next_multiple_of(FRAME as u64);
        let mut wired = Self { instrument, frames, socket, client, sent: 0, needed, first, stop };
        while wired.sent < first {
            wired.send((first - wired.sent).min(HOP));
        }
        assert_eq!(wired.map().0, 0);
        wired
    }

    /// Sends rows, whole frames of them, and waits until the instrument has them.
    fn send(&mut self, rows: u64) {
        let mut datagram = Vec::new();
        for _ in 0..rows / FRAME as u64 {
            self.frames.next(&mut datagram).unwrap();
            self.socket.send(&datagram).unwrap();
        }
        self.sent += rows;
        until("the instrument has the rows", || self.instrument.counters().samples == self.sent);
    }

    /// Number and frequency of the next map.
    fn map(&mut self) -> (u64, f64) {
        loop {
            if let Message::Binary(bytes) = self.client.next() {
                let number = |at: usize| bytes[at..at + 8].try_into().unwrap();
                return (u64::from_le_bytes(number(16)), f64::from_le_bytes(number(24)));
            }
        }
    }

    /// Goes on until hologram `sequence` is made, with a map for every one. Where its source was: in the middle of its window.
    fn advance(&mut self, sequence: u64) -> [f64; 2] {
        while self.sent < self.first + sequence * HOP {
            self.send(HOP);
            let number = (self.sent - self.first) / HOP;
            assert_eq!(self.map(), (number, 22.0 * RATE_HZ / WINDOW as f64));
        }
        let middle = self.needed + sequence * HOP - WINDOW / 2;
        let ([x, y, _], _) = ARM.at(middle as f64 / RATE_HZ);
        [x, y]
    }
}

/// Presses Home on the map, which chooses its loudest point, until that is at a place; the page says where it is in words.
fn loudest_is_at(browser: &mut Browser, [x, y]: [f64; 2], tolerance: f64) {
    browser.value("document.getElementById('map').focus()");
    browser.press("Home", 36);
    let said = |axis: &str| {
        format!("Number(document.getElementById('point-text').textContent.match(/{axis} (-?[0-9.]+)/)?.[1])")
    };
    let press = "document.getElementById('map').dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }))";
    let near = |axis: &str, at: f64| format!("Math.abs({} - {at}) <= {tolerance}", said(axis));
    browser.until(&format!("({press}, {} && {})", near("x", x), near("y", y)));
    let words = browser.value("document.getElementById('point-text').textContent");
    eprintln!("the source is at x {x:.3}, y {y:.3} m; the page says {words}");
}

#[test]
fn the_page_follows_a_source_through_the_live_instrument() {
    let Some(mut browser) = browser::start("the_page_follows_a_source_through_the_live_instrument") else {
        return;
    };
    let mut wired = Wired::start();
    browser.open(&format!("http://{}/", wired.instrument.page().unwrap()));
    browser.until("document.getElementById('connection').dataset.state === 'live'");
    // An eighth of a turn, a quarter, a half: 37 hops are 31.6 ms.
    let mut seen = Vec::new();
    for sequence in [0, 37, 73, 146] {
        let place = wired.advance(sequence);
        loudest_is_at(&mut browser, place, MOVING);
        seen.push(brightest(&mut browser));
    }
    let [(x0, y0), _, (x1, y1), (x2, y2)] = seen[..] else { panic!("{seen:?}") };
    assert!(x0 > x1 && x1 > x2 && y1 > y0 && y1 > y2, "the picture does not turn: {seen:?}");
    browser.picture("live_moving.png", false);

    // The other tone is somewhere else, and the next map is of it.
    set(&mut browser, "frequency", "3021");
    let asked = 33.0 * RATE_HZ / WINDOW as f64;
    while wired.client.text("status")["frequencies_hz"][0] != asked {}
    let sent = wired.sent;
    while wired.sent < sent + wired.needed + HOP {
        wired.send(HOP);
    }
    wired.send(HOP);
    assert_eq!(wired.map().1, asked, "the next map is of the frequency that was asked for");
    loudest_is_at(&mut browser, [STILL[0], STILL[1]], STANDING);
    browser.until("document.getElementById('map-caption').textContent.startsWith('3021')");
    browser.picture("live_still.png", false);
    is_content(&browser);
    wired.stop.store(true, Ordering::Relaxed);
    let report = wired.instrument.join().unwrap();
    assert_eq!((report.ingest.samples, report.ingest.lost_samples), (wired.sent, 0));
    assert_eq!((report.flagged, report.masked.len(), report.dropped("holograms")), (0, 0, 0));
}
