//! Tables to a case.

use super::tables::{
    FarFieldTable, MaterialTable, MeshTable, PortTable, RegionTable, Tables, UpmlTable, WaveTable,
};
use super::{Case, Error, FarField, Initial, MOST_CELLS, MOST_DIRECTIONS, MOST_PROBES, MOST_SAMPLES};
use crate::mesh::almond::Almond;
use crate::mesh::helix::Helix;
use crate::mesh::named::{self, Region};
use crate::mesh::sphere::Sphere;
use crate::mesh::{Mesh, kuhn};
use crate::ringing::DISTANCE;
use crate::{Boundary, Dipole, Layers, Material, Mode, PlaneWave, Pole, Port, Pulse, Settings};
use mesh::{Volume, read_volume};
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;
use std::f64::consts::TAU;
use std::path::Path;

/// Most frequencies of S-parameters.
const MOST_FREQUENCIES: usize = 10_000;

fn wrong(field: &'static str, found: impl std::fmt::Debug, expected: &'static str) -> Error {
    files::case::Error::value(field, format!("{found:?}"), expected).into()
}

/// A number between two limits, both allowed, in words.
fn within(field: &'static str, value: f64, limits: [f64; 2], expected: &'static str) -> Result<f64, Error> {
    if (limits[0]..=limits[1]).contains(&value) { Ok(value) } else { Err(wrong(field, value, expected)) }
}

impl Tables {
    /// A checked case; paths are relative to `folder`.
    pub fn resolve(&self, folder: &Path) -> Result<Case, Error> {
        let settings = self.settings()?;
        let initial = self.initial(&settings)?;
        let samples = self.samples.unwrap_or(1000);
        if !(1..=MOST_SAMPLES).contains(&samples) {
            return Err(wrong("samples", samples, "1 to 1000000"));
        }
        if self.probe.len() > MOST_PROBES {
            return Err(wrong("[[probe]]", self.probe.len(), "at most 10000 probes"));
        }
        Ok(Case {
            title: self.title.clone().unwrap_or_else(|| "DGTD".into()),
            duration: SPEED_OF_LIGHT * within("duration_s", self.duration_s, [1e-18, 1.0], "1e-18 to 1 s")?,
            // Rounding in 32 bits leaves some 1e-12 of the energy.
            until_energy: self
                .until_energy
                .map(|part| within("until_energy", part, [1e-10, 0.5], "1e-10 to 0.5 of the largest energy"))
                .transpose()?,
            courant: within("courant", self.courant.unwrap_or(1.0), [1e-6, 10.0], "above 0 and at most 10")?,
            initial,
            probes: self.probe.iter().map(|probe| probe.point_m.into()).collect(),
            samples,
            snapshot_rows: self.snapshot_rows,
            sweep: self.port.as_ref().map(PortTable::sweep).transpose()?.unwrap_or_default(),
            far_field: self.far_field.as_ref().map(|table| table.resolve(&settings)).transpose()?,
            mesh: Mesh::new(self.mesh.volume(folder)?)?,
            settings,
        })
    }

    fn settings(&self) -> Result<Settings, Error> {
        let mut settings = Settings::new(self.order.unwrap_or(3));
        settings.upwinding = self.upwinding.unwrap_or(1.0);
        for table in &self.material {
            let material = Material {
                permittivity: table.permittivity.unwrap_or(1.0),
                permeability: table.permeability.unwrap_or(1.0),
                conductivity: table.conductivity_s_per_m.unwrap_or(0.0),
            };
            settings.materials.extend(table.groups.iter().map(|group| (group.clone(), material)));
            settings.poles.extend(table.groups.iter().map(|group| (group.clone(), table.poles())));
        }
        settings.outer = self.boundary.outer;
        settings.boundaries =
            self.boundary.groups.iter().map(|(group, wall)| (group.clone(), *wall)).collect();
        if let Some(wave) = &self.wave {
            settings.wave = Some(wave.resolve(&settings.background)?);
            settings.total_field.clone_from(&wave.total_field);
        }
        for table in &self.dipole {
            let signal = pulse(table.frequency_hz, table.width_s, table.delay_s)?;
            let (position, moment) = (table.position_m.into(), table.moment_a_m.into());
            settings.dipoles.push(Dipole { position, moment, pulse: signal });
        }
        settings.port = self.port.as_ref().map(PortTable::resolve).transpose()?;
        if let Some(table) = self.far_field.as_ref().filter(|_| settings.total_field.is_empty()) {
            settings.total_field.clone_from(&table.inside);
        }
        settings.layers = self.upml.as_ref().map(UpmlTable::resolve);
        settings.validate()?;
        Ok(settings)
    }

    /// A wave that comes in through the whole boundary is there from the beginning.
    fn initial(&self, settings: &Settings) -> Result<Initial, Error> {
        let Some(mode) = self.initial.mode else {
            let is_everywhere = settings.outer == Some(Boundary::Incident) && settings.boundaries.is_empty();
            let is_plain = settings.materials.is_empty() && settings.total_field.is_empty();
            return Ok(if is_everywhere && is_plain { Initial::Wave } else { Initial::Nothing });
        };
        let (Some(low), Some(high)) = (self.mesh.low_m, self.mesh.high_m) else {
            return Err(wrong("[initial] mode", mode, "in a box of [mesh] low_m and high_m"));
        };
        if low != [0.0; 3] {
            return Err(wrong("[mesh] low_m", low, "the origin where [initial] has a mode"));
        }
        let amplitude = self.initial.amplitude_v_per_m.unwrap_or([1.0; 3]);
        Ok(Initial::Mode(Mode::new(mode, high.into(), amplitude.into())?))
    }
}

impl MaterialTable {
    fn poles(&self) -> Vec<Pole> {
        let debye = self.debye.iter().map(|it| Pole::Debye { delta: it.delta_eps, relaxation: it.tau_s });
        let drude = self.drude.iter();
        let drude =
            drude.map(|it| Pole::Drude { plasma: it.plasma_rad_per_s, collision: it.collision_per_s });
        let lorentz = self.lorentz.iter().map(|it| Pole::Lorentz {
            delta: it.delta_eps,
            resonance: it.resonance_rad_per_s,
            damping: it.damping_per_s,
        });
        debye.chain(drude).chain(lorentz).collect()
    }
}

impl MeshTable {
    fn volume(&self, folder: &Path) -> Result<Volume, Error> {
        let Self { file, scale, low_m, high_m, cells, block, sheet, sphere, almond, helix } = self;
        let ways = [file.is_some(), cells.is_some(), sphere.is_some(), almond.is_some(), helix.is_some()];
        let is_one = ways.iter().filter(|way| **way).count() == 1 && (scale.is_none() || file.is_some());
        if !is_one || [low_m, high_m].map(Option::is_some) != [cells.is_some(); 2] {
            let expected = "a file, with a scale or not, or low_m, high_m and cells, or a sphere, an \
                            almond or a helix, and nothing else";
            return Err(wrong("[mesh]", self, expected));
        }
        if cells.is_none() && !(block.is_empty() && sheet.is_empty()) {
            let expected = "in a mesh of low_m, high_m and cells";
            return Err(wrong("[[mesh.block]], [[mesh.sheet]]", "no box", expected));
        }
        if let Some(file) = file {
            let scale = within("[mesh] scale", scale.unwrap_or(1.0), [1e-12, 1e12], "1e-12 to 1e12")?;
            return Ok(read_volume(folder.join(file)).map_err(crate::Error::from)?.scaled(scale));
        }
        let bodies = [
            sphere.as_ref().map(Sphere::volume),
            almond.as_ref().map(Almond::volume),
            helix.as_ref().map(Helix::volume),
        ];
        match bodies.into_iter().flatten().next() {
            Some(body) => Ok(body?),
            None => self.cuboid(),
        }
    }

    /// A box with its groups.
    fn cuboid(&self) -> Result<Volume, Error> {
        let cells = self.cells.unwrap_or_default();
        let count = cells.iter().fold(1usize, |count, cells| count.saturating_mul(*cells));
        if !(1..=MOST_CELLS).contains(&count) {
            return Err(wrong("[mesh] cells", cells, "1 to 10000000 in all"));
        }
        let [low, high] = [self.low_m, self.high_m].map(|corner| Vec3::from(corner.unwrap_or_default()));
        let is_box = (0..3).all(|axis| low[axis] < high[axis]) && low.is_finite() && high.is_finite();
        if !is_box {
            return Err(wrong("[mesh] high_m", high.to_array(), "above low_m along every axis"));
        }
        let mut volume = kuhn::cuboid(low, high, cells);
        let region = |table: &RegionTable| Region { low: table.low_m.into(), high: table.high_m.into() };
        for table in &self.block {
            named::block(&mut volume, &table.name, region(table))?;
        }
        for table in &self.sheet {
            named::sheet(&mut volume, &table.name, region(table))?;
        }
        Ok(volume)
    }
}

impl WaveTable {
    fn resolve(&self, medium: &Material) -> Result<PlaneWave, Error> {
        let signal = pulse(self.frequency_hz, self.width_s, self.delay_s)?;
        Ok(PlaneWave::new(self.direction.into(), self.polarisation.into(), signal, medium)?)
    }
}

/// A pulse, or a sine where there is no width.
fn pulse(frequency_hz: f64, width_s: Option<f64>, delay_s: Option<f64>) -> Result<Pulse, Error> {
    let wavenumber = wavenumber(frequency_hz);
    let centre = SPEED_OF_LIGHT * delay_s.unwrap_or(0.0);
    match width_s {
        Some(width) => Ok(Pulse::Gauss { centre, width: SPEED_OF_LIGHT * width, wavenumber }),
        None if delay_s.is_none() => Ok(Pulse::Sine { wavenumber }),
        None => Err(wrong("delay_s", delay_s, "given with width_s only")),
    }
}

impl PortTable {
    fn resolve(&self) -> Result<Port, Error> {
        Ok(Port {
            group: self.group.clone(),
            direction: self.direction.into(),
            length: self.length_m,
            width: self.width_m,
            resistance: self.resistance_ohm.unwrap_or(50.0),
            pulse: pulse(self.frequency_hz, Some(self.width_s), self.delay_s)?,
        })
    }

    /// k of the S-parameters.
    fn sweep(&self) -> Result<Vec<f64>, Error> {
        let expected = "first, last and step, at most 10000 frequencies";
        let all = steps(self.sweep_hz, MOST_FREQUENCIES);
        let all = all.ok_or_else(|| wrong("[port] sweep_hz", self.sweep_hz, expected))?;
        check_spectrum("[port] sweep_hz", &all, &[self.resolve()?.pulse])?;
        Ok(all.into_iter().map(wavenumber).collect())
    }
}

/// k of a frequency, rad/m.
fn wavenumber(frequency_hz: f64) -> f64 {
    TAU * frequency_hz / SPEED_OF_LIGHT
}

/// Refuses frequencies that a pulse does not have.
fn check_spectrum(field: &'static str, frequencies_hz: &[f64], pulses: &[Pulse]) -> Result<(), Error> {
    let has = |hz: &&f64| pulses.iter().all(|pulse| pulse.has(wavenumber(**hz)));
    let expected = "in the spectrum of every pulse (width_s), within 80 dB of its largest";
    match frequencies_hz.iter().find(|hz| !has(hz)) {
        Some(hz) => Err(wrong(field, hz, expected)),
        None => Ok(()),
    }
}

/// All values from first, last and step; none where they make less than one value or more than `most`.
fn steps([first, last, step]: [f64; 3], most: usize) -> Option<Vec<f64>> {
    let count = ((last - first) / step + 1e-9).floor();
    let is_right = step > 0.0 && (0.0..most as f64).contains(&count);
    is_right.then(|| (0..=count as usize).map(|i| first + step * i as f64).collect())
}

impl UpmlTable {
    fn resolve(&self) -> Layers {
        let usual = Layers::new(self.low_m.into(), self.high_m.into());
        Layers {
            degree: self.degree.unwrap_or(usual.degree),
            reflection: self.reflection.unwrap_or(usual.reflection),
            shift: self.shift_per_m.unwrap_or(usual.shift),
            ..usual
        }
    }
}

/// First, last, step to all values, degrees.
fn angles(field: &'static str, degrees: [f64; 3]) -> Result<Vec<f64>, Error> {
    let expected = "first, last and step in degrees, -360 to 360, in at most 100000 directions";
    let is_right = degrees[..2].iter().all(|angle| angle.abs() <= 360.0);
    let all = steps(degrees, MOST_DIRECTIONS).filter(|_| is_right);
    all.ok_or_else(|| wrong(field, degrees, expected))
}

/// End of the last signal, and the distance of sums after it, m.
fn ringing(signals: &[Pulse]) -> [f64; 2] {
    signals.iter().fold([0.0; 2], |[end, distance], signal| match *signal {
        Pulse::Gauss { centre, width, .. } => {
            [f64::max(end, centre + 4.0 * width), f64::max(distance, DISTANCE * width)]
        }
        Pulse::Sine { .. } => [f64::INFINITY; 2],
    })
}

impl FarFieldTable {
    fn resolve(&self, settings: &Settings) -> Result<FarField, Error> {
        if settings.total_field.is_empty() {
            let expected = "in a case with [wave] total_field or [far_field] inside";
            return Err(wrong("[far_field]", "no surface", expected));
        }
        if self.frequencies_hz.is_empty() || self.frequencies_hz.len() > 1000 {
            return Err(wrong("[far_field] frequencies_hz", self.frequencies_hz.len(), "1 to 1000 of them"));
        }
        let (wave, port) =
            (settings.wave.iter().map(PlaneWave::pulse), settings.port.iter().map(|port| port.pulse));
        let signals: Vec<Pulse> =
            wave.chain(port).chain(settings.dipoles.iter().map(|it| it.pulse)).collect();
        check_spectrum("[far_field] frequencies_hz", &self.frequencies_hz, &signals)?;
        let wavenumbers = self.frequencies_hz.iter().map(|hz| wavenumber(*hz)).collect();
        let mut images = Vec::new();
        for (axis, wall) in &self.images {
            match (["x", "y", "z"].iter().position(|known| known == axis), wall) {
                (Some(axis), Boundary::Pec | Boundary::Pmc) => images.push((axis, *wall)),
                _ => {
                    let expected = "x, y or z = \"pec\" or \"pmc\"";
                    return Err(wrong("[far_field] images", (axis, wall), expected));
                }
            }
        }
        let theta = angles("[far_field] theta_deg", self.theta_deg)?;
        let phi = angles("[far_field] phi_deg", self.phi_deg.unwrap_or([0.0, 0.0, 1.0]))?;
        if theta.len() * phi.len() > MOST_DIRECTIONS {
            return Err(wrong("[far_field]", theta.len() * phi.len(), "at most 100000 directions"));
        }
        Ok(FarField { wavenumbers, theta, phi, images, ringing: ringing(&signals) })
    }
}
