//! Hankel functions with 25 digits, from series alone: the power series below [`FAR`], the asymptotic one above.
//!
//! Numbers are sums of two doubles (Dekker; Knuth), good to some 1e-31. The power series loses e^x of that, the asymptotic
//! one ends at terms of e^(-2x): with both at x = 25, 1e-20 is left.

use std::ops::{Add, Mul, Neg, Sub};

/// Where the series change.
const FAR: f64 = 25.0;
const EULER: Dd = Dd(0.577_215_664_901_532_9, -4.942_915_152_430_645e-18);
const PI: Dd = Dd(std::f64::consts::PI, 1.224_646_799_147_353_2e-16);
/// pi/2 = the first two + this.
const HALF_PI_REST: f64 = -1.497_384_904_859_169_8e-33;

/// hi + lo.
#[derive(Debug, Clone, Copy)]
pub struct Dd(pub f64, pub f64);

fn two_sum(a: f64, b: f64) -> Dd {
    let sum = a + b;
    let part = sum - a;
    Dd(sum, (a - (sum - part)) + (b - part))
}

fn quick_sum(a: f64, b: f64) -> Dd {
    let sum = a + b;
    Dd(sum, b - (sum - a))
}

impl Add for Dd {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (two_sum(self.0, other.0), two_sum(self.1, other.1));
        let high = quick_sum(high.0, high.1 + low.0);
        quick_sum(high.0, high.1 + low.1)
    }
}

impl Neg for Dd {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Dd {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Dd {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let rest = self.0.mul_add(other.0, -product);
        quick_sum(product, rest + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Dd {
    const ONE: Self = Self(1.0, 0.0);

    /// self/other, by two steps of long division.
    fn over(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * Self(first, 0.0);
        let second = rest.0 / other.0;
        let rest = rest - other * Self(second, 0.0);
        quick_sum(first, second) + Self(rest.0 / other.0, 0.0)
    }

    fn sqrt(self) -> Self {
        let root = self.0.sqrt();
        let rest = self - Self(root, 0.0) * Self(root, 0.0);
        quick_sum(root, rest.0 / (2.0 * root))
    }

    /// Of a double: Newton's step on the exponential.
    fn ln(x: f64) -> Self {
        let first = x.ln();
        let rest = Self(x, 0.0) * Self::exp(-first) - Self::ONE;
        Self(first, 0.0) + rest - rest * rest * Self(0.5, 0.0)
    }

    fn exp(x: f64) -> Self {
        let small = Self(x / 1024.0, 0.0);
        let (mut term, mut sum) = (Self::ONE, Self::ONE);
        for k in 1..14 {
            term = (term * small).over(Self(f64::from(k), 0.0));
            sum = sum + term;
        }
        (0..10).fold(sum, |power, _| power * power)
    }

    /// Sine and cosine of a double up to 1e6.
    fn sin_cos(x: f64) -> [Self; 2] {
        let turns = (x / std::f64::consts::FRAC_PI_2).round();
        let quarter = Self(std::f64::consts::FRAC_PI_2, 0.0);
        let rest = Self(x, 0.0) - quarter * Self(turns, 0.0);
        let rest = rest - Self(0.5 * PI.1, HALF_PI_REST) * Self(turns, 0.0);
        let (mut term, mut sums) = (Self::ONE, [Self(0.0, 0.0), Self::ONE]);
        for k in 1..30 {
            term = (term * rest).over(Self(f64::from(k), 0.0));
            let at = usize::from(k % 2 == 0);
            sums[at] = if k % 4 < 2 { sums[at] + term } else { sums[at] - term };
        }
        let [sin, cos] = sums;
        match turns.rem_euclid(4.0) as u32 {
            0 => [sin, cos],
            1 => [cos, -sin],
            2 => [-sin, -cos],
            _ => [-cos, sin],
        }
    }
}

/// Real and imaginary parts of H_0 and H_1 of the second kind.
pub fn hankel(x: f64) -> [[Dd; 2]; 2] {
    if x < FAR { power_series(x) } else { asymptotic(x) }
}

fn power_series(x: f64) -> [[Dd; 2]; 2] {
    let half = Dd(0.5 * x, 0.0);
    let minus_t = -(half * half);
    let log = Dd::ln(0.5 * x) + EULER;
    // Of order 0: term = (-t)^k/k!^2; of order 1 it is over k + 1.
    let (mut term, mut h) = (Dd::ONE, Dd(0.0, 0.0));
    let mut sums = [Dd(0.0, 0.0); 4];
    for k in 0..100 {
        let next = Dd(f64::from(k + 1), 0.0);
        let first = term.over(next);
        let h_next = h + Dd::ONE.over(next);
        for (sum, part) in sums.iter_mut().zip([term, first, h * term, (h + h_next) * first]) {
            *sum = *sum + part;
        }
        if term.0.abs() < 1e-30 && k > 12 {
            break;
        }
        term = (term * minus_t).over(next * next);
        h = h_next;
    }
    let [j0, j1, s0, s1] = sums;
    let two_pi = Dd(2.0, 0.0).over(PI);
    let j1 = half * j1;
    let y0 = two_pi * (log * j0 - s0);
    let y1 = two_pi * (log * j1 - half * s1 * Dd(0.5, 0.0) - Dd::ONE.over(Dd(x, 0.0)));
    [[j0, -y0], [j1, -y1]]
}

/// P_n - j Q_n = sum (-j)^k a_k/x^k, a_k = a_{k-1} (4 n^2 - (2k - 1)^2)/(8 k).
fn asymptotic(x: f64) -> [[Dd; 2]; 2] {
    let [sin, cos] = Dd::sin_cos(x);
    let amplitude = Dd::ONE.over((PI * Dd(x, 0.0)).sqrt());
    let value = |order: i32| {
        let (mut term, mut parts) = (Dd::ONE, [Dd::ONE, Dd(0.0, 0.0)]);
        for k in 1..60 {
            let odd = 2 * k - 1;
            let factor = Dd(f64::from(4 * order * order - odd * odd), 0.0);
            let next = (term * factor).over(Dd(8.0 * f64::from(k) * x, 0.0));
            if next.0.abs() > term.0.abs() || next.0.abs() < 1e-31 {
                break;
            }
            term = next;
            // (-j)^k: P has even, -Q odd ones.
            let at = (k % 2) as usize;
            parts[at] = if (k + k % 2) % 4 == 0 { parts[at] + term } else { parts[at] - term };
        }
        parts
    };
    let (sum, difference) = (cos + sin, cos - sin);
    let times = |[a, b]: [Dd; 2], [c, d]: [Dd; 2]| [amplitude * (a * c - b * d), amplitude * (a * d + b * c)];
    [times([sum, difference], value(0)), times([-difference, sum], value(1))]
}
