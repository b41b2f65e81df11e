//! The cases of the page: the program's own almond with another pulse, and other orders, layers and elements.

use anyhow::{Context, Result, ensure};
use std::fs;

/// Where cases and results are.
pub const FOLDER: &str = "target/almond";
/// What all cases are made of.
const BUILT_IN: &str = "pipeline/dgtd/cases/almond.toml";

/// Length of the almond of the case, and of the one whose values are published, m.
pub const LENGTHS: [f64; 2] = [2.499, 9.936 * 0.0254];
/// Where SBR is compared with, Hz.
pub const FREQUENCY: f64 = 1e9;
/// Frequencies of the published values, Hz.
pub const PUBLISHED: [f64; 2] = [3.5e9, 7e9];

/// Text of the built-in case, and what stands there instead.
type Change = (&'static str, &'static str);

/// The electric field along y: at y = 0 it is across the plane, as at a conductor.
const ALONG_Y: [Change; 3] = [
    ("polarisation = [0.0, 0.0, 1.0]", "polarisation = [0.0, 1.0, 0.0]"),
    ("y_min = \"pmc\", z_min = \"pec\"", "y_min = \"pec\", z_min = \"pmc\""),
    ("images = { y = \"pmc\", z = \"pec\" }", "images = { y = \"pec\", z = \"pmc\" }"),
];
/// Elements of half the size; layers are as thick as before.
const FINE: [Change; 4] = [
    ("order = 5", "order = 3"),
    ("cells = [20, 10, 6]", "cells = [40, 20, 12]"),
    ("shells = 2", "shells = 4"),
    ("outside = 4", "outside = 8"),
];

/// A lower order.
const FOUR: [Change; 1] = [("order = 5", "order = 4")];

/// A run of the page.
pub struct Case {
    /// Name of its file and folder.
    pub name: &'static str,
    /// What it is, for the page.
    pub about: &'static str,
    /// The run that it is compared with, unless it is one of those that SBR is compared with.
    pub beside: Option<&'static str>,
    changes: &'static [&'static [Change]],
}

/// The first two are what others are compared with; without them there is no page.
pub static CASES: [Case; 8] = [
    Case { name: "fine_v", about: "V, cells of half the size, order 3", beside: None, changes: &[&FINE] },
    Case {
        name: "fine_h",
        about: "H, cells of half the size, order 3",
        beside: None,
        changes: &[&FINE, &ALONG_Y],
    },
    Case {
        name: "fine_v4",
        about: "V, cells of half the size, order 4, for 40 ns",
        beside: Some("fine_v"),
        changes: &[&FINE, &[("order = 3", "order = 4"), ("duration_s = 60e-9", "duration_s = 40e-9")]],
    },
    Case {
        name: "v3",
        about: "V, order 3",
        beside: Some("fine_v"),
        changes: &[&[("order = 5", "order = 3")]],
    },
    Case { name: "v", about: "V, order 4", beside: Some("fine_v"), changes: &[&FOUR] },
    Case { name: "v5", about: "V, order 5", beside: Some("fine_v"), changes: &[] },
    Case {
        name: "layers",
        about: "V, order 4, layers of five cells instead of three",
        beside: Some("v"),
        changes: &[&FOUR, &[("outside = 4", "outside = 6")]],
    },
    Case { name: "h", about: "H, order 4", beside: Some("fine_h"), changes: &[&FOUR, &ALONG_Y] },
];

/// Frequency at which the almond of the case is as many wavelengths long as the published one, Hz.
pub fn scaled(published: f64) -> f64 {
    published * LENGTHS[1] / LENGTHS[0]
}

/// Writes the files of all cases.
pub fn write() -> Result<()> {
    let built_in = fs::read_to_string(BUILT_IN).context(BUILT_IN)?;
    fs::create_dir_all(FOLDER)?;
    for case in &CASES {
        let path = format!("{FOLDER}/{}.toml", case.name);
        fs::write(&path, text(&built_in, case)?).context(path)?;
    }
    Ok(())
}

/// The built-in case with what this one has of its own.
fn text(built_in: &str, case: &Case) -> Result<String> {
    let [low, middle] = PUBLISHED.map(scaled);
    let frequencies = format!("frequencies_hz = [{low:.3}, {middle:.3}, 1e9]");
    // From 0.35 to 1 GHz the spectrum stays above half of its largest value.
    let pulse = [
        ("\nfrequency_hz = 1e9", "\nfrequency_hz = 0.7e9"),
        ("width_s = 1e-9", "width_s = 0.7e-9"),
        ("delay_s = 10e-9", "delay_s = 9e-9"),
        ("until_energy = 1e-5", "until_energy = 1e-6"),
        ("frequencies_hz = [0.8e9, 1e9]", &frequencies),
    ];
    let mut text = built_in.to_owned();
    for (from, to) in pulse.iter().chain(case.changes.iter().copied().flatten()) {
        ensure!(
            text.matches(from).count() == 1,
            "{BUILT_IN} has not one {from:?} for the case {}",
            case.name
        );
        text = text.replace(from, to);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_the_built_in_one_with_their_own_lines() {
        let built_in = include_str!("../../../pipeline/dgtd/cases/almond.toml");
        let texts = CASES.each_ref().map(|case| text(built_in, case).unwrap());
        let different = |text: &String| built_in.lines().zip(text.lines()).filter(|(a, b)| a != b).count();
        assert_eq!(texts.each_ref().map(different), [9, 12, 10, 6, 6, 5, 7, 9]);
        assert!(texts[1].contains("groups = { surface = \"pec\", y_min = \"pec\", z_min = \"pmc\" }"));
        assert!(texts[2].contains("order = 4\n") && texts[2].contains("duration_s = 40e-9\n"));
        assert!(texts[4].contains("frequencies_hz = [353465546.218, 706931092.437, 1e9]"));
        let error = text("order = 5", &CASES[0]).unwrap_err().to_string();
        assert!(error.contains("frequency_hz = 1e9") && error.ends_with("the case fine_v"), "{error}");
    }
}
