//! The field at one point from nearby microphones: simple kriging.
//!
//! The field is taken as random with mean zero and the covariance K(r); its best linear estimate from the
//! values p_j of m microphones, and the variance of that estimate relative to the field's, are
//!
//! ```text
//! p(x) = sum over j of w_j p_j,   (K_ij + n d_ij) w_j = K(|x_i - x|),   s^2 = 1 - sum w_j K(|x_j - x|)
//! ```
//!
//! K follows from what is known of the field: its sources are at least z behind the array. In the plane of
//! the array, sources that are white at that distance give evanescent waves of power exp(-a sqrt(kr^2 - k^2)),
//! a = 2 z, and a diffuse field gives propagating waves of power 1/sqrt(k^2 - kr^2). The covariance is the
//! two-dimensional Fourier transform of the power, and one choice has a closed form:
//!
//! ```text
//! K(r) ~ 2 k^2 sinc(kr) + (a/R^3) (cos kR + kR sin kR),   R = sqrt(a^2 + r^2)
//! ```
//!
//! The second term is the real part of -d/da exp(-jkR)/R. By Weyl's integral its power is
//! exp(-a sqrt(kr^2 - k^2)) outside the radiation circle and cos(a sqrt(k^2 - kr^2)) inside; the first adds
//! 2 k/sqrt(k^2 - kr^2) >= 2 inside, so the sum is positive everywhere and K is a covariance. For k = 0 it is
//! the Poisson kernel (1 + (r/a)^2)^(-3/2).
//!
//! Why not simpler: with 50 of 1024 microphones left out (32 x 32, pitch 2 cm) and a monopole 3 cm behind z at
//! 4 kHz, the Poisson kernel errs by up to 5 % of the local field for z = 4 cm, 27 % for 10 cm and 80 % for
//! 20 cm, because it takes propagating waves for noise; this one by 1.0, 1.0 and 1.5 % (a test of
//! [`super::interpolator`]). The Poisson kernel times J0(kr) or sinc(kr) widens its spectrum by k but leaves
//! the waves near kr = k too little power; a flat disc instead of the diffuse one has no closed form and is no
//! better.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | z | standoff: distance from the array to the nearest source | m |
//! | k, kr | wave number, and its part in the plane of the array | rad/m |
//! | n | nugget: variance of a channel's error relative to the field's ([`NUGGET`]) | |
//! | m | microphones used, the nearest ones ([`NEIGHBOURS`]) | |
//!
//! Validity: a standoff well under the pitch makes the microphones independent and s large; the estimate then
//! says so. Cost: m^3/6 multiplications a point, once.

/// Variance of the relative error of a channel: 1 % in amplitude or 0.6 degrees.
pub const NUGGET: f64 = 1e-4;

/// Microphones used for a point: within 3.2 pitches. With 24 the error at 4 kHz is twice as large, 48 gain
/// little.
pub const NEIGHBOURS: usize = 32;

/// The covariance of the field between two points of the array, 1 at distance 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Covariance {
    a: f64,
    k: f64,
    scale: f64,
}

/// An estimate at one point.
pub(super) struct Estimate {
    /// Weights of the microphones, in their order; unused ones are zero.
    pub(super) weights: [f64; NEIGHBOURS],
    /// Variance relative to that of the field.
    pub(super) variance: f64,
}

impl Covariance {
    /// For sources at least `standoff_m` away and the wave number `k`.
    pub(super) fn new(standoff_m: f64, k: f64) -> Self {
        let unscaled = Self { a: 2.0 * standoff_m, k, scale: 1.0 };
        Self { scale: 1.0 / unscaled.at(0.0), ..unscaled }
    }

    fn at(&self, r: f64) -> f64 {
        let Self { a, k, scale } = *self;
        let distance = a.hypot(r);
        let (sine, cosine) = (k * distance).sin_cos();
        let sinc = if k * r > 0.0 { (k * r).sin() / (k * r) } else { 1.0 };
        scale * (2.0 * k * k * sinc + a / distance.powi(3) * (cosine + k * distance * sine))
    }

    fn between(&self, p: [f64; 2], q: [f64; 2]) -> f64 {
        self.at((p[0] - q[0]).hypot(p[1] - q[1]))
    }

    /// The field at `target` from the first [`NEIGHBOURS`] of `points`.
    pub(super) fn estimate(&self, points: &[[f64; 2]], target: [f64; 2]) -> Estimate {
        let points = &points[..points.len().min(NEIGHBOURS)];
        let mut factor = [[0.0; NEIGHBOURS]; NEIGHBOURS];
        let mut right = [0.0; NEIGHBOURS];
        for (i, &point) in points.iter().enumerate() {
            for (j, &other) in points[..i].iter().enumerate() {
                factor[i][j] = self.between(point, other);
            }
            factor[i][i] = 1.0 + NUGGET;
            right[i] = self.between(point, target);
        }
        cholesky(&mut factor, points.len());
        let weights = solve(&factor, right, points.len());
        let explained: f64 = weights.iter().zip(right).map(|(w, b)| w * b).sum();
        Estimate { weights, variance: (1.0 - explained).max(0.0) }
    }
}

/// L of A = L L^T in place, for the first n rows of the lower half of A. A covariance with a nugget has no
/// eigenvalue below the nugget, 1e10 times the rounding errors, so the pivots are positive.
fn cholesky(a: &mut [[f64; NEIGHBOURS]; NEIGHBOURS], n: usize) {
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|t| a[i][t] * a[j][t]).sum();
            let rest = a[i][j] - dot;
            a[i][j] = if i == j { rest.sqrt() } else { rest / a[j][j] };
        }
    }
}

/// x of L L^T x = b.
fn solve(l: &[[f64; NEIGHBOURS]; NEIGHBOURS], mut x: [f64; NEIGHBOURS], n: usize) -> [f64; NEIGHBOURS] {
    for i in 0..n {
        let dot: f64 = (0..i).map(|t| l[i][t] * x[t]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|t| l[t][i] * x[t]).sum();
        x[i] = (x[i] - dot) / l[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_frequency_it_is_the_poisson_kernel() {
        let covariance = Covariance::new(0.04, 0.0);
        for r in [0.0, 0.01, 0.08, 0.5] {
            let poisson = (1.0 + (r / 0.08f64).powi(2)).powf(-1.5);
            assert!((covariance.at(r) - poisson).abs() < 1e-14);
        }
    }

    /// The covariance is the transform of a positive power: sums the power of the module's doc over kr and
    /// compares. Midpoint rule in the angle inside the circle (kr = k sin t, which removes the root), and in
    /// s = sqrt(kr^2 - k^2) outside; 20 000 steps leave about 1e-7.
    #[test]
    fn its_power_is_what_the_doc_says() {
        let (z, k) = (0.03, 60.0);
        let a = 2.0 * z;
        let steps = 20_000;
        let transform = |r: f64| {
            let mid = |i: usize, end: f64| (i as f64 + 0.5) * end / steps as f64;
            let h = std::f64::consts::FRAC_PI_2 / steps as f64;
            let inside: f64 = (0..steps)
                .map(|i| mid(i, std::f64::consts::FRAC_PI_2).sin_cos())
                .map(|(sin, cos)| (2.0 / cos + (a * k * cos).cos()) * j0(r * k * sin) * k * k * sin * cos * h)
                .sum();
            let far = 40.0 / a;
            let outside: f64 = (0..steps)
                .map(|i| mid(i, far))
                .map(|s| (-a * s).exp() * j0(r * k.hypot(s)) * s * far / steps as f64)
                .sum();
            inside + outside
        };
        let covariance = Covariance::new(z, k);
        for r in [0.01, 0.03, 0.08] {
            assert!((covariance.at(r) - transform(r) / transform(0.0)).abs() < 1e-6, "{r}");
        }
    }

    /// Bessel's integral by the trapezoidal rule, exact to rounding for |x| < 50.
    fn j0(x: f64) -> f64 {
        let n = 80;
        (0..n)
            .map(|i| (x * (std::f64::consts::PI * (f64::from(i) + 0.5) / f64::from(n)).sin()).cos())
            .sum::<f64>()
            / f64::from(n)
    }

    #[test]
    fn weights_solve_the_system_and_variance_is_right() {
        let covariance = Covariance::new(0.03, 40.0);
        let points: Vec<_> = (0..25).map(|i| [f64::from(i % 5) * 0.02, f64::from(i / 5) * 0.021]).collect();
        let target = [0.031, 0.047];
        let Estimate { weights, variance } = covariance.estimate(&points, target);
        let mut total = 1.0;
        for (i, &p) in points.iter().enumerate() {
            let row: f64 = points.iter().zip(weights).map(|(&q, w)| w * covariance.between(p, q)).sum();
            let right = covariance.between(p, target);
            assert!((row + NUGGET * weights[i] - right).abs() < 1e-11);
            total += weights[i] * (row + NUGGET * weights[i]) - 2.0 * weights[i] * right;
        }
        // The variance of any linear estimate, here of the best one.
        assert!((variance - total).abs() < 1e-11);
        assert!(weights[25..].iter().all(|&w| w == 0.0));
    }

    #[test]
    fn nothing_near_is_nothing_known() {
        let covariance = Covariance::new(0.03, 0.0);
        assert_eq!(covariance.estimate(&[], [0.0, 0.0]).variance, 1.0);
        assert!(covariance.estimate(&[[3.0, 0.0]], [0.0, 0.0]).variance > 0.999);
    }
}
