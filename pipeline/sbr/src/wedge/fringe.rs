//! Currents near an edge less those of physical optics, integrated over a strip of a face with the phase that
//! a receiver sees.
//!
//! Lengths are in 1/kappa; xi runs from the edge along x. With phi' the azimuth of the transmitter and U = 1
//! where phi' < pi,
//! ```text
//! a   = integral of dE_z/dy exp(j mu xi),   b = integral of H_z exp(j mu xi),   tip = H_z at the edge less H_z exp(j mu xi) at the end
//! ```
//! of the exact less the optical field, for E_z = 1 or H_z = 1. On an endless face (Michaeli 1984)
//! ```text
//! a = 2 [ sin(phi'/n)/n / (cos((pi - alpha)/n) - cos(phi'/n)) + U sin phi'/(mu + cos phi') ],   cos alpha = mu
//! b = -2j [ sin((pi - alpha)/n)/(n sin alpha) / (cos((pi - alpha)/n) - cos(phi'/n)) + U/(mu + cos phi') ],   tip = 2/n - 2 U
//! ```
//! What lies beyond xi is the same with the branch cut at mu = 1 - jt, t > 0, unfolded: the field there is
//! exp(-j xi) times a sum of exp(-t xi). On the cut, a and b jump by their odd parts in alpha, which are
//! cotangents with poles at t = -j delta_1, -j delta_2. Each is taken with its pole and its value at t = 0,
//! as the uniform theory of diffraction has it, which is exact for a half-plane, and leaves Fresnel integrals
//! (`tail`). `docs/math/sbr.md` has the derivation, `tests/reference.rs` the definition.

use super::fresnel::fresnel;
use crate::field::C;
use std::f64::consts::PI;

/// Poles of the exact and of the optical currents cancel; nearer to them than this, the sum is interpolated
/// from beside them. Less on a long strip, where the phase varies faster.
const BESIDE_POLE: f64 = 1e-5;
/// The same for poles that only the tail has.
const BESIDE_OTHER: f64 = 1e-9;
/// An incidence this near to grazing, rad, is taken beside it.
const BESIDE_GRAZING: f64 = 1e-6;
/// An incidence this near to grazing, rad, does not light the face: tubes that leave along it have no
/// footprint, either.
const UNLIT: f64 = 1e-9;
/// Least 1 - mu. A strip that ends is an entire function of mu, and what is left out is this times the square
/// of its length; an endless strip and its tail lose 1e5 of their digits.
const LEAST_DELTA: f64 = 1e-10;
/// The same where a face bends away: along it, alpha below 0.05 rad, an endless strip is not taken at its
/// word.
const LEAST_BENT_DELTA: f64 = 0.5 * 0.05 * 0.05;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// Of dE_z/dy.
    pub a: C,
    /// Of H_z.
    pub b: C,
    /// H_z of the ends.
    pub tip: C,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// In another edge, so far from the first, in 1/kappa: the current ends there.
    Edge(f64),
    /// The face bends away: the current goes on, but is no longer in phase.
    Bend,
}

/// The strip of a wedge of exterior angle n pi, lit from `azimuth`, rad, from the face.
pub fn strip(n: f64, azimuth: f64, mu: f64, end: End) -> Coefficients {
    let grazing = azimuth - PI;
    let azimuth =
        if grazing.abs() < BESIDE_GRAZING { PI + BESIDE_GRAZING.copysign(grazing + UNLIT) } else { azimuth };
    let (least, beside) = match end {
        End::Edge(reach) => (LEAST_DELTA, BESIDE_POLE / (1.0 + 0.01 * reach)),
        End::Bend => (LEAST_BENT_DELTA, BESIDE_POLE),
    };
    let delta = 1.0 - mu;
    let delta = if delta.abs() < least { least } else { delta };
    let pole = half_squared(azimuth);
    if (pole - delta).abs() >= beside {
        return beside_pole(n, azimuth, delta, end);
    }
    let low = if pole > 2.0 * beside { pole - beside } else { pole + beside };
    let high = low + 2.0 * beside;
    let part = (delta - low) / (high - low);
    let [one, other] = [low, high].map(|delta| beside_pole(n, azimuth, delta, end));
    let between = |a: C, b: C| a + (b - a) * part;
    Coefficients { a: between(one.a, other.a), b: between(one.b, other.b), tip: between(one.tip, other.tip) }
}

fn beside_pole(n: f64, azimuth: f64, delta: f64, end: End) -> Coefficients {
    let whole = endless(n, azimuth, delta);
    let End::Edge(reach) = end else { return whole };
    let beyond = tail(n, azimuth, delta, reach);
    Coefficients { a: whole.a - beyond.a, b: whole.b - beyond.b, tip: whole.tip - beyond.tip }
}

/// 1 + cos without the loss of digits near pi.
fn half_squared(angle: f64) -> f64 {
    2.0 * (0.5 * angle).cos().powi(2)
}

/// The strip without end; delta = 1 - mu.
fn endless(n: f64, azimuth: f64, delta: f64) -> Coefficients {
    let lit = if azimuth < PI { 1.0 } else { 0.0 };
    // sin^2(alpha/2) = delta/2; beyond 0 and 1 on the side that a wave with a little loss has.
    let root = (0.5 * delta.abs()).sqrt();
    let alpha = match delta {
        ..0.0 => C::new(0.0, -2.0 * root.asinh()),
        ..=2.0 => C::new(2.0 * root.min(1.0).asin(), 0.0),
        _ => C::new(PI, -2.0 * root.acosh()),
    };
    let inner = (C::new(PI, 0.0) - alpha) / n;
    let exact = 1.0 / (inner.cos() - (azimuth / n).cos());
    let optical = lit / (half_squared(azimuth) - delta);
    Coefficients {
        a: 2.0 * (exact * (azimuth / n).sin() / n + optical * azimuth.sin()),
        b: C::new(0.0, -2.0) * (exact * sine_ratio(inner, n) / n + optical),
        tip: C::new(2.0 / n - 2.0 * lit, 0.0),
    }
}

/// sin(x)/sin(n x), at 0 too.
fn sine_ratio(x: C, n: f64) -> C {
    if x.norm() < 1e-4 {
        // The next term is of the order of x^4.
        (1.0 + x * x * ((n * n - 1.0) / 6.0)) / n
    } else {
        x.sin() / (x * n).sin()
    }
}

/// What an endless strip has beyond `reach`; its tip is H_z there.
fn tail(n: f64, azimuth: f64, delta: f64, reach: f64) -> Coefficients {
    let turns = ((PI + azimuth) / (2.0 * PI * n)).round();
    let deltas = [half_squared(azimuth), half_squared(2.0 * PI * n * turns - azimuth)];
    let halves = [(PI - azimuth) / (2.0 * n), (PI + azimuth) / (2.0 * n)];
    let own = decaying(delta, reach);
    let (mut a, mut b, mut tip) = (C::default(), C::default(), C::default());
    for ((half, at), sign) in halves.into_iter().zip(deltas).zip([1.0, -1.0]) {
        // At a pole that is not that of the optical current, beside it.
        let at = at.max(1e-30);
        let at = if (at - delta).abs() < BESIDE_OTHER { delta + BESIDE_OTHER } else { at };
        let other = decaying(at, reach);
        let (cot, ratio) = (half.cos() / half.sin(), at / (at - delta));
        a += (other * at - own * delta) * C::new(0.0, sign * ratio / half.sin().powi(2));
        b += (own - other) * (cot * ratio);
        tip += other * C::new(0.0, cot * at);
    }
    let wave = C::from_polar(1.0, -reach * delta);
    let factor_b = wave * C::from_polar(-(0.5f64.sqrt()) / (PI * n), -0.25 * PI);
    Coefficients {
        a: a * wave * C::from_polar(-(0.5f64.sqrt()) / (PI * n * n), 0.75 * PI),
        b: b * factor_b,
        tip: tip * factor_b,
    }
}

/// Integral over t > 0 of exp(-t reach)/(sqrt(t) (t + j delta)).
fn decaying(delta: f64, reach: f64) -> C {
    let size = delta.abs();
    let found = fresnel((reach * size).sqrt()) * C::from_polar(PI / size.sqrt(), -0.25 * PI);
    if delta < 0.0 { found.conj() } else { found }
}

#[cfg(test)]
mod tests {
    use super::super::tests::reference;
    use super::*;

    fn apart(a: Coefficients, b: Coefficients) -> [f64; 3] {
        [(a.a - b.a).norm(), (a.b - b.b).norm(), (a.tip - b.tip).norm()]
    }

    /// Azimuths on both sides of grazing, and directions from along the face to beyond its other end.
    const AZIMUTHS: [f64; 5] = [0.3, 1.2, 2.9, PI, 3.3];
    const MUS: [f64; 9] = [2.5, 1.001, 1.0, 0.999, 0.7, 0.0, -0.6, -1.0, -2.5];

    #[test]
    fn on_a_half_plane_it_is_the_definition() {
        for azimuth in AZIMUTHS.into_iter().chain([4.5, 6.0]) {
            for mu in MUS {
                for reach in [0.01, 0.5, 3.0, 12.0] {
                    let apart = apart(
                        strip(2.0, azimuth, mu, End::Edge(reach)),
                        reference::strip(2.0, azimuth, mu, reach),
                    );
                    // Fresnel's integral is right to 1e-11, over the root of the least delta, 1e-5, times
                    // cotangents of up to 25; incidences beside grazing are off by 1e-6 of a phase of the
                    // strip.
                    let tolerance = 2.5e-5 + 4.0 * BESIDE_GRAZING * reach * reach;
                    assert!(apart.iter().all(|x| *x < tolerance), "{azimuth} {mu} {reach}: {apart:?}");
                }
            }
        }
    }

    #[test]
    fn rounding_does_not_light_a_face_along_which_a_wave_comes() {
        for n in [1.25, 1.5, 2.0] {
            for end in [End::Edge(3.0), End::Bend] {
                let along = strip(n, PI, -0.4, end);
                for rounding in [-1e-15, 1e-15] {
                    // Of a phase of the strip; a face that is lit has another b by its length.
                    let apart = apart(strip(n, PI + rounding, -0.4, end), along);
                    assert!(apart.iter().all(|x| *x < 1e-6), "{n} {end:?} {rounding}: {apart:?}");
                }
            }
        }
    }

    #[test]
    fn on_a_wedge_it_approaches_the_definition_with_the_length_of_the_strip() {
        for n in [1.1, 1.25, 1.5, 1.75] {
            let mut last = f64::INFINITY;
            for reach in [0.7, 1.5, 3.0, 6.0, 12.0] {
                let mut worst = 0f64;
                for azimuth in AZIMUTHS {
                    for mu in MUS {
                        let azimuth = azimuth.min(n * PI - 0.1);
                        let apart = apart(
                            strip(n, azimuth, mu, End::Edge(reach)),
                            reference::strip(n, azimuth, mu, reach),
                        );
                        worst = apart.into_iter().fold(worst, f64::max);
                    }
                }
                // Of fields of up to 2 over strips of `reach`; at worst where incidence and direction are
                // both along the face.
                assert!(worst < last && worst < 0.4, "n {n}, reach {reach}: {worst}");
                last = worst;
            }
        }
    }
}
