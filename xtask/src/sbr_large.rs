//! The page `docs/measured/sbr_large.md`: a mesh of 5 million triangles from file to cross-section.

use crate::step::Outcome;
use crate::{command, machine};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

const PAGE: &str = "docs/measured/sbr_large.md";

/// Measures and writes the page.
pub fn measure() -> Result<Outcome> {
    // The profile that tests have: optimised, and mostly built already.
    command::run("cargo build --package pipeline --example sbr_large")?;
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let load = machine::load()?;
    let lines = command::capture(&format!("{target}/debug/examples/sbr_large"))?;
    let rows = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    std::fs::write(PAGE, page(&rows, &load)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value], load: &str) -> Result<String> {
    let find =
        |name: &str| rows.iter().find_map(|row| row[name].as_f64()).with_context(|| format!("no {name}"));
    let (triangles, mib) = (find("triangles")?, |bytes: f64| bytes / f64::from(1 << 20));
    let mut page = format!(
        "# A mesh of 5 million triangles\n\nDate: {}. Machine: {}; load average before the run {load}. Command: `cargo xtask measure-sbr-large`, which made this page; do not edit.\n\n\
         A sphere of 1 m radius in {triangles} triangles, a binary STL file of {:.0} MiB, is read, checked and lit at 10 GHz as `nearfield sbr` does it by default, in the build that tests have (optimised, with checks). \
         Memory is that of the whole\nprocess, by the system's count; the most is that since the process began. The mesh itself takes {:.0} bytes a triangle, the hierarchy of boxes {:.0}.\n\n\
         | step | seconds | memory after it, MiB | most so far, MiB | most a triangle, bytes |\n|---|---|---|---|---|\n",
        machine::date_and_commit()?,
        machine::processor()?,
        mib(find("file_bytes")?),
        find("mesh_bytes")? / triangles,
        find("tree_bytes")? / triangles,
    );
    let names = [
        ("read", "read the file, one vertex for equal corners"),
        ("check", "look for faults"),
        ("plan", "facets and tree"),
        ("trace", "one direction"),
    ];
    for row in rows.iter().filter(|row| row["step"].is_string()) {
        let name = row["step"].as_str().unwrap_or_default();
        let said = names.iter().find(|(known, _)| *known == name).context("a step without a name")?.1;
        let number = |field: &str| row[field].as_f64().with_context(|| format!("{name} has no {field}"));
        let (seconds, now, most) = (number("seconds")?, number("kib")?, number("most_kib")?);
        let a_triangle = 1024.0 * most / triangles;
        writeln!(
            page,
            "| {said} | {seconds:.2} | {:.0} | {:.0} | {a_triangle:.0} |",
            now / 1024.0,
            most / 1024.0
        )?;
    }
    page += "\n| direction (theta, phi) | pieces of rays | vv, dBsm | hh, dBsm |\n|---|---|---|---|\n";
    for row in rows.iter().filter(|row| row["segments"].is_number()) {
        let number = |field: &str| row[field].as_f64().with_context(|| format!("a direction has no {field}"));
        let (vv, hh) = (number("vv_dbsm")?, number("hh_dbsm")?);
        writeln!(
            page,
            "| {}, {} | {} | {vv:.3} | {hh:.3} |",
            row["theta_deg"], row["phi_deg"], row["segments"]
        )?;
    }
    page += "\nThe sphere's pi a^2 is 4.971 dBsm.\n";
    Ok(page)
}
