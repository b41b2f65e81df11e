//! Firmware on every board that this machine can run, as named cases: `tests/boards/*.toml`, one test each.
//!
//! A case says which boards, which bits, which mode and which fault. What must come out follows from the bits by `dsp-core`
//! on the host ([`reference`]); every value is compared, and one that differs is named by board, channel and sample.
//! `cargo xtask hil` runs these; a board whose emulator or image is missing is skipped by name.

mod case;
mod faults;
mod hologram;
mod measure;
mod reference;

use case::{Case, Source};
use dsp_core::console::{Message, Mode, ResetCode, Status};
use hil_sim::board::{BLOCK_ROWS, Heard, LINES, Name, ROW_BYTES, Session};
use reference::{Value, expected, observed};
use std::io::Write;
use tests::board_places;

/// Blocks and system clocks a bit on RTL, whose time is its own and thousands of times slower: as many
/// blocks as seconds allow, as fast as the core can take them (`docs/measured/firmware.md`: 64 times the
/// loop's cycles a bit, and a fifteenth more at least; the FIFO holds 31 blocks for what comes between).
fn rtl(name: Name, mode: Mode) -> (usize, u32) {
    match (name, mode) {
        (Name::Picorv32, Mode::Decimate) => (32, 7200),
        (Name::Ibex, Mode::Decimate) => (40, 2000),
        (_, Mode::Decimate) => (96, 2200),
        (Name::Picorv32, _) => (131, 1400),
        _ => (131, 520),
    }
}

/// Starts a board, or says loudly why not.
fn start(case: &str, name: Name, faults: &hil_sim::board::Faults) -> Option<Session> {
    if let Some(missing) = board_places().missing(name) {
        // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
        let _ = writeln!(std::io::stderr(), "SKIPPED {case} on {}: {missing}", name.as_str());
        return None;
    }
    Some(Session::start(name, &board_places(), faults).unwrap_or_else(|error| panic!("{case}: {error}")))
}

/// Runs a case on its boards.
fn run(name: &str) {
    let case = Case::load(name);
    let Some(rows) = case.rows(name) else { return };
    for board in case.boards() {
        let (blocks, divider) = if board.is_emulated() { (usize::MAX, 32) } else { rtl(board, case.mode()) };
        let rows = &rows[..rows.len().min(blocks.saturating_mul(BLOCK_ROWS * ROW_BYTES))];
        let Some(mut session) = start(name, board, &case.faults()) else { continue };
        let label = format!("{name} on {}", board.as_str());
        faults::before(&case, &mut session, &label);
        session.order(Message::SetRate(case.rate.unwrap_or(divider))).unwrap();
        session.order(Message::SelfTest(case.source == Source::Wiring)).unwrap();
        let status = pass(&case, &mut session, rows, &label);
        println!("{label}: {} blocks, {} frames, as dsp-core has them", status.blocks, status.frames);
    }
}

/// One capture of `rows`: its frames must be those of the reference.
fn pass(case: &Case, session: &mut Session, rows: &[u8], label: &str) -> Status {
    session.order(Message::SetMode(case.mode())).unwrap();
    session.order(Message::Start).unwrap();
    let blocks = rows.len() / (BLOCK_ROWS * ROW_BYTES);
    faults::feed(case, session, rows, label);
    let status = session.settle(blocks as u32).unwrap_or_else(|error| panic!("{label}: {error}"));
    let frames: Vec<Vec<u8>> = std::iter::from_fn(|| session.frame().unwrap()).collect();
    let events = session.take_events();
    let gaps = faults::gaps(case, &events, &status, label);
    if case.source == Source::Wiring {
        faults::wiring(case, &frames, label);
    } else {
        // What came after the last gap may have ended before the bits did.
        let dealt_with = (status.blocks + status.lost) as usize;
        assert!(
            dealt_with == blocks || case.rate.is_some() || case.stalls(),
            "{label}: {dealt_with} of {blocks} blocks"
        );
        let rows = &rows[..dealt_with * BLOCK_ROWS * ROW_BYTES];
        compare(&observed(&frames, label), &expected(case.mode(), rows, &gaps), label);
    }
    assert_eq!(status.frames as usize, frames.len(), "{label}: frames sent and received");
    assert!(status.stack_used > 0 && status.stack_used < status.stack_size, "{label}: {status:?}");
    faults::after(case, &events, &status, label);
    status
}

/// Every value, in order; the first that differs is named.
fn compare(observed: &[Value], expected: &[Value], label: &str) {
    for (row, due) in observed.iter().zip(expected) {
        let at = (row.time, row.index) == (due.time, due.index);
        assert!(at, "{label}: a row of bit time {} comes where {} is due", row.time, due.time);
        let pairs = row.values.iter().zip(&due.values);
        if let Some((channel, (found, wanted))) = pairs.enumerate().find(|(_, (a, b))| a != b) {
            let Value { time, index, .. } = row;
            panic!("{label}: channel {channel}, bit time {time}, row {index}: {found}, not {wanted}");
        }
    }
    assert_eq!(observed.len(), expected.len(), "{label}: rows");
}

/// Waits for the start that a reset leads to; its code.
fn restarted(session: &mut Session, label: &str) -> ResetCode {
    let started = |heard: &Heard| matches!(heard, Heard::Message(_, Message::Started { .. }));
    match session.wait_for("its restart", started) {
        Ok(Heard::Message(_, Message::Started { reset, lines })) => {
            assert_eq!(lines as usize, LINES, "{label}");
            reset
        }
        other => panic!("{label}: {other:?}"),
    }
}

macro_rules! cases {
    ($($name:ident),* $(,)?) => {
        $(#[test] fn $name() { run(stringify!($name)); })*

        /// No file without a test.
        #[test]
        fn every_case_has_a_test() {
            let files = std::fs::read_dir(case::folder()).unwrap();
            let mut files: Vec<_> =
                files.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
            files.sort();
            let mut tests = vec![$(stringify!($name)),*];
            tests.sort_unstable();
            assert_eq!(files, tests);
        }
    };
}

cases!(
    average,
    bits,
    cic,
    corrupted_command,
    decimate,
    decimate_d1,
    overrun,
    overrun_rtl,
    panic_reset,
    swapped_lines,
    uplink_stall,
    uplink_stall_rtl,
    walsh,
    watchdog_reset,
    wiring,
);

/// The names of the modes in the files.
fn mode_of(text: &str) -> Mode {
    let names = ["bits", "decimate", "cic", "average", "walsh"];
    let found = names.iter().zip(Mode::ALL).find(|(name, _)| **name == text);
    found.unwrap_or_else(|| panic!("no mode is called {text}")).1
}
