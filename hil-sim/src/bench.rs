//! All that stands on the bench: what a scene file describes.

use crate::clock::Clock;
use crate::faults::{Fault, MAX_FAULTS};
use crate::field::Field;
use crate::link::Rates;
use crate::moving::{MAX_MACH, Moving, Path};
use crate::noise::{Noise, Origin};
use crate::{Array, Error, SPEED_OF_SOUND, Scene, Settings};

/// Most sources that are not part of a line: each costs time at every bit of every channel.
pub const MAX_SOUNDS: usize = 64;

/// Sounds, array, faults, clock and link.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bench {
    /// The stationary tones.
    pub scene: Scene,
    /// Moving tones.
    pub moving: Vec<Moving>,
    /// Broadband noises.
    pub noises: Vec<Noise>,
    /// Fields of other solvers.
    pub fields: Vec<Field>,
    /// The microphones' places and order.
    pub array: Array,
    /// Bit rate, spread and noise of the microphones, seed.
    pub settings: Settings,
    /// Acoustic overload point: pressures beyond it are clipped, in pascal. None for no limit but the
    /// modulators' own.
    pub overload_pa: Option<f64>,
    /// Microphones that fail.
    pub faults: Vec<Fault>,
    /// The sampling clock.
    pub clock: Clock,
    /// What the link does to the frames.
    pub link: Rates,
}

impl Bench {
    /// Stationary tones before an array, with a perfect clock and a perfect link.
    pub fn new(scene: Scene, array: Array, settings: Settings) -> Self {
        Self { scene, array, settings, ..Self::default() }
    }

    /// The true bit rate.
    pub fn rate_hz(&self) -> f64 {
        self.clock.rate_hz(self.settings.bit_rate_hz)
    }

    /// The microphones that each fault holds for, by grid index.
    pub fn faulty(&self) -> Vec<Vec<u32>> {
        let channels = self.array.layout.channels();
        let seed = |i: usize| self.settings.seed ^ (0xFA17 << 32) ^ i as u64;
        self.faults.iter().enumerate().map(|(i, fault)| fault.microphones(channels, seed(i))).collect()
    }

    /// Refuses what means nothing. The error of a list's item carries its place.
    pub fn check(&self) -> Result<(), Error> {
        let bit_rate = self.settings.bit_rate_hz;
        let positive = bit_rate > 0.0 && bit_rate <= 1e9;
        Error::unless(positive, "bit rate", bit_rate, "it must be above 0 and at most 1e9 Hz")?;
        self.array.check()?;
        self.settings.imperfections.check()?;
        self.scene.check(self.limit_hz())?;
        let sounds = self.moving.len() + self.noises.len() + self.fields.len();
        let expected = "at most 64 moving sources, noises and fields together";
        Error::unless(sounds <= MAX_SOUNDS, "number of sounds", sounds as f64, expected)?;
        for (i, moving) in self.moving.iter().enumerate() {
            self.check_moving(moving).map_err(|e| e.of("moving", i))?;
        }
        for (i, noise) in self.noises.iter().enumerate() {
            self.check_noise(noise).map_err(|e| e.of("noise", i))?;
        }
        for (i, field) in self.fields.iter().enumerate() {
            self.check_field(field).map_err(|e| e.of("field", i))?;
        }
        let clip = self.overload_pa.unwrap_or(1.0);
        Error::unless(clip > 0.0 && clip <= 1e6, "overload", clip, "it must be above 0 and at most 1e6 Pa")?;
        let faults = self.faults.len();
        Error::unless(faults <= MAX_FAULTS, "number of faults", faults as f64, "at most 1000")?;
        for (i, fault) in self.faults.iter().enumerate() {
            fault.check(self.array.layout.channels()).map_err(|e| e.of("fault", i))?;
        }
        self.clock.check(bit_rate)?;
        self.link.check()
    }

    /// The largest frequency that the modulators follow.
    pub fn limit_hz(&self) -> f64 {
        self.settings.bit_rate_hz / 32.0
    }

    fn check_moving(&self, moving: &Moving) -> Result<(), Error> {
        let Moving { frequency_hz, amplitude, path } = moving;
        let finite = amplitude.re.is_finite() && amplitude.im.is_finite();
        Error::unless(finite, "amplitude", amplitude.re, "it must be a finite number")?;
        let numbers = match *path {
            Path::Straight { start: [x, y, z], velocity: [u, v] } => [x, y, z, u, v, 0.0],
            Path::Circle { centre: [x, y, z], radius, turns_per_s, start_turns } => {
                [x, y, z, radius, turns_per_s, start_turns]
            }
        };
        let wild = numbers.into_iter().find(|n| n.is_nan() || n.abs() > 1e6).unwrap_or(0.0);
        Error::unless(wild == 0.0, "path", wild, "its numbers must lie within +-1e6")?;
        Error::unless(path.z() < 0.0, "z", path.z(), "sources must lie at z < 0")?;
        if let Path::Circle { radius, .. } = path {
            Error::unless(*radius >= 0.0, "radius", *radius, "it must not be negative")?;
        }
        let mach = path.speed() / SPEED_OF_SOUND;
        let expected = "it must be at most half the speed of sound, 171.5 m/s";
        Error::unless(mach <= MAX_MACH, "speed", path.speed(), expected)?;
        let highest = frequency_hz / (1.0 - mach);
        let heard = *frequency_hz > 0.0 && highest <= self.limit_hz();
        let expected = "it must be above 0 and, with its Doppler shift, at most bit rate / 32";
        Error::unless(heard, "frequency", *frequency_hz, expected)
    }

    fn check_noise(&self, noise: &Noise) -> Result<(), Error> {
        let [low, high] = noise.band_hz;
        let limit = self.settings.bit_rate_hz / 64.0;
        let within = low >= 0.0 && low < high && high <= limit;
        let expected = "limits must be in order, from 0 to bit rate / 64";
        Error::unless(within, "band", if within { 0.0 } else { high }, expected)?;
        // The low rate has a smallest value, and the band must not be a small part of an edge.
        let smallest = self.settings.bit_rate_hz / 1e5;
        Error::unless(high - low >= smallest, "width of the band", high - low, "at least bit rate / 1e5")?;
        let (rms, z) = match noise.origin {
            Origin::Point { position: [x, y, z], rms_pa_m } => {
                let beside = x.abs().max(y.abs());
                Error::unless(beside <= 1e3, "position", beside, "it must lie within 1 km")?;
                (rms_pa_m, z)
            }
            Origin::Flow { rms_pa } => (rms_pa, -1.0),
        };
        Error::unless((0.0..=1e6).contains(&rms), "rms", rms, "it must lie in 0 .. 1e6")?;
        Error::unless((-1e3..0.0).contains(&z), "z", z, "sources must lie at -1000 m <= z < 0")
    }

    fn check_field(&self, field: &Field) -> Result<(), Error> {
        let f = field.frequency_hz;
        let expected = "it must be above 0 and at most bit rate / 32";
        Error::unless(f > 0.0 && f <= self.limit_hz(), "frequency", f, expected)?;
        let (count, channels) = (field.pressure.len(), self.array.layout.channels() as usize);
        Error::unless(count == channels, "values of the field", count as f64, "one a microphone")
    }
}
