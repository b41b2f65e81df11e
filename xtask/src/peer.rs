//! Rows of `nearfield bench` in release, with the programs beside it.

use crate::outcome::Outcome;
use crate::{command, machine, page, pip};
use anyhow::{Context, Result};
use serde_json::Value;

/// Programs that `nearfield bench --peer` starts.
pub const PEERS: &str = "xtask/peers";

/// Where cargo builds.
pub fn target() -> String {
    std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into())
}

/// Builds `nearfield` in release; where it is.
pub fn program() -> Result<String> {
    command::run("cargo build --release --package nearfield")?;
    Ok(format!("{}/release/nearfield", target()))
}

/// Rows that a command line prints, one object a line.
pub fn lines(line: &str) -> Result<Vec<Value>> {
    parse(&command::capture(line)?)
}

/// Rows of a text, one object a line.
pub fn parse(text: &str) -> Result<Vec<Value>> {
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Rows of `nearfield bench NAME` beside the first of these Python packages (`xtask/peers/PACKAGE_peer.py`), with so
/// many seconds a row; and the load average before it.
pub fn rows_beside(name: &str, seconds: u32, packages: &[(&str, &str)]) -> Result<(Vec<Value>, String)> {
    let peer = packages.first().context("a peer is a package")?.0;
    let folder = format!("target/{peer}");
    pip::install(&folder, "--no-deps", packages)?;
    let arguments = format!("{name} --seconds {seconds} --peer {PEERS}/{peer}_peer.py");
    rows(&format!("PYTHONPATH={folder}"), &arguments)
}

/// Rows of `nearfield bench` with such an environment and such arguments, and the load average before it.
pub fn rows(environment: &str, arguments: &str) -> Result<(Vec<Value>, String)> {
    let program = program()?;
    let load = machine::load()?;
    Ok((lines(&format!("{environment} {program} bench {arguments} --json"))?, load))
}

/// The page `docs/measured/NAME_cuda.md` from rows of `nearfield bench NAME --device cuda`, with so many seconds a row, of
/// the file `ROWS` or of this machine's GPU; skipped where there is neither.
pub fn measure_card(
    name: &str,
    seconds: &str,
    template: &str,
    data: fn(&[Value]) -> Result<Value>,
) -> Result<Outcome> {
    let arguments = format!("{name} --device cuda --seconds {seconds}");
    let rows = match std::env::var("ROWS") {
        Ok(path) => {
            let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
            parse(&text).with_context(|| path)?
        }
        Err(_) if !command::succeeds("nvidia-smi") => {
            return Ok(Outcome::Skipped(format!(
                "no GPU: `nearfield bench {arguments} --json >FILE` where there is one, then ROWS=FILE cargo xtask measure-{name}-cuda"
            )));
        }
        Err(_) => rows("", &arguments)?.0,
    };
    page::write(&format!("docs/measured/{name}_cuda.md"), template, data(&rows)?)
}
