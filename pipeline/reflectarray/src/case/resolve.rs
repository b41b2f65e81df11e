//! Tables to a case.

use super::stages::{self, Setting};
use super::tables::{
    ArrayTable, CoverageTable, FeedTable, IsolationTable, LayoutTable, OneOrMore, SatelliteTable, Side,
    SideLobesTable, Tables,
};
use super::{Case, Error, LayoutCase, MOST_ELEMENTS, MOST_FREQUENCIES, MOST_REGIONS, MOST_STARTS};
use crate::coverage::geostationary::{Place, View};
use crate::coverage::{Area, SideLobes, Specification, Zone, outline, outline_uv};
use crate::layout::{PatchModel, PhaseTable, Settings};
use crate::model::{Feed, Model, Pattern, Spacing};
use crate::scattering::{Scattering, ScatteringTable};
use files::case::within;
use numerics::constants::SPEED_OF_LIGHT;
use numerics::real::ends;
use std::path::Path;

/// Least gap between patches, m: what is etched without trouble.
const GAP: f64 = 0.1e-3;
/// What the mean counts for: most of what the least margin can have, and more of the mean.
const MEAN: f64 = 0.1;
/// Starts: the four kinds of aperture phase, as wide as the coverage and less.
const STARTS: usize = 8;
/// Samples of the optimiser across lambda over the aperture's longer side, which is about the width of a beam.
const SAMPLES_PER_BEAM: f64 = 12.0;

impl Tables {
    /// A checked case; paths are relative to `folder`.
    pub fn resolve(&self, folder: &Path) -> Result<Case, Error> {
        let frequencies = frequencies(&self.array)?;
        let wavelength = SPEED_OF_LIGHT / frequencies[0];
        let ArrayTable { columns, rows, .. } = self.array;
        let count = columns.saturating_mul(rows);
        if !(1..=MOST_ELEMENTS).contains(&count) {
            let (found, expected) = (format!("{columns} x {rows}"), format!("1 to {MOST_ELEMENTS} elements"));
            return Err(Error::value("[array] columns, rows", found, expected));
        }
        let spacing = spacing(&self.array, wavelength)?;
        let pitch = pitch(&self.array, wavelength, spacing)?;
        let models = self.models(&frequencies, folder)?;
        let longest = columns.max(rows) as f64 * spacing.map_or(pitch, |spacing| spacing.max);
        let usual = wavelength / longest / SAMPLES_PER_BEAM;
        // One small element has a beam wider than the sky.
        let step = within("[sampling] step", self.sampling.step.unwrap_or(usual.min(0.1)), [1e-6, 0.5])?;
        // Neighbours along a row or a column leave room for these.
        let cell = spacing.map_or(pitch, |spacing| spacing.min);
        let layout =
            self.layout.as_ref().map(|table| layout(table, folder, frequencies[0], cell)).transpose()?;
        let method = self.synthesis.method;
        stages::check(self, method, frequencies.len())?;
        let power = stages::power(self, method, frequencies.len())?;
        let specification = self.specification()?;
        let range = stages::range(&specification, [columns, rows], pitch / wavelength);
        let setting = Setting { method, power, moving: spacing.is_some(), range };
        Ok(Case {
            title: self.title.clone().unwrap_or_else(|| "Reflectarray".into()),
            models,
            columns,
            rows,
            pitch,
            spacing,
            specification,
            step,
            mean: within("[synthesis] mean", self.synthesis.mean.unwrap_or(MEAN), [0.0, 1.0])?,
            method,
            power,
            starts: within("[synthesis] starts", self.synthesis.starts.unwrap_or(STARTS), [1, MOST_STARTS])?,
            stages: stages::stages(&self.synthesis, &setting)?,
            layout,
        })
    }

    fn models(&self, frequencies: &[f64], folder: &Path) -> Result<Vec<Model>, Error> {
        let feed = feed(&self.feed)?;
        let pattern = match self.element.pattern_exponent {
            None => Pattern::Isotropic,
            Some(q) => Pattern::Cosine { exponent: within("[element] pattern_exponent", q, [0.0, 20.0])? },
        };
        let scattering = scattering(self.element.scattering.as_ref(), frequencies.len(), folder)?;
        let models = frequencies.iter().zip(scattering).map(|(&frequency, scattering)| {
            let model = Model { pattern, scattering, ..Model::new(frequency, feed) };
            model.check().map(|()| model).map_err(Error::Model)
        });
        models.collect()
    }

    fn specification(&self) -> Result<Specification, Error> {
        let count = self.coverage.len() + self.isolation.len();
        if self.coverage.is_empty() || count > MOST_REGIONS {
            let expected = format!("at least one [[coverage]], and at most {MOST_REGIONS} regions");
            return Err(Error::value("[[coverage]], [[isolation]]", format!("{count} regions"), expected));
        }
        let view = self.satellite.as_ref().map(|table| self.view(table)).transpose()?;
        let error_deg = self.satellite.as_ref().map_or(0.0, |table| table.pointing_error_deg);
        let margin = within("[satellite] pointing_error_deg", error_deg, [0.0, 5.0])?.to_radians().sin();
        let seen = Seen { view, margin };
        let covered = self.coverage.iter().map(|table| seen.coverage(table));
        let quiet = self.isolation.iter().map(|table| seen.isolation(table));
        let zones = covered.chain(quiet).collect::<Result<Vec<Zone>, Error>>()?;
        let side_lobes = self.side_lobes.as_ref().map(side_lobes).transpose()?;
        Ok(Specification { zones, side_lobes })
    }

    /// The satellite's view; it looks at the middle of all coverages unless told.
    fn view(&self, table: &SatelliteTable) -> Result<View, Error> {
        let longitude = within("[satellite] longitude_deg", table.longitude_deg, [-360.0, 360.0])?;
        let [longitude_deg, latitude_deg] = match table.aim_deg {
            Some(aim) => aim,
            None => self.middle(longitude),
        };
        let aim = Place { longitude_deg, latitude_deg };
        let given = || format!("a satellite over longitude {longitude} does not see its aim, {aim}");
        let unseen = || crate::Error::invalid(given(), "aim_deg must be in sight").into();
        View::new(longitude, aim).ok_or_else(unseen)
    }

    /// Of the least and the largest longitude and latitude of all coverages, the former as seen from the satellite's.
    fn middle(&self, longitude: f64) -> [f64; 2] {
        let all = || self.coverage.iter().filter_map(|table| table.polygon_deg.as_ref()).flatten();
        let middle = |of: &dyn Fn(&[f64; 2]) -> f64| {
            let [low, high] = ends(all().map(of));
            if low <= high { 0.5 * (low + high) } else { 0.0 }
        };
        let off = |place: &[f64; 2]| (place[0] - longitude + 180.0).rem_euclid(360.0) - 180.0;
        [longitude + middle(&off), middle(&|place| place[1])]
    }
}

fn level(field: String, dbi: f64) -> Result<f64, Error> {
    Ok(within(field, dbi, [-100.0, 100.0])?)
}

fn weight(name: &str, weight: Option<f64>) -> Result<f64, Error> {
    Ok(within(format!("{name}, weight"), weight.unwrap_or(1.0), [1e-6, 1e6])?)
}

fn frequencies(table: &ArrayTable) -> Result<Vec<f64>, Error> {
    let all = match (table.frequency_hz, &table.frequencies_hz) {
        (Some(one), None) => vec![one],
        (None, Some(several)) => several.clone(),
        _ => {
            let found = "both or neither of frequency_hz and frequencies_hz";
            return Err(Error::value("[array]", found, "one of the two"));
        }
    };
    if !(1..=MOST_FREQUENCIES).contains(&all.len()) {
        let expected = format!("1 to {MOST_FREQUENCIES} of them");
        return Err(Error::value("[array] frequencies_hz", format!("{} frequencies", all.len()), expected));
    }
    all.into_iter().map(|hz| Ok(within("[array] frequency_hz", hz, [1e6, 1e13])?)).collect()
}

fn spacing(table: &ArrayTable, wavelength: f64) -> Result<Option<Spacing>, Error> {
    let Some([min, max]) = table.spacing_wavelengths else { return Ok(None) };
    let field = "[array] spacing_wavelengths";
    let (min, max) = (within(field, min, [0.01, 100.0])?, within(field, max, [0.01, 100.0])?);
    if min >= max {
        return Err(Error::value(field, format!("[{min}, {max}]"), "rising: least, greatest"));
    }
    Ok(Some(Spacing { min: min * wavelength, max: max * wavelength }))
}

/// Of the regular grid: as given, else in the middle of the limits.
fn pitch(table: &ArrayTable, wavelength: f64, spacing: Option<Spacing>) -> Result<f64, Error> {
    let field = "[array] pitch_wavelengths";
    let waves = match (table.pitch_m, table.pitch_wavelengths, spacing) {
        (Some(metres), None, _) => metres / wavelength,
        (None, Some(waves), _) => waves,
        (None, None, Some(Spacing { min, max })) => 0.5 * (min + max) / wavelength,
        (None, None, None) => {
            return Err(Error::value("[array]", "no pitch", "pitch_wavelengths or pitch_m"));
        }
        _ => return Err(Error::value("[array]", "pitch_m and pitch_wavelengths", "one of the two")),
    };
    let pitch = within(field, waves, [0.01, 100.0])? * wavelength;
    match spacing {
        Some(Spacing { min, max }) if !(min..=max).contains(&pitch) => {
            let expected =
                format!("within spacing_wavelengths, {} to {}", min / wavelength, max / wavelength);
            Err(Error::value(field, waves, expected))
        }
        _ => Ok(pitch),
    }
}

fn feed(table: &FeedTable) -> Result<Feed, Error> {
    let far = |field, metres: f64| within(field, metres, [-1e4, 1e4]);
    let exponent = within("[feed] exponent", table.exponent, [0.0, 1000.0])?;
    let position = match (table.offset_m, table.height_m, table.position_m) {
        (offset, Some(height), None) => {
            [0.0, -far("[feed] offset_m", offset.unwrap_or(0.0))?, far("[feed] height_m", height)?]
        }
        (None, None, Some([x, y, z])) => {
            [far("[feed] position_m", x)?, far("[feed] position_m", y)?, far("[feed] position_m", z)?]
        }
        _ => {
            let found = "not one way to say where it is";
            return Err(Error::value("[feed]", found, "height_m (and offset_m), or position_m"));
        }
    };
    let aim = table.aim_m.unwrap_or([0.0; 3]);
    aim.iter().try_for_each(|metres| far("[feed] aim_m", *metres).map(drop))?;
    Ok(Feed { position, aim, exponent })
}

/// What the elements do at each frequency.
fn scattering(files: Option<&OneOrMore>, count: usize, folder: &Path) -> Result<Vec<Scattering>, Error> {
    let load = |path: &Path| {
        let table = ScatteringTable::load(&folder.join(path));
        table.map(Scattering::Table).map_err(|error| Error::Table("[element] scattering", error))
    };
    match files {
        None => Ok(vec![Scattering::PhaseOnly; count]),
        Some(OneOrMore::One(path)) => Ok(vec![load(path)?; count]),
        Some(OneOrMore::More(paths)) if paths.len() == count => paths.iter().map(|path| load(path)).collect(),
        Some(OneOrMore::More(paths)) => {
            let expected = format!("one, or one for each of {count} frequencies");
            Err(Error::value("[element] scattering", format!("{} files", paths.len()), expected))
        }
    }
}

/// From where regions are seen, and by how much they are grown.
struct Seen {
    view: Option<View>,
    margin: f64,
}

impl Seen {
    fn coverage(&self, table: &CoverageTable) -> Result<Zone, Error> {
        let field = |what: &str| format!("[[coverage]] {}, {what}", table.name);
        let area = self.area("[[coverage]]", &table.name, &table.polygon_deg, &table.polygon_uv)?;
        let lower = level(field("min_dbi"), table.min_dbi.unwrap_or(0.0))?;
        let upper_dbi = table.max_dbi.map(|dbi| level(field("max_dbi"), dbi)).transpose()?;
        if let Some(upper) = upper_dbi.filter(|upper| *upper <= lower) {
            return Err(Error::value(field("max_dbi"), upper, format!("above min_dbi, {lower}")));
        }
        let weight = weight(&table.name, table.weight)?;
        Ok(Zone { name: table.name.clone(), area, lower_dbi: Some(lower), upper_dbi, weight })
    }

    fn isolation(&self, table: &IsolationTable) -> Result<Zone, Error> {
        let area = self.area("[[isolation]]", &table.name, &table.polygon_deg, &table.polygon_uv)?;
        let upper = level(format!("[[isolation]] {}, max_dbi", table.name), table.max_dbi)?;
        let weight = weight(&table.name, table.weight)?;
        Ok(Zone { name: table.name.clone(), area, lower_dbi: None, upper_dbi: Some(upper), weight })
    }

    /// A region that is given in one of two ways.
    fn area(
        &self,
        table: &str,
        name: &str,
        degrees: &Option<Vec<[f64; 2]>>,
        uv: &Option<Vec<[f64; 2]>>,
    ) -> Result<Area, Error> {
        let field = || format!("{table} {name}");
        let outline = match (degrees, uv, &self.view) {
            (Some(degrees), None, Some(view)) => {
                let places = degrees.iter().enumerate().map(|(at, &[longitude_deg, latitude_deg])| {
                    let found = || format!("latitude {latitude_deg} of vertex {at}");
                    let expected = "-90 to 90; pairs are longitude, latitude";
                    let good = (-90.0..=90.0).contains(&latitude_deg);
                    let place = Place { longitude_deg, latitude_deg };
                    if good { Ok(place) } else { Err(Error::value(field(), found(), expected)) }
                });
                outline(&field(), view, &places.collect::<Result<Vec<_>, Error>>()?)?
            }
            (Some(_), None, None) => {
                return Err(Error::value(field(), "polygon_deg without [satellite]", "seen from one"));
            }
            (None, Some(uv), _) => outline_uv(&field(), uv)?,
            _ => {
                let found = "both or neither of polygon_deg and polygon_uv";
                return Err(Error::value(field(), found, "one of the two"));
            }
        };
        Ok(Area::new(outline, self.margin))
    }
}

fn side_lobes(table: &SideLobesTable) -> Result<SideLobes, Error> {
    let gap = within("[side_lobes] gap_deg", table.gap_deg, [0.0, 90.0])?;
    let reach = within("[side_lobes] reach_deg", table.reach_deg.unwrap_or(89.0), [0.1, 89.0])?;
    Ok(SideLobes {
        upper_dbi: level("[side_lobes] max_dbi".into(), table.max_dbi)?,
        gap: gap.to_radians().sin(),
        reach: reach.to_radians().sin(),
        weight: weight("[side_lobes]", table.weight)?,
    })
}

fn layout(table: &LayoutTable, folder: &Path, frequency: f64, cell: f64) -> Result<LayoutCase, Error> {
    let gap = within("[layout] gap_m", table.gap_m.unwrap_or(GAP), [1e-9, 1.0])?;
    let sizes = match (&table.table, &table.model) {
        (Some(file), None) => {
            PhaseTable::load(&folder.join(file)).map_err(|error| Error::Table("[layout] table", error))?
        }
        (None, Some(patch)) => {
            let (height, permittivity) = (patch.height_m, patch.permittivity);
            PatchModel { frequency, cell, gap, height, permittivity }.table()?
        }
        _ => {
            let found = "both or neither of table and [layout.model]";
            return Err(Error::value("[layout]", found, "one of the two"));
        }
    };
    let offset = within("[layout] offset_deg", table.offset_deg, [-360.0, 360.0])?.to_radians();
    let settings = Settings { table: sizes, offset, outside: table.outside, gap };
    Ok(LayoutCase { settings, mirrored: table.view == Side::Front })
}
