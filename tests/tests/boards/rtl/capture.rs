//! Capture: time words, blocks, what is lost, the wiring pattern, the FIFO at its limits.

use super::{noise, time_words};
use hil_sim::board::wiring::judge;
use tests::rtl::session::{CONTROL, DATA, DIVIDER, FRONT_END, LOST, Output, STATUS, Session};

/// System clocks for a block at the smallest divider.
const BLOCK_CLOCKS: u64 = 32 * 59;
/// Words that the bench's FIFO holds: 2^11 for 64 lines.
const FIFO_WORDS: usize = 1 << 11;
const OVERRUN: u32 = 1 << 16;

fn words_are_those_of_pdm(test: &str, lines: usize, blocks: usize) {
    let Some(mut session) = Session::new(test, lines) else { return };
    let rows = noise(20, lines, 32 * blocks);
    let transcript = session.start(Output::Words, &rows).blocks(blocks).read(STATUS).read(LOST).run();
    let got = transcript.blocks(lines);
    for line in 0..lines {
        for (n, expected) in time_words(&rows, lines, line).iter().enumerate() {
            assert_eq!(got[n].0 as usize, n);
            assert_eq!(got[n].1[line], expected.0, "line {line}, word {n}");
        }
    }
    assert_eq!(transcript.reads, [0, 0], "nothing is left, nothing was lost");
}

#[test]
fn time_words_of_64_lines() {
    words_are_those_of_pdm("time_words_of_64_lines", 64, 50);
}

#[test]
fn time_words_of_16_lines() {
    words_are_those_of_pdm("time_words_of_16_lines", 16, 30);
}

#[test]
fn time_words_of_1024_lines() {
    words_are_those_of_pdm("time_words_of_1024_lines", 1024, 6);
}

/// Whole blocks are dropped, counted, and missing in the numbers; what is kept is right.
#[test]
fn a_full_fifo_loses_whole_blocks_and_says_so() {
    let Some(mut session) = Session::new("a_full_fifo_loses_whole_blocks_and_says_so", 64) else { return };
    let fit = FIFO_WORDS / 65;
    let (sent, lost) = (fit + 7, 7);
    let rows = noise(21, 64, 32 * sent);
    session.start(Output::Words, &rows).wait(BLOCK_CLOCKS * (sent as u64 + 1));
    session.read(STATUS).read(LOST).blocks(fit);
    // The overrun stays until it is cleared; what comes next has the number after the gap.
    session.read(STATUS).write(STATUS, OVERRUN).read(STATUS).read(LOST);
    session.rows(&noise(22, 64, 32)).blocks(1);
    let transcript = session.run();
    let blocks = transcript.blocks(64);
    let numbers: Vec<usize> = blocks.iter().map(|block| block.0 as usize).collect();
    assert_eq!(numbers, (0..fit).chain([sent]).collect::<Vec<_>>());
    let first_line = time_words(&rows, 64, 0);
    assert!((0..fit).all(|n| blocks[n].1[0] == first_line[n].0));
    let full = (fit * 65) as u32;
    assert_eq!(transcript.reads, [full | OVERRUN, lost, OVERRUN, 0, lost]);
}

/// Run rising starts the numbers and the count of losses anew, and throws away what was not fetched.
#[test]
fn a_new_run_begins_with_an_empty_fifo() {
    let Some(mut session) = Session::new("a_new_run_begins_with_an_empty_fifo", 64) else { return };
    session.start(Output::Words, &noise(23, 64, 32 * 40)).wait(BLOCK_CLOCKS * 41).read(STATUS).read(LOST);
    let rows = noise(24, 64, 32 * 3);
    session.start(Output::Words, &rows).read(STATUS).read(LOST).blocks(3);
    let transcript = session.run();
    assert_eq!(transcript.reads, [(31 * 65) | OVERRUN, 9, 0, 0]);
    let blocks = transcript.blocks(64);
    assert_eq!(blocks.iter().map(|block| block.0).collect::<Vec<_>>(), [0, 1, 2]);
    assert!(time_words(&rows, 64, 63).iter().zip(&blocks).all(|(word, block)| block.1[63] == word.0));
}

#[test]
fn an_empty_fifo_gives_zeros() {
    let Some(mut session) = Session::new("an_empty_fifo_gives_zeros", 64) else { return };
    session.read(DATA).start(Output::Words, &noise(25, 64, 32)).blocks(1).read(DATA).read(STATUS);
    assert_eq!(session.run().reads, [0, 0, 0]);
}

/// The pattern in the lines' place: line c carries a Walsh function of its own, by which the host finds every channel.
fn pattern_is_where_the_map_says(test: &str, lines: usize, blocks: usize) {
    let Some(mut session) = Session::new(test, lines) else { return };
    let rows = noise(26, lines, 32 * blocks);
    // The bench pops a word in four clocks.
    session.write(DIVIDER, lines as u32 * 5 / 32).rows(&rows).write(CONTROL, 0b11).blocks(blocks);
    let transcript = session.run();
    for (n, (_, words)) in transcript.blocks(lines).iter().enumerate() {
        for (line, word) in words.iter().enumerate() {
            let bit =
                |t: usize| u32::from(((line + 1) & ((32 * n + t) % 2048)).count_ones().is_multiple_of(2));
            let expected = (0..32).fold(0, |word, t| word | bit(t) << t);
            assert_eq!(*word, expected, "line {line}, word {n}");
        }
    }
    let seen = transcript.blocks(lines).iter().flat_map(|(_, words)| rows_of(words)).collect::<Vec<_>>();
    assert_eq!(judge(&seen, lines / 8), [], "misplaced channels");
}

/// The rows of a block of time words.
fn rows_of(words: &[u32]) -> Vec<u8> {
    let byte =
        |t: u32, eight: &[u32]| eight.iter().enumerate().map(|(j, word)| ((word >> t & 1) as u8) << j).sum();
    (0..32).flat_map(|t| words.chunks(8).map(move |eight| byte(t, eight))).collect()
}

#[test]
fn wiring_pattern_of_64_lines() {
    // Two periods of 2048 bits.
    pattern_is_where_the_map_says("wiring_pattern_of_64_lines", 64, 128);
}

#[test]
fn wiring_pattern_of_1024_lines() {
    // One period: 1.4 ms of data.
    pattern_is_where_the_map_says("wiring_pattern_of_1024_lines", 1024, 64);
}

#[test]
fn registers_say_what_is_in_force() {
    let Some(mut session) = Session::new("registers_say_what_is_in_force", 64) else { return };
    session.read(FRONT_END).read(FRONT_END + 4).read(CONTROL).read(DIVIDER);
    session.write(DIVIDER, 2).read(DIVIDER).write(DIVIDER, 1000).read(DIVIDER);
    session.write(CONTROL, 0x23).read(CONTROL).read(FRONT_END + 0x1c);
    assert_eq!(session.run().reads, [0x3145_464e, 64, 0, 59, 59, 1000, 0x23, 0]);
}

/// The divider sets the pace: as many blocks as fit the clocks, not one more.
#[test]
fn the_divider_sets_the_pace() {
    let Some(mut session) = Session::new("the_divider_sets_the_pace", 64) else { return };
    session.write(DIVIDER, 100).start(Output::Words, &noise(27, 64, 3200));
    // Ten blocks and nearly an eleventh; a block is pushed within 200 clocks of its last bit.
    session.wait(11 * 3200 - 100).read(STATUS).wait(300).read(STATUS);
    assert_eq!(session.run().reads, [10 * 65, 11 * 65]);
}
