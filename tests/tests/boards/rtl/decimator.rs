//! The decimator in Verilog gives `dsp_core::decimator`'s samples, bit for bit.

use super::{noise, time_words};
use dsp_core::decimator::{CIC_ORDER, CIC_RATE, Decimator};
use dsp_core::pdm::TimeWord;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use tests::rtl::session::{DIVIDER, Output, Session};
use tests::rtl::tables;

/// Panics with every sample that differs, up to a screenful.
fn compare(rows: &[u8], lines: usize, blocks: &[(u32, &[u32])]) {
    let expected: Vec<Vec<i32>> = (0..lines)
        .map(|line| {
            let words = time_words(rows, lines, line);
            let mut samples = vec![0; words.len()];
            let _ = Decimator::new().process(&words, &mut samples);
            samples
        })
        .collect();
    assert_eq!(blocks.len(), expected[0].len(), "number of samples");
    let mut differing = Vec::new();
    for (n, (number, samples)) in blocks.iter().enumerate() {
        assert_eq!(*number as usize, n, "a block is missing");
        for (line, sample) in samples.iter().enumerate() {
            let (rtl, dsp) = (*sample as i32, expected[line][n]);
            if rtl != dsp {
                differing.push(format!("line {line}, sample {n}: {rtl} in Verilog, {dsp} in dsp-core"));
            }
        }
    }
    let shown = differing[..differing.len().min(40)].join("\n");
    assert!(differing.is_empty(), "{} samples differ:\n{shown}", differing.len());
}

fn decimates_like_dsp_core(test: &str, lines: usize, rows: &[u8]) {
    let Some(mut session) = Session::new(test, lines) else { return };
    let blocks = rows.len() / (32 * lines / 8);
    // The bench pops a word in four clocks: as many as it needs to keep up with 1024 lines, the least for 64.
    let divider = lines as u32 * 5 / 32;
    let transcript = session.write(DIVIDER, divider).start(Output::Samples, rows).blocks(blocks).run();
    compare(rows, lines, &transcript.blocks(lines));
}

#[test]
fn sixty_four_lines_of_noise() {
    decimates_like_dsp_core("sixty_four_lines_of_noise", 64, &noise(1, 64, 32 * 200));
}

/// One lane, of 16 channels: another timetable.
#[test]
fn sixteen_lines_of_noise() {
    decimates_like_dsp_core("sixteen_lines_of_noise", 16, &noise(6, 16, 32 * 60));
}

#[test]
fn a_thousand_lines_of_noise() {
    decimates_like_dsp_core("a_thousand_lines_of_noise", 1024, &noise(2, 1024, 32 * 40));
}

/// The largest sums that there are: full scale, and the sign of every tap in turn.
#[test]
fn the_worst_inputs_do_not_overflow() {
    let ones = vec![u8::MAX; 8 * 32 * 40];
    decimates_like_dsp_core("the_worst_inputs_do_not_overflow", 64, &ones);
    let mut worst = Vec::new();
    for bit in 0..32 * 40 {
        // Eight bits for a CIC sample; taps are symmetric, so their order does not matter.
        let tap = dsp_core::decimator::TAPS.get(bit / 8 % 96).copied().unwrap_or(0);
        worst.extend([if tap > 0 { 0xff } else { 0x00 }; 8]);
    }
    decimates_like_dsp_core("the_worst_inputs_do_not_overflow", 64, &worst);
}

/// A recording of the instrument, its first 64 channels.
#[test]
fn a_recording() {
    let Some(file) = tests::shared("rtl::a_recording", "pnah/d1.sigmf-data") else { return };
    let rows = std::fs::read(file).unwrap();
    let first: Vec<u8> = rows.chunks_exact(128).flat_map(|row| row[..8].to_vec()).collect();
    decimates_like_dsp_core("a_recording", 64, &first);
}

/// A second run remembers nothing of the first, whose history is still in the memories.
#[test]
fn a_second_run_begins_from_rest() {
    let Some(mut session) = Session::new("a_second_run_begins_from_rest", 64) else { return };
    let (first, second) = (noise(3, 64, 32 * 50), noise(4, 64, 32 * 50));
    for rows in [&first, &second] {
        session.start(Output::Samples, rows).blocks(50);
    }
    session.power().start(Output::Samples, &first).blocks(50);
    let transcript = session.run();
    let blocks = transcript.blocks(64);
    compare(&first, 64, &blocks[..50]);
    compare(&second, 64, &blocks[50..100]);
    assert_eq!(blocks[..50], blocks[100..], "the same rows after a power cycle");
}

/// The textbook's CIC, whose state a channel that was idle for ever cannot have: equal when its window is full.
#[test]
fn integrators_are_the_window() {
    const LINES: usize = 64;
    let Some(program) = tests::rtl::program("integrators_are_the_window", "rtl", "rtl/cic/program") else {
        return;
    };
    let rows = noise(5, LINES, 32 * 60);
    let lines: Vec<Vec<TimeWord>> = (0..LINES).map(|line| time_words(&rows, LINES, line)).collect();
    let input: Vec<u8> =
        (0..60).flat_map(|n| lines.iter().flat_map(move |words| words[n].0.to_le_bytes())).collect();
    let mut bench =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the bench");
    let mut pipe = bench.stdin.take().unwrap();
    let writer = std::thread::spawn(move || pipe.write_all(&input));
    let output = bench.wait_with_output().unwrap().stdout;
    writer.join().unwrap().unwrap();
    let samples: Vec<i16> = output.as_chunks().0.iter().map(|pair| i16::from_le_bytes(*pair)).collect();
    assert_eq!(samples.len(), 60 * 4 * LINES);
    for (line, words) in lines.iter().enumerate() {
        let mut expected = vec![0i32; 60 * 4];
        let _ = dsp_core::cic::Cic::<i32, CIC_ORDER, CIC_RATE, 1>::new().process_bits(words, &mut expected);
        for (n, expected) in expected.iter().enumerate().skip(CIC_ORDER) {
            assert_eq!(i32::from(samples[n * LINES + line]) * 2, *expected, "line {line}, sample {n}");
        }
    }
}

/// The numbers in the Verilog are `dsp-core`'s.
#[test]
fn tables_are_made_from_dsp_core() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../boards/rtl");
    for (name, made) in [("cic_tables.vh", tables::cic()), ("fir_tables.vh", tables::fir())] {
        let committed = std::fs::read_to_string(folder.join(name)).unwrap();
        assert!(
            committed == made,
            "{name} is old; `cargo run --package tests --example rtl_tables` makes it"
        );
    }
}
