//! One decimator, five places, the same bits: `dsp-core` on the host, the firmware in QEMU, the firmware on VexRiscv's RTL, the
//! decimator in Verilog, and CUDA where a card is present. A place that this machine does not have is skipped by name; every
//! sample that differs is named by place, channel and number.

use dsp_core::console::{Message, Mode};
use dsp_core::decimator::{Decimator, RATE};
use dsp_core::frame::Frame;
use dsp_core::pdm::{TileLayout, TimeWord};
use hil_sim::board::{Faults, LINES, Name, ROW_BYTES, Session};
use kernels::Device;
use pipeline::numerics::random::SplitMix64;
use pipeline::signal::decimate::cuda::ArrayDecimator;
use pipeline::signal::filter_design::{Design, Specification};
use std::io::Write;
use tests::rtl;

/// System clocks a bit time on RTL: VexRiscv decimates 64 lines in 2029 (`docs/measured/firmware.md`).
const RTL_DIVIDER: u32 = 2_200;

/// Samples that are named at most.
const NAMED: usize = 20;

/// `[sample][line]`, or `None` where the place is not to be had.
type Samples = Option<Vec<Vec<i32>>>;

fn skipped(place: &str, why: &str) -> Samples {
    // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
    let _ = writeln!(std::io::stderr(), "SKIPPED one_decimator in {place}: {why}");
    None
}

/// The definition: line by line, bit by bit.
fn on_the_host(rows: &[u8]) -> Vec<Vec<i32>> {
    let line = |line: usize| {
        let bit = |row: &[u8]| u32::from(row[line / 8] >> (line % 8) & 1);
        let word = |block: &[u8]| {
            TimeWord(block.chunks_exact(ROW_BYTES).enumerate().map(|(t, row)| bit(row) << t).sum())
        };
        let words: Vec<_> = rows.chunks_exact(RATE * ROW_BYTES).map(word).collect();
        let mut samples = vec![i32::MIN; words.len()];
        let _ = Decimator::new().process(&words, &mut samples);
        samples
    };
    let lines: Vec<_> = (0..LINES).map(line).collect();
    (0..lines[0].len()).map(|n| lines.iter().map(|samples| samples[n]).collect()).collect()
}

fn in_firmware(name: Name, rows: &[u8]) -> Samples {
    let places = tests::board_places();
    if let Some(missing) = places.missing(name) {
        return skipped(name.as_str(), &missing);
    }
    let mut session = Session::start(name, &places, &Faults::default()).unwrap();
    if !name.is_emulated() {
        session.order(Message::SetRate(RTL_DIVIDER)).unwrap();
    }
    session.order(Message::SetMode(Mode::Decimate)).unwrap();
    session.order(Message::Start).unwrap();
    session.feed(rows).unwrap();
    let status = session.settle((rows.len() / (RATE * ROW_BYTES)) as u32).unwrap();
    assert_eq!(status.lost, 0, "{}: {status:?}", name.as_str());
    let frames = std::iter::from_fn(|| session.frame().unwrap());
    let samples = frames.flat_map(|bytes| {
        let values: Vec<i32> = Frame::decode_datagram(&bytes).unwrap().values().collect();
        values.chunks_exact(LINES).map(<[i32]>::to_vec).collect::<Vec<_>>()
    });
    Some(samples.collect())
}

fn in_verilog(rows: &[u8]) -> Samples {
    let mut session = rtl::session::Session::new("one_decimator in Verilog", LINES)?;
    let blocks = rows.len() / (RATE * ROW_BYTES);
    let transcript = session.start(rtl::session::Output::Samples, rows).blocks(blocks).run();
    let samples = |words: &[u32]| words.iter().map(|word| word.cast_signed()).collect();
    Some(transcript.blocks(LINES).iter().map(|(_, words)| samples(words)).collect())
}

fn on_a_card(rows: &[u8]) -> Samples {
    let Some(device) = Device::all().into_iter().next() else {
        return skipped("CUDA", "no CUDA device");
    };
    let layout = TileLayout::new(8, 8, 8).unwrap();
    let design = Design::new(Specification::DEFAULT).unwrap();
    let mut frames = Vec::new();
    let _ = ArrayDecimator::new(&device, &design, &layout).unwrap().process(rows, &mut frames).unwrap();
    let index = |line: usize| layout.index_of(line as u32).unwrap() as usize;
    Some(
        frames.chunks_exact(LINES).map(|frame| (0..LINES).map(|line| frame[index(line)]).collect()).collect(),
    )
}

/// All places on rows of 64 lines; how many there were.
fn same_everywhere(input: &str, rows: &[u8]) -> usize {
    let places = [
        ("the firmware in QEMU", in_firmware(Name::QemuVirtRv32, rows)),
        ("the firmware on VexRiscv", in_firmware(Name::Vexriscv, rows)),
        ("Verilog", in_verilog(rows)),
        ("CUDA", on_a_card(rows)),
    ];
    let expected = on_the_host(rows);
    let mut differing = Vec::new();
    let mut count = 1;
    for (place, samples) in places {
        let Some(samples) = samples else { continue };
        count += 1;
        assert_eq!(samples.len(), expected.len(), "{input}: samples of {place}");
        for (n, (found, wanted)) in samples.iter().zip(&expected).enumerate() {
            for (line, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                if found != wanted {
                    differing
                        .push(format!("{place}, channel {line}, sample {n}: {found} instead of {wanted}"));
                }
            }
        }
    }
    let shown = differing[..differing.len().min(NAMED)].join("\n");
    assert!(differing.is_empty(), "{input}: {} samples differ from dsp-core's:\n{shown}", differing.len());
    count
}

#[test]
fn a_recording_is_decimated_to_the_same_samples_everywhere() {
    let test = "a_recording_is_decimated_to_the_same_samples_everywhere";
    let Some(file) = tests::shared(test, "pnah/d1.sigmf-data") else { return };
    let all = std::fs::read(file).unwrap();
    let rows: Vec<u8> = all.chunks_exact(128).flat_map(|row| &row[..ROW_BYTES]).copied().collect();
    let count = same_everywhere("d1", &rows);
    println!("the first 64 channels of d1: the same samples in {count} places");
}

#[test]
fn random_bits_are_decimated_to_the_same_samples_everywhere() {
    let mut random = SplitMix64::new(2024);
    let rows: Vec<u8> = (0..200 * RATE).flat_map(|_| random.integer().to_le_bytes()).collect();
    let count = same_everywhere("random bits", &rows);
    println!("random bits: the same samples in {count} places");
}
