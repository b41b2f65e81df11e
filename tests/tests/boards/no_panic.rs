//! No firmware path of `dsp-core` can panic.
//!
//! `tests/no-panic` is the firmware's side of `dsp-core` as a static library, built in release as firmware is. Each
//! of its entries is linked alone, unreachable sections are dropped, and what is left must not hold a panic: neither
//! the handler's only exit nor any of the routines in `core` that lead to it. An archive as it is cannot be judged,
//! since it always holds the handler and all of `core`.
//!
//! The same procedure must find the panics of the `control` entries, so the test can fail.
//!
//! Linux only: it relies on an ELF linker's `--gc-sections`, and on `nm`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Parts of the names of everything that panics, `panic_is_reachable` of the library's handler among them.
const PANIC_NAMES: [&str; 5] =
    ["panic", "rust_begin_unwind", "unwrap_failed", "expect_failed", "slice_index"];

/// The modules of `dsp-core` that firmware calls: each must have at least one entry.
const MODULES: [&str; 12] = [
    "average",
    "board",
    "cic",
    "console",
    "decimator",
    "fir",
    "frame",
    "lut",
    "modulator",
    "pdm",
    "sliding",
    "walsh",
];

#[test]
fn firmware_paths_cannot_panic() {
    no_entry_panics("release");
}

#[test]
fn nor_when_built_for_size() {
    no_entry_panics("small");
}

fn no_entry_panics(profile: &str) {
    let archive = build(profile, profile, &[]);
    let entries = entries(&archive, "path_");
    for module in MODULES {
        let prefix = format!("path_{module}_");
        assert!(
            entries.iter().any(|entry| entry.starts_with(&prefix)),
            "no entry for {module} in {entries:?}"
        );
    }
    let guilty: Vec<_> = entries
        .iter()
        .map(|entry| (entry, panics(&reachable(&archive, entry))))
        .filter(|(_, panics)| !panics.is_empty())
        .collect();
    assert!(guilty.is_empty(), "entries that can panic, and through what: {guilty:#?}");
}

#[test]
fn the_same_procedure_finds_a_panic() {
    let archive = build("control", "release", &["--features", "control"]);
    for entry in ["control_assert", "control_index", "control_unwrap"] {
        let symbols = reachable(&archive, entry);
        assert!(panics(&symbols).contains(&"panic_is_reachable".into()), "{entry} leaves only {symbols:?}");
    }
}

/// Builds the library and keeps a copy under `name`, since builds share their target folder.
fn build(name: &str, profile: &str, options: &[&str]) -> PathBuf {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _guard = ONE_AT_A_TIME.lock();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("no-panic/Cargo.toml");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-panic");
    let mut command = tests::cargo();
    command.args(["build", "--locked", "--profile", profile, "--manifest-path"]).arg(manifest);
    output(command.arg("--target-dir").arg(&target).args(options));
    let copy = target.join(name).with_extension("a");
    std::fs::copy(target.join(profile).join("libfirmware_paths.a"), &copy)
        .expect("cargo has built the archive");
    copy
}

/// The functions of the archive whose names start with `prefix`.
fn entries(archive: &Path, prefix: &str) -> Vec<String> {
    let mut entries = symbols(archive);
    entries.retain(|name| name.starts_with(prefix));
    entries
}

/// The symbols left when `entry` is linked with all that it needs and nothing else.
fn reachable(archive: &Path, entry: &str) -> Vec<String> {
    let object = archive.with_extension(format!("{entry}.o"));
    let mut cc = Command::new("cc");
    cc.args(["-r", "-nostdlib", "-Wl,--gc-sections"]).arg(format!("-Wl,--undefined={entry}"));
    output(cc.arg("-o").arg(&object).arg(archive));
    let symbols = symbols(&object);
    assert!(symbols.iter().any(|name| name == entry), "the linker dropped {entry} itself: {symbols:?}");
    symbols
}

/// The names in an object or archive, without Rust's mangling.
fn symbols(file: &Path) -> Vec<String> {
    let listing = output(Command::new("nm").arg("--demangle").arg(file));
    // Address or blanks, a space, the type, a space, the name; other lines name an archive's members.
    let name = |line: &str| line.get(19..).map(str::to_owned);
    listing.lines().filter_map(name).collect()
}

/// Those of the symbols that belong to a panic.
fn panics(symbols: &[String]) -> Vec<String> {
    let is_panic = |name: &&String| PANIC_NAMES.iter().any(|part| name.contains(part));
    symbols.iter().filter(is_panic).cloned().collect()
}

/// Runs a command that must succeed; what it printed.
fn output(command: &mut Command) -> String {
    let program = command.get_program().to_owned();
    let run = command.output().unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    let errors = String::from_utf8_lossy(&run.stderr);
    let arguments: Vec<&OsStr> = command.get_args().collect();
    assert!(run.status.success(), "{} {arguments:?}: {}\n{errors}", program.display(), run.status);
    String::from_utf8_lossy(&run.stdout).into_owned()
}
