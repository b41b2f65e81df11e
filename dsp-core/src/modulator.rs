//! First- and second-order one-bit sigma-delta modulators with dither, in exact integers.
//!
//! The source of bits for the simulator and for the tests. Error feedback form:
//!
//! ```text
//! second order   u[n] = x[n] - 2 e[n-1] + e[n-2]      y = x + (1 - z^-1)^2 e
//! first order    u[n] = x[n] - e[n-1]                 y = x + (1 - z^-1) e
//! both           b[n] = (u[n] + d[n] >= 0)
//!                y[n] = b[n] ? +FS : -FS
//!                e[n] = y[n] - u[n]
//! ```
//!
//! | symbol | meaning |
//! |---|---|
//! | x | input, integer, full scale FS = 2^20 ([`FULL_SCALE`]) |
//! | d | dither, added at the quantiser only, so that it is shaped like the error |
//! | u | quantiser input |
//! | y | output value; bit 1 is +FS, bit 0 is -FS |
//! | e | quantisation error, the only state |
//! | D | largest dither magnitude, FS/4 by default ([`DITHER_BITS`]) |
//! | E | [`ERROR_LIMIT`] = 16 FS |
//!
//! # Mean of the bits
//! The shaped error telescopes. Over T steps, starting after e(-1) and e(-2), the sum of y - x is
//! e(T-1) - e(-1) for the first order and (e(T-1) - e(T-2)) - (e(-1) - e(-2)) for the second. So the
//! mean of y differs from that of x by at most 2 max|e| / T or 4 max|e| / T. Nothing is rounded:
//! the identities hold exactly.
//!
//! # Range
//! - First order, |x| <= FS: |e| <= FS + D. (If b = 1 then u >= -D and e = FS - u <= FS + D; from
//!   |u| <= |x| + |e| <= 2 FS + D also e >= -(FS + D). The case b = 0 mirrors it.)
//! - Second order: no bound holds for every input. With v = (1 - z^-1) e, v and e are a double
//!   integrator of y - x, and an input in step with their swing pumps them. Use it up to 0.7 FS and
//!   1/32 of the bit clock: constants and tones with the default dither then keep |e| below 9 FS
//!   (tested; the worst seen is 7.5 FS). A tone of 0.7 FS at 1/16 of the bit clock reaches E.
//! - Out of range: x is clipped to +-FS and e to +-E. Therefore |u| <= FS + 3 E = 49 FS < 2^26 and
//!   no `i32` overflows for any input and any dither. While e is clipped the output is wrong (it
//!   saturates like a microphone beyond its overload point) and the sums above do not hold; the
//!   modulator recovers by itself when the input comes back into range.
//!
//! # Cost
//! About ten integer operations a sample; [`SecondOrderBank`] runs 32 channels side by side and
//! gives the same bits as 32 [`SecondOrder`].

/// Input value of full scale: an input of +-`FULL_SCALE` asks for all ones or all zeros.
pub const FULL_SCALE: i32 = 1 << 20;

/// The error is clipped to this magnitude; never reached inside the stated range.
pub const ERROR_LIMIT: i32 = 16 * FULL_SCALE;

/// Default dither: uniform in +-2^18, a quarter of full scale.
pub const DITHER_BITS: u32 = 18;

/// Channels of a bank, one bit each in a `u32`.
pub const LANES: usize = 32;

/// Decides the bit for the quantiser input `u` and returns it with the clipped error.
#[inline(always)]
fn quantise(u: i32, dither: i32) -> (bool, i32) {
    // u + d >= 0 without the sum, which could overflow: u >= -d is u > -d - 1 = !d.
    let bit = u > !dither;
    let y = if bit { FULL_SCALE } else { -FULL_SCALE };
    (bit, (y - u).clamp(-ERROR_LIMIT, ERROR_LIMIT))
}

/// One second-order step: the bit and the new error.
#[inline(always)]
fn second_order(x: i32, dither: i32, e1: i32, e2: i32) -> (bool, i32) {
    quantise(x.clamp(-FULL_SCALE, FULL_SCALE) - 2 * e1 + e2, dither)
}

/// First-order modulator of one channel. `default()` starts with zero error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct FirstOrder {
    e1: i32,
}

impl FirstOrder {
    /// Modulates one sample.
    #[inline(always)]
    pub fn step(&mut self, x: i32, dither: i32) -> bool {
        let (bit, e) = quantise(x.clamp(-FULL_SCALE, FULL_SCALE) - self.e1, dither);
        self.e1 = e;
        bit
    }

    /// The last error.
    #[inline]
    pub fn error(&self) -> i32 {
        self.e1
    }
}

/// Second-order modulator of one channel. `default()` starts with zero errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct SecondOrder {
    e1: i32,
    e2: i32,
}

impl SecondOrder {
    /// Modulates one sample.
    #[inline(always)]
    pub fn step(&mut self, x: i32, dither: i32) -> bool {
        let (bit, e) = second_order(x, dither, self.e1, self.e2);
        self.e2 = self.e1;
        self.e1 = e;
        bit
    }

    /// The last two errors, the latest first.
    #[inline]
    pub fn errors(&self) -> (i32, i32) {
        (self.e1, self.e2)
    }
}

/// Second-order modulators of 32 channels. `default()` starts with zero errors.
///
/// Aligned to a cache line: a lane vector that straddles two costs twice the loads and stores.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(align(64))]
pub struct SecondOrderBank {
    e1: [i32; LANES],
    e2: [i32; LANES],
}

impl SecondOrderBank {
    /// Modulates one time sample of all channels; bit c of the result is channel c.
    #[inline(always)]
    pub fn step(&mut self, x: &[i32; LANES], dither: &[i32; LANES]) -> u32 {
        let mut word = 0;
        let lanes = x.iter().zip(dither).zip(&mut self.e1).zip(&mut self.e2);
        for (c, (((&x, &d), e1), e2)) in lanes.enumerate() {
            let (bit, e) = second_order(x, d, *e1, *e2);
            *e2 = *e1;
            *e1 = e;
            word |= u32::from(bit) << c;
        }
        word
    }
}

/// Marsaglia's xorshift generator with 32 bits of state; period 2^32 - 1, never zero.
#[inline(always)]
fn xorshift(mut s: u32) -> u32 {
    s ^= s << 13;
    s ^= s >> 17;
    s ^ (s << 5)
}

/// Spreads neighbouring seeds over the generator's cycle. One to one before zero, the one state
/// that xorshift cannot leave, is replaced.
fn scatter(seed: u32) -> u32 {
    let mut s = seed.wrapping_add(0x9E37_79B9);
    s = (s ^ (s >> 16)).wrapping_mul(0x85EB_CA6B);
    s = (s ^ (s >> 13)).wrapping_mul(0xC2B2_AE35);
    s ^= s >> 16;
    if s == 0 { 1 } else { s }
}

/// Dither of one channel: integers uniform in -2^bits .. 2^bits - 1 from a seeded generator.
///
/// Two seeds give the same cycle at different places: enough to decorrelate channels, not a
/// generator for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Dither {
    state: u32,
    shift: u32,
}

impl Dither {
    /// Dither of amplitude 2^`bits`; `bits` above 31 count as 31.
    pub fn new(seed: u32, bits: u32) -> Self {
        Self { state: scatter(seed), shift: 31 - bits.min(31) }
    }

    /// The next dither value.
    #[inline(always)]
    pub fn step(&mut self) -> i32 {
        self.state = xorshift(self.state);
        // The high bits, with the top one as the sign.
        self.state.cast_signed() >> self.shift
    }
}

/// Dither of 32 channels: lane c gives the values of `Dither::new(seed + c, bits)`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(align(64))]
pub struct DitherBank {
    state: [u32; LANES],
    shift: u32,
}

impl DitherBank {
    /// Dither of amplitude 2^`bits`. Banks need seeds at least 32 apart to have no lane in common.
    pub fn new(seed: u32, bits: u32) -> Self {
        let mut state = [0; LANES];
        for (seed, s) in (0..).map(|c| seed.wrapping_add(c)).zip(&mut state) {
            *s = scatter(seed);
        }
        Self { state, shift: 31 - bits.min(31) }
    }

    /// Fills `out` with the next value of every lane.
    #[inline(always)]
    pub fn step(&mut self, out: &mut [i32; LANES]) {
        for (s, o) in self.state.iter_mut().zip(out) {
            *s = xorshift(*s);
            *o = s.cast_signed() >> self.shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    fn value(bit: bool) -> i64 {
        i64::from(if bit { FULL_SCALE } else { -FULL_SCALE })
    }

    /// Runs a second-order modulator; returns (sum of y - x, largest |e|) and checks the telescope.
    fn run_second(xs: impl Iterator<Item = i32>, seed: u32) -> (i64, i32) {
        let mut m = SecondOrder::default();
        let mut dither = Dither::new(seed, DITHER_BITS);
        let (mut sum, mut peak) = (0i64, 0);
        for x in xs {
            sum += value(m.step(x, dither.step())) - i64::from(x);
            peak = peak.max(m.e1.abs());
            assert_eq!(sum, i64::from(m.e1) - i64::from(m.e2));
        }
        (sum, peak)
    }

    #[test]
    fn second_order_error_is_bounded_up_to_0_7_full_scale() {
        let limit = 9 * FULL_SCALE;
        let mut worst = 0;
        for step in -14..=14 {
            let x = FULL_SCALE / 20 * step;
            worst = worst.max(run_second((0..400_000).map(|_| x), 7).1);
        }
        for (i, period) in [32.0, 50.0, 77.7, 128.0, 1000.0, 9999.5].into_iter().enumerate() {
            let tone = (0..400_000).map(|n| {
                let phase = core::f64::consts::TAU * f64::from(n) / period;
                (0.7 * f64::from(FULL_SCALE) * libm::sin(phase)) as i32
            });
            worst = worst.max(run_second(tone, 100 + i as u32).1);
        }
        std::println!("largest |e| / FS: {:.3}", f64::from(worst) / f64::from(FULL_SCALE));
        assert!(worst < limit, "{worst} >= {limit}");
    }

    #[test]
    fn mean_of_bits_converges_to_a_constant_input() {
        for x in [-734_003, -1, 0, 12_345, 500_000, 734_003] {
            let mut first = FirstOrder::default();
            let mut dither = Dither::new(3, DITHER_BITS);
            let (mut sum, mut peak) = (0i64, 0);
            for t in 1..=100_000i64 {
                sum += value(first.step(x, dither.step()));
                peak = peak.max(first.error().abs());
                // |mean y - x| <= 2 max|e| / T, cleared of the division.
                assert!((sum - t * i64::from(x)).abs() <= 2 * i64::from(peak));
            }
            let (sum, peak) = run_second((0..100_000).map(|_| x), 3);
            assert!(sum.abs() <= 4 * i64::from(peak));
        }
    }

    #[test]
    fn over_range_input_does_not_overflow_and_the_modulator_recovers() {
        for x in [i32::MIN, i32::MAX] {
            for d in [i32::MIN, -1, 0, i32::MAX] {
                let (mut first, mut second) = (FirstOrder::default(), SecondOrder::default());
                for _ in 0..1000 {
                    first.step(x, d);
                    second.step(x, d);
                }
                // Back in range: the errors must come below the in-range bounds and stay there.
                let (mut peak1, mut peak2) = (0, 0);
                for n in 0..2000 {
                    first.step(FULL_SCALE / 2, 0);
                    second.step(FULL_SCALE / 2, 0);
                    if n >= 1000 {
                        peak1 = peak1.max(first.e1.abs());
                        peak2 = peak2.max(second.e1.abs());
                    }
                }
                assert!(peak1 <= FULL_SCALE && peak2 < 9 * FULL_SCALE, "{peak1} {peak2}");
            }
        }
    }

    #[test]
    fn dither_has_the_stated_range_and_mean() {
        let mut dither = Dither::new(0, DITHER_BITS);
        let n = 1 << 20;
        let values: Vec<i32> = (0..n).map(|_| dither.step()).collect();
        assert!(values.iter().all(|v| (-(1 << 18)..1 << 18).contains(v)));
        // Uniform: standard deviation of the mean is 2^18 / sqrt(3 n); six of them.
        let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / f64::from(n);
        assert!(mean.abs() < 6.0 * 262_144.0 / (3.0 * f64::from(n)).sqrt(), "{mean}");
        // Power A^2 / 3; its relative deviation is sqrt(4/5/n); six of them.
        let power = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>() / f64::from(n);
        let expected = 262_144f64.powi(2) / 3.0;
        assert!((power / expected - 1.0).abs() < 6.0 * (0.8 / f64::from(n)).sqrt(), "{power}");
    }

    proptest! {
        #[test]
        fn first_order_error_obeys_its_bound(
            xs in prop::collection::vec(-FULL_SCALE..=FULL_SCALE, 1..500),
            seed: u32,
            bits in 0u32..=20,
        ) {
            let mut m = FirstOrder::default();
            let mut dither = Dither::new(seed, bits);
            let mut sum = 0;
            for x in xs {
                sum += value(m.step(x, dither.step())) - i64::from(x);
                prop_assert_eq!(sum, i64::from(m.e1));
                prop_assert!(m.e1.abs() <= FULL_SCALE + (1 << bits));
            }
        }

        #[test]
        fn bank_equals_scalar_modulators(seed: u32, bits in 0u32..=31, gain in 0u32..=11) {
            let mut bank = SecondOrderBank::default();
            let mut dithers = DitherBank::new(seed, bits);
            let mut input = DitherBank::new(!seed, 20 + gain);
            let mut scalars = [SecondOrder::default(); LANES];
            let mut sources: Vec<Dither> =
                (0..32).map(|c| Dither::new(seed.wrapping_add(c), bits)).collect();
            let (mut x, mut d) = ([0; LANES], [0; LANES]);
            for _ in 0..300 {
                input.step(&mut x);
                dithers.step(&mut d);
                let mut expected = 0;
                for (c, (m, source)) in scalars.iter_mut().zip(&mut sources).enumerate() {
                    expected |= u32::from(m.step(x[c], source.step())) << c;
                }
                prop_assert_eq!(bank.step(&x, &d), expected);
            }
        }
    }
}
