//! The Verilog of `boards/rtl` as programs: what makes them, and a session with a test bench.

pub mod session;
pub mod tables;

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// What `cargo xtask soc` says of a package that it cannot get.
const NOT_FETCHED: &str = "pip did not get";

/// `target/PLACE`, a program that `cargo xtask COMMAND` makes, or `None` with a line on standard error that names the test
/// that is skipped because Verilator is missing, or a soft-core that cannot be fetched.
pub fn program(test: &str, command: &'static str, place: &str) -> Option<PathBuf> {
    let found = Command::new("verilator").arg("--version").stdout(Stdio::null()).status();
    if !found.is_ok_and(|status| status.success()) {
        let _ =
            writeln!(std::io::stderr(), "SKIPPED {test}: verilator is missing; `cargo xtask tools` gets it");
        return None;
    }
    // Tests of one suite ask at the same time; the first makes all programs, the others find the work done.
    static MADE: Mutex<Option<HashMap<&str, Result<(), String>>>> = Mutex::new(None);
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let outcome = made.get_or_insert_default().entry(command).or_insert_with(|| make(command));
    match outcome {
        Err(complaint) if complaint.contains(NOT_FETCHED) => {
            let _ = writeln!(std::io::stderr(), "SKIPPED {test}: {NOT_FETCHED} a soft-core's sources");
            return None;
        }
        Err(complaint) => panic!("cargo xtask {command}: {complaint}"),
        Ok(()) => {}
    }
    Some(root().join("target").join(place))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn make(command: &str) -> Result<(), String> {
    let made = crate::cargo()
        .args(["run", "--quiet", "--package", "xtask", "--", command])
        .current_dir(root())
        .output()
        .map_err(|error| error.to_string())?;
    let (told, errors) = (String::from_utf8_lossy(&made.stdout), String::from_utf8_lossy(&made.stderr));
    if made.status.success() { Ok(()) } else { Err(format!("{}\n{told}\n{errors}", made.status)) }
}
