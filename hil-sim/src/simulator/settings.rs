//! What a simulator is told beside its scene and its array, and its fixed sizes.

use crate::microphones::Imperfections;

/// Time samples that are computed together: enough work for the threads, little enough for the cache.
pub const BLOCK: usize = 1024;

/// Samples that the modulators run before sample 0.
pub const WARM_UP: u64 = 4096;

/// Largest peak accepted at a modulator, as a fraction of full scale.
pub const OVERLOAD_FS: f64 = 0.7;

/// What belongs neither to the scene nor to the geometry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Bits a second and channel.
    pub bit_rate_hz: f64,
    /// How the microphones differ, and their noise.
    pub imperfections: Imperfections,
    /// All that is random follows from it.
    pub seed: u64,
}

impl Default for Settings {
    /// The camera's 1.5 MHz, [`Imperfections::TYPICAL`], seed 1.
    fn default() -> Self {
        Self { bit_rate_hz: 1.5e6, imperfections: Imperfections::TYPICAL, seed: 1 }
    }
}
