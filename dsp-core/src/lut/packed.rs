//! The byte table of a filter by 8 with four 16-bit outputs in one machine word.
//!
//! A word of 32 samples touches eight outputs, so a table row is two `u64`. Each lane holds c + sum of the taps that
//! met a 1 bit, which runs from c to c + G for taps that are not negative (G = their sum): with c = 2^15 - G/2 it
//! stays within 16 bits, no carry leaves a lane, and one 64-bit addition serves four outputs. The
//! output in half units, the same as [`super::Lut::halved`] gives, is the lane with its top bit flipped.
//!
//! Cost: 8 additions for 32 samples, 16 KiB of table, one `u64` of state a channel.

use super::taps::{LutError, lanes, sums, tap};
use crate::pdm::TimeWord;

/// Tables of a decimator by 8 with up to 40 non-negative taps of sum up to 2^16 - 2.
#[derive(Clone, Debug)]
#[repr(align(64))] // a table row never straddles two cache lines
pub struct PackedLut {
    entries: [[[u64; 2]; 256]; 4],
    /// c in all four lanes.
    fill: u64,
    initial: u64,
}

const RATE: usize = 8;
const LANES: usize = 8;
/// 1 in each of four lanes.
const ONES: u64 = 0x0001_0001_0001_0001;

impl PackedLut {
    /// Tables whose output is half the sum, with an idle history.
    pub const fn halved(taps: &[i64]) -> Result<Self, LutError> {
        let (sum, absolute) = sums(taps);
        if sum % 2 != 0 {
            return Err(LutError::OddSum(sum));
        }
        let needed = lanes(taps.len(), RATE, 4);
        if needed > LANES {
            return Err(LutError::TooManyTaps { taps: taps.len(), needed, lanes: LANES });
        }
        if sum != absolute || sum > 0xfffe {
            return Err(LutError::Overflow(absolute));
        }
        let fill = (0x8000 - sum as u64 / 2) * ONES;
        let mut lut = Self { entries: [[[0; 2]; 256]; 4], fill, initial: fill };
        let (mut bit, mut lane) = (0, 0);
        while bit < 32 {
            lut.add_bit(bit, lane, tap(taps, RATE, lane, bit) as u64);
            (bit, lane) = if lane + 1 == LANES { (bit + 1, 0) } else { (bit, lane + 1) };
        }
        lane = 0;
        while lane < LANES / 2 {
            // Idle bits are 1 at even times: before the first bit, time -t with even t.
            let mut j = RATE * lane + RATE + 1;
            while j < taps.len() {
                lut.initial += (taps[j] as u64) << (16 * lane);
                j += 2;
            }
            lane += 1;
        }
        Ok(lut)
    }

    /// Adds tap `h` to output `lane` of every byte value that has `bit` set.
    const fn add_bit(&mut self, bit: usize, lane: usize, h: u64) {
        let mut value = 0;
        while value < 256 {
            if (value >> (bit % 8)) & 1 == 1 {
                self.entries[bit / 8][value][lane / 4] += h << (16 * (lane % 4));
            }
            value += 1;
        }
    }

    /// The state of a channel before its first sample.
    pub const fn initial(&self) -> u64 {
        self.initial
    }

    /// 32 samples in; four outputs out, the earliest in the low lane, each an `i16`.
    #[inline(always)]
    pub fn step(&self, state: &mut u64, word: TimeWord) -> u64 {
        let (mut now, mut next) = (*state, self.fill);
        for (table, byte) in self.entries.iter().zip(word.to_bytes()) {
            let [a, b] = table[byte as usize];
            now = now.wrapping_add(a);
            next = next.wrapping_add(b);
        }
        *state = next;
        now ^ (0x8000 * ONES)
    }
}

/// The four outputs of a step, earliest first.
#[inline(always)]
pub const fn unpack(outputs: u64) -> [i16; 4] {
    [outputs as i16, (outputs >> 16) as i16, (outputs >> 32) as i16, (outputs >> 48) as i16]
}

#[cfg(test)]
mod tests {
    use super::super::Lut;
    use super::*;
    use proptest::prelude::*;
    use std::boxed::Box;

    proptest! {
        #[test]
        fn equals_the_plain_table(
            mut taps in prop::collection::vec(0i64..1600, 1..=40), words: [u32; 20],
        ) {
            taps[0] += taps.iter().sum::<i64>() % 2;
            let plain = Box::new(Lut::<i32, 4, 8, 4>::halved(&taps).unwrap());
            let packed = Box::new(PackedLut::halved(&taps).unwrap());
            let (mut a, mut b) = (plain.initial(), packed.initial());
            for word in words {
                let expected = plain.step(&mut a, word.to_le_bytes());
                prop_assert_eq!(unpack(packed.step(&mut b, TimeWord(word))).map(i32::from), expected);
            }
        }
    }

    #[test]
    fn extremes_stay_in_their_lanes() {
        let taps: [i64; 36] = crate::cic::Cic::<i32, 5, 8, 1>::taps();
        let lut = Box::new(PackedLut::halved(&taps).unwrap());
        for (word, settled) in [(u32::MAX, 1 << 14), (0, -(1 << 14))] {
            let mut state = lut.initial();
            let outputs: [[i16; 4]; 4] =
                core::array::from_fn(|_| unpack(lut.step(&mut state, TimeWord(word))));
            assert_eq!(outputs[3], [settled; 4]);
        }
    }

    #[test]
    fn impossible_tables_are_refused() {
        assert_eq!(PackedLut::halved(&[1]).err(), Some(LutError::OddSum(1)));
        assert_eq!(PackedLut::halved(&[3, -1]).err(), Some(LutError::Overflow(4)));
        assert_eq!(PackedLut::halved(&[0x10000]).err(), Some(LutError::Overflow(0x10000)));
        let many = LutError::TooManyTaps { taps: 42, needed: 9, lanes: 8 };
        assert_eq!(PackedLut::halved(&[2; 42]).err(), Some(many));
    }
}
