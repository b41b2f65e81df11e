//! sin(x)/x, Bessel functions J_k, how many of them a plane wave needs, and the modified function I_0.
//!
//! ```text
//! exp(j c s t) = sum_k e_k j^k J_k(c s) T_k(t),   e_0 = 1, e_k = 2,   |t| <= 1        Jacobi and Anger
//! ```

/// sin(x)/x
#[inline]
pub fn sinc(x: f64) -> f64 {
    // The next term of the series, x^4/120, is below rounding here.
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// J_0(x) to J_`last`(x), by Miller's recurrence downwards, normalised with J_0 + 2 J_2 + 2 J_4 + ... = 1.
pub fn bessel(x: f64, last: usize) -> Vec<f64> {
    let mut values = vec![0.0; last + 1];
    let size = x.abs();
    if size < TINY {
        values[0] = 1.0;
        if last > 0 {
            values[1] = 0.5 * x;
        }
        return values;
    }
    // Beyond x, values fall by more than 1/2 a step after x^(1/3) steps: these are enough for 1e-17.
    let above = size.max(last as f64);
    let start = 2 * ((above + 12.0 * above.cbrt() + 20.0) as usize / 2);
    let (mut next, mut present, mut sum) = (0.0, f64::MIN_POSITIVE, 0.0);
    for k in (0..=start).rev() {
        if k <= last {
            values[k] = present;
        }
        if k % 2 == 0 {
            sum += if k == 0 { present } else { 2.0 * present };
        }
        if k > 0 {
            (next, present) = (present, 2.0 * k as f64 / size * present - next);
        }
        if present.abs() > LARGE {
            for value in [&mut next, &mut present, &mut sum].into_iter().chain(&mut values) {
                *value /= LARGE;
            }
        }
    }
    let odd = if x < 0.0 { -1.0 } else { 1.0 };
    values.iter_mut().enumerate().for_each(|(k, value)| *value *= if k % 2 == 1 { odd } else { 1.0 } / sum);
    values
}

/// Arguments below this one have J_1 = x/2 to the last bit and J_2 = 0.
const TINY: f64 = 1e-8;
const LARGE: f64 = 1e200;

/// The least number of terms with which exp(j c s t) is right to `tolerance` for all |s| <= 1, |t| <= 1.
/// The rest of the series is at most twice the sum of the later |J_k|, which grow with their argument there.
pub fn terms(c: f64, tolerance: f64) -> usize {
    let most = (c + 12.0 * c.cbrt() + 40.0) as usize;
    let values = bessel(c, most);
    let mut rest = 0.0;
    for k in (1..most).rev() {
        rest += 2.0 * values[k].abs();
        if rest > tolerance {
            return k + 1;
        }
    }
    1
}

/// The modified Bessel function I_0(x), by its series; no term is negative, so nothing cancels.
pub fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut m) = (1.0, 1.0, 1.0);
    while term > 1e-18 * sum {
        term *= quarter / (m * m);
        sum += term;
        m += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustfft::num_complex::Complex;

    /// Abramowitz and Stegun, tables 9.1 and 9.4, ten digits.
    #[test]
    fn values_are_those_of_the_tables() {
        for (k, x, expected) in [
            (0, 1.0, 0.765_197_686_6),
            (1, 1.0, 0.440_050_585_7),
            (2, 2.0, 0.352_834_028_6),
            (0, 5.0, -0.177_596_771_3),
            (1, -5.0, 0.327_579_137_6),
            (10, 10.0, 0.207_486_106_6),
            (100, 100.0, 0.096_366_673_3),
            (20, 5.0, 2.770_330_052e-11),
        ] {
            let found = bessel(x, k + 3)[k];
            assert!(
                (found - expected).abs() < 1e-10 * f64::max(expected.abs(), 1e-5) * 5.0,
                "J_{k}({x}) = {found}"
            );
        }
        assert_eq!(bessel(0.0, 3), [1.0, 0.0, 0.0, 0.0]);
    }

    /// The series is a plane wave to the tolerance, and with two terms fewer it is not.
    #[test]
    fn as_many_terms_as_are_needed() {
        let worst = |c: f64, count: usize| {
            let along = |i: i32| f64::from(i) / 20.0;
            let apart = |s: f64, t: f64| {
                let values = bessel(c * s, count);
                let angle = t.acos();
                let mut wave = Complex::from_polar(1.0, c * s * t);
                for (k, value) in values[..count].iter().enumerate() {
                    let twice = if k == 0 { 1.0 } else { 2.0 };
                    wave -= Complex::<f64>::i().powu(k as u32) * (twice * value * (k as f64 * angle).cos());
                }
                wave.norm()
            };
            (0..=20)
                .flat_map(|i| (-20..=20).map(move |j| (i, j)))
                .map(|(i, j)| apart(along(i), along(j)))
                .fold(0.0, f64::max)
        };
        for c in [0.0, 0.3, 4.7, 30.0, 200.0] {
            for tolerance in [1e-4, 1e-9, 1e-12] {
                let count = terms(c, tolerance);
                // Rounding of the phase c s t and of the sum.
                let rounding = 1e-15 * (10.0 + c);
                assert!(worst(c, count) < tolerance + rounding, "c {c}: {count} terms");
                assert!(count < 3 || worst(c, count - 2) > tolerance, "c {c}: {count} terms are too many");
            }
        }
    }

    #[test]
    fn bessel_has_its_known_values() {
        // Abramowitz and Stegun, table 9.8.
        assert!((bessel_i0(1.0) - 1.266_065_877_752_008_4).abs() < 1e-15);
        assert!((bessel_i0(9.0) / 1_093.588_354_511_374_7 - 1.0).abs() < 1e-14);
    }
}
