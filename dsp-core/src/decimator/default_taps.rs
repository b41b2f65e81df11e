// Made by `nearfield filter`; do not edit.
//
// 1500000 bit/s, CIC of order 5 by 8, FIR by 4: flat to 0.0027 dB up to 18000 Hz,
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
    24, 62, 100, 111, 39, -105, -284, -364,
    -237, 140, 616, 910, 710, -67, -1143, -1892,
    -1671, -245, 1871, 3506, 3393, 1021, -2784, -5972,
    -6263, -2597, 3809, 9596, 10855, 5518, -4812, -14893,
    -18223, -10831, 5553, 23061, 30913, 21225, -5431, -37950,
    -57978, -47759, 825, 80513, 169503, 239166, 265498, 239166,
    169503, 80513, 825, -47759, -57978, -37950, -5431, 21225,
    30913, 23061, 5553, -10831, -18223, -14893, -4812, 5518,
    10855, 9596, 3809, -2597, -6263, -5972, -2784, 1021,
    3393, 3506, 1871, -245, -1671, -1892, -1143, -67,
    710, 910, 616, 140, -237, -364, -284, -105,
    39, 111, 100, 62, 24,
];
