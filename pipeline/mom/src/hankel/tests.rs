mod oracle;

use super::*;

/// Worst error of both orders in parts of the magnitude, over `count` arguments that are even in the logarithm.
fn worst(from: f64, to: f64, count: u32) -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let error = |x: f64| {
        let of = |(found, exact): (Complex<f64>, [oracle::Dd; 2])| {
            let part = |found: f64, exact: oracle::Dd| (found - exact.0) - exact.1;
            part(found.re, exact[0]).hypot(part(found.im, exact[1])) / found.norm()
        };
        hankel(x).into_iter().zip(oracle::hankel(x)).map(of).fold(0.0, f64::max)
    };
    let mut worst: f64 = 0.0;
    for _ in 0..count {
        let error = error(from * (to / from).powf(random()));
        assert!(error.is_finite());
        worst = worst.max(error);
    }
    worst
}

/// A million arguments from 1e-8 to 1e5.
#[test]
fn errors_are_below_two_units_in_the_last_place() {
    for (from, to, count) in [(1e-8, 1e5, 1_000_000), (1.9, 2.1, 10_000), (1.0, 12.0, 100_000)] {
        let found = worst(from, to, count);
        println!("x from {from} to {to}: worst error {:.2} units", found / f64::EPSILON);
        assert!(found < ERROR, "{found:e}");
    }
}

/// The oracle itself, at arguments on both sides of where its series change, and against the Wronskian J_1 Y_0 - J_0 Y_1 = 2/(pi x).
#[test]
fn the_oracle_is_consistent() {
    for x in [1e-8, 0.5, 2.0, 10.0, 24.999, 25.001, 100.0, 99_999.0] {
        let [[j0, m0], [j1, m1]] = oracle::hankel(x);
        let found = j0 * m1 - j1 * m0;
        let expected = FRAC_2_PI / x;
        assert!(((found.0 - expected) / expected).abs() < 1e-14, "{x}");
    }
}

/// Ten digits of Abramowitz and Stegun, tables 9.1 and 9.2.
#[test]
fn values_of_the_handbook() {
    for (x, expected) in [
        (1.0, [0.765_197_686_6, -0.088_256_964_2, 0.440_050_585_7, 0.781_212_821_3]),
        (5.0, [-0.177_596_771_3, 0.308_517_625_2, -0.327_579_137_6, -0.147_863_143_4]),
        (10.0, [-0.245_935_764_5, -0.055_671_167_3, 0.043_472_746_2, -0.249_015_424_2]),
    ] {
        let [h0, h1] = hankel(x);
        for (found, expected) in [h0.re, h0.im, h1.re, h1.im].into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-10, "{x}: {found} {expected}");
        }
    }
}

#[test]
fn nonsense_is_not_finite() {
    for x in [0.0, -1.0, f64::NAN] {
        assert!(!hankel(x)[0].is_finite(), "{x}");
    }
}
