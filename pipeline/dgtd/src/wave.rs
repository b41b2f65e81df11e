//! Plane waves and modes by formula: what comes in, what a run begins with, and what it is compared with.

use super::{Error, Material, State};
use num_complex::Complex64;
use numerics::vec3::Vec3;
use std::f64::consts::PI;

/// A signal over s = c t, m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pulse {
    /// sin(k s)
    Sine {
        /// k, rad/m.
        wavenumber: f64,
    },
    /// exp(-((s - centre)/width)^2) cos(k (s - centre))
    Gauss {
        /// m
        centre: f64,
        /// m
        width: f64,
        /// k, rad/m.
        wavenumber: f64,
    },
}

impl Pulse {
    /// Whether all its numbers are finite and its width is positive.
    pub fn is_right(&self) -> bool {
        match *self {
            Self::Sine { wavenumber } => wavenumber.is_finite(),
            Self::Gauss { centre, width, wavenumber } => {
                [centre, width, wavenumber].iter().all(|number| number.is_finite()) && width > 0.0
            }
        }
    }

    /// Whether its spectrum has this wavenumber, within 80 dB of its largest value; one that never ends has none.
    pub fn has(&self, wavenumber: f64) -> bool {
        match *self {
            Self::Sine { .. } => false,
            Self::Gauss { width, wavenumber: middle, .. } => {
                // exp(-x^2) = 1e-4
                const LEAST: f64 = 3.03;
                wavenumber > 0.0 && (0.5 * width * (wavenumber - middle.abs())).abs() < LEAST
            }
        }
    }

    /// The signal at s, m.
    pub fn at(&self, s: f64) -> f64 {
        match *self {
            Self::Sine { wavenumber } => (wavenumber * s).sin(),
            Self::Gauss { centre, width, wavenumber } => {
                let s = s - centre;
                (-(s / width).powi(2)).exp() * (wavenumber * s).cos()
            }
        }
    }
}

/// Adds a value of a signal at a time, m, to its sums.
pub(crate) fn signal_sum(wavenumbers: &[f64], sums: &mut [Complex64], value: f64, time: f64, dt: f64) {
    for (k, sum) in wavenumbers.iter().zip(sums) {
        *sum += Complex64::from_polar(dt, -k * time) * value;
    }
}

/// A plane wave in a medium without losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneWave {
    /// Where it goes, a unit vector.
    direction: Vec3,
    /// Of E, V/m.
    polarisation: Vec3,
    pulse: Pulse,
    /// Seconds a metre times c.
    index: f64,
    impedance: f64,
}

impl PlaneWave {
    /// A wave along `direction` with E along `polarisation` (made perpendicular), amplitude 1 V/m, whose signal passes the origin at time 0.
    pub fn new(direction: Vec3, polarisation: Vec3, pulse: Pulse, medium: &Material) -> Result<Self, Error> {
        let along = direction.unit();
        let across = (polarisation - along * along.dot(polarisation)).unit();
        // Vectors without a length, or that are no numbers, have no unit.
        let has_units = (along.length() - 1.0).abs() < 1e-9 && (across.length() - 1.0).abs() < 1e-9;
        if !has_units || !pulse.is_right() {
            let given = (direction.to_array(), polarisation.to_array(), pulse);
            let allowed = "the vectors need lengths and different directions, the pulse finite numbers and a positive width";
            return Err(Error::value("plane wave (direction, E, pulse)", given, allowed));
        }
        let (index, impedance) = (medium.speed().recip(), medium.impedance());
        Ok(Self { direction: along, polarisation: across, pulse, index, impedance })
    }

    /// The signal at the origin at a time, m.
    pub fn signal(&self, time: f64) -> f64 {
        self.pulse.at(time)
    }

    /// Its signal.
    pub fn pulse(&self) -> Pulse {
        self.pulse
    }

    /// How much later than the origin the signal passes a place, m; both in m.
    pub fn delay(&self, place: Vec3) -> f64 {
        self.index * self.direction.dot(place)
    }

    /// Fields where the signal is 1.
    pub fn amplitude(&self) -> State {
        State { e: self.polarisation, h: self.direction.cross(self.polarisation) * self.impedance.recip() }
    }

    /// Fields at a place, m, and a time, m.
    pub fn at(&self, place: Vec3, time: f64) -> State {
        let (value, State { e, h }) = (self.signal(time - self.delay(place)), self.amplitude());
        State { e: e * value, h: h * value }
    }
}

/// A mode of a rectangular cavity with conducting walls, one corner at the origin, filled with vacuum.
///
/// ```text
/// E_x = A_x cos(kx x) sin(ky y) sin(kz z) cos(w t)      k = pi (m/a, n/b, p/d)      k.A = 0
/// H   = -(1/w) curl[E / cos] sin(w t)
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    wavevector: Vec3,
    amplitude: Vec3,
}

impl Mode {
    /// The mode of these half waves along the sides, m; of the amplitude, V/m, what is not perpendicular to the wavevector is taken away.
    pub fn new(halves: [u32; 3], sides: Vec3, amplitude: Vec3) -> Result<Self, Error> {
        let k = [0, 1, 2].map(|axis| PI * f64::from(halves[axis]) / sides[axis]);
        let k = Vec3::from(k);
        let amplitude_left = amplitude - k * (k.dot(amplitude) / k.dot(k));
        let found = Self { wavevector: k, amplitude: amplitude_left };
        // Without two sines in one of its components there is no field.
        let has_field = halves.iter().filter(|half| **half > 0).count() >= 2;
        let is_right = [0, 1, 2].iter().all(|axis| sides[*axis] > 0.0) && amplitude_left.length() > 0.0;
        if has_field && is_right && found.wavenumber().is_finite() && amplitude_left.is_finite() {
            return Ok(found);
        }
        let given = (halves, sides.to_array(), amplitude.to_array());
        Err(Error::value("cavity mode (half waves, sides, amplitude)", given, "it has no field"))
    }

    /// Angular frequency over c, rad/m.
    pub fn wavenumber(&self) -> f64 {
        self.wavevector.length()
    }

    /// Fields at a place, m, and a time, m.
    pub fn at(&self, place: Vec3, time: f64) -> State {
        let (k, a, w) = (self.wavevector, self.amplitude, self.wavenumber());
        let sine = [0, 1, 2].map(|axis| (k[axis] * place[axis]).sin());
        let cosine = [0, 1, 2].map(|axis| (k[axis] * place[axis]).cos());
        let of = |axis: usize, own: &[f64; 3], others: &[f64; 3]| {
            own[axis] * others[(axis + 1) % 3] * others[(axis + 2) % 3]
        };
        let e = [0, 1, 2].map(|axis| a[axis] * of(axis, &cosine, &sine));
        // curl: each component has one sine and two cosines, and (k x A) as its factor.
        let curl = k.cross(a);
        let h = [0, 1, 2].map(|axis| curl[axis] * of(axis, &sine, &cosine));
        State { e: Vec3::from(e) * (w * time).cos(), h: Vec3::from(h) * (-(w * time).sin() / w) }
    }
}
