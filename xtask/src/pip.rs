//! Python packages of fixed versions, which are unpacked below `target`.

use crate::{command, report};
use anyhow::{Result, ensure};
use std::path::Path;

/// Gets packages into a folder unless they are there. pip is not heard: it would name the registry that this machine is
/// set to use.
pub fn install(folder: &str, options: &str, packages: &[(&str, &str)]) -> Result<()> {
    for (package, version) in packages {
        if Path::new(&format!("{folder}/{package}-{version}.dist-info/RECORD")).is_file() {
            continue;
        }
        let line = format!(
            "python3 -m pip install --quiet {options} --upgrade --target {folder} {package}=={version}"
        );
        report::command(&line);
        let got = command::succeeds(&line);
        ensure!(got, "pip did not get {package} {version}; the command above, typed by hand, says why");
    }
    Ok(())
}
