//! Random numbers that are the same on every machine: integers and sums of integers only.

/// SplitMix64 (Steele, Lea and Flood 2014), a generator of 64-bit integers with period 2^64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The sequence that belongs to a seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next integer, uniform over all 64-bit integers.
    pub fn integer(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// The next number, uniform in 0 .. 1.
    pub fn uniform(&mut self) -> f64 {
        (self.integer() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The next number of mean 0 and variance 1, nearly normal: the sum of twelve uniform numbers, less 6.
    /// The variance is exact, the excess kurtosis is -0.1, and no value lies beyond +-6.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}
