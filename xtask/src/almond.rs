//! The page `docs/measured/almond.md`: cross-sections of the EMCC almond by DGTD, by SBR without and with edges, and as published.
//!
//! DGTD takes a minute a run on a card and hours on few cores. The card need not be here: `RESULTS` is a folder with what [`figures::COMMAND`] makes there of the files in `target/almond`.

mod cases;
mod cut;
mod figures;
mod page;

use crate::step::Outcome;
use crate::{command, peer, report};
use anyhow::{Context, Result};
use cases::{CASES, FOLDER, FREQUENCY, PUBLISHED, scaled};
use cut::Table;
use figures::{COMMAND, Figures, MESH, POLARISATIONS, Run, SETS};
use std::path::Path;

/// Beside the repository.
const DATA: &str = "../shared/data/almond";
/// Computes, or takes results of the folder `RESULTS`, and writes the page.
pub fn measure() -> Result<Outcome> {
    if !Path::new(DATA).join(MESH).is_file() {
        return Ok(Outcome::Skipped(format!("{DATA}/{MESH} is not there")));
    }
    cases::write()?;
    let program = peer::program()?;
    let figures = Figures { dgtd: dgtd(&program)?, sbr: sbr(&program)?, published: published()? };
    crate::page::write("docs/measured/almond.md", page::TEMPLATE, page::data(&figures)?)
}

/// Results of the folder `RESULTS`, or of this machine: all where it has a card, and those that the page must have where not.
fn dgtd(program: &str) -> Result<Vec<Run>> {
    let given = std::env::var("RESULTS").ok();
    let folder = given.as_deref().unwrap_or(FOLDER);
    let has_card = command::succeeds("nvidia-smi");
    let device = if has_card { "cuda" } else { "cpu" };
    let mut found = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        let name = case.name;
        let is_needed = number < 2;
        let is_there = match given {
            Some(_) => Path::new(folder).join(name).join("rcs.csv").is_file(),
            None => has_card,
        };
        if !is_needed && !is_there {
            report::skipped(name, &format!("`{COMMAND}` of {FOLDER}/{name}.toml goes to RESULTS=FOLDER"));
            continue;
        }
        if given.is_none() {
            command::run(&format!(
                "{program} dgtd {FOLDER}/{name}.toml --device {device} --out {FOLDER}/{name} --quiet"
            ))?;
        }
        let path = format!("{folder}/{name}/summary.json");
        let summary = std::fs::read_to_string(&path).with_context(|| path.clone())?;
        let summary = serde_json::from_str(&summary).context(path)?;
        let table = cut::table(&format!("{folder}/{name}/rcs.csv"))?;
        found.push(Run { case, table, summary });
    }
    Ok(found)
}

/// The same directions by SBR, at the frequency of the cut and at those of the published values.
fn sbr(program: &str) -> Result<[Table; 2]> {
    let mut found = [Vec::new(), Vec::new()];
    for (edges, rows) in ["none", "ildc"].iter().zip(&mut found) {
        for frequency in PUBLISHED.map(scaled).into_iter().chain([FREQUENCY]) {
            let out = format!("{FOLDER}/sbr_{edges}");
            command::run(&format!(
                "{program} sbr {DATA}/{MESH} --frequency {frequency:.3} --theta 90 --phi 0 --bistatic-theta 90 --bistatic-phi 0:180:1 --edges {edges} --precision f64 --out {out} --quiet"
            ))?;
            rows.extend(cut::table(&format!("{out}/rcs.csv"))?);
        }
    }
    Ok(found)
}

fn published() -> Result<Vec<[[f64; 2]; 2]>> {
    let mut found = Vec::new();
    for set in SETS {
        let mut levels = [[0.0; 2]; 2];
        for (name, levels) in ["fx1", "fx3"].iter().zip(&mut levels) {
            for ((polarisation, _), level) in POLARISATIONS.iter().zip(levels) {
                let path = format!("{DATA}/{set}_rcs.III.A.s1.{name}.{polarisation}.txt");
                let rows = cut::table(&path)?;
                let frequency = rows.first().context(path)?[0];
                *level = cut::at(&cut::cut(&rows, frequency, 3)?, 0.0)?;
            }
        }
        found.push(levels);
    }
    Ok(found)
}
