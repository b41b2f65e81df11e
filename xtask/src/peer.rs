//! What every page of measurements beside a peer begins with: its Python packages, and the rows of a bench in release.

use crate::{command, machine, report};
use anyhow::{Result, bail};
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

/// Rows of `nearfield bench` with such arguments, and the load average before it.
pub fn rows(arguments: &str) -> Result<(Vec<Value>, String)> {
    command::run("cargo build --release --package pipeline")?;
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let load = machine::load()?;
    let rows = command::capture(&format!("{target}/release/nearfield bench {arguments} --json"))?;
    Ok((rows.lines().map(serde_json::from_str).collect::<Result<_, _>>()?, load))
}
