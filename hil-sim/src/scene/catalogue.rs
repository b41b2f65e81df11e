//! The built-in scenes. Levels are for the camera at its usual standoff of 4 cm.

use num_complex::Complex;

use super::{Line, Scene};
use crate::Error;
use crate::source::{Plate, Source};

/// A scene's name and what makes it.
type Entry = (&'static str, fn() -> Scene);

const SCENES: [Entry; 5] = [
    ("demo", Scene::demo),
    ("monopole", monopole_scene),
    ("dipole", dipole_scene),
    ("plate", plate_scene),
    ("silence", Scene::default),
];

impl Scene {
    /// The built-in scene of this name, or an error that lists the names.
    pub fn named(name: &str) -> Result<Self, Error> {
        match SCENES.iter().find(|(known, _)| *known == name) {
            Some((_, make)) => Ok(make()),
            None => Err(Error::UnknownScene {
                name: name.into(),
                known: Self::names().collect::<Vec<_>>().join(", "),
            }),
        }
    }

    /// The names of the built-in scenes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        SCENES.iter().map(|(name, _)| *name)
    }

    /// Three machines: a near one at 1 kHz with two harmonics, a farther one at 2.5 kHz with one, a panel
    /// humming at 220 Hz.
    ///
    /// Each peaks near 1 Pa at the microphone that it is loudest at.
    pub fn demo() -> Self {
        let (near, far) = ([-0.17, -0.13, -0.03], [0.15, 0.11, -0.12]);
        let lines = vec![
            plate(220.0, [0.023, -0.014, -0.01], [3, 2], 0.0462.into()),
            monopole(1000.0, near, 0.07.into()),
            monopole(2000.0, near, Complex::new(0.0, 0.02)),
            monopole(2500.0, far, 0.16.into()),
            monopole(3000.0, near, (-0.007).into()),
            monopole(5000.0, far, Complex::new(0.0, -0.03)),
        ];
        Self { lines }
    }
}

/// One monopole at 1 kHz, 1 Pa at the nearest microphone.
fn monopole_scene() -> Scene {
    Scene { lines: vec![monopole(1000.0, [-0.11, 0.05, -0.03], 0.07.into())] }
}

/// One dipole at 1 kHz that lies along x: silent in the plane between its two lobes.
fn dipole_scene() -> Scene {
    let source = Source::Dipole {
        position: [0.03, -0.05, -0.03],
        direction: [1.0, 0.0, 0.0],
        amplitude: 0.006_65.into(),
    };
    Scene { lines: vec![Line { frequency_hz: 1000.0, sources: vec![source] }] }
}

/// Two modes of one panel, at 220 and 380 Hz.
fn plate_scene() -> Scene {
    let centre = [0.023, -0.014, -0.01];
    Scene {
        lines: vec![plate(220.0, centre, [3, 2], 0.0462.into()), plate(380.0, centre, [2, 3], 0.009.into())],
    }
}

fn monopole(frequency_hz: f64, position: [f64; 3], amplitude: Complex<f64>) -> Line {
    Line { frequency_hz, sources: vec![Source::Monopole { position, amplitude }] }
}

fn plate(frequency_hz: f64, centre: [f64; 3], mode: [u32; 2], velocity: Complex<f64>) -> Line {
    let plate = Plate { centre, sides: [0.42, 0.34], mode, rotation: 0.0, velocity };
    Line { frequency_hz, sources: vec![Source::Plate(plate)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Array;
    use crate::testing::magnitude;
    use rayon::prelude::*;

    /// Largest pressure of every line over the camera.
    fn peaks(scene: &Scene) -> Vec<f64> {
        let at = |line: &Line, index| magnitude(line.pressure(Array::CAMERA.position(index)));
        let peak =
            |line: &Line| (0..1024).into_par_iter().map(|index| at(line, index)).reduce(|| 0.0, f64::max);
        scene.lines.iter().map(peak).collect()
    }

    #[test]
    fn loudest_line_of_every_machine_peaks_near_one_pascal() {
        for (name, loud) in [("demo", &[0, 1, 3][..]), ("monopole", &[0]), ("dipole", &[0]), ("plate", &[0])]
        {
            let scene = Scene::named(name).unwrap();
            scene.check(46_875.0).unwrap();
            let peaks = peaks(&scene);
            for (line, &peak) in peaks.iter().enumerate() {
                assert!(peak < 1.1 && (peak > 0.9) == loud.contains(&line), "{name}: {peaks:?}");
            }
        }
    }

    #[test]
    fn unknown_names_get_the_list() {
        assert_eq!(Scene::named("silence"), Ok(Scene::default()));
        let error = Scene::named("opera").unwrap_err().to_string();
        assert_eq!(error, "no scene is called \"opera\"; there are demo, monopole, dipole, plate, silence");
    }
}
