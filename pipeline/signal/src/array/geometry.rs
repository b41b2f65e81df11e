//! Where the microphones are and which of them are in use.
//!
//! Channel n of a recording is microphone n of the geometry: for a regular array n = row * cols + col, the
//! grid index of `dsp_core::pdm::TileLayout`; in a file the order of the microphones is the order of the
//! channels. x runs along a row and y down the rows, in metres. All microphones are in one plane
//! z = constant; which constant does not matter, the standoff is given to the solver.
//!
//! # `MicArray` XML
//! The files of Acoular. Every element `pos` is a microphone; its attributes x, y and z are in metres. The
//! names of the root and of the microphones are not used. Axes are taken as they are, so a map of an array
//! whose file has y upwards is upside down for us.
//!
//! ```
//! use signal::array::Geometry;
//!
//! let text = r#"<?xml version="1.0" encoding="utf-8"?>
//! <MicArray name="two by two">
//!   <pos Name="Point 1" x="-0.01" y="-0.01" z="0"/>
//!   <pos Name="Point 2" x=" 0.01" y="-0.01" z="0"/>
//!   <pos Name="Point 3" x="-0.01" y=" 0.01" z="0"/>
//!   <pos Name="Point 4" x=" 0.01" y=" 0.01" z="0"/>
//! </MicArray>"#;
//! let geometry = Geometry::parse_xml(text)?;
//! assert_eq!((geometry.grid().rows, geometry.grid().cols), (2, 2));
//! # Ok::<(), signal::array::Error>(())
//! ```
//!
//! # TOML
//! Either `rows`, `cols` and `pitch_m`, a regular array centred on 0, or a list of microphones, or both: then
//! the list has the true places and the three fields say to which grid the field is brought. `missing` are
//! channels of the recording without a microphone, `dead` those whose microphone is broken; both are counted
//! from 0, and both are left out. An unknown field is an error, so that a misspelt one is not silently lost.
//!
//! ```
//! use signal::array::{Condition, Geometry};
//!
//! let regular = Geometry::parse_toml("
//! name = 'camera'
//! rows = 32
//! cols = 32
//! pitch_m = 0.02
//! missing = [0, 31]   # two corners not fitted
//! dead = [517]
//! ")?;
//! assert_eq!(regular.positions().len(), 1024);
//! assert_eq!(regular.condition(517), Some(Condition::Dead));
//!
//! let listed = Geometry::parse_toml("
//! dead = [2]
//! [[microphone]]
//! x_m = 0.0
//! y_m = 0.0
//! [[microphone]]
//! x_m = 0.021
//! y_m = 0.0
//! z_m = 0.0001        # 0 where it is not given
//! [[microphone]]
//! x_m = 0.0
//! y_m = 0.0195
//! [[microphone]]
//! x_m = 0.02
//! y_m = 0.02
//! ")?;
//! assert_eq!(listed.live(), [true, true, false, true]);
//! # Ok::<(), signal::array::Error>(())
//! ```

use std::path::Path;

use super::grid::MAX_MICROPHONES;
use super::neighbours::Neighbours;
use super::{Error, Grid, file};

mod toml;
mod xml;

/// Largest distance of a microphone from the mean plane, as a part of the pitch. The field changes over dz by
/// kr dz, 5 % for kr = 50 rad/m and a pitch of 2 cm: as much as the error of a good reconstruction.
pub const FLATNESS: f64 = 0.05;

/// Accepted pitches, in metres.
const PITCH_M: (f64, f64) = (1e-6, 100.0);
/// Largest coordinate, in metres.
const COORDINATE_M: f64 = 1000.0;
/// Microphones nearer than this are at one place.
const SAME_PLACE_M: f64 = 1e-6;

/// The neighbour whose distance tells the density: on a grid even a corner has two at one pitch.
const AREA_NEIGHBOURS: usize = 2;

/// What is at the end of a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A microphone in use.
    Live,
    /// A broken microphone.
    Dead,
    /// No microphone.
    Missing,
}

/// The places of the microphones.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    positions: Vec<[f64; 2]>,
    conditions: Vec<Condition>,
    grid: Grid,
}

impl Geometry {
    /// A regular array centred on 0.
    pub fn regular(rows: usize, cols: usize, pitch_m: f64) -> Result<Self, Error> {
        let grid = regular_grid(rows, cols, pitch_m)?;
        let positions: Vec<_> = (0..grid.len()).map(|index| grid.point(index)).collect();
        let conditions = vec![Condition::Live; positions.len()];
        Ok(Self { positions, conditions, grid })
    }

    /// Microphones at x, y, z in metres. They are brought to `grid`, or to one that suits them.
    pub fn new(places: &[[f64; 3]], grid: Option<Grid>) -> Result<Self, Error> {
        if places.len() < 2 || places.len() > MAX_MICROPHONES {
            let expected = format!("between 2 and {MAX_MICROPHONES}");
            return Err(Error::value("the number of microphones", places.len(), expected));
        }
        check_coordinates(places)?;
        let positions: Vec<_> = places.iter().map(|&[x, y, _]| [x, y]).collect();
        let pitch_m = spacing(&positions)?;
        check_flat(places, pitch_m)?;
        let grid = grid.map_or_else(|| Grid::fit(&positions, pitch_m), Ok)?;
        Ok(Self { conditions: vec![Condition::Live; positions.len()], positions, grid })
    }

    /// Reads `MicArray` XML or TOML, by the ending of the name.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let parse = match file::extension(path).as_str() {
            "xml" => Self::parse_xml,
            "toml" => Self::parse_toml,
            _ => return Err(Error::UnknownExtension(".xml or .toml").in_file(path)),
        };
        file::read(path).and_then(|text| parse(&text)).map_err(|error| error.in_file(path))
    }

    /// Reads the text of a `MicArray` XML file.
    pub fn parse_xml(text: &str) -> Result<Self, Error> {
        Self::new(&xml::parse(text)?, None)
    }

    /// Reads the text of a TOML file.
    pub fn parse_toml(text: &str) -> Result<Self, Error> {
        let toml::Description { rows, cols, pitch_m, missing, dead, microphone, .. } = file::from_toml(text)?;
        let places: Vec<_> = microphone.iter().map(|m| [m.x_m, m.y_m, m.z_m]).collect();
        let mut geometry = match (rows, cols, pitch_m) {
            (Some(rows), Some(cols), Some(pitch_m)) if places.is_empty() => {
                Self::regular(rows, cols, pitch_m)?
            }
            (Some(rows), Some(cols), Some(pitch_m)) => {
                Self::new(&places, Some(regular_grid(rows, cols, pitch_m)?))?
            }
            (None, None, None) if !places.is_empty() => Self::new(&places, None)?,
            _ => {
                let place = "one of rows, cols and pitch_m".into();
                let expected = "given with the other two, or none of them and a list [[microphone]]".into();
                return Err(Error::Missing { place, expected });
            }
        };
        geometry.mark(&missing, Condition::Missing, "missing")?;
        geometry.mark(&dead, Condition::Dead, "dead")?;
        Ok(geometry)
    }

    /// x and y in metres by channel.
    pub fn positions(&self) -> &[[f64; 2]] {
        &self.positions
    }

    /// By channel the nearest others: up to `count`, no farther than `reach` times the usual distance between neighbours.
    pub fn neighbours(&self, count: usize, reach: f64) -> Vec<Vec<usize>> {
        let tree = Neighbours::new(&self.positions);
        let farthest = (reach * median(&tree.spacing())).powi(2);
        let of = |(channel, &place): (usize, &[f64; 2])| {
            let near = tree.nearest(place, count, |other| other != channel).into_iter();
            near.filter(|(d2, _)| *d2 <= farthest).map(|(_, other)| other).collect()
        };
        self.positions.iter().enumerate().map(of).collect()
    }

    /// The share of the plane of each live channel, in order: the square of the distance to its second neighbour, which on a regular
    /// grid is one cell.
    pub fn areas(&self, live: &[bool]) -> Vec<f64> {
        let tree = Neighbours::new(&self.positions);
        let area = |(channel, &place): (usize, &[f64; 2])| {
            let near = tree.nearest(place, AREA_NEIGHBOURS, |other| other != channel && live[other]);
            near.last().map_or(1.0, |(d2, _)| *d2)
        };
        self.positions.iter().enumerate().filter(|(channel, _)| live[*channel]).map(area).collect()
    }

    /// What is at the end of a channel; `None` beyond the last.
    pub fn condition(&self, channel: usize) -> Option<Condition> {
        self.conditions.get(channel).copied()
    }

    /// By channel, whether there is a microphone in use.
    pub fn live(&self) -> Vec<bool> {
        self.conditions.iter().map(|&condition| condition == Condition::Live).collect()
    }

    /// The grid for holography.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Marks channels. A channel that is marked already, or that is not there, is an error; `place` names the
    /// list for its message.
    pub fn mark(&mut self, channels: &[usize], condition: Condition, place: &str) -> Result<(), Error> {
        let last = self.conditions.len() - 1;
        let at = || format!("a channel of {place}");
        for &channel in channels {
            match self.conditions.get_mut(channel) {
                Some(state) if *state == Condition::Live => *state = condition,
                Some(_) => {
                    let again = format!("{channel} again");
                    return Err(Error::value(at(), again, "listed once, as missing or as dead"));
                }
                None => return Err(Error::value(at(), channel, format!("0 to {last}, a channel"))),
            }
        }
        Ok(())
    }
}

/// Checks the three numbers of a regular array.
fn regular_grid(rows: usize, cols: usize, pitch_m: f64) -> Result<Grid, Error> {
    let points = rows.saturating_mul(cols);
    if !(1..=MAX_MICROPHONES).contains(&points) {
        let expected = format!("at least 1 x 1 and at most {MAX_MICROPHONES} points");
        return Err(Error::value("the grid", format!("{rows} x {cols}"), expected));
    }
    if !(PITCH_M.0..=PITCH_M.1).contains(&pitch_m) {
        let expected = format!("between {} and {} m", PITCH_M.0, PITCH_M.1);
        return Err(Error::value("pitch_m", pitch_m, expected));
    }
    Ok(Grid { rows, cols, pitch_m, centre_m: [0.0; 2] })
}

fn check_coordinates(places: &[[f64; 3]]) -> Result<(), Error> {
    for (channel, place) in places.iter().enumerate() {
        for (name, value) in ["x", "y", "z"].iter().zip(place) {
            if !(-COORDINATE_M..=COORDINATE_M).contains(value) {
                let expected = format!("a finite number within +-{COORDINATE_M} m");
                return Err(Error::value(format!("{name} of microphone {channel}"), value, expected));
            }
        }
    }
    Ok(())
}

/// The usual distance between neighbours: the median. Refuses two microphones at one place.
fn spacing(positions: &[[f64; 2]]) -> Result<f64, Error> {
    let nearest = Neighbours::new(positions).spacing();
    for (first, &(distance_m, second)) in nearest.iter().enumerate() {
        if distance_m < SAME_PLACE_M {
            return Err(Error::SamePlace { first, second, distance_m });
        }
    }
    Ok(median(&nearest))
}

/// The median of distances, of which there is at least one.
fn median(nearest: &[(f64, usize)]) -> f64 {
    let mut distances: Vec<_> = nearest.iter().map(|near| near.0).collect();
    let middle = distances.len() / 2;
    *distances.select_nth_unstable_by(middle, f64::total_cmp).1
}

fn check_flat(places: &[[f64; 3]], pitch_m: f64) -> Result<(), Error> {
    let plane = places.iter().map(|place| place[2]).sum::<f64>() / places.len() as f64;
    let limit_m = FLATNESS * pitch_m;
    let offsets = places.iter().map(|place| (place[2] - plane).abs()).enumerate();
    match offsets.max_by(|a, b| a.1.total_cmp(&b.1)) {
        Some((channel, offset_m)) if offset_m > limit_m => Err(Error::NotFlat { channel, offset_m, limit_m }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
