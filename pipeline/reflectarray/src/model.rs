//! Feed, elements and the two factors of the far field.
//!
//! Axes are the aperture's: its centre is the origin, x and y lie in its plane, and z is the normal on the side of the feed.

use super::{Error, Result, Scattering};
use num_complex::Complex;
use numerics::constants::SPEED_OF_LIGHT;
use std::f64::consts::TAU;

/// The primary source, with a field pattern cos^m about its aim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Feed {
    /// Phase centre, m.
    pub position: [f64; 3],
    /// A point that it looks at, m; the aperture's centre unless told otherwise.
    pub aim: [f64; 3],
    /// m: exponent of the field pattern.
    pub exponent: f64,
}

impl Feed {
    /// A feed at (0, -`offset`, `height`) that looks at the centre of the aperture.
    pub const fn offset(offset: f64, height: f64, exponent: f64) -> Self {
        Self { position: [0.0, -offset, height], aim: [0.0; 3], exponent }
    }

    fn words(&self) -> String {
        let Self { position, aim, exponent } = self;
        format!("feed at {position:?} m that looks at {aim:?} m with exponent {exponent}")
    }
}

/// What a feed brings to a point of the aperture.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Light {
    /// f = cos^m(theta) exp(-j beta r)/r; 0 behind the feed.
    pub f: Complex<f64>,
    /// beta r: what an element has to add for all of them to be in phase, rad.
    pub path: f64,
    /// d ln f/dx and d ln f/dy, 1/m.
    pub log_slope: [Complex<f64>; 2],
    /// Angle of incidence off the aperture's normal, rad.
    pub incidence: f64,
    /// Its slopes along x and y, rad/m.
    pub incidence_slope: [f64; 2],
}

impl Feed {
    /// The wave at (x, y, 0) for the wavenumber `beta` (rad/m).
    pub fn light(&self, beta: f64, x: f64, y: f64) -> Light {
        let [px, py, pz] = self.position;
        let axis = [self.aim[0] - px, self.aim[1] - py, self.aim[2] - pz];
        let length = axis.iter().map(|a| a * a).sum::<f64>().sqrt();
        let way = [x - px, y - py, -pz];
        let r = way.iter().map(|w| w * w).sum::<f64>().sqrt();
        let cosine = way.iter().zip(&axis).map(|(w, a)| w * a).sum::<f64>() / (r * length);
        if cosine <= 0.0 {
            return Light::default();
        }
        let f = Complex::from_polar(cosine.powf(self.exponent) / r, -beta * r);
        let slopes = |i: usize| {
            let along = way[i] / r;
            let bend = (axis[i] / length - cosine * along) / (r * cosine);
            Complex::new(self.exponent * bend - along / r, -beta * along)
        };
        let across = way[0].hypot(way[1]).max(f64::MIN_POSITIVE);
        let tilt = |i: usize| way[i] / across * pz / (r * r);
        let incidence = across.atan2(pz);
        Light {
            f,
            path: beta * r,
            log_slope: [slopes(0), slopes(1)],
            incidence,
            incidence_slope: [tilt(0), tilt(1)],
        }
    }
}

/// Elements of a reflectarray.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Elements {
    /// x of every element, m.
    pub x: Vec<f64>,
    /// y of every element, m.
    pub y: Vec<f64>,
    /// psi of every element, rad.
    pub phase: Vec<f64>,
}

impl Elements {
    /// `columns` x `rows` elements about the centre at `pitch` (m), row by row, all with phase 0.
    pub fn grid(columns: usize, rows: usize, pitch: f64) -> Self {
        let along = |i: usize, n: usize| (i as f64 - 0.5 * (n as f64 - 1.0)) * pitch;
        let all = || (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
        let (x, y) = all().map(|(column, row)| (along(column, columns), along(row, rows))).unzip();
        Self { x, y, phase: vec![0.0; columns * rows] }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }
}

/// Least and greatest distance between an element and its neighbours in the lattice, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spacing {
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
}

/// How an element radiates: the factor g of the far field.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Pattern {
    /// g = 1.
    #[default]
    Isotropic,
    /// g = cos^q(theta).
    Cosine {
        /// q.
        exponent: f64,
    },
}

impl Pattern {
    /// q.
    pub const fn exponent(self) -> f64 {
        match self {
            Self::Isotropic => 0.0,
            Self::Cosine { exponent } => exponent,
        }
    }
}

/// Everything about a reflectarray but its elements' places and phases.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Hz.
    pub frequency: f64,
    /// The feed.
    pub feed: Feed,
    /// g.
    pub pattern: Pattern,
    /// S.
    pub scattering: Scattering,
}

impl Model {
    /// Isotropic elements that change the phase only.
    pub const fn new(frequency: f64, feed: Feed) -> Self {
        Self { frequency, feed, pattern: Pattern::Isotropic, scattering: Scattering::PhaseOnly }
    }

    /// lambda, m.
    pub fn wavelength(&self) -> f64 {
        SPEED_OF_LIGHT / self.frequency
    }

    /// beta, rad/m.
    pub fn wavenumber(&self) -> f64 {
        TAU / self.wavelength()
    }

    /// What the feed brings to points of the aperture, m.
    pub fn light(&self, x: &[f64], y: &[f64]) -> impl Iterator<Item = Light> {
        let beta = self.wavenumber();
        x.iter().zip(y).map(move |(x, y)| self.feed.light(beta, *x, *y))
    }

    /// Refuses a feed that looks away from all elements, or past them so far that nothing is left of its light.
    pub fn check_light(&self, elements: &Elements) -> Result<()> {
        // Squares of what is smaller are no numbers of full precision.
        if self.light(&elements.x, &elements.y).any(|light| light.f.norm() > 1e-100) {
            return Ok(());
        }
        Err(Error::invalid(
            self.feed.words(),
            format!("no light reaches any of the {} elements", elements.len()),
        ))
    }

    /// Refuses what has no meaning.
    pub fn check(&self) -> Result<()> {
        let Self { frequency, feed, pattern, .. } = self;
        if !(frequency.is_finite() && *frequency > 0.0) {
            return Err(Error::invalid(
                format!("frequency {frequency} Hz"),
                "it must be positive and finite",
            ));
        }
        let along: f64 = feed.position.iter().zip(&feed.aim).map(|(p, a)| (a - p) * (a - p)).sum();
        let lit = feed.position[2] > 0.0 && along.is_finite() && along > 0.0;
        if !(lit && feed.exponent.is_finite() && feed.exponent >= 0.0) {
            let allowed = "it must lie above the aperture (z > 0), look elsewhere than at itself, and have an \
                           exponent of 0 or more";
            return Err(Error::invalid(feed.words(), allowed));
        }
        match *pattern {
            Pattern::Cosine { exponent } if !(exponent.is_finite() && exponent >= 0.0) => {
                let given = format!("element pattern cos^{exponent}");
                Err(Error::invalid(given, "the exponent must be 0 or more"))
            }
            _ => self.scattering.check(),
        }
    }
}
