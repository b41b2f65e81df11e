//! A tone from a point that moves: emission time, Doppler shift, convected amplitude.
//!
//! The source sounds with A exp(jwt) at x_s(t). The pressure obeys the wave equation with the right-hand side
//! 4 pi A exp(jwt) delta(x - x_s(t)), whose solution is exact:
//!
//! ```text
//! p(x, t) = A exp(jw tau) / (R (1 - M_r)),    c (t - tau) = R = |x - x_s(tau)|,    M_r = v(tau) . (x - x_s(tau)) / (c R)
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | tau | emission time: when the sound that arrives at t left | s |
//! | R | distance at the emission time | m |
//! | M_r | Mach number of the source towards the microphone, at the emission time | |
//! | A | amplitude: pressure times distance | Pa m |
//!
//! The frequency heard is f / (1 - M_r), and a source at rest is the monopole of [`crate::source`]. (A source
//! of mass radiates with one more factor 1/(1 - M_r) and a near-field term; at M = 0.1 this is 10 % of the
//! amplitude, and the phase is the same.)
//!
//! On a straight path tau solves a quadratic equation. On a circle Newton's method finds it to rounding; the
//! equation has one solution because the source is slower than sound.
//!
//! # Cost
//! p = a(t) exp(jwt), where a varies slowly. It is computed exactly at knots and interpolated by a cubic
//! between; the spacing ([`Moving::spacing`]) keeps the error below 1e-4 of the amplitude (tested).

use num_complex::Complex;

use crate::SPEED_OF_SOUND as C;
use crate::phase::{from_turns, phasor};
use crate::source::{dot, offset};

/// Largest Mach number accepted.
pub const MAX_MACH: f64 = 0.5;

/// Knots a cubic needs.
pub const KNOTS: usize = 4;

/// Largest spacing of the knots in samples.
const MAX_SPACING: u64 = 256;

/// Where a source is at a time. Both paths lie in a plane parallel to the array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Path {
    /// Constant velocity.
    Straight {
        /// Position at t = 0 in metres.
        start: [f64; 3],
        /// Velocity in metres a second along x and y.
        velocity: [f64; 2],
    },
    /// A circle at constant speed.
    Circle {
        /// Its centre in metres.
        centre: [f64; 3],
        /// Its radius in metres.
        radius: f64,
        /// Turns a second from x towards y; negative for the other way.
        turns_per_s: f64,
        /// Angle at t = 0 from x, in turns.
        start_turns: f64,
    },
}

impl Path {
    /// Position and velocity at time `t`.
    pub fn at(&self, t: f64) -> ([f64; 3], [f64; 3]) {
        match *self {
            Self::Straight { start: [x, y, z], velocity: [u, v] } => ([x + u * t, y + v * t, z], [u, v, 0.0]),
            Self::Circle { centre: [x, y, z], radius, turns_per_s, start_turns } => {
                let unit = phasor(from_turns(start_turns + turns_per_s * t));
                let speed = std::f64::consts::TAU * turns_per_s * radius;
                let at = [x + radius * unit.re, y + radius * unit.im, z];
                (at, [-speed * unit.im, speed * unit.re, 0.0])
            }
        }
    }

    /// Speed in metres a second.
    pub fn speed(&self) -> f64 {
        let (_, v) = self.at(0.0);
        dot(v, v).sqrt()
    }

    /// z of the path in metres.
    pub fn z(&self) -> f64 {
        match self {
            Self::Straight { start, .. } => start[2],
            Self::Circle { centre, .. } => centre[2],
        }
    }

    /// Time that the sound heard at `point` at time `t` has been under way.
    pub fn travel_time(&self, point: [f64; 3], t: f64) -> f64 {
        let (at, v) = self.at(t);
        let (d, r) = offset(at, point);
        match self {
            // c^2 T^2 = |d + v T|^2, the positive root.
            Self::Straight { .. } => {
                let (dv, left) = (dot(d, v), C * C - dot(v, v));
                (dv + (dv * dv + left * r * r).sqrt()) / left
            }
            Self::Circle { .. } => self.newton(point, t, r / C),
        }
    }

    /// Solves c T = |x - x_s(t - T)| from a first guess.
    fn newton(&self, point: [f64; 3], t: f64, guess: f64) -> f64 {
        let mut travel = guess;
        for _ in 0..32 {
            let (at, v) = self.at(t - travel);
            let (d, r) = offset(at, point);
            let step = (C * travel - r) / (C - dot(d, v) / r);
            travel -= step;
            if step.abs() <= 1e-15 * travel {
                break;
            }
        }
        travel
    }
}

/// A moving tone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moving {
    /// Frequency of the source in hertz.
    pub frequency_hz: f64,
    /// Pressure times distance at rest, in pascal metres, peak.
    pub amplitude: Complex<f64>,
    /// Where it is.
    pub path: Path,
}

impl Moving {
    /// a(t): the pressure at `point` and time `t` without the factor exp(jwt).
    pub fn envelope(&self, point: [f64; 3], t: f64) -> Complex<f64> {
        let travel = self.path.travel_time(point, t);
        let (at, v) = self.path.at(t - travel);
        let (d, r) = offset(at, point);
        let convected = r - dot(d, v) / C;
        self.amplitude * phasor(from_turns(-self.frequency_hz * travel)) / convected
    }

    /// Largest |a| at a distance of at least `nearest` metres.
    pub fn peak(&self, nearest: f64) -> f64 {
        self.amplitude.norm_sqr().sqrt() / (nearest * (1.0 - self.path.speed() / C))
    }

    /// Samples between two knots: a power of two.
    ///
    /// With s a bound for the relative rate of change of a, phase and amplitude together, the cubic's error is
    /// 3/128 (h s)^4; h s = 0.15 makes it 1.2e-5.
    pub fn spacing(&self, rate_hz: f64, nearest: f64) -> u64 {
        let speed = self.path.speed();
        let mach = speed / C;
        let phase = std::f64::consts::TAU * self.frequency_hz * mach / (1.0 - mach);
        let amplitude = 3.0 * speed / (nearest * (1.0 - mach) * (1.0 - mach));
        let samples = 0.15 * rate_hz / (phase + amplitude);
        // Towards zero and saturating, as the cast is; a source at rest has no limit.
        let spacing = (samples as u64).clamp(1, MAX_SPACING);
        1 << spacing.ilog2()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpolation::cubic;
    use crate::source::Source;
    use crate::testing::{cis, magnitude};
    use std::f64::consts::TAU;

    const POINT: [f64; 3] = [0.05, -0.03, 0.04];

    fn straight(velocity: [f64; 2]) -> Moving {
        let path = Path::Straight { start: [-0.2, 0.01, -0.03], velocity };
        Moving { frequency_hz: 1000.0, amplitude: Complex::new(0.03, 0.04), path }
    }

    fn circle(turns_per_s: f64) -> Moving {
        let path = Path::Circle { centre: [0.02, 0.0, -0.03], radius: 0.15, turns_per_s, start_turns: 0.1 };
        Moving { path, ..straight([0.0; 2]) }
    }

    #[test]
    fn at_rest_it_is_the_static_monopole() {
        for moving in [straight([0.0; 2]), circle(0.0)] {
            let position = moving.path.at(0.0).0;
            let monopole = Source::Monopole { position, amplitude: moving.amplitude };
            for t in [-1.0, 0.0, 1e4] {
                let error =
                    magnitude(moving.envelope(POINT, t) - monopole.pressure(moving.frequency_hz, POINT));
                assert!(error < 1e-14, "{error:e}");
            }
        }
    }

    #[test]
    fn emission_time_solves_its_equation() {
        for moving in [straight([30.0, -5.0]), straight([150.0, 0.0]), circle(30.0), circle(-180.0)] {
            for i in 0..100 {
                let t = f64::from(i) * 1e-3;
                let travel = moving.path.travel_time(POINT, t);
                let (at, _) = moving.path.at(t - travel);
                // A rounding of the position, 1e-16 of up to 15 m.
                assert!((C * travel - offset(at, POINT).1).abs() < 1e-14, "{moving:?} {t}");
            }
        }
    }

    #[test]
    fn frequency_is_dopplers() {
        for moving in [straight([30.0, -5.0]), straight([-100.0, 0.0]), circle(30.0), circle(-100.0)] {
            for i in 0..50 {
                let (t, h) = (f64::from(i) * 1e-3, 1e-6);
                let turns = |t: f64| t - moving.path.travel_time(POINT, t);
                let found = 1000.0 * (turns(t + h) - turns(t - h)) / (2.0 * h);
                let tau = turns(t);
                let (at, v) = moving.path.at(tau);
                let (d, r) = offset(at, POINT);
                let expected = 1000.0 / (1.0 - dot(d, v) / (C * r));
                // Central difference: h^2/6 of tau''', about (v/R)^3/v * R/c: 1e-5 of 1 kHz for 100 m/s at 7 cm;
                // rounding of tau, 1e-17 s over h: 1e-8.
                assert!((found / expected - 1.0).abs() < 1e-5, "{moving:?} {t}: {found} {expected}");
            }
        }
    }

    #[test]
    fn moving_field_obeys_the_wave_equation() {
        // Second differences in space and time of the real field, away from the source.
        let moving = straight([60.0, 0.0]);
        let p = |x: [f64; 3], t: f64| (moving.envelope(x, t) * cis(TAU * 1000.0 * t)).re;
        let (t, h) = (1.3e-3, 1e-3);
        let dt = h / C;
        let space: f64 = (0..3)
            .map(|axis| {
                let at = |by: f64| {
                    let mut x = POINT;
                    x[axis] += by;
                    p(x, t)
                };
                at(h) + at(-h) - 2.0 * at(0.0)
            })
            .sum();
        let time = p(POINT, t + dt) + p(POINT, t - dt) - 2.0 * p(POINT, t);
        // Each second difference is h^2 p'', of relative size (h/R)^2 = 1e-4 with R about 0.1 m; the fourth
        // derivatives that the differences leave are (h/R)^2 of them again, times some tens.
        let scale = p(POINT, t).abs().max(0.3) * (h / 0.1) * (h / 0.1);
        assert!((space - time).abs() < 0.02 * scale, "{space:e} {time:e} {scale:e}");
    }

    #[test]
    fn cubic_between_knots_keeps_the_stated_error() {
        let rate = 1.5e6;
        for moving in [straight([20.0, 0.0]), straight([120.0, 30.0]), circle(20.0), circle(-100.0)] {
            let spacing = moving.spacing(rate, 0.07) as f64;
            let at = |n: f64| moving.envelope(POINT, n / rate);
            let mut worst = 0.0f64;
            for segment in 0..400 {
                let start = f64::from(segment) * spacing;
                let knots = [-1.0, 0.0, 1.0, 2.0].map(|k| at(start + k * spacing));
                for u in [0.25, 0.5, 0.7] {
                    let found: Complex<f64> = cubic(u).iter().zip(knots).map(|(w, a)| a * w).sum();
                    let exact = at(start + u * spacing);
                    worst = worst.max(magnitude(found - exact) / magnitude(exact));
                }
            }
            println!("spacing {spacing}: {worst:e}");
            assert!(worst < 1e-4, "{moving:?}: {worst:e}");
        }
        assert_eq!(straight([0.0; 2]).spacing(rate, 0.07), MAX_SPACING);
    }
}
