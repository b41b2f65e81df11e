//! What the suites of the live instrument share: a small array, its bits, captures of what the bench would send, the offline camera, and the receiving end of a
//! controller. A capture has no socket whose buffer could run over: while the ring holds a whole run, or without a pace, counts are exact on any machine.

use dsp_core::frame::Frame;
use dsp_core::pdm::TileLayout;
use hil_sim::frames::Frames;
use hil_sim::link::{Expected, Injected, Link, Rates};
use hil_sim::rows::Rows;
use hil_sim::stream::{Pace, Sender, transmit};
use hil_sim::{Array, Bench, FrameSource, Scene, Simulator};
use num_complex::Complex;
use pipeline::holography;
use pipeline::holography::camera::{Camera, FilterRule, Image};
use pipeline::holography::chain;
use pipeline::holography::design::{Aperture, Grid, KFilter};
use pipeline::live::controller::{HEADER, Values};
use pipeline::live::source::Source;
use pipeline::live::{Settings, first_filters, realtime};
use pipeline::signal::array;
use pipeline::signal::front_end::{self, Method};
use std::io::{BufWriter, Write};
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// 16 x 16 microphones.
pub const LAYOUT: TileLayout = match TileLayout::new(16, 16, 8) {
    Ok(layout) => layout,
    Err(_) => panic!("a layout"),
};

/// Bits a second and microphone.
pub const BIT_RATE_HZ: f64 = 1.5e6;

/// One monopole before the small array.
pub fn bench() -> Bench {
    let array = Array { layout: LAYOUT, ..Array::CAMERA };
    Bench::new(Scene::named("monopole").expect("a built-in scene"), array, hil_sim::Settings::default())
}

/// The bits of `bench` for `rows` time samples.
pub fn rows(bench: &Bench, rows: usize) -> Vec<u8> {
    let mut bytes = vec![0; rows * LAYOUT.row_bytes()];
    Simulator::of(bench).expect("a sound bench").fill(&mut bytes);
    bytes
}

/// Rows from memory.
pub struct Stored<'a> {
    /// As sent.
    pub rows: &'a [u8],
    /// How many were read.
    pub position: u64,
}

impl Rows for Stored<'_> {
    fn layout(&self) -> TileLayout {
        LAYOUT
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, hil_sim::Error> {
        let length = rows.len().min(self.rows.len());
        let (head, tail) = self.rows.split_at(length);
        rows[..length].copy_from_slice(head);
        self.rows = tail;
        self.position += (length / LAYOUT.row_bytes()) as u64;
        Ok(length / LAYOUT.row_bytes())
    }

    fn position(&self) -> u64 {
        self.position
    }
}

/// Sends rows to `to` in frames of 40, at `speed` times real time; `position` is the first row's number.
pub fn send(position: u64, rows: &[u8], to: SocketAddr, speed: f64) {
    let mut frames =
        FrameSource::of(Stored { rows, position }, 40, BIT_RATE_HZ).expect("frames of 40 rows fit");
    let mut link = Link::new(Rates::default(), 1).expect("sound rates");
    let mut sender = Sender::new(to).expect("a socket");
    let mut pace = Pace::new(Some(speed * BIT_RATE_HZ));
    transmit(&mut frames, &mut link, &mut pace, &mut sender, u64::MAX, &|| false).expect("loopback sends");
}

/// Writes what [`send`] would send through a link, runs one after another, into a capture; what was injected, and what a receiver must report.
pub fn capture(path: &Path, runs: &[(u64, &[u8])], rates: Rates) -> (Injected, Expected) {
    let mut link = Link::new(rates, 1).expect("sound rates");
    let mut file = BufWriter::new(std::fs::File::create(path).expect("a file"));
    for word in [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, ETHERNET] {
        file.write_all(&word.to_le_bytes()).expect("room for a capture");
    }
    let mut count = 0;
    let mut write = |datagram: &[u8]| {
        let first =
            Frame::decode_datagram(datagram).is_ok_and(|f| u32::from(f.header.channels) == LAYOUT.channels());
        assert!(count > 0 || first, "a capture's reader knows the stream by its first frame: another seed");
        count += 1;
        file.write_all(&packet(datagram)).expect("room for a capture");
    };
    for (position, rows) in runs {
        let stored = Stored { rows, position: *position };
        let mut frames = FrameSource::of(stored, 40, BIT_RATE_HZ).expect("frames of 40 rows fit");
        let mut datagram = Vec::new();
        while let Some(content) = frames.next(&mut datagram).expect("rows from memory") {
            link.push(&datagram, content, &mut write);
        }
    }
    link.finish(&mut write);
    (link.injected(), link.expected())
}

/// Link type of a PCAP file.
const ETHERNET: u32 = 1;

/// A PCAP record: its header, then Ethernet, IPv4 and UDP without checksums.
pub fn packet(datagram: &[u8]) -> Vec<u8> {
    let udp = 8 + datagram.len() as u16;
    let (length, ip) = (u32::from(udp) + 34, udp + 20);
    let mut bytes: Vec<u8> = [0, 0, length, length].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.extend([1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 8, 0]);
    bytes.extend([0x45, 0, (ip >> 8) as u8, ip as u8, 0, 0, 0, 0, 9, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    bytes.extend([4000, 5000, udp, 0].iter().flat_map(|word| word.to_be_bytes()));
    bytes.extend(datagram);
    bytes
}

/// An instrument for the small array: one bin at 1 kHz, a fixed filter, all sinks off. Its method is the one whose bits do not depend on where in
/// the stream a window is.
pub fn settings(source: Source) -> Settings {
    let aperture = Aperture { rows: 16, cols: 16, pitch: 0.02 };
    let grid = Grid::triple(aperture).expect("a sound aperture");
    let front_end = front_end::Settings {
        layout: LAYOUT,
        bit_rate_hz: BIT_RATE_HZ,
        samples: 512,
        ..front_end::Settings::camera(Method::Nominal, vec![11])
    };
    let filter = FilterRule::Fixed(KFilter { cutoff: 60.0, slope: 0.2 });
    let chain = chain::Settings {
        front_end,
        array: array::Array::regular(16, 16, 0.02).expect("a sound array"),
        pnah: holography::Settings::new(grid, 0.04),
        filters: first_filters(filter, 1),
    };
    Settings {
        title: "test".into(),
        source,
        layout: LAYOUT,
        pitch_m: 0.02,
        bit_rate_hz: BIT_RATE_HZ,
        // The suites send at a fraction of the pace, on machines that do other things too.
        pace_hz: 0.1 * BIT_RATE_HZ,
        chain: Some(chain),
        filter,
        hop_rows: 1280,
        span_rows: 256,
        ring_spans: 512,
        behind_spans: 128,
        threads: 1,
        deadline_s: Some(0.05),
        bound_s: None,
        health: false,
        record: None,
        controller: None,
        files: None,
        viewer: None,
        realtime: realtime::Settings::default(),
    }
}

/// The offline camera with the settings of an instrument: what its holograms must be.
pub struct Offline {
    camera: Camera<f32>,
    needed: usize,
    image: Image<f32>,
}

impl Offline {
    /// The camera.
    pub fn new(settings: &Settings) -> Self {
        let chain = settings.chain.as_ref().expect("an instrument that computes");
        let camera = Camera::new(None, &chain.front_end, &chain.array, &chain.pnah, settings.filter);
        let needed = chain.rows_needed() as usize;
        Self { camera: camera.expect("a sound chain"), needed, image: Image::default() }
    }

    /// The field on the source plane of the window that ends with row `end` of `bits`.
    pub fn field(&mut self, bits: &[u8], end: usize) -> &[Complex<f32>] {
        let window = &bits[(end - self.needed) * LAYOUT.row_bytes()..end * LAYOUT.row_bytes()];
        let measured = self.camera.measure(window).expect("a whole window").to_vec();
        self.camera.reconstruct(&measured, &mut self.image).expect("finite numbers");
        &self.image.pressure
    }
}

/// Points of the source plane whose values a [`Listener`] gets: few enough that the datagrams of a hundred holograms, about 800 bytes each to the system,
/// fit the 208 KiB of a socket's buffer.
const POINTS: usize = 16;

/// Point `i`.
fn point(i: usize) -> [usize; 2] {
    [i, (5 * i) % 16]
}

/// The receiving end of a controller's datagrams: every hologram of a run of up to 200, whoever is late.
pub struct Listener(UdpSocket);

/// A hologram as a controller gets it.
#[derive(Debug, PartialEq)]
pub struct Heard {
    /// Its number.
    pub sequence: u64,
    /// Flags: 4 for the CPU in the place of a failed device, 8 for a restart.
    pub flags: u16,
    /// Of the points.
    pub values: Vec<Complex<f32>>,
}

impl Listener {
    /// A socket, and what an instrument must be told to send there.
    pub fn new() -> (Self, (SocketAddr, Values)) {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        socket.set_read_timeout(Some(Duration::from_secs(30))).expect("above zero");
        let to = socket.local_addr().expect("a bound socket");
        (Self(socket), (to, Values::Pixels((0..POINTS).map(point).collect())))
    }

    /// The next hologram.
    pub fn next(&self) -> Heard {
        let mut bytes = [0; HEADER + 8 * POINTS + 1];
        let length = self.0.recv(&mut bytes).expect("a datagram for every hologram");
        assert_eq!(length, HEADER + 8 * POINTS);
        let float = |at: usize| f32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        let value = |i: usize| Complex::new(float(HEADER + 8 * i), float(HEADER + 4 + 8 * i));
        let sequence = u64::from_le_bytes(bytes[8..16].try_into().expect("8 bytes"));
        let flags = u16::from_le_bytes([bytes[20], bytes[21]]);
        Heard { sequence, flags, values: (0..POINTS).map(value).collect() }
    }
}

/// The values of the points of a field.
pub fn at_points(field: &[Complex<f32>]) -> Vec<Complex<f32>> {
    (0..POINTS).map(point).map(|[row, col]| field[16 * row + col]).collect()
}

/// One instrument at a time: each has four threads, and the machine may have two cores.
pub fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A socket on a free port of this machine.
pub fn loopback() -> Source {
    Source::Udp { address: ([127, 0, 0, 1], 0).into(), buffer: 8 << 20 }
}
