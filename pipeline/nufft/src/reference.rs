//! The definition: direct sums in `f64`.
//!
//! ```text
//! type 1   f[k] = sum_j c_j exp(i s k . x_j)       modes from strengths at points
//! type 2   c_j  = sum_k f[k] exp(i s k . x_j)      values at points from modes
//! type 3   f[k] = sum_j c_j exp(i s s_k . x_j)     values at frequencies from strengths at points
//! ```
//! Modes run from -N/2 to (N - 1)/2 along every axis, x fastest: `[kz][ky][kx]`.

use num_complex::Complex;

type C = Complex<f64>;

/// Coordinates of points, an array for each axis: x, then y, then z.
pub type Points<'a> = &'a [&'a [f64]];

/// exp(i k x), with what rounding takes from the product: at 1e3 periods it is 1e-13.
pub(super) fn wave(k: f64, x: f64) -> C {
    let phase = k * x;
    let rest = k.mul_add(x, -phase);
    C::from_polar(1.0, phase) * C::new(1.0, rest)
}

/// exp(i s k . x) of one point at all modes.
fn waves(modes: &[usize], sign: f64, x: impl Fn(usize) -> f64) -> Vec<C> {
    let mut waves = vec![C::new(1.0, 0.0)];
    // z outermost.
    for (axis, &count) in modes.iter().enumerate().rev() {
        let first = -((count / 2) as f64);
        let x = sign * x(axis);
        let along = move |i: usize| wave(first + i as f64, x);
        waves = waves.iter().flat_map(|&wave| (0..count).map(move |i| wave * along(i))).collect();
    }
    waves
}

/// Type 1.
pub fn type_1(points: Points<'_>, strengths: &[C], modes: &[usize], sign: f64) -> Vec<C> {
    let mut f = vec![C::default(); modes.iter().product()];
    for (j, &c) in strengths.iter().enumerate() {
        for (f, wave) in f.iter_mut().zip(waves(modes, sign, |axis| points[axis][j])) {
            *f += c * wave;
        }
    }
    f
}

/// Type 2.
pub fn type_2(points: Points<'_>, f: &[C], modes: &[usize], sign: f64) -> Vec<C> {
    let value =
        |j: usize| waves(modes, sign, |axis| points[axis][j]).iter().zip(f).map(|(wave, f)| wave * f).sum();
    (0..points[0].len()).map(value).collect()
}

/// Type 3.
pub fn type_3(points: Points<'_>, strengths: &[C], frequencies: Points<'_>, sign: f64) -> Vec<C> {
    let value = |k: usize| {
        let all =
            |j: usize| points.iter().zip(frequencies).map(|(x, s)| wave(sign * s[k], x[j])).product::<C>();
        strengths.iter().enumerate().map(|(j, c)| c * all(j)).sum()
    };
    (0..frequencies[0].len()).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One strength is a plane wave; whole frequencies are modes.
    #[test]
    fn types_agree_with_each_other_and_with_a_plane_wave() {
        let (x, y): (&[f64], &[f64]) = (&[0.3, -2.0, 3.1], &[1.0, 0.5, -0.25]);
        let c = [C::new(1.0, 2.0), C::new(-0.5, 0.0), C::new(0.0, 0.7)];
        let modes = [3, 4];
        let (s, t): (Vec<f64>, Vec<f64>) =
            (-2..2).flat_map(|ky| (-1..=1).map(move |kx| (f64::from(kx), f64::from(ky)))).unzip();
        let first = type_1(&[x, y], &c, &modes, -1.0);
        for (a, b) in first.iter().zip(type_3(&[x, y], &c, &[&s, &t], -1.0)) {
            assert!((a - b).norm() < 1e-15, "{a} {b}");
        }
        let wave = type_1(&[&x[..1], &y[..1]], &c[..1], &modes, 1.0);
        for ((found, s), t) in wave.iter().zip(&s).zip(&t) {
            assert!((found - c[0] * C::from_polar(1.0, s * x[0] + t * y[0])).norm() < 1e-15);
        }
        // Type 2 is type 1's transpose.
        let left: C = first.iter().sum();
        let right: C =
            type_2(&[x, y], &[C::new(1.0, 0.0); 12], &modes, -1.0).iter().zip(&c).map(|(v, c)| v * c).sum();
        assert!((left - right).norm() < 1e-14, "{left} {right}");
    }
}
