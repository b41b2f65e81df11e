//! Uplink, supervisor and finisher, as a core would use them.

use tests::rtl::session::{CONTROL, DIVIDER, SUPERVISOR, Session, UPLINK};

const ROOM: u32 = UPLINK + 0x04;
const WORD: u32 = UPLINK + 0x08;
const END: u32 = UPLINK + 0x0c;
const DROPPED: u32 = UPLINK + 0x10;
const WATCHDOG: u32 = SUPERVISOR + 0x04;
const KICK: u32 = SUPERVISOR + 0x08;
const CODE: u32 = SUPERVISOR + 0x0c;
const RESET: u32 = SUPERVISOR + 0x10;
const CYCLES: u32 = SUPERVISOR + 0x14;
/// Words that the uplink holds, and frames.
const WORDS: u32 = 1024;
const FRAMES: usize = 16;
/// What the supervisor leaves when the watchdog has bitten: "WDOG".
const BITTEN: u32 = u32::from_le_bytes(*b"WDOG");

fn send(session: &mut Session, bytes: &[u8]) {
    for word in bytes.chunks(4) {
        let mut whole = [0; 4];
        whole[..word.len()].copy_from_slice(word);
        session.write(WORD, u32::from_le_bytes(whole));
    }
    session.write(END, bytes.len() as u32);
}

#[test]
fn frames_arrive_whole_and_in_order() {
    let Some(mut session) = Session::new("frames_arrive_whole_and_in_order", 64) else { return };
    let frames: Vec<Vec<u8>> =
        (1..=40usize).map(|n| (0..n * 7).map(|k| (n * 31 + k) as u8).collect()).collect();
    session.read(UPLINK).read(ROOM);
    for frame in &frames {
        send(&mut session, frame);
        session.wait(200);
    }
    let transcript = session.read(ROOM).read(DROPPED).run();
    assert_eq!(transcript.frames, frames);
    assert_eq!(transcript.reads, [0x3150_5546, WORDS, WORDS, 0]);
}

/// While the link stands still the uplink fills; a core that looks at the room loses nothing.
#[test]
fn a_stalled_link_shows_in_the_room() {
    let Some(mut session) = Session::new("a_stalled_link_shows_in_the_room", 64) else { return };
    session.stall(0, 10_000);
    let frame: Vec<u8> = (0..=255).cycle().take(1000).collect();
    for _ in 0..4 {
        send(&mut session, &frame);
        session.read(ROOM);
    }
    let transcript = session.wait(12_000).read(ROOM).run();
    assert_eq!(transcript.reads, [774, 524, 274, 24, WORDS]);
    assert_eq!(transcript.frames, vec![frame; 4]);
}

#[test]
fn a_frame_that_does_not_fit_is_dropped_and_counted() {
    let Some(mut session) = Session::new("a_frame_that_does_not_fit", 64) else { return };
    session.stall(0, 20_000);
    send(&mut session, &[1; 4000]);
    // 24 words are left: these 25 do not fit. A frame of one word does.
    send(&mut session, &[2; 100]);
    session.read(DROPPED).read(ROOM);
    send(&mut session, &[3; 4]);
    // A length that is not that of the words.
    session.write(WORD, 4).write(END, 8).write(END, 0).read(DROPPED);
    let transcript = session.wait(22_000).read(ROOM).run();
    assert_eq!(transcript.frames, [vec![1; 4000], vec![3; 4]]);
    assert_eq!(transcript.reads, [1, 24, 3, WORDS]);
}

#[test]
fn too_many_frames_leave_no_room() {
    let Some(mut session) = Session::new("too_many_frames_leave_no_room", 64) else { return };
    session.stall(0, 5_000);
    for n in 0..FRAMES {
        send(&mut session, &[n as u8; 4]);
    }
    let transcript = session.read(ROOM).wait(6_000).read(ROOM).run();
    assert_eq!(transcript.reads, [0, WORDS]);
    assert_eq!(transcript.frames.len(), FRAMES);
}

/// A watchdog that is not kicked resets the core and its devices, leaves its mark, and is off.
#[test]
fn the_watchdog_bites_once() {
    let Some(mut session) = Session::new("the_watchdog_bites_once", 64) else { return };
    session.read(SUPERVISOR).write(CODE, 7).write(DIVIDER, 90).write(CONTROL, 1).write(WORD, 1);
    session.write(WATCHDOG, 500);
    for _ in 0..10 {
        session.wait(300).write(KICK, 1);
    }
    session.read(CODE).read(CONTROL).wait(1000).read(CODE).read(WATCHDOG).read(CONTROL).read(ROOM);
    let transcript = session.wait(5_000).run();
    // One reset when the power came, one by the watchdog.
    assert_eq!(transcript.resets, 2);
    assert_eq!(transcript.reads, [0x5655_5046, 7, 1, BITTEN, 0, 0, WORDS]);
}

#[test]
fn a_reset_keeps_its_code_and_power_clears_it() {
    let Some(mut session) = Session::new("a_reset_keeps_its_code_and_power_clears_it", 64) else { return };
    session.write(CODE, 0xdead_0042).write(RESET, 0).wait(30).write(RESET, 1).wait(30).read(CODE);
    let transcript = session.power().read(CODE).run();
    assert_eq!(transcript.resets, 3);
    assert_eq!(transcript.reads, [0xdead_0042, 0]);
}

/// The counter of clocks counts clocks.
#[test]
fn cycles_are_counted() {
    let Some(mut session) = Session::new("cycles_are_counted", 64) else { return };
    let transcript = session.read(CYCLES).wait(1000).read(CYCLES).read(CYCLES + 4).run();
    // An access takes two clocks.
    assert_eq!(transcript.reads[1] - transcript.reads[0], 1002);
    assert_eq!(transcript.reads[2], 0);
}

#[test]
fn the_console_and_the_finisher_are_heard() {
    let Some(mut session) = Session::new("the_console_and_the_finisher_are_heard", 64) else { return };
    for byte in *b"ok" {
        session.write(0x1000_0000, byte.into());
    }
    // The same devices again with the top bit set, for cores that cache what is below; an address without a device.
    let transcript = session.write(0x9000_0000, b'!'.into()).read(0x1000_0004).write(0x0010_0000, 0x5555);
    let transcript = transcript.read(0x3000_0000).run();
    assert_eq!(transcript.console, b"ok!");
    assert_eq!(transcript.finishes, [0x5555]);
    assert_eq!(transcript.reads, [0x6000, 0]);
}
