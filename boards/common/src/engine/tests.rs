use super::*;
use std::vec::Vec;

/// Words that look random and are the same in every run.
fn words(block: u32) -> [TimeWord; LINES] {
    core::array::from_fn(|line| TimeWord((block * 64 + line as u32).wrapping_mul(0x9e37_79b9).rotate_left(7)))
}

fn frames(mode: Mode, blocks: u32) -> Vec<Vec<u8>> {
    let mut engine = std::boxed::Box::new(Engine::new());
    engine.reset(mode);
    let mut frames = Vec::new();
    for block in 0..blocks {
        if engine.push(&words(block)) {
            frames.push(engine.payload().to_vec());
            engine.clear();
        }
    }
    frames
}

fn values(frame: &[u8]) -> Vec<i32> {
    frame.as_chunks().0.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect()
}

#[test]
fn bits_are_rows_of_all_lines() {
    let frames = frames(Mode::Bits, 8);
    assert_eq!((frames.len(), frames[0].len()), (2, PAYLOAD));
    for (row, bytes) in frames.concat().chunks(LINES / 8).enumerate() {
        for line in 0..LINES {
            let bit = bytes[line / 8] >> (line % 8) & 1;
            assert_eq!(
                u32::from(bit),
                words(row as u32 / 32)[line].0 >> (row % 32) & 1,
                "row {row} line {line}"
            );
        }
    }
}

#[test]
fn samples_are_those_of_dsp_core() {
    let mut lines = [const { Decimator::new() }; LINES];
    for (frame, start) in frames(Mode::Decimate, 40).iter().zip((0..).step_by(4)) {
        for (row, block) in values(frame).chunks(LINES).zip(start..) {
            let expected: Vec<i32> =
                lines.iter_mut().zip(words(block)).map(|(line, word)| line.push(word)).collect();
            assert_eq!(row, expected);
        }
    }
    let mut cic = dsp_core::cic::Cic::<i32, 4, 32, 1>::new();
    for (frame, start) in frames(Mode::Cic, 40).iter().zip((0..).step_by(4)) {
        for (row, block) in values(frame).chunks(LINES).zip(start..) {
            let mut sample = [0];
            let _ = cic.process_bits(&words(block)[7..8], &mut sample);
            assert_eq!(row[7], sample[0], "block {block}");
        }
    }
    let average = &frames(Mode::Average, 4)[0];
    assert_eq!(values(average)[LINES + 3], 2 * words(1)[3].0.count_ones() as i32 - 32);
}

#[test]
fn walsh_rows_are_coefficients_of_a_window() {
    let frames = frames(Mode::Walsh, 64);
    assert_eq!(frames.len(), 2);
    for line in [0, 1, 63] {
        let window: Vec<TimeWord> = (32..64).map(|block| words(block)[line]).collect();
        for index in 0..COEFFICIENTS {
            let value = values(&frames[1])[LINES * index + line];
            assert_eq!(Ok(value), dsp_core::walsh::coefficient(&window, index));
        }
    }
}

#[test]
fn an_unfinished_frame_has_the_rows_so_far() {
    let mut engine = std::boxed::Box::new(Engine::new());
    for (mode, bytes) in [(Mode::Bits, 512), (Mode::Decimate, 512), (Mode::Average, 512), (Mode::Walsh, 0)] {
        engine.reset(mode);
        assert!(engine.payload().is_empty());
        assert!(!engine.push(&words(0)) && !engine.push(&words(1)));
        assert_eq!(engine.payload().len(), bytes, "{mode:?}");
    }
}
