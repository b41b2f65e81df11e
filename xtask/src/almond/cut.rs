//! Cross-sections over the angle, as files have them.

use anyhow::{Context, Result, ensure};
use std::fs;

/// phi, degrees, and a cross-section, dBsm.
pub type Cut = Vec<[f64; 2]>;

/// Rows of numbers, the first three of which are frequency, Hz, theta and phi, degrees.
pub type Table = Vec<Vec<f64>>;

/// How far below the largest value levels count, dB.
pub const SPAN: f64 = 30.0;

/// Angles over which differences are taken, degrees, and their name.
pub const RANGES: [(&str, f64, f64); 3] =
    [("all", 0.0, 181.0), ("back half, phi < 90", 0.0, 90.0), ("90 to 150", 90.0, 151.0)];

/// A file with commas and a heading, or with blanks.
pub fn table(path: &str) -> Result<Table> {
    let text = fs::read_to_string(path).with_context(|| path.to_owned())?;
    parse(&text).with_context(|| path.to_owned())
}

fn parse(text: &str) -> Result<Table> {
    let lines = text.lines().filter(|line| !line.starts_with("frequency"));
    let numbers = |line: &str| {
        let fields = line.split([',', ' ']).filter(|field| !field.is_empty());
        fields.map(|field| field.parse().with_context(|| format!("{line:?}"))).collect()
    };
    lines.map(numbers).collect()
}

/// The column of a table at a frequency.
pub fn cut(table: &[Vec<f64>], frequency: f64, column: usize) -> Result<Cut> {
    let mut found = Cut::new();
    for row in table {
        ensure!(row.len() > column && !row[column].is_nan(), "{row:?} has no number in column {column}");
        if (row[0] / frequency - 1.0).abs() < 1e-6 {
            found.push([row[2], row[column]]);
        }
    }
    ensure!(!found.is_empty(), "there is nothing at {frequency} Hz");
    Ok(found)
}

/// The value at an angle.
pub fn at(cut: &Cut, phi: f64) -> Result<f64> {
    let found = cut.iter().find(|row| (row[0] - phi).abs() < 1e-6);
    Ok(found.with_context(|| format!("there is nothing at phi = {phi}"))?[1])
}

/// Number of angles in a range at which the true cut is within [`SPAN`] of its largest value there, and the mean of the magnitude of differences, dB. Lower values of the other cut count as the lowest one.
pub fn difference(cut: &Cut, truth: &Cut, (_, from, to): (&str, f64, f64)) -> Result<(usize, f64)> {
    let inside = || truth.iter().filter(|row| (from..to).contains(&row[0]));
    let floor = inside().map(|row| row[1]).fold(f64::NEG_INFINITY, f64::max) - SPAN;
    let mut differences = Vec::new();
    for row in inside().filter(|row| row[1] >= floor) {
        differences.push((at(cut, row[0])?.max(floor) - row[1]).abs());
    }
    ensure!(!differences.is_empty(), "no angle between {from} and {to} degrees");
    Ok((differences.len(), differences.iter().sum::<f64>() / differences.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_commas_or_blanks() {
        let commas = parse("frequency_hz,theta_deg\n1e9,90,0,-3.5\n2e9,90,0,4\n").unwrap();
        assert_eq!(commas, [vec![1e9, 90.0, 0.0, -3.5], vec![2e9, 90.0, 0.0, 4.0]]);
        assert_eq!(parse("1e9 90.00 -0.00 -3.5 \n").unwrap(), [vec![1e9, 90.0, 0.0, -3.5]]);
        assert_eq!(parse("1e9 nothing").unwrap_err().to_string(), "\"1e9 nothing\"");
        assert_eq!(cut(&commas, 2e9, 3).unwrap(), [[0.0, 4.0]]);
        assert!(cut(&commas, 3e9, 3).is_err() && cut(&commas, 2e9, 4).is_err());
        assert!(at(&vec![[0.0, 4.0]], 1.0).is_err());
    }

    #[test]
    fn differences_are_those_of_the_angles_that_count() {
        let truth = vec![[0.0, -20.0], [1.0, -40.0], [90.0, 10.0], [120.0, -20.1], [180.0, 9.0]];
        let other = vec![[0.0, -18.0], [1.0, 0.0], [90.0, 13.0], [120.0, 0.0], [180.0, -300.0]];
        let of = |range: usize| difference(&other, &truth, RANGES[range]).unwrap();
        // 2, 3, and 29 down to the floor of -20.
        assert_eq!(of(0), (3, 34.0 / 3.0));
        assert_eq!(of(1), (2, 21.0));
        assert_eq!(of(2), (1, 3.0));
        assert!(difference(&other, &truth, ("none", 2.0, 3.0)).is_err());
        assert!(difference(&vec![], &truth, RANGES[0]).is_err());
    }
}
