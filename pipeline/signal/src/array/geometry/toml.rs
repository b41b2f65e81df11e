//! TOML to a geometry.

use serde::Deserialize;

use super::{Condition, Geometry, regular_grid};
use crate::array::{Error, file};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    #[serde(rename = "name")]
    _name: Option<String>,
    rows: Option<usize>,
    cols: Option<usize>,
    pitch_m: Option<f64>,
    #[serde(default)]
    missing: Vec<usize>,
    #[serde(default)]
    dead: Vec<usize>,
    #[serde(default)]
    microphone: Vec<Microphone>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Microphone {
    x_m: f64,
    y_m: f64,
    #[serde(default)]
    z_m: f64,
}

pub(super) fn parse(text: &str) -> Result<Geometry, Error> {
    let Description { rows, cols, pitch_m, missing, dead, microphone, .. } = file::from_toml(text)?;
    let places: Vec<_> = microphone.iter().map(|m| [m.x_m, m.y_m, m.z_m]).collect();
    let mut geometry = match (rows, cols, pitch_m) {
        (Some(rows), Some(cols), Some(pitch_m)) if places.is_empty() => {
            Geometry::regular(rows, cols, pitch_m)?
        }
        (Some(rows), Some(cols), Some(pitch_m)) => {
            Geometry::new(&places, Some(regular_grid(rows, cols, pitch_m)?))?
        }
        (None, None, None) if !places.is_empty() => Geometry::new(&places, None)?,
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
