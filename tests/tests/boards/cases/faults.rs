//! Faults: each is provoked, must be detected and reported, and what comes after it must be sound.

use super::case::{Case, Reset};
use super::restarted;
use dsp_core::console::{Message, ResetCode, Status};
use dsp_core::frame::Frame;
use hil_sim::board::wiring::{Misplaced, PERIOD, judge};
use hil_sim::board::{BLOCK_ROWS, Heard, ROW_BYTES, Session};

/// What comes before the capture, which shows that the board has recovered.
pub fn before(case: &Case, session: &mut Session, label: &str) {
    assert_eq!(restarted(session, label), ResetCode::POWER, "{label}: the first start");
    let log = |heard: &Heard| matches!(heard, Heard::Log(line) if line.contains("started, reset code 0"));
    session.wait_for("the log of its start", log).unwrap_or_else(|e| panic!("{label}: {e}"));
    if case.corrupted_command {
        // A start whose checksum is wrong.
        session.send_raw(&[3, 1, 1, 5, 9, 9, 9, 9, 0]).unwrap();
        let told = |heard: &Heard| matches!(heard, Heard::Message(_, Message::Corrupted(1)));
        session.wait_for("the news of a damaged command", told).unwrap_or_else(|e| panic!("{label}: {e}"));
        assert_eq!(session.status().unwrap().blocks, 0, "{label}: it obeyed");
    }
    let (command, code) = match case.reset {
        None => return,
        Some(Reset::Panic) => (Message::TestPanic, ResetCode::PANIC),
        Some(Reset::Watchdog) => (Message::TestWatchdog, ResetCode::WATCHDOG),
    };
    session.order(command).unwrap();
    assert_eq!(restarted(session, label), code, "{label}: the code after a reset");
}

/// Feeds the lines; on the way the uplink may be closed until the board complains.
pub fn feed(case: &Case, session: &mut Session, rows: &[u8], label: &str) {
    let at = case.stall_at.unwrap_or(0) * BLOCK_ROWS * ROW_BYTES;
    let (first, rest) = rows.split_at(at.min(rows.len()));
    session.feed(first).unwrap_or_else(|error| panic!("{label}: {error}"));
    if case.stall_at.is_some() {
        session.open_uplink(false).unwrap();
    }
    // The ring holds these, so the lines need not wait for the uplink.
    session.feed(rest).unwrap_or_else(|error| panic!("{label}: {error}"));
    if case.stalls() {
        let stalled = |heard: &Heard| matches!(heard, Heard::Message(_, Message::Stall(_)));
        let heard = session.wait_for("the news of a stalled uplink", stalled);
        let Ok(Heard::Message(_, Message::Stall(frame))) = heard else { panic!("{label}: {heard:?}") };
        if case.stall_at.is_some() {
            session.open_uplink(true).unwrap();
        }
        let resumed = |heard: &Heard| heard.message() == Some(Message::Resumed(frame));
        session.wait_for("the news of its recovery", resumed).unwrap_or_else(|e| panic!("{label}: {e}"));
    }
}

/// The gaps that a board told of (the first block of each, and how many), which must be those of the case and of the counters.
pub fn gaps(case: &Case, events: &[Heard], status: &Status, label: &str) -> Vec<[u32; 2]> {
    let overrun = |message| match message {
        Message::Overrun { block, lost } => Some([block.wrapping_sub(lost), lost]),
        _ => None,
    };
    let told: Vec<[u32; 2]> = events.iter().filter_map(Heard::message).filter_map(overrun).collect();
    assert_eq!(status.lost, told.iter().map(|[_, count]| count).sum::<u32>(), "{label}: lost blocks");
    if case.rate.is_some() && !case.stalls() {
        assert!(!told.is_empty(), "{label}: too fast, and nothing was lost");
    } else if !case.stalls() {
        assert_eq!(told, Vec::from_iter(case.overrun), "{label}: overruns in {events:?}");
    }
    told
}

/// What else the counters and the events must say.
pub fn after(case: &Case, events: &[Heard], status: &Status, label: &str) {
    assert_eq!(status.corrupted, u32::from(case.corrupted_command), "{label}: damaged commands");
    assert_eq!(status.stalls, u32::from(case.stalls()), "{label}: stalls in {events:?}");
    assert!(!events.iter().any(|heard| matches!(heard, Heard::Damaged(_))), "{label}: {events:?}");
}

/// The channels must be where the map says, but for the lines that were swapped.
pub fn wiring(case: &Case, frames: &[Vec<u8>], label: &str) {
    let payloads = frames.iter().map(|frame| Frame::decode_datagram(frame).unwrap().payload);
    let rows: Vec<u8> = payloads.flatten().copied().collect();
    assert!(rows.len() >= PERIOD * ROW_BYTES, "{label}: {} bytes", rows.len());
    let pairs = case.swapped.iter().flat_map(|[a, b]| [(*a, *b), (*b, *a)]);
    let mut expected: Vec<_> =
        pairs.map(|(channel, line)| Misplaced { channel, found: Some(line) }).collect();
    expected.sort_by_key(|place| place.channel);
    assert_eq!(judge(&rows, ROW_BYTES), expected, "{label}: misplaced channels");
}
