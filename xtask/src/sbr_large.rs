//! The page `docs/measured/sbr_large.md`: a mesh of 5 million triangles from file to cross-section.

use crate::outcome::Outcome;
use crate::{command, machine, page, peer};
use anyhow::{Context, Result};
use serde_json::{Value, json};

const TEMPLATE: &str = include_str!("../pages/sbr_large.md");
/// Steps of the example, as the page calls them.
const STEPS: [(&str, &str); 4] = [
    ("read", "read the file, one vertex for equal corners"),
    ("check", "look for faults"),
    ("plan", "facets and tree"),
    ("trace", "one direction"),
];

pub fn measure() -> Result<Outcome> {
    // The profile that tests have: optimised, and mostly built already.
    command::run("cargo build --package nearfield-bench --example sbr_large")?;
    let load = machine::load()?;
    let rows = peer::lines(&format!("{}/debug/examples/sbr_large", peer::target()))?;
    page::write("docs/measured/sbr_large.md", TEMPLATE, data(&rows, &load)?)
}

/// Figures of the mesh, its steps and its directions.
fn data(rows: &[Value], load: &str) -> Result<Value> {
    let mut data = json!({ "load": load, "steps": [], "directions": [] });
    for row in rows {
        let mut row = row.clone();
        let table = if let Some(step) = row["step"].as_str() {
            let about = STEPS.iter().find(|(name, _)| *name == step).context("a step without a name")?.1;
            row["about"] = about.into();
            "steps"
        } else if row["segments"].is_number() {
            "directions"
        } else {
            let figures = row.as_object().context("a row without fields")?.clone();
            data.as_object_mut().into_iter().for_each(|data| data.extend(figures.clone()));
            continue;
        };
        data[table].as_array_mut().into_iter().for_each(|table| table.push(row.clone()));
    }
    Ok(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_directions_become_lines() {
        let rows = [
            json!({ "step": "plan", "seconds": 1.5, "kib": 2048, "most_kib": 4096 }),
            json!({ "triangles": 1024, "file_bytes": 1 << 20, "mesh_bytes": 2048 }),
            json!({ "tree_bytes": 4096 }),
            json!({ "theta_deg": 90.0, "phi_deg": 0.0, "segments": 7, "vv_dbsm": 1.25, "hh_dbsm": 2.0 }),
        ];
        let mut data = data(&rows, "0").unwrap();
        (data["date"], data["processor"]) = ("d".into(), "p".into());
        let text = page::fill(TEMPLATE, &data).unwrap();
        for part in [
            "in 1024 triangles, a binary STL file of 1 MiB",
            "| facets and tree | 1.50 | 2 | 4 | 4096 |\n",
            "| 90.0, 0.0 | 7 | 1.250 | 2.000 |\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
