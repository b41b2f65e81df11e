//! Sine and cosine of many phases, in lanes.

use super::series::Split;
use num_complex::Complex;
use numerics::simd::{Kernel, dispatch, multiply_add};

/// pi/2 in three parts, of which the first two have 33 bits or fewer, so that products with whole numbers up to 2^20 are exact.
const QUARTER: [f64; 3] = [1.570_796_326_734_125_6, 6.077_100_506_303_966e-11, 2.022_266_248_795_950_7e-21];
/// Taylor's coefficients of sin(r)/r and cos(r) in r^2; at pi/4 the first that is left out is 6e-17 of the sum.
const SINE: [f64; 8] = [
    1.0,
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5_040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];
const COSINE: [f64; 9] = [
    1.0,
    -0.5,
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// f exp(j phase) for all elements, for phases below 1e6 rad.
pub fn excite(f: &[Complex<f64>], phase: &[f64], to: &mut Split) {
    dispatch(Excite { f, phase, to });
}

struct Excite<'a> {
    f: &'a [Complex<f64>],
    phase: &'a [f64],
    to: &'a mut Split,
}

impl Kernel for Excite<'_> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(self) {
        let to = self.to.re.iter_mut().zip(&mut self.to.im);
        for ((f, &phase), (re, im)) in self.f.iter().zip(self.phase).zip(to) {
            let [sine, cosine] = turn::<FMA>(phase);
            *re = f.re * cosine - f.im * sine;
            *im = f.re * sine + f.im * cosine;
        }
    }
}

#[inline(always)]
fn turn<const FMA: bool>(phase: f64) -> [f64; 2] {
    let quarters = (phase * std::f64::consts::FRAC_2_PI).round_ties_even();
    let r = QUARTER.iter().fold(phase, |r, part| multiply_add::<_, FMA>(-quarters, *part, r));
    let square = r * r;
    let horner = |all: &[f64]| all.iter().rev().fold(0.0, |sum, &c| multiply_add::<_, FMA>(sum, square, c));
    let (sine, cosine) = (r * horner(&SINE), horner(&COSINE));
    // 0, 1, 2 or 3 quarters beyond a whole turn.
    let quarter = quarters - 4.0 * (0.25 * quarters).floor();
    let odd = quarter == 1.0 || quarter == 3.0;
    let (a, b) = if odd { (cosine, sine) } else { (sine, cosine) };
    let negative = quarter >= 2.0;
    let crossed = quarter == 1.0 || quarter == 2.0;
    [if negative { -a } else { a }, if crossed { -b } else { b }]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounding of Horner's sums, and of the third part of pi/2 at 6e5 quarters: 4e-16 and less.
    #[test]
    fn sines_are_those_of_the_library() {
        let phase: Vec<f64> =
            (-4000..4000).map(|i| f64::from(i) * 0.0317).chain([0.0, -0.0, 1e5 + 0.1, -9.9e5]).collect();
        let f = vec![Complex::new(0.6, -0.8); phase.len()];
        let mut to = Split { re: vec![f64::NAN; phase.len()], im: vec![f64::NAN; phase.len()] };
        excite(&f, &phase, &mut to);
        for (i, phase) in phase.iter().enumerate() {
            let apart = (f[i] * Complex::from_polar(1.0, *phase) - Complex::new(to.re[i], to.im[i])).norm();
            assert!(apart < 1e-15, "{phase}: {apart:e}");
        }
    }
}
