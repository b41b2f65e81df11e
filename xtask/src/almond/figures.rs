//! What is on the page of the almond.

use super::cases::{CASES, Case};
use super::cut::{self, Cut, Table};
use anyhow::{Context, Result};
use serde_json::Value;

/// What makes a result of DGTD.
pub const COMMAND: &str = "nearfield dgtd NAME.toml --device cuda --out NAME";
/// The almond as facets.
pub const MESH: &str = "almond_2499mm_3552tri.obj";
/// Files of published values at `PUBLISHED`: computed, measured, and measured again.
pub const SETS: [&str; 3] = ["ref", "meas.m1", "meas.m2"];
/// Polarisations, with their columns in files of SBR.
pub const POLARISATIONS: [(&str, usize); 2] = [("V", 6), ("H", 3)];

/// A result of DGTD.
pub struct Run {
    pub case: &'static Case,
    /// `rcs.csv`
    pub table: Table,
    /// `summary.json`
    pub summary: Value,
}

/// Everything on the page.
pub struct Figures {
    pub dgtd: Vec<Run>,
    /// SBR without and with edges, at all frequencies.
    pub sbr: [Table; 2],
    /// Levels at the tip: `[set][frequency][polarisation]`, dBsm.
    pub published: Vec<[[f64; 2]; 2]>,
}

impl Figures {
    /// A cut of DGTD, where there is such a run.
    pub fn waves(&self, name: &str, frequency: f64) -> Result<Option<Cut>> {
        let run = self.dgtd.iter().find(|run| run.case.name == name);
        run.map(|run| cut::cut(&run.table, frequency, 3)).transpose()
    }

    /// The cut that others are compared with, of a polarisation by number.
    pub fn truth(&self, polarisation: usize, frequency: f64) -> Result<Cut> {
        let name = CASES[polarisation].name;
        self.waves(name, frequency)?.with_context(|| format!("there is no run {name}"))
    }

    /// Cuts of SBR without and with edges.
    pub fn rays(&self, polarisation: usize, frequency: f64) -> Result<[Cut; 2]> {
        let of = |rows| cut::cut(rows, frequency, POLARISATIONS[polarisation].1);
        Ok([of(&self.sbr[0])?, of(&self.sbr[1])?])
    }
}
