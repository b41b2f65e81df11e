//! What an interrupted run leaves for `--resume`: the elements, and `resume.json` with the stage that it was in and what it was of.

use super::super::exit::{Failed, Result, interrupted, usage};
use crate::cli::exit::refuse;
use pipeline::files::atomic;
use pipeline::reflectarray::Elements;
use pipeline::reflectarray::case::Case;
use pipeline::reflectarray::files::read_elements;
use pipeline::reflectarray::synthesis::{Method, Power};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};
use std::path::Path;

const FILE: &str = "resume.json";
/// Larger than any that is written.
const MAX_BYTES: u64 = 1 << 16;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Left {
    stage: usize,
    title: String,
    columns: usize,
    rows: usize,
    frequencies_hz: Vec<f64>,
    method: Method,
    power: Power,
    stages: Vec<String>,
}

impl Left {
    fn of(case: &Case, stage: usize) -> Self {
        Self {
            stage,
            title: case.title.clone(),
            columns: case.columns,
            rows: case.rows,
            frequencies_hz: case.models.iter().map(|model| model.frequency).collect(),
            method: case.method,
            power: case.power,
            stages: case.stages.iter().map(|stage| stage.name.clone()).collect(),
        }
    }
}

/// The design in a folder and the stage to begin with.
pub fn find(folder: &Path, case: &Case) -> Result<(Elements, usize)> {
    let path = folder.join(FILE);
    let mut text = String::new();
    let read = std::fs::File::open(&path).and_then(|file| file.take(MAX_BYTES).read_to_string(&mut text));
    if let Err(error) = read {
        let path = path.display();
        refuse!("--resume: {path}: {error}; only an interrupted run leaves something to go on from");
    }
    let left: Left = serde_json::from_str(&text)
        .map_err(|error| usage(format!("--resume: {}: {error}", path.display())))?;
    let stage = left.stage;
    if left != Left::of(case, stage) || stage >= case.stages.len() {
        let found = format!("{}, {} x {} elements", left.title, left.columns, left.rows);
        refuse!("--resume: {} is of another case or of other stages: {found}", path.display());
    }
    let path = folder.join("elements.csv");
    let elements = read_elements(&path).map_err(|error| usage(format!("--resume: {error}")))?;
    if elements.len() != case.columns * case.rows {
        let (found, expected) = (elements.len(), case.columns * case.rows);
        refuse!("--resume: {} has {found} elements, the case {expected}", path.display());
    }
    Ok((elements, stage))
}

/// Writes what the next run needs; the elements are there already. Gives what to say.
pub fn leave(folder: &Path, case: &Case, stage: usize) -> Result<Failed> {
    let left = serde_json::to_string_pretty(&Left::of(case, stage)).map_err(Failed::run)?;
    atomic::write(folder.join(FILE), |file| writeln!(file, "{left}"))?;
    let folder = folder.display();
    Ok(interrupted(format!("; the best design so far is in {folder}, and --resume goes on from it")))
}

/// A finished design has nothing to go on from.
pub fn forget(folder: &Path) {
    // Not there is as good as removed.
    let _ = std::fs::remove_file(folder.join(FILE));
}
