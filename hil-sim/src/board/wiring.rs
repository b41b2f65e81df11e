//! The wiring's self-test: every line carries a Walsh function of its own, so the order of the channels can be read off the bits.
//!
//! Line c at bit time t carries bit 1 where popcount((c + 1) & (t mod 2048)) is even: the Walsh function of Hadamard index c + 1,
//! up to 2047 lines. A transform of 2048 bits of a channel has one coefficient of full scale, and its index is the line.

use dsp_core::walsh::fwht;

use super::{BLOCK_ROWS, LINES};

/// Bit times after which the pattern repeats: enough to judge all lines.
pub const PERIOD: usize = 2048;

/// A channel that does not carry its own line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The channel, by its place in a row.
    pub channel: usize,
    /// The line that it carries; none if it carries no pattern.
    pub found: Option<usize>,
}

/// The bit of a line at a bit time.
pub fn bit(line: usize, time: usize) -> bool {
    ((line + 1) & (time % PERIOD)).count_ones().is_multiple_of(2)
}

/// The words of a block.
pub(super) fn time_words(block: u32) -> [u32; LINES] {
    let begin = block as usize % (PERIOD / BLOCK_ROWS) * BLOCK_ROWS;
    std::array::from_fn(|line| (0..BLOCK_ROWS).map(|t| u32::from(bit(line, begin + t)) << t).sum())
}

/// Which channels of [`PERIOD`] rows, packed as in a frame and from bit time 0 on, are not where they should be.
pub fn judge(rows: &[u8], row_bytes: usize) -> Vec<Misplaced> {
    let channels = 8 * row_bytes;
    let line_of = |channel: usize| {
        let bits = rows.chunks_exact(row_bytes).take(PERIOD);
        let mut values: Vec<i32> =
            bits.map(|row| i32::from(row[channel / 8] >> (channel % 8) & 1) * 2 - 1).collect();
        fwht(&mut values).ok()?;
        // The sum over a whole period is full scale for one function only.
        values.iter().position(|value| *value == PERIOD as i32)?.checked_sub(1)
    };
    let found = (0..channels).map(|channel| Misplaced { channel, found: line_of(channel) });
    found.filter(|place| place.found != Some(place.channel)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of 1024 channels that carry the lines of `order`.
    fn rows(order: &[usize]) -> Vec<u8> {
        let byte =
            |t, eight: &[usize]| eight.iter().enumerate().map(|(j, c)| u8::from(bit(*c, t)) << j).sum();
        (0..PERIOD).flat_map(|t| order.chunks(8).map(move |eight| byte(t, eight))).collect()
    }

    #[test]
    fn a_thousand_channels_are_told_apart() {
        let mut order: Vec<usize> = (0..1024).collect();
        assert_eq!(judge(&rows(&order), 128), []);
        order.swap(3, 900);
        let wrong = [Misplaced { channel: 3, found: Some(900) }, Misplaced { channel: 900, found: Some(3) }];
        assert_eq!(judge(&rows(&order), 128), wrong);
    }

    #[test]
    fn a_broken_line_carries_nothing() {
        let mut rows = rows(&(0..64).collect::<Vec<_>>());
        rows.chunks_mut(8).for_each(|row| row[2] |= 1);
        assert_eq!(judge(&rows, 8), [Misplaced { channel: 16, found: None }]);
    }

    #[test]
    fn words_are_the_bits_in_time() {
        for block in [0, 63, 64, 130] {
            for (line, word) in time_words(block).into_iter().enumerate() {
                let first = 32 * block as usize;
                assert!((0..32).all(|t| (word >> t & 1 == 1) == bit(line, first + t)));
            }
        }
    }
}
