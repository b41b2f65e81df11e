//! CSV to a calibration.

use super::channels::{Listed, Response};
use crate::array::Error;

const HEADER: [&str; 4] = ["channel", "gain_db", "phase_deg", "delay_s"];

pub(super) fn parse(text: &str, channels: usize) -> Result<Vec<Option<Response>>, Error> {
    let mut lines = text.lines().zip(1..).filter_map(content);
    let expected = "channel,gain_db,phase_deg or channel,gain_db,phase_deg,delay_s";
    let width = match lines.next() {
        Some((fields, _)) if fields == HEADER[..3] || fields == HEADER => fields.len(),
        Some((fields, line)) => {
            return Err(Error::value(format!("line {line}: the header"), fields.join(","), expected));
        }
        None => return Err(Error::Missing { place: "the header".into(), expected: expected.into() }),
    };
    let mut listed = Listed::new(channels);
    let mut default = None;
    for (fields, line) in lines {
        if fields.len() != width {
            let place = format!("line {line}: the number of columns");
            return Err(Error::value(place, fields.len(), format!("{width}, as in the header")));
        }
        let response = response(&fields, line)?;
        if fields[0] != "default" {
            let place = || format!("line {line}: the channel");
            let channel = fields[0].parse().map_err(|_| {
                Error::value(place(), format!("{:?}", fields[0]), "a whole number or `default`")
            })?;
            listed.put(channel, response, &format!("line {line}"))?;
        } else if response.is_none() || default.is_some() {
            let place = format!("line {line}: the default");
            return Err(Error::value(place, "dead or given again", "a gain and a phase, once"));
        } else {
            default = response;
        }
    }
    listed.finish(default)
}

/// The fields of a line; none if nothing is left without the comment.
fn content((text, line): (&str, usize)) -> Option<(Vec<&str>, usize)> {
    let text = text.split('#').next().unwrap_or_default().trim();
    (!text.is_empty()).then(|| (text.split(',').map(str::trim).collect(), line))
}

fn response(fields: &[&str], line: usize) -> Result<Option<Response>, Error> {
    if fields[1] == "dead" {
        return match fields[2..].iter().find(|field| !field.is_empty()) {
            Some(field) => {
                let place = format!("line {line}: a column after `dead`");
                Err(Error::value(place, format!("{field:?}"), "empty"))
            }
            None => Ok(None),
        };
    }
    let mut values = [0.0; 3];
    for ((value, &field), name) in values.iter_mut().zip(&fields[1..]).zip(&HEADER[1..]) {
        *value = field
            .parse()
            .map_err(|_| Error::value(format!("line {line}: {name}"), format!("{field:?}"), "a number"))?;
    }
    let [gain_db, phase_deg, delay_s] = values;
    Response { gain_db, phase_deg, delay_s }.check(|| format!("line {line}")).map(Some)
}
