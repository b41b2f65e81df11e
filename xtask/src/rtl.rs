//! Programs made of the Verilog in `boards/rtl` by Verilator, below `target/rtl`.
//!
//! `tests/tests/boards/rtl` calls `cargo xtask rtl` for its benches. A program is made again only if a source or its command line
//! has changed: both are kept beside it in a file named `program.stamp`.

use crate::command;
use crate::step::Outcome;
use anyhow::{Context, Result};
use std::fs;
use std::path::{Path, PathBuf};

const SOURCES: &str = "boards/rtl";
/// Where the sources lie as seen from a program's folder, in which the C++ compiler runs.
const SOURCES_FROM_PROGRAM: &str = "../../../boards/rtl";
/// Verilator's library, made once for all programs, and where it lies as seen from a program's folder.
const LIBRARY: &str = "target/rtl/library.o";
const LIBRARY_FROM_PROGRAM: &str = "../library.o";
/// One file of short functions at the compiler's first level: a third of the time of Verilator's own
/// choice, and the programs are as fast.
const COMPILE: &str = "--output-split-cfuncs 500 -MAKEFLAGS VM_PARALLEL_BUILDS=0 -MAKEFLAGS OPT_FAST=-O1 \
                       -MAKEFLAGS VM_GLOBAL_FAST=";
/// Warnings are errors. Widths are not looked at: sums of a counter and a constant would each need their own cast.
const LINT: &str = "-Wall -Wno-DECLFILENAME -Wno-UNUSED -Wno-WIDTH";

/// A program that Verilator makes.
#[derive(Default)]
pub struct Program {
    /// Its folder below `target`, and its name.
    pub place: String,
    /// The module at the top, and the file that has it.
    pub top: (&'static str, &'static str),
    /// `-G` for each parameter of the top.
    pub parameters: &'static str,
    /// Its `main`, in `boards/rtl/sim`.
    pub main: &'static str,
    /// Words for the C++ compiler, each with `-CFLAGS` before it.
    pub definitions: &'static str,
    /// Further words for Verilator: a core's files.
    pub more: String,
}

pub fn benches() -> Result<Outcome> {
    let bench = |place: &str, parameters, definitions| Program {
        place: place.into(),
        top: ("peripherals", "soc/peripherals.v"),
        parameters,
        main: "bench.cpp",
        definitions,
        ..Program::default()
    };
    build(&bench("rtl/bench-16", "-GLINES=16 -GCHANNEL_BITS=4 -GFIFO_BITS=8", "-CFLAGS -DLINES=16"))?;
    build(&bench("rtl/bench-64", "-GLINES=64", "-CFLAGS -DLINES=64"))?;
    build(&bench("rtl/bench-1024", "-GLINES=1024 -GFIFO_BITS=13", "-CFLAGS -DLINES=1024"))?;
    build(&Program {
        place: "rtl/cic".into(),
        top: ("cic_integrators", "cic_integrators.v"),
        main: "cic.cpp",
        ..Program::default()
    })?;
    Ok(Outcome::Done)
}

/// Makes a program, unless it is there and nothing has changed; where it is.
pub fn build(program: &Program) -> Result<PathBuf> {
    let line = line(program);
    let folder = PathBuf::from("target").join(&program.place);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let sources = contents(Path::new(SOURCES))?;
    command::make(&library_line()?, &sources, Path::new(LIBRARY))?;
    let made = folder.join("program");
    command::make(&line, &sources, &made)?;
    Ok(made)
}

fn library_line() -> Result<String> {
    let include = command::output("verilator --getenv VERILATOR_ROOT")? + "/include";
    Ok(format!("g++ -O1 -c -I{include} -I{include}/vltstd {SOURCES}/sim/library.cpp -o {LIBRARY}"))
}

fn line(program: &Program) -> String {
    let Program { place, top: (top, file), parameters, main, definitions, more } = program;
    let words = [
        "verilator --cc --exe --build -O3 --x-assign fast --x-initial fast --noassert".to_owned(),
        format!("{LINT} {more} -I{SOURCES} -I{SOURCES}/soc --top-module {top} {parameters} {definitions}"),
        format!("{COMPILE} -CFLAGS -march=native -CFLAGS -I{SOURCES_FROM_PROGRAM}/sim"),
        format!("--Mdir target/{place} -o program"),
        format!("{SOURCES}/{file} {SOURCES_FROM_PROGRAM}/sim/{main} {LIBRARY_FROM_PROGRAM}"),
    ];
    words.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All sources with their names, in alphabetical order.
pub fn contents(folder: &Path) -> Result<String> {
    let mut text = String::new();
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| entry.map(|entry| entry.path())).collect())
        .with_context(|| folder.display().to_string())?;
    entries.sort();
    for entry in entries {
        if entry.is_dir() {
            text += &contents(&entry)?;
        } else if entry.extension().is_some_and(|kind| kind != "md") {
            let source = fs::read_to_string(&entry).with_context(|| entry.display().to_string())?;
            text += &format!("== {}\n{source}\n", entry.display());
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_any_source_changes_the_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("soc")).unwrap();
        write("a.v", "a");
        write("soc/b.v", "b");
        let before = contents(folder.path()).unwrap();
        write("README.md", "words");
        assert_eq!(contents(folder.path()).unwrap(), before);
        write("soc/b.v", "c");
        assert_ne!(contents(folder.path()).unwrap(), before);
    }
}
