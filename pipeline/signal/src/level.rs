//! The level of every channel and the 1 bits of its line: the first things to look at in an array.
//!
//! dBFS as AES17 has it: a sine that just reaches full scale is 0 dBFS, so level = 20 log10(sqrt(2) rms / FULL_SCALE).
//! The mean is taken out: a microphone's offset is no sound.

use crate::decimate::FULL_SCALE;

/// Sums over the frames seen so far.
#[derive(Debug, Clone)]
pub struct Levels {
    frames: u64,
    sum: Vec<i64>,
    /// Codes have 25 bits, squares 50: 2^77 frames fit.
    squares: Vec<i128>,
}

impl Levels {
    /// Levels of `channels` channels.
    pub fn new(channels: usize) -> Self {
        Self { frames: 0, sum: vec![0; channels], squares: vec![0; channels] }
    }

    /// Adds whole frames of codes.
    pub fn add(&mut self, frames: &[i32]) {
        for frame in frames.chunks_exact(self.sum.len()) {
            self.frames += 1;
            for ((code, sum), square) in frame.iter().zip(&mut self.sum).zip(&mut self.squares) {
                let code = i64::from(*code);
                *sum += code;
                *square += i128::from(code * code);
            }
        }
    }

    /// Level of every channel in dBFS; NaN before the first frame, minus infinity for exact silence.
    pub fn dbfs(&self) -> Vec<f32> {
        let n = self.frames as f64;
        let full_scale = f64::from(FULL_SCALE);
        let level = |(sum, square): (&i64, &i128)| {
            let mean = *sum as f64 / n;
            // Rounding may leave a tiny negative number; NaN (no frames) must stay NaN.
            let variance = *square as f64 / n - mean * mean;
            let variance = if variance < 0.0 { 0.0 } else { variance };
            (10.0 * (2.0 * variance / (full_scale * full_scale)).log10()) as f32
        };
        self.sum.iter().zip(&self.squares).map(level).collect()
    }
}

/// Adds the 1 bits of whole rows to the counts of their lines, which are as many as a row has bits.
pub fn count_ones(rows: &[u8], counts: &mut [u64]) {
    let row_bytes = counts.len() / 8;
    // Bit 0 of all bytes, then bit 1 and so on; a byte counts 255 rows.
    let mut few = vec![0u8; counts.len()];
    for some in rows.chunks(255 * row_bytes) {
        few.fill(0);
        for row in some.chunks_exact(row_bytes) {
            for (bit, few) in few.chunks_exact_mut(row_bytes).enumerate() {
                few.iter_mut().zip(row).for_each(|(few, byte)| *few += byte >> bit & 1);
            }
        }
        for (line, count) in counts.iter_mut().enumerate() {
            *count += u64::from(few[line % 8 * row_bytes + line / 8]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_are_counted_line_by_line() {
        for row_bytes in [1, 3, 128] {
            let rows: Vec<u8> =
                (0..1000 * row_bytes as u32).map(|i| (i.wrapping_mul(2_654_435_769) >> 24) as u8).collect();
            let mut counts = vec![7; 8 * row_bytes];
            count_ones(&rows, &mut counts);
            for (line, count) in counts.into_iter().enumerate() {
                let bytes = rows.iter().skip(line / 8).step_by(row_bytes);
                let ones = bytes.filter(|byte| *byte >> (line % 8) & 1 == 1).count() as u64;
                assert_eq!(count, 7 + ones, "line {line} of {}", 8 * row_bytes);
                assert!((1..1000).contains(&ones), "a line that says nothing");
            }
        }
    }

    #[test]
    fn a_full_scale_sine_is_zero_whatever_its_offset() {
        let mut levels = Levels::new(2);
        let frames: Vec<i32> = (0..1000)
            .flat_map(|n| {
                let sine = (f64::from(n) * std::f64::consts::TAU / 100.0).sin() * f64::from(FULL_SCALE);
                [sine.round() as i32, 12345]
            })
            .collect();
        levels.add(&frames);
        let dbfs = levels.dbfs();
        // Rounding to codes changes the power by 1/12 code^2 of 2^45: 1e-14 dB, under the f32 result's rounding.
        assert!(dbfs[0].abs() < 1e-6, "{dbfs:?}");
        assert_eq!(dbfs[1], f32::NEG_INFINITY);
        assert!(Levels::new(1).dbfs()[0].is_nan());
    }
}
