use numerics::special::*;
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
