//! `cargo xtask gpu`: a folder to carry to a machine that has a card, a driver and CUDA's libraries, and nothing else.
//!
//! ```text
//! target/gpu/run           runs the rest, prints one table; `run --help`
//! target/gpu/nearfield     the program, for its bench
//! target/gpu/suites/*      the unit tests of `kernels`, and the suite `solvers` over the CPU and every card
//! target/gpu/data/pnah/*   recordings that the suites read, where this machine has them
//! ```

#[cfg(test)]
mod tests;

use crate::step::Outcome;
use crate::{command, report};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const FOLDER: &str = "target/gpu";
/// It travels over slow lines.
const LIMIT_BYTES: u64 = 60 << 20;
/// Beside the repository, as the suites know it.
const DATA: &str = "../shared/data/pnah";
/// What `tests::holograms` and the suite `solvers` read of it.
const KINDS: [&str; 4] = [".sigmf-data", ".sigmf-meta", ".truth.npz", ".reference.npz"];

const RUN: &str = include_str!("gpu/run.sh");

const PROGRAM: &str =
    "cargo build --release --package nearfield --bin nearfield --message-format=json-render-diagnostics";
const SUITES: &str = "cargo test --release --no-run --package nearfield-kernels --package tests --lib --test errors \
                      --test solvers --message-format=json-render-diagnostics";

/// Makes the folder anew.
pub fn pack() -> Result<Outcome> {
    let (program, suites) = (command::capture(PROGRAM)?, command::capture(SUITES)?);
    let folder = Path::new(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| FOLDER.to_owned())?;
    }
    fs::create_dir_all(folder.join("suites"))?;
    for (name, file) in executables(&program)? {
        strip(&file, &format!("{FOLDER}/{name}"))?;
    }
    // The library of `tests` holds helpers, which the suites test.
    for (name, file) in executables(&suites)?.iter().filter(|(name, _)| name != "tests") {
        strip(file, &format!("{FOLDER}/suites/{name}"))?;
    }
    write_script(folder)?;
    copy_data(Path::new(DATA), &folder.join("data/pnah"))?;
    check_size(folder, LIMIT_BYTES)?;
    println!("   carry {FOLDER} to the other machine and call its `run`; `run --help` lists what it can do");
    Ok(Outcome::Done)
}

/// Name and place of every program that cargo's messages announce.
fn executables(messages: &str) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for line in messages.lines() {
        let message: Value = serde_json::from_str(line).with_context(|| format!("cargo says {line}"))?;
        if let (Some(name), Some(file)) = (message["target"]["name"].as_str(), message["executable"].as_str())
        {
            found.push((name.to_owned(), file.to_owned()));
        }
    }
    ensure!(!found.is_empty(), "cargo made no program");
    Ok(found)
}

/// A copy without line numbers and names of functions, which are most of a program.
fn strip(file: &str, to: &str) -> Result<()> {
    command::run(&format!("strip -o {to} {file}"))
}

fn write_script(folder: &Path) -> Result<()> {
    let script = folder.join("run");
    fs::write(&script, RUN)?;
    Ok(fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?)
}

fn copy_data(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        report::skipped(
            "data",
            &format!("there is no {}; suites that read recordings will be skipped", from.display()),
        );
        return Ok(());
    }
    fs::create_dir_all(to)?;
    for entry in from.read_dir().with_context(|| from.display().to_string())? {
        let file = entry?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if KINDS.iter().any(|kind| name.ends_with(kind)) {
            fs::copy(&file, to.join(&*name)).with_context(|| file.display().to_string())?;
        }
    }
    Ok(())
}

/// Lists the largest files; too much together is an error.
fn check_size(folder: &Path, limit_bytes: u64) -> Result<()> {
    let mut files: Vec<(u64, PathBuf)> = Vec::new();
    for file in glob::glob(&folder.join("**/*").to_string_lossy())? {
        let file = file?;
        files.push((file.metadata()?.len(), file));
    }
    files.retain(|(_, file)| !file.is_dir());
    files.sort_by(|a, b| b.cmp(a));
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    for (bytes, file) in files.iter().take(12) {
        println!("   {:6.2} MiB  {}", mib(*bytes), file.display());
    }
    let total = files.iter().map(|(bytes, _)| bytes).sum();
    println!("   {:6.2} MiB  in {} files", mib(total), files.len());
    let (name, total, limit) = (folder.display(), mib(total), mib(limit_bytes));
    ensure!(total <= limit, "{name} has {total:.1} MiB, and {limit} MiB may travel");
    Ok(())
}
