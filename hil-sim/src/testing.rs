//! Polar form by the standard library, for tests: independent of the crate's own sines, and absent from
//! `no_std` complex numbers.

use num_complex::Complex;

/// |z|.
pub fn magnitude(z: Complex<f64>) -> f64 {
    z.re.hypot(z.im)
}

/// exp(jx).
pub fn cis(x: f64) -> Complex<f64> {
    Complex::new(x.cos(), x.sin())
}

/// Random inputs a fuzzing test takes: 10 000, or what `FUZZ_INPUTS` says.
pub fn cases() -> u32 {
    std::env::var("FUZZ_INPUTS").ok().and_then(|n| n.parse().ok()).unwrap_or(10_000)
}
