//! Jacobi polynomials of norm 1, their derivatives, and the points of Legendre, Gauss and Lobatto.

/// Integral over (-1, 1) of (1 - x)^alpha (1 + x)^beta: 2^(alpha + beta + 1) alpha! beta!/(alpha + beta + 1)!
fn weight(alpha: usize, beta: usize) -> f64 {
    let binomial = (1..=beta).fold(1.0, |product, k| product * k as f64 / (alpha + k) as f64);
    2f64.powi((alpha + beta + 1) as i32) * binomial / (alpha + beta + 1) as f64
}

/// P_n at x: orthonormal with the weight (1 - x)^alpha (1 + x)^beta, by the recurrence of three terms.
pub fn polynomial(n: usize, alpha: usize, beta: usize, x: f64) -> f64 {
    let (a, b) = (alpha as f64, beta as f64);
    let first = weight(alpha, beta).recip().sqrt();
    if n == 0 {
        return first;
    }
    let ratio = (a + 1.0) * (b + 1.0) / (a + b + 3.0);
    let mut last = first;
    let mut value = first / ratio.sqrt() * 0.5 * ((a + b + 2.0) * x + a - b);
    let mut before = 2.0 / (2.0 + a + b) * ratio.sqrt();
    for i in 1..n {
        let i = i as f64;
        let h = 2.0 * i + a + b;
        let root = (i + 1.0) * (i + 1.0 + a + b) * (i + 1.0 + a) * (i + 1.0 + b) / ((h + 1.0) * (h + 3.0));
        let after = 2.0 / (h + 2.0) * root.sqrt();
        let shift = (b * b - a * a) / (h * (h + 2.0));
        (last, value) = (value, ((x - shift) * value - before * last) / after);
        before = after;
    }
    value
}

/// Derivative of [`polynomial`].
pub fn derivative(n: usize, alpha: usize, beta: usize, x: f64) -> f64 {
    match n {
        0 => 0.0,
        _ => ((n * (n + alpha + beta + 1)) as f64).sqrt() * polynomial(n - 1, alpha + 1, beta + 1, x),
    }
}

/// Zeros of P_n in ascending order, by Newton's method with the zeros that are known divided out.
pub fn zeros(n: usize, alpha: usize, beta: usize) -> Vec<f64> {
    let mut zeros: Vec<f64> = Vec::with_capacity(n);
    for k in 0..n {
        let mut x = -(std::f64::consts::PI * (k as f64 + 0.5) / n as f64).cos();
        if let Some(last) = zeros.last() {
            x = 0.5 * (x + last);
        }
        // Converges quadratically; the last rounds only repeat rounding.
        for _ in 0..50 {
            let others: f64 = zeros.iter().map(|zero| (x - zero).recip()).sum();
            let value = polynomial(n, alpha, beta, x);
            x -= value / (derivative(n, alpha, beta, x) - value * others);
        }
        zeros.push(x);
    }
    zeros
}

/// Points of Legendre, Gauss and Lobatto: both ends and the zeros of P'_p, ascending.
pub fn lobatto(p: usize) -> Vec<f64> {
    let inside = zeros(p - 1, 1, 1);
    std::iter::once(-1.0).chain(inside).chain(std::iter::once(1.0)).collect()
}
