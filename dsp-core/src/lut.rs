//! Decimating FIR by byte tables: eight one-bit samples cost one table row.
//!
//! y\[n\] = sum_j h\[j\] x\[R n + R - 1 - j\] with x = +1 or -1, exactly, for any integer taps h: those of a CIC, or of a
//! CIC and the FIR behind it. The transposed form is used: a byte does not wait for its outputs, it adds its
//! share to all of them at once. A table row holds those shares side by side, so one step is `W` vector
//! additions, a shift by `E` lanes, and nothing else: no multiplication, no branch.
//!
//! | symbol | meaning |
//! |---|---|
//! | `A` | accumulator: `i16`, `i32` or `i64`; sums wrap, and only the finished output must fit |
//! | `W` | bytes consumed in a step |
//! | `E` | outputs emitted in a step; the rate is R = 8 W / E |
//! | `L` | outputs touched by a step, `lanes(taps)`: floor((T - R + 8 W - 1) / R) + 1 for T taps |
//!
//! A CIC of order 4 by 32 (125 taps) is `Lut<i32, 4, 4, 1>`, 16 KiB; order 5 by 8 (36 taps) in half units is
//! `Lut<i16, 4, 8, 4>`, 16 KiB. Cost: `W L` additions a step, 0.5 and 1 a bit; 4 vector additions for 32 bits.
//!
//! Tables are made by `const fn`, so that firmware keeps them in flash. [`PackedLut`] is the same for a rate of 8 with
//! four outputs in one 64-bit word.

mod packed;
mod taps;

pub use packed::{PackedLut, unpack};
pub use taps::{LutError, lanes};

use crate::Progress;
use taps::{sums, tap};

/// Tables of a decimating FIR for one-bit input; the state is kept apart, one `[A; L]` a channel.
#[derive(Clone, Debug)]
#[repr(align(64))] // a table row never straddles two cache lines
pub struct Lut<A, const W: usize, const L: usize, const E: usize> {
    entries: [[[A; L]; 256]; W],
    /// What an output holds before the first of its samples.
    fill: A,
    /// The state before the first sample.
    initial: [A; L],
}

macro_rules! accumulator {
    ($a:ty) => {
        impl<const W: usize, const L: usize, const E: usize> Lut<$a, W, L, E> {
            /// Tables whose output is the sum itself, with a history of zeros (as a CIC after reset).
            pub const fn new(taps: &[i64]) -> Result<Self, LutError> {
                let (_, absolute) = sums(taps);
                if let Err(e) = Self::check(taps, absolute, 1) {
                    return Err(e);
                }
                let mut lut = Self { entries: [[[0; L]; 256]; W], fill: 0, initial: [0; L] };
                lut.fill_entries(taps, -1);
                Ok(lut)
            }

            /// Tables whose output is half the sum, with an idle history ([`crate::pdm::TimeWord::IDLE`]).
            ///
            /// sum +-h has the parity of sum h, so nothing is lost, and a filter of gain 2^15 fits `i16`.
            pub const fn halved(taps: &[i64]) -> Result<Self, LutError> {
                let (sum, absolute) = sums(taps);
                if sum % 2 != 0 {
                    return Err(LutError::OddSum(sum));
                }
                if let Err(e) = Self::check(taps, absolute, 2) {
                    return Err(e);
                }
                let fill = (-sum / 2) as $a;
                let mut lut = Self { entries: [[[0; L]; 256]; W], fill, initial: [fill; L] };
                lut.fill_entries(taps, 0);
                let rate = 8 * W / E;
                let mut lane = 0;
                while lane < L {
                    // Idle bits are 1 at even times; output `lane` sees time -t through tap R lane + R - 1 + t.
                    let mut j = rate * lane + rate + 1;
                    while j < taps.len() {
                        lut.initial[lane] = lut.initial[lane].wrapping_add(taps[j] as $a);
                        j += 2;
                    }
                    lane += 1;
                }
                Ok(lut)
            }

            /// Whether the shape fits and sums over `absolute / unit` stay in the accumulator.
            const fn check(taps: &[i64], absolute: i128, unit: i128) -> Result<(), LutError> {
                if E == 0 || E > L || W == 0 || (8 * W) % E != 0 {
                    return Err(LutError::Shape { bytes: W, outputs: E, lanes: L });
                }
                let needed = lanes(taps.len(), 8 * W / E, W);
                if needed > L {
                    return Err(LutError::TooManyTaps { taps: taps.len(), needed, lanes: L });
                }
                if absolute / unit > <$a>::MAX as i128 {
                    return Err(LutError::Overflow(absolute));
                }
                Ok(())
            }

            /// Every byte value's share in every lane; a 0 bit counts as `low` (-1, or 0 in half units).
            const fn fill_entries(&mut self, taps: &[i64], low: $a) {
                let rate = 8 * W / E;
                let (mut byte, mut value, mut lane) = (0, 0, 0);
                while byte < W {
                    let mut share: $a = 0;
                    let mut bit = 0;
                    while bit < 8 {
                        let h = tap(taps, rate, lane, 8 * byte + bit) as $a;
                        let x = if (value >> bit) & 1 == 1 { 1 } else { low };
                        share = share.wrapping_add(h.wrapping_mul(x));
                        bit += 1;
                    }
                    self.entries[byte][value][lane] = share;
                    lane += 1;
                    if lane == L {
                        (lane, value) = (0, value + 1);
                    }
                    if value == 256 {
                        (value, byte) = (0, byte + 1);
                    }
                }
            }

            /// The state of a channel before its first sample.
            pub const fn initial(&self) -> [$a; L] {
                self.initial
            }

            /// One step of one channel: `W` bytes in (earliest first), `E` outputs out.
            #[inline(always)]
            pub fn step(&self, state: &mut [$a; L], bytes: [u8; W]) -> [$a; E] {
                let mut acc = *state;
                self.add(&mut acc, bytes);
                *state = core::array::from_fn(|k| acc.get(k + E).copied().unwrap_or(self.fill));
                core::array::from_fn(|e| acc.get(e).copied().unwrap_or(self.fill))
            }

            /// What `bytes` give to every lane: a step before its outputs leave.
            #[inline(always)]
            pub fn add(&self, lanes: &mut [$a; L], bytes: [u8; W]) {
                for (table, byte) in self.entries.iter().zip(bytes) {
                    for (lane, share) in lanes.iter_mut().zip(&table[byte as usize]) {
                        *lane = lane.wrapping_add(*share);
                    }
                }
            }

            /// Steps through `input` while whole steps and room for their outputs are left; counts bytes and outputs.
            pub fn process(&self, state: &mut [$a; L], input: &[u8], output: &mut [$a]) -> Progress {
                let (mut consumed, mut produced) = (0, 0);
                for (bytes, out) in input.as_chunks::<W>().0.iter().zip(output.as_chunks_mut::<E>().0) {
                    *out = self.step(state, *bytes);
                    consumed += W;
                    produced += E;
                }
                Progress { consumed, produced }
            }
        }
    };
}

accumulator!(i16);
accumulator!(i32);
accumulator!(i64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;
    use std::{boxed::Box, vec};

    /// The definition: y\[n\] = sum_j h\[j\] x\[R n + R - 1 - j\], samples before the first given by `history(t)`, t < 0.
    fn direct(taps: &[i64], rate: usize, bytes: &[u8], history: fn(i64) -> i64) -> Vec<i64> {
        let x = |t: i64| {
            if t < 0 { history(t) } else { i64::from(bytes[t as usize / 8] >> (t % 8) & 1) * 2 - 1 }
        };
        (0..bytes.len() * 8 / rate)
            .map(|n| {
                let newest = (rate * n + rate - 1) as i64;
                taps.iter().enumerate().map(|(j, h)| h * x(newest - j as i64)).sum()
            })
            .collect()
    }

    fn run<const W: usize, const L: usize, const E: usize>(
        lut: &Lut<i32, W, L, E>,
        bytes: &[u8],
    ) -> Vec<i64> {
        let mut state = lut.initial();
        let mut out = vec![i32::MIN; bytes.len() / W * E];
        let progress = lut.process(&mut state, bytes, &mut out);
        assert_eq!(progress, Progress { consumed: bytes.len() / W * W, produced: out.len() });
        out.into_iter().map(i64::from).collect()
    }

    macro_rules! matches_direct {
        ($name:ident, $w:literal, $l:literal, $e:literal) => {
            proptest! {
                #[test]
                fn $name(
                    taps in prop::collection::vec(-1000i64..1000, 1..=(8 * $w / $e) * ($l + 1) - 8 * $w),
                    bytes in prop::collection::vec(any::<u8>(), 0..200),
                ) {
                    let lut = Box::new(Lut::<i32, $w, $l, $e>::new(&taps).unwrap());
                    let whole = &bytes[..bytes.len() / $w * $w];
                    prop_assert_eq!(run(&lut, whole), direct(&taps, 8 * $w / $e, whole, |_| 0));
                }
            }
        };
    }

    matches_direct!(rate_32, 4, 4, 1);
    matches_direct!(rate_16, 4, 6, 2);
    matches_direct!(rate_8, 4, 8, 4);
    matches_direct!(rate_8_bytewise, 1, 5, 1);
    matches_direct!(rate_5, 5, 12, 8);
    matches_direct!(rate_4, 1, 7, 2);
    matches_direct!(rate_64, 8, 3, 1);
    matches_direct!(rate_1, 1, 20, 8);

    proptest! {
        #[test]
        fn half_units_with_idle_history(bytes in prop::collection::vec(any::<u8>(), 4..200)) {
            let taps: [i64; 36] = crate::cic::Cic::<i32, 5, 8, 1>::taps();
            let lut = Box::new(Lut::<i16, 4, 8, 4>::halved(&taps).unwrap());
            let whole = &bytes[..bytes.len() / 4 * 4];
            let mut state = lut.initial();
            let mut out = vec![i16::MIN; whole.len()];
            let _ = lut.process(&mut state, whole, &mut out);
            let doubled: Vec<i64> = out.iter().map(|&y| 2 * i64::from(y)).collect();
            prop_assert_eq!(doubled, direct(&taps, 8, whole, |t| 1 - 2 * t.rem_euclid(2)));
        }

        #[test]
        fn chunks_do_not_matter(bytes in prop::collection::vec(any::<u8>(), 64), cut in 0usize..64) {
            let lut = Box::new(Lut::<i32, 1, 5, 1>::new(&[1, -2, 3, 4, 5, 6, -7, 8, 9, 10]).unwrap());
            let (mut state, mut out) = (lut.initial(), [0; 64]);
            let first = lut.process(&mut state, &bytes[..cut], &mut out);
            let _ = lut.process(&mut state, &bytes[first.consumed..], &mut out[first.produced..]);
            prop_assert_eq!(out.map(i64::from).to_vec(), run(&lut, &bytes));
        }
    }

    #[test]
    fn full_scale_fits_half_units() {
        let taps: [i64; 36] = crate::cic::Cic::<i32, 5, 8, 1>::taps();
        let lut = Box::new(Lut::<i16, 4, 8, 4>::halved(&taps).unwrap());
        for (byte, settled) in [(0xff, 1 << 14), (0x00, -(1 << 14))] {
            let (mut state, mut out) = (lut.initial(), [0; 16]);
            let _ = lut.process(&mut state, &[byte; 16], &mut out);
            assert_eq!(out[15], settled);
        }
    }

    #[test]
    fn a_short_output_stops_the_input() {
        let lut = Box::new(Lut::<i32, 1, 2, 1>::new(&[1; 8]).unwrap());
        let (mut state, mut out) = (lut.initial(), [0; 2]);
        assert_eq!(lut.process(&mut state, &[0xff; 5], &mut out), Progress { consumed: 2, produced: 2 });
        assert_eq!(out, [8, 8]);
    }

    #[test]
    fn impossible_tables_are_refused() {
        let shape = LutError::Shape { bytes: 1, outputs: 3, lanes: 4 };
        assert_eq!(Lut::<i32, 1, 4, 3>::new(&[1]).err(), Some(shape));
        let many = LutError::TooManyTaps { taps: 20, needed: 3, lanes: 2 };
        assert_eq!(Lut::<i32, 1, 2, 1>::new(&[1; 20]).err(), Some(many));
        assert_eq!(Lut::<i16, 1, 2, 1>::new(&[32768]).err(), Some(LutError::Overflow(32768)));
        let huge = LutError::Overflow(2 * i128::from(i64::MAX));
        assert_eq!(Lut::<i64, 1, 2, 1>::new(&[i64::MAX; 2]).err(), Some(huge));
        assert_eq!(Lut::<i16, 1, 2, 1>::halved(&[3]).err(), Some(LutError::OddSum(3)));
    }
}
