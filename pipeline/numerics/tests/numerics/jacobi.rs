use numerics::jacobi::*;

#[test]
fn polynomials_are_orthonormal() {
    // The rule of Gauss with 24 points is exact to degree 47.
    let points = zeros(24, 0, 0);
    let weights =
        points.iter().map(|x| 2.0 / ((1.0 - x * x) * derivative(24, 0, 0, *x).powi(2) * 2.0 / 49.0));
    let rule: Vec<(f64, f64)> = points.iter().copied().zip(weights).collect();
    for (alpha, beta) in [(0, 0), (1, 1), (5, 0), (18, 0)] {
        for (n, m) in [(0, 0), (1, 0), (3, 3), (8, 8), (8, 6), (7, 8)] {
            let density = |x: f64| (1.0 - x).powi(alpha as i32) * (1.0 + x).powi(beta as i32);
            let product = |x: f64| polynomial(n, alpha, beta, x) * polynomial(m, alpha, beta, x);
            let sum: f64 = rule.iter().map(|(x, w)| w * density(*x) * product(*x)).sum();
            let expected = f64::from(u8::from(n == m));
            assert!((sum - expected).abs() < 1e-11, "{alpha} {beta} {n} {m}: {sum}");
        }
    }
}

#[test]
fn lobatto_points_are_zeros_in_closed_form() {
    let root = |x: f64| x.sqrt();
    assert_eq!(lobatto(1), [-1.0, 1.0]);
    // Zeros of 7 x^3 - 3 x, and the inner ones of 21 x^4 - 14 x^2 + 1.
    let expected = [-1.0, -root(3.0 / 7.0), 0.0, root(3.0 / 7.0), 1.0];
    assert!(lobatto(4).iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15));
    let inner = root((7.0 - 2.0 * root(7.0)) / 21.0);
    assert!((lobatto(5)[3] - inner).abs() < 1e-15);
}
