//! Contours from files.
//!
//! Files are by their ending: drawings ([`svg`]), lines of a mesh ([`lines`]), or else points. A file of points has a point a line, x and y in metres with a comma between them; empty lines, lines that begin with `#` and one
//! line of names at the top are passed over. The last point may repeat the first. Either sense of rotation is accepted.

mod check;
pub mod lines;
mod path;
pub mod svg;
#[cfg(test)]
mod tests;

pub use check::{Kind, MOST_POINTS, check_bodies, outline, suspicious_gap};

use super::curve::{Outline, Point};
use super::error::Error;
use check::check_finite;
use std::path::Path;

/// Most bytes of a file.
const MOST_BYTES: u64 = 100 * MOST_POINTS as u64;

/// Reads the contours of a file whose unit is `scale` metres.
pub fn read(path: &Path, kind: Kind, scale: f64) -> Result<Vec<Outline>, Error> {
    let failed = |message: String| Error::File { path: path.display().to_string(), message };
    Error::check_positive("scale of the contours", scale)?;
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > MOST_BYTES {
        return Err(failed(format!("{size} bytes: a contour has at most {MOST_POINTS} points")));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(error.to_string()))?;
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    let outlines = match ending.as_ref().and_then(|ending| ending.to_str()) {
        Some("svg") => svg::parse(&String::from_utf8_lossy(&bytes), kind, scale),
        Some("msh") => lines::parse(&bytes, kind, scale),
        _ => points(&String::from_utf8_lossy(&bytes), kind, scale),
    };
    outlines.map_err(|error| failed(error.to_string()))
}

fn points(text: &str, kind: Kind, scale: f64) -> Result<Vec<Outline>, Error> {
    let points: Vec<Point> = parse(text)?.into_iter().map(|point| point.map(|x| x * scale)).collect();
    check_finite(&points)?;
    Ok(vec![outline(points, kind)?])
}

/// Points of a text.
pub fn parse(text: &str) -> Result<Vec<Point>, Error> {
    let mut points: Vec<Point> = Vec::new();
    let mut names = true;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let number = |field: &str| field.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        match line.split(',').map(number).collect::<Vec<_>>().as_slice() {
            [Some(x), Some(y)] => points.push([*x, *y]),
            // A line of names: no number in it, and before all points.
            fields if names && points.is_empty() && fields.iter().all(Option::is_none) => {}
            _ => {
                let text: String = line.chars().take(60).collect();
                let expected = "a line has x and y in metres, with a comma between them";
                let reason = format!("'{text}' is no point; {expected}");
                return Err(Error::Drawing { line: at + 1, reason });
            }
        }
        names = false;
    }
    Ok(points)
}
