//! TOML to a calibration.

use serde::Deserialize;

use super::channels::{Listed, Response};
use crate::array::{Error, file};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    sensitivity_dbfs: Option<f64>,
    #[serde(default)]
    dead: Vec<usize>,
    default: Option<Response>,
    #[serde(default)]
    channel: Vec<Channel>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Channel {
    channel: usize,
    gain_db: f64,
    phase_deg: f64,
    #[serde(default)]
    delay_s: f64,
}

/// Responses by channel, and the sensitivity if it is given.
pub(super) fn parse(text: &str, channels: usize) -> Result<(Vec<Option<Response>>, Option<f64>), Error> {
    let description: Description = file::from_toml(text)?;
    let mut listed = Listed::new(channels);
    for &channel in &description.dead {
        listed.put(channel, None, "dead")?;
    }
    for (n, &Channel { channel, gain_db, phase_deg, delay_s }) in description.channel.iter().enumerate() {
        let place = format!("[[channel]] number {}", n + 1);
        let response = Response { gain_db, phase_deg, delay_s }.check(|| place.clone())?;
        listed.put(channel, Some(response), &place)?;
    }
    let default = description.default.map(|response| response.check(|| "[default]".into()));
    Ok((listed.finish(default.transpose()?)?, description.sensitivity_dbfs))
}
