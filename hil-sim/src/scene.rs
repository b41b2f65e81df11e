//! A scene: lines of sound, each with the sources that make it.
//!
//! ```text
//! p(x, t) = sum over lines l of Re{ P_l(x) exp(j 2 pi f_l t) },   P_l = sum of the line's sources
//! ```
//!
//! Every line is a solution of the Helmholtz equation in front of its sources, so any sum of lines is a sound
//! that can be. Sources in one line are coherent; their complex amplitudes set the phases. A scene without
//! lines is silence.

mod catalogue;

use num_complex::Complex;

use crate::Error;
use crate::source::piston::{MAX_FLATNESS, Piston};
use crate::source::{Plate, Source};

/// One frequency and the sources that sound at it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Frequency in hertz.
    pub frequency_hz: f64,
    /// What sounds at it, coherently.
    pub sources: Vec<Source>,
}

impl Line {
    /// Complex pressure at a point (x, y, z in metres), in pascal, peak.
    pub fn pressure(&self, point: [f64; 3]) -> Complex<f64> {
        self.sources.iter().map(|source| source.pressure(self.frequency_hz, point)).sum()
    }
}

/// A sound: a list of lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The lines, in any order.
    pub lines: Vec<Line>,
}

impl Scene {
    /// Checks that every number means something and every source lies behind the plane z = 0.
    pub fn check(&self, limit_hz: f64) -> Result<(), Error> {
        for (line, Line { frequency_hz, sources }) in self.lines.iter().enumerate() {
            if !(*frequency_hz > 0.0 && *frequency_hz <= limit_hz) {
                return Err(Error::Frequency { line, frequency_hz: *frequency_hz, limit_hz });
            }
            for (index, source) in sources.iter().enumerate() {
                check_source(source).map_err(|error| error.of("source", index).of("line", line))?;
            }
        }
        Ok(())
    }

    /// Exponentials that the pressure at one microphone costs, about.
    pub fn evaluations(&self) -> f64 {
        let of = |frequency_hz: f64, source: &Source| match source {
            Source::Monopole { .. } | Source::Dipole { .. } => 1.0,
            Source::Plate(plate) => {
                plate.sides.iter().map(|side| (side / crate::source::PLATE_STEP).max(1.0)).product()
            }
            Source::Piston(Piston { centre, radius, .. }) => {
                // Two a node; nodes for the phase along the rim, and for the nearness of the rim.
                let rim = crate::air::wave_number(frequency_hz) * radius;
                2.0 * (16.0 + 2.0 * rim + 40.0 * radius / centre[2].abs())
            }
        };
        self.lines.iter().flat_map(|line| line.sources.iter().map(|s| of(line.frequency_hz, s))).sum()
    }
}

/// Refuses the first of `values` that `accepted` does not hold for.
fn each(
    name: &'static str,
    values: impl IntoIterator<Item = f64>,
    expected: &'static str,
    accepted: impl Fn(f64) -> bool,
) -> Result<(), Error> {
    match values.into_iter().find(|&value| !accepted(value)) {
        Some(value) => Err(Error::Setting { name, value, expected }),
        None => Ok(()),
    }
}

fn check_source(source: &Source) -> Result<(), Error> {
    const FINITE: &str = "it must be a finite number";
    let finite = |name, values: &[f64]| each(name, values.iter().copied(), FINITE, f64::is_finite);
    let up_to = |most: f64| move |x: f64| x > 0.0 && x <= most;
    finite("position", &source.position())?;
    match source {
        Source::Monopole { amplitude, .. } => finite("amplitude", &[amplitude.re, amplitude.im]),
        Source::Dipole { direction, amplitude, .. } => {
            finite("amplitude", &[amplitude.re, amplitude.im])?;
            let square = direction.iter().map(|d| d * d).sum::<f64>();
            // A square that is zero or infinite has no direction in f64.
            each("length of the direction", [square.sqrt()], "it must be finite and above 0", up_to(f64::MAX))
        }
        Source::Plate(Plate { sides, mode, rotation, velocity, .. }) => {
            finite("velocity", &[velocity.re, velocity.im])?;
            finite("rotation", &[*rotation])?;
            each("side of the plate", *sides, "it must be above 0 and at most 10 m", up_to(10.0))?;
            // Four steps of the midpoint sum a half wave: less does not sample the mode.
            let per_step = [0, 1].map(|i| f64::from(mode[i]) * crate::source::PLATE_STEP / sides[i]);
            each("half waves along a side", mode.map(f64::from), "there must be at least one", |m| m >= 1.0)?;
            each("half waves per step of the plate", per_step, "at most 0.25 are sampled well", |m| m <= 0.25)
        }
        Source::Piston(Piston { centre, radius, velocity }) => {
            finite("velocity", &[velocity.re, velocity.im])?;
            each("radius of the piston", [*radius], "it must be above 0 and at most 10 m", up_to(10.0))?;
            let flatness = radius / centre[2].abs();
            each("radius over depth of the piston", [flatness], "it must be at most 1000", |ratio| {
                ratio <= MAX_FLATNESS
            })
        }
    }?;
    let [_, _, z] = source.position();
    Error::unless(z < 0.0, "z", z, "sources must lie at z < 0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::magnitude;

    fn scene(frequency_hz: f64, source: Source) -> Scene {
        Scene { lines: vec![Line { frequency_hz, sources: vec![source] }] }
    }

    fn monopole(z: f64, amplitude: f64) -> Source {
        Source::Monopole { position: [0.0, 0.0, z], amplitude: amplitude.into() }
    }

    #[test]
    fn pressure_of_a_line_is_the_sum_of_its_sources() {
        let sources = vec![monopole(-0.1, 1.0), monopole(-0.2, -2.0)];
        let line = Line { frequency_hz: 500.0, sources };
        // On the axis at z = 0 both are 10 Pa, in antiphase but for the path of 0.1 m: 2 sin(k 0.1 / 2) of 10
        // Pa.
        let expected = 20.0 * (std::f64::consts::PI * 500.0 * 0.1 / 343.0).sin();
        assert!((magnitude(line.pressure([0.0; 3])) - expected).abs() < 1e-13);
    }

    #[test]
    fn nonsense_is_refused_with_its_place() {
        for f in [0.0, -1.0, f64::NAN, f64::INFINITY, 50_001.0] {
            let error = scene(f, monopole(-0.1, 1.0)).check(50_000.0).unwrap_err();
            assert!(matches!(error, Error::Frequency { line: 0, limit_hz: 50_000.0, .. }), "{error}");
        }
        for z in [0.0, 0.04] {
            let error = scene(1e3, monopole(z, 1.0)).check(5e4).unwrap_err();
            let expected = Error::Setting { name: "z", value: z, expected: "sources must lie at z < 0" };
            assert_eq!(error, expected.of("source", 0).of("line", 0));
        }
        let dipole = |d: f64| Source::Dipole {
            position: [0.0, 0.0, -0.1],
            direction: [0.0, d, 0.0],
            amplitude: Complex::ONE,
        };
        let plate = |side: f64, mode: u32| {
            Source::Plate(Plate {
                centre: [0.0, 0.0, -0.01],
                sides: [side, 0.3],
                mode: [mode, 1],
                rotation: 0.0,
                velocity: Complex::ONE,
            })
        };
        let piston = |radius: f64| {
            Source::Piston(Piston { centre: [0.0, 0.0, -0.001], radius, velocity: Complex::ONE })
        };
        let bad = [
            piston(0.0),
            piston(f64::NAN),
            piston(1.1),
            monopole(f64::NAN, 1.0),
            monopole(-0.1, f64::INFINITY),
            dipole(0.0),
            dipole(f64::NAN),
            dipole(1e300),
            plate(0.0, 1),
            plate(11.0, 1),
            plate(f64::NAN, 1),
            plate(0.3, 0),
            plate(0.3, 31),
        ];
        for source in bad {
            let error = scene(1e3, source.clone()).check(5e4).unwrap_err();
            let text = error.to_string();
            assert!(text.starts_with("line 0: source 0: ") && !text.contains("z ="), "{source:?}: {text}");
        }
        assert_eq!(scene(1e3, dipole(1e-3)).check(5e4), Ok(()));
        assert_eq!(scene(1e3, plate(0.3, 30)).check(5e4), Ok(()));
        assert_eq!(Scene::default().check(5e4), Ok(()));
    }
}
