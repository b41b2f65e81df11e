//! Everything that comes from outside, damaged: frames, datagrams on their way to spans, control messages of the page, instruments, scenes, captures, cases and tables of reflectarrays, and contours.
//! No panic, and whatever is accepted is within the limits that the rest of the program relies on, stated here once more. Ten thousand inputs each;
//! `cargo xtask fuzz` takes a million. `docs/measured/fuzz.md` has the outcome.

mod mom;
mod reflectarray;

use crc::{CRC_32_ISCSI, Crc};
use dsp_core::console::{self, Message, Mode, Status};
use dsp_core::frame::{Frame, HEADER_LEN, Header, Kind};
use dsp_core::pdm::TileLayout;
use hil_sim::capture::Capture;
use hil_sim::faults::Chosen;
use hil_sim::frames::Frames;
use pipeline::live::clock::Clock;
use pipeline::live::config;
use pipeline::live::intake::{Intake, Shape, Tally};
use pipeline::live::span::{Policy, ring};
use pipeline::live::{Settings, source::Source};
use pipeline::signal::front_end::Method;
use pipeline::viewer::{Command, Limits, Point, protocol};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tests::fuzz::{Dialect, Mutator, fuzz};
use tests::live::packet;

/// A frame of `rows` rows of 32 channels.
fn frame(kind: Kind, sequence: u32, first_sample: u64, rows: usize) -> Vec<u8> {
    let timestamp_ns = first_sample * 1_000_000;
    let header = Header { kind, layout: 0, channels: 32, stride: 1, sequence, first_sample, timestamp_ns };
    let payload = vec![0x5a; rows * kind.row_len(32)];
    let mut bytes = vec![0; HEADER_LEN + payload.len()];
    header.encode(&payload, &mut bytes).unwrap();
    bytes
}

/// Makes length and checksum of a frame right again, so that what is behind them is met.
fn mend(frame: &mut [u8]) {
    const CRC32C: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);
    let Some((head, payload)) = frame.split_first_chunk_mut::<HEADER_LEN>() else { return };
    head[32..36].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let mut digest = CRC32C.digest();
    digest.update(&head[..36]);
    digest.update(payload);
    head[36..].copy_from_slice(&digest.finalize().to_le_bytes());
}

#[test]
fn frames() {
    let seeds = [Kind::Bits, Kind::Samples, Kind::Walsh].map(|kind| frame(kind, 1, 100, 4));
    let mut number = 0;
    fuzz("frames", Mutator::new(Dialect::Binary, seeds.into()), |bytes| {
        number += 1;
        if number % 2 == 0 {
            mend(bytes);
        }
        let Ok((frame, used)) = Frame::decode(bytes) else { return false };
        assert!(used <= bytes.len() && frame.payload.len() == used - HEADER_LEN);
        let header = frame.header;
        assert_eq!(frame.rows() * header.kind.row_len(header.channels), frame.payload.len());
        assert!(header.channels > 0 && header.stride > 0);
        true
    });
}

/// A message of the console as it travels.
fn message(message: &Message<'_>) -> Vec<u8> {
    let mut bytes = [0; console::MAX_LEN];
    let len = console::encode(1, message, &mut bytes).unwrap();
    bytes[..len].to_vec()
}

/// One receiver for all of them; whatever it accepts can be sent again.
#[test]
fn console_messages() {
    let log = [0x5a; console::MAX_PAYLOAD];
    let all = [
        Message::Start,
        Message::SetRate(32),
        Message::SetMode(Mode::Walsh),
        Message::SelfTest(true),
        Message::Status(Status::default()),
        Message::Overrun { block: 1, lost: 2 },
        Message::Log(&log),
    ];
    let mut receiver = console::Receiver::new();
    let seeds = all.iter().map(message).collect();
    fuzz("console", Mutator::new(Dialect::Binary, seeds), |bytes| {
        let mut accepted = false;
        for byte in bytes.iter().chain(&[0]) {
            if let Some(Ok((_, message))) = receiver.push(*byte) {
                accepted = true;
                assert!(self::message(&message).len() <= console::MAX_LEN);
            }
        }
        accepted
    });
}

/// One intake for all of them, which therefore meets jumps of every size between them. Spans go round as they do with a stage.
#[test]
fn datagrams_to_spans() {
    let layout = TileLayout::new(4, 8, 4).unwrap();
    let (writer, mut reader) = ring(64, 1, 32 * layout.row_bytes(), Policy::DropNewest);
    let shape = Shape { layout, pace_hz: 1e3, longest_gap: 1000 };
    let (tally, stop) = (Arc::new(Tally::default()), Arc::default());
    let mut intake = Intake::new(shape, writer, Clock::start(), tally.clone(), stop);
    let mut number = 0;
    let seeds = (0..4).map(|i| frame(Kind::Bits, i, 4 * u64::from(i), 4)).collect();
    fuzz("datagrams", Mutator::new(Dialect::Binary, seeds), |bytes| {
        number += 1;
        if number % 2 == 0 {
            mend(bytes);
        }
        let before = tally.counters().frames;
        intake.datagram(bytes, number as f64);
        intake.publish();
        while let Some(span) = reader.next(Duration::ZERO) {
            assert!(span.rows().len() <= 32 * layout.row_bytes() && span.filled <= 32);
            reader.recycle(span);
        }
        let counters = tally.counters();
        assert_eq!(counters.frames + counters.bad_frames + counters.late_frames, number, "each counts once");
        counters.frames > before
    });
}

const LIMITS: Limits =
    Limits { highest_hz: 8000.0, highest_bin: 174, most_frequencies: 10, rows: 96, cols: 96 };

#[test]
fn control_messages() {
    let seeds = [
        r#"{"v":1,"id":1,"command":{"do":"frequencies","hz":[440.5,880]}}"#,
        r#"{"v":1,"id":2,"command":{"do":"bins","k":[10,20]}}"#,
        r#"{"v":1,"id":3,"command":{"do":"method","name":"walsh","coefficients":200}}"#,
        r#"{"v":1,"id":4,"command":{"do":"filter","rule":"50:0.3"}}"#,
        r#"{"v":1,"id":5,"command":{"do":"point","row":4,"col":95}}"#,
        r#"{"v":1,"id":6,"command":{"do":"record","on":true}}"#,
        r#"{"v":1,"id":7,"command":{"do":"acknowledge","message":1}}"#,
    ];
    let seeds = seeds.map(|seed| seed.as_bytes().to_vec()).into();
    fuzz("control messages", Mutator::new(Dialect::Text, seeds), |bytes| {
        let (id, outcome) = protocol::decode(&String::from_utf8_lossy(bytes), &LIMITS);
        let Ok(command) = outcome else { return false };
        let possible = match &command {
            Command::Frequencies(hz) => {
                (1..=10).contains(&hz.len()) && hz.iter().all(|f| *f > 0.0 && *f <= 8000.0)
            }
            Command::Bins(k) => (1..=10).contains(&k.len()) && k.iter().all(|k| (1..=174).contains(k)),
            Command::Point(Point { row, col }) => *row < 96 && *col < 96,
            Command::Method(Method::Walsh { coefficients }) => *coefficients != Some(0),
            Command::Method(_) | Command::Filter(_) | Command::Record(_) | Command::Acknowledge(_) => true,
        };
        assert!(possible && id.is_some(), "{command:?}");
        true
    });
}

/// A folder of the repository.
fn folder(name: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(name)
}

/// The TOML files of a folder of the repository.
fn texts(name: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> =
        std::fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "toml"));
    // The order of a folder is the system's; inputs are the same everywhere.
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Every number of an instrument at once.
const INSTRUMENT: &str = r#"
[source]
udp = "127.0.0.1:5000"
buffer_mib = 32
[array]
rows = 8
cols = 16
tile_side = 8
pitch_m = 0.02
bit_rate_hz = 1500000.0
sensitivity_dbfs = -26.0
exclude = [17]
[hologram]
bins = [10, 20]
method = "walsh"
coefficients = 200
samples = 512
hop_rows = 1280
standoff_m = 0.04
pad = "plpbp:4"
grid = 48
filter = "50:0.3"
temperature_c = 20.0
refine = 2
threads = 2
[buffers]
span_rows = 256
ring_spans = 64
[latency]
deadline_ms = 5.0
bound_ms = 40.0
[record]
name = "night"
ring_spans = 100
[controller]
to = "127.0.0.1:6000"
pixels = [[0, 1], [15, 31]]
[files]
folder = "f"
every = 100
[realtime]
cores = [0, 1]
priority = 50
"#;

/// What the threads rely on, and what they will allocate, by the sizes alone. `config::bounds` has the formulas; these are coarser.
fn assert_instrument(settings: &Settings) {
    let (channels, row_bytes) = (settings.layout.channels() as usize, settings.layout.row_bytes());
    assert!(channels <= 65_528 && channels == 8 * row_bytes);
    let recorder = settings.record.as_ref().map_or(0, |record| record.ring_spans);
    assert!((settings.ring_spans + recorder + 3) * settings.span_rows * row_bytes <= 8 << 30, "spans");
    assert!(4 * settings.hop_rows as usize <= settings.ring_spans * settings.span_rows, "a hop");
    let real = [settings.pitch_m, settings.bit_rate_hz, settings.pace_hz];
    assert!(real.iter().all(|x| x.is_finite() && *x > 0.0), "{real:?}");
    assert!([settings.deadline_s, settings.bound_s].iter().flatten().all(|s| *s > 0.0 && *s <= 60.0));
    let chain = settings.chain.as_ref().unwrap();
    let (n, samples) = (chain.front_end.bins.len(), chain.front_end.samples);
    assert!((1..=64).contains(&n) && samples <= 1 << 17 && 4 * samples * channels <= 1 << 30, "window");
    let (grid, u) = (&chain.pnah.grid, chain.pnah.refinement);
    assert!(32 * n * grid.len() <= 4 << 30, "{n} padded grids of {} x {}", grid.rows, grid.cols);
    assert!(16 * n * grid.aperture.len() * u * u <= 4 << 30, "{n} fields refined {u} times");
    assert!(512 * settings.threads * u * grid.rows.max(grid.cols) <= 4 << 30, "lines of the threads");
    assert!(chain.pnah.standoff > 0.0 && chain.pnah.standoff.is_finite());
    if let Source::Udp { buffer, .. } = settings.source {
        assert!(buffer <= 2 << 30);
    }
    if let Some((_, values)) = &settings.controller {
        assert!((1..=8178).contains(&(n * values.count())), "a datagram of values");
    }
}

#[test]
fn instruments() {
    let mut seeds = texts("pipeline/live/examples");
    seeds.extend([INSTRUMENT.as_bytes().to_vec(), INSTRUMENT.as_bytes().to_vec()]);
    let folder = folder("pipeline/live/examples");
    fuzz("instrument.toml", Mutator::new(Dialect::Text, seeds), |bytes| {
        let settings = config::settings(&String::from_utf8_lossy(bytes), &folder);
        settings.is_ok_and(|settings| {
            assert_instrument(&settings);
            true
        })
    });
}

#[test]
fn scenes() {
    let folder = folder("hil-sim/scenes");
    fuzz("scene.toml", Mutator::new(Dialect::Text, texts("hil-sim/scenes")), |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let Ok(bench) = hil_sim::file::parse(&text, Path::new("scene.toml"), &folder) else { return false };
        let channels = bench.array.layout.channels();
        let sounds = bench.moving.len() + bench.noises.len() + bench.fields.len();
        assert!(channels <= 65_535 && bench.scene.lines.len() <= 1100 && sounds <= 64);
        assert!(bench.scene.evaluations() * f64::from(channels) <= 2f64.powi(31), "minutes of set-up");
        assert!(bench.faults.len() <= 1000 && bench.clock.restarts.len() <= 1000);
        let listed = |chosen: &Chosen| match chosen {
            Chosen::List(list) => list.iter().all(|&microphone| microphone < channels),
            Chosen::Fraction(fraction) => (0.0..=1.0).contains(fraction),
        };
        assert!(bench.faults.iter().all(|fault| listed(&fault.chosen)));
        let rate = bench.rate_hz();
        assert!(rate > 0.0 && rate <= 1.01e9 && bench.array.pitch > 0.0 && bench.array.pitch.is_finite());
        true
    });
}

/// A PCAPNG file of Ethernet packets: a section, an interface, enhanced packets.
fn pcapng(records: &[Vec<u8>]) -> Vec<u8> {
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let block = |kind: u32, body: Vec<u8>| {
        let length = 12 + body.len().next_multiple_of(4) as u32;
        let mut bytes = words(&[kind, length]);
        bytes.extend(body);
        bytes.resize(length as usize - 4, 0);
        bytes.extend(length.to_le_bytes());
        bytes
    };
    let mut bytes = block(0x0a0d_0d0a, words(&[0x1a2b_3c4d, 1, u32::MAX, u32::MAX]));
    bytes.extend(block(1, words(&[1, 65_535])));
    for record in records {
        // Behind the 16 bytes of a PCAP record's header.
        let length = record.len() as u32 - 16;
        bytes.extend(block(6, [words(&[0, 0, 9, length, length]), record[16..].to_vec()].concat()));
    }
    bytes
}

#[test]
fn captures() {
    let records: Vec<_> = (0..4).map(|i| packet(&frame(Kind::Bits, i, 4 * u64::from(i), 4))).collect();
    let header = [0xa1b2_c3d4u32, 0x0004_0002, 0, 0, 65_535, 1];
    let header: Vec<u8> = header.iter().flat_map(|word| word.to_le_bytes()).collect();
    let seeds = vec![[header, records.concat()].concat(), pcapng(&records)];
    fuzz("captures", Mutator::new(Dialect::Binary, seeds), |bytes| {
        let length = bytes.len();
        let Ok(mut capture) = Capture::of(Cursor::new(std::mem::take(bytes)), Path::new("x.pcap")) else {
            return false;
        };
        let (mut datagram, mut total) = (Vec::new(), 0);
        loop {
            match capture.next(&mut datagram) {
                Ok(Some(_)) => total += datagram.len(),
                Ok(None) => break,
                Err(_) => return false,
            }
        }
        assert!(total <= length, "{total} bytes out of {length}");
        true
    });
}
