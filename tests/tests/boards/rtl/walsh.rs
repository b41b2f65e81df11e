//! The Walsh engine gives `dsp_core::walsh::low_coefficients`.

use super::{noise, time_words};
use dsp_core::walsh::low_coefficients;
use tests::rtl::session::{Output, Session};

/// Coefficients of a frame, and blocks of 32 bits in it.
const ORDER: usize = 16;

fn counts_like_dsp_core(test: &str, lines: usize, frames: usize, seed: u64) {
    let Some(mut session) = Session::new(test, lines) else { return };
    // A frame is sent while the next one is counted.
    let rows = noise(seed, lines, 32 * ORDER * (frames + 1));
    let transcript = session.start(Output::Walsh, &rows).blocks(frames * ORDER).run();
    let blocks = transcript.blocks(lines);
    assert_eq!(blocks.len(), frames * ORDER);
    for line in 0..lines {
        let words = time_words(&rows, lines, line);
        for (frame, words) in words.chunks_exact(ORDER).take(frames).enumerate() {
            let mut expected = [0; ORDER];
            low_coefficients(words, &mut expected).unwrap();
            for (sequency, expected) in expected.iter().enumerate() {
                let (number, coefficients) = blocks[frame * ORDER + sequency];
                assert_eq!(number as usize, frame * ORDER + sequency, "a block is missing");
                let place = format!("line {line}, frame {frame}, sequency {sequency}");
                assert_eq!(coefficients[line] as i32, *expected, "{place}");
            }
        }
    }
}

#[test]
fn sixty_four_lines() {
    counts_like_dsp_core("walsh::sixty_four_lines", 64, 5, 11);
}

#[test]
fn sixteen_lines() {
    counts_like_dsp_core("walsh::sixteen_lines", 16, 3, 13);
}

#[test]
fn a_thousand_lines() {
    counts_like_dsp_core("walsh::a_thousand_lines", 1024, 1, 12);
}
