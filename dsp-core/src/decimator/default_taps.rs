// Made by `nearfield filter`; do not edit.
//
// 1500000 bit/s, CIC of order 5 by 8, FIR by 4: flat to 0.0028 dB up to 18000 Hz,
// 96.4 dB or more of rejection for all that folds into that band.

/// Order of the CIC.
pub const CIC_ORDER: usize = 5;
/// Rate of the CIC.
pub const CIC_RATE: usize = 8;
/// Rate of the FIR.
pub const FIR_RATE: usize = 4;
/// Fractional bits of the taps; they sum to 2^`TAP_BITS`.
pub const TAP_BITS: u32 = 20;
/// Taps of the FIR.
#[rustfmt::skip]
pub const TAPS: [i32; 93] = [
    25, 62, 100, 111, 39, -105, -285, -364,
    -237, 141, 617, 910, 709, -68, -1144, -1893,
    -1671, -243, 1873, 3506, 3392, 1019, -2787, -5973,
    -6262, -2593, 3813, 9598, 10854, 5514, -4817, -14896,
    -18222, -10826, 5559, 23065, 30912, 21219, -5439, -37955,
    -57977, -47753, 833, 80519, 169503, 239160, 265490, 239160,
    169503, 80519, 833, -47753, -57977, -37955, -5439, 21219,
    30912, 23065, 5559, -10826, -18222, -14896, -4817, 5514,
    10854, 9598, 3813, -2593, -6262, -5973, -2787, 1019,
    3392, 3506, 1873, -243, -1671, -1893, -1144, -68,
    709, 910, 617, 141, -237, -364, -285, -105,
    39, 111, 100, 62, 25,
];
