//! What every page of measurements beside a peer begins with: its Python packages, and the rows of a bench in release.

use crate::step::Outcome;
use crate::{command, machine, report};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::path::Path;

/// Gets packages of fixed versions into a folder. pip is not heard: it would name the registry that this machine is set to use.
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

/// Builds `nearfield` in release; where it is.
pub fn program() -> Result<String> {
    command::run("cargo build --release --package pipeline")?;
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    Ok(format!("{target}/release/nearfield"))
}

/// Rows of `nearfield bench` with such arguments, and the load average before it.
pub fn rows(arguments: &str) -> Result<(Vec<Value>, String)> {
    let program = program()?;
    let load = machine::load()?;
    let rows = command::capture(&format!("{program} bench {arguments} --json"))?;
    Ok((rows.lines().map(serde_json::from_str).collect::<Result<_, _>>()?, load))
}

/// Rows of `nearfield bench NAME --device cuda` with so many seconds a row: of the file `ROWS`, or of this machine's card; the outcome of the step `measure-NAME-cuda` where there is neither.
pub fn rows_of_card(name: &str, seconds: &str) -> Result<Result<Vec<Value>, Outcome>> {
    let arguments = format!("{name} --device cuda --seconds {seconds}");
    match std::env::var("ROWS") {
        Ok(path) => {
            let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
            let rows = text.lines().map(serde_json::from_str).collect::<Result<_, _>>();
            Ok(Ok(rows.with_context(|| path)?))
        }
        Err(_) if !command::succeeds("nvidia-smi") => Ok(Err(Outcome::Skipped(format!(
            "no card: `nearfield bench {arguments} --json >FILE` where there is one, then ROWS=FILE cargo xtask measure-{name}-cuda"
        )))),
        Err(_) => Ok(Ok(rows(&arguments)?.0)),
    }
}
