//! Rows of `nearfield bench` in release, and the Python packages of the programs beside it.

use crate::outcome::Outcome;
use crate::{command, machine, report};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;

/// Programs that `nearfield bench --peer` starts.
pub const PEERS: &str = "xtask/peers";

/// Gets packages of fixed versions into a folder. The output of pip would name the registry of this machine.
pub fn install(folder: &str, packages: &[(&str, &str)]) -> Result<()> {
    for (package, version) in packages {
        if Path::new(&format!("{folder}/{package}-{version}.dist-info/RECORD")).is_file() {
            continue;
        }
        let line = format!(
            "python3 -m pip install --quiet --no-deps --upgrade --target {folder} {package}=={version}"
        );
        report::command(&line);
        if !command::succeeds(&line) {
            bail!("pip did not get {package} {version}; the command above, typed by hand, says why");
        }
    }
    Ok(())
}

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

/// Rows of `nearfield bench` with such an environment and such arguments, and the load average before it.
pub fn rows(environment: &str, arguments: &str) -> Result<(Vec<Value>, String)> {
    let program = program()?;
    let load = machine::load()?;
    Ok((lines(&format!("{environment} {program} bench {arguments} --json"))?, load))
}

/// Rows of `nearfield bench NAME --device cuda` with so many seconds a row: of the file `ROWS`, or of this machine's
/// GPU; the outcome of the step `measure-NAME-cuda` where there is neither.
pub fn rows_of_card(name: &str, seconds: &str) -> Result<Result<Vec<Value>, Outcome>> {
    let arguments = format!("{name} --device cuda --seconds {seconds}");
    match std::env::var("ROWS") {
        Ok(path) => {
            let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
            Ok(Ok(parse(&text).with_context(|| path)?))
        }
        Err(_) if !command::succeeds("nvidia-smi") => Ok(Err(Outcome::Skipped(format!(
            "no GPU: `nearfield bench {arguments} --json >FILE` where there is one, then ROWS=FILE cargo xtask measure-{name}-cuda"
        )))),
        Err(_) => Ok(Ok(rows("", &arguments)?.0)),
    }
}
