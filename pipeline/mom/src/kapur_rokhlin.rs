//! Kapur and Rokhlin's rule for smooth closed curves: equal steps without the point itself, and corrected weights for its neighbours.
//!
//! # Formulas
//! f = phi ln|x| + psi with smooth phi and psi; the sum leaves x = 0 out, and the integral is
//! ```text
//! int f dx = h sum_{j != 0} f(jh) + h sum_{l=1}^m gamma_l (f(lh) + f(-lh)) + O(h^(m+1))
//! sum_l gamma_l l^(2p) = -zeta(-2p),      sum_l gamma_l l^(2p) ln l = zeta'(-2p),      p = 0 .. m/2 - 1
//! ```
//! The conditions follow from Euler and Maclaurin's formula with a power at its end: sum_{j>0} h (jh)^s has an error of zeta(-s) h^(s+1), and its
//! derivative with respect to s is that of the logarithm; ln h cancels. zeta(0) = -1/2, other even zetas vanish;
//! zeta'(0) = -ln(2 pi)/2 and zeta'(-2p) = (-1)^p (2p)! zeta(2p + 1)/(2 (2 pi)^(2p)).
//!
//! Neither phi nor psi nor the value at the point itself is needed: the kernel alone is, which makes the rule simpler than Kress's and of finite order. The
//! weights alternate, and grow with the order; points must be fine enough for the first m neighbours to see one smooth function.
//!
//! Kapur and Rokhlin, SIAM J. Numer. Anal. 34, 1331 (1997); Hao, Barnett, Martinsson and Young, Adv. Comput. Math. 40, 245 (2014).

pub const ORDERS: [usize; 3] = [2, 6, 10];

/// gamma_1, gamma_2, ... of an order: the solution of the conditions with 80 digits, rounded.
pub fn corrections(order: usize) -> &'static [f64] {
    match order {
        2 => &SECOND,
        6 => &SIXTH,
        _ => &TENTH,
    }
}

const SECOND: [f64; 2] = [1.825_748_064_736_159_5, -1.325_748_064_736_159_5];
const SIXTH: [f64; 6] = [
    4.967_362_978_287_758,
    -16.205_015_048_591_26,
    25.851_537_618_326_386,
    -22.225_994_667_918_83,
    9.930_104_998_037_537,
    -1.817_995_878_141_594_1,
];
const TENTH: [f64; 10] = [
    7.832_432_020_568_779,
    -45.651_616_703_747_486,
    145.216_884_635_467_75,
    -290.134_830_288_637_9,
    387.086_216_257_99,
    -352.382_138_357_068,
    217.242_154_751_934_24,
    -87.077_960_873_829_9,
    20.535_842_660_726_345,
    -2.166_984_103_403_822_6,
];

/// Weights over the step, by the distance of two of `count` points on a closed curve: 0 at the point itself.
pub fn factors(order: usize, count: usize) -> Vec<f64> {
    let gamma = corrections(order);
    let factor = |distance: usize| match distance.min(count - distance) {
        0 => 0.0,
        near => 1.0 + gamma.get(near - 1).copied().unwrap_or_default(),
    };
    (0..count).map(factor).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{LN_2, PI, TAU};

    /// zeta(3), zeta(5), zeta(7) and zeta(9), Abramowitz and Stegun, table 23.3.
    const ZETA: [f64; 4] =
        [1.202_056_903_159_594_3, 1.036_927_755_143_37, 1.008_349_277_381_922_8, 1.002_008_392_826_082_2];

    /// Terms cancel: rounding is that of their magnitudes.
    #[test]
    fn weights_meet_their_conditions() {
        for order in ORDERS {
            let gamma = corrections(order);
            assert_eq!(gamma.len(), order);
            for p in 0..order / 2 {
                let powers = || {
                    gamma
                        .iter()
                        .zip(1..)
                        .map(|(gamma, l)| (gamma * f64::from(l).powi(2 * p as i32), f64::from(l)))
                };
                let allowed: f64 = 1e-15 * powers().map(|(term, l)| term.abs() * (1.0 + l.ln())).sum::<f64>();
                let plain = powers().map(|(term, _)| term).sum::<f64>();
                assert!((plain - if p == 0 { 0.5 } else { 0.0 }).abs() < allowed, "{order} {p}: {plain}");
                let factorial: f64 = (1..=2 * p).map(|i| i as f64).product();
                let sign = if p % 2 == 0 { 1.0 } else { -1.0 };
                let slope = match p {
                    0 => -0.5 * TAU.ln(),
                    _ => sign * factorial * ZETA[p - 1] / (2.0 * TAU.powi(2 * p as i32)),
                };
                let log = powers().map(|(term, l)| term * l.ln()).sum::<f64>();
                assert!((log - slope).abs() < allowed, "{order} {p}: {log} {slope}");
            }
        }
    }

    /// int ln(4 sin^2(x/2)) cos(mx) dx = -2 pi/m, so that 1/(5/4 - cos x) = 4/3 (1 + 2 sum cos(mx)/2^m) gives -16 pi/3 ln 2. No multiple
    /// of the order is spent on rounding: the finer sum is still far from it.
    #[test]
    fn logarithms_are_integrated_to_the_order() {
        for (order, count) in [(2, 100), (6, 80), (10, 160)] {
            let error = |count: usize| {
                let step = TAU / count as f64;
                let term = |(j, factor): (usize, f64)| {
                    let x = step * j as f64;
                    if j == 0 {
                        0.0
                    } else {
                        factor * (4.0 * (0.5 * x).sin().powi(2)).ln() / (1.25 - x.cos())
                    }
                };
                let sum: f64 = factors(order, count).into_iter().enumerate().map(term).sum();
                (step * sum + 16.0 * PI / 3.0 * LN_2).abs()
            };
            let found = (error(count) / error(2 * count)).log2();
            assert!(
                found > order as f64 - 0.5,
                "{order}: {found}, {:e} {:e}",
                error(count),
                error(2 * count)
            );
        }
    }
}
