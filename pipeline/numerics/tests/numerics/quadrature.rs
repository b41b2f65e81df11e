use numerics::quadrature::*;

#[test]
fn powers_are_integrated_to_the_degree() {
    for count in [1, 2, 3, 8, 16, 40] {
        let rule = Gauss::new(count);
        for power in 0..2 * count {
            let sum: f64 = rule.pairs().map(|(x, w)| w * x.powi(power as i32)).sum();
            let exact = if power % 2 == 0 { 2.0 / (power as f64 + 1.0) } else { 0.0 };
            assert!((sum - exact).abs() < 1e-14, "{count} nodes, power {power}: {sum} {exact}");
        }
    }
}

#[test]
fn slopes_are_those_of_the_polynomials() {
    let (x, step) = (0.3, 1e-5);
    let at = |x: f64| {
        let mut values = [0.0; 9];
        legendre(x, &mut values);
        values
    };
    let mut slopes = [f64::NAN; 9];
    legendre_slopes(&at(x), &mut slopes);
    for (k, slope) in slopes.into_iter().enumerate() {
        let difference = (at(x + step)[k] - at(x - step)[k]) / (2.0 * step);
        assert!((difference - slope).abs() < 1e-7, "{k}");
    }
}

#[test]
fn polynomials_and_cosines_are_integrated_exactly() {
    for count in [1, 2, 7, 64] {
        let (nodes, weights) = half_line(count);
        for power in (0..4 * count).step_by(2).take(20) {
            let sum: f64 = nodes.iter().zip(&weights).map(|(u, w)| w * u.powi(power as i32)).sum();
            assert!((sum * (power as f64 + 1.0) - 1.0).abs() < 1e-13, "{count} nodes, power {power}");
        }
    }
    let (nodes, weights) = half_line(100);
    let sum: f64 = nodes.iter().zip(&weights).map(|(u, w)| w * (90.0 * u).cos()).sum();
    assert!((sum - 90f64.sin() / 90.0).abs() < 1e-15);
}
