//! Developer commands. `cargo xtask test` is what every change must pass; `cargo xtask --help` lists the rest.

mod almond;
mod bare_metal;
mod circles;
mod command;
mod cost;
mod dgtd;
mod firmware;
mod gpu;
mod lines;
mod machine;
mod mom;
mod mom_cuda;
mod mpi;
mod nufft;
mod nvrtc;
mod outcome;
mod page;
mod paths;
mod peer;
mod pip;
mod reflectarray;
mod report;
mod rtl;
mod sbr;
mod sbr_cuda;
mod sbr_large;
mod soak;
mod soc;
mod step;
mod synth;
mod tools;
mod unit;

use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;
use step::Action::{Line, Own};
use step::{Step, step};

/// All that `cargo xtask test` does, in this order. Lines are run from the repository's root as they stand here.
const STEPS: &[Step] = &[
    step("tools", "install what the other steps need (as root), or say how", &[Own(tools::install_missing)]),
    step(
        "fmt",
        "formatting",
        &[
            Line("cargo fmt --all -- --check"),
            Line("cargo fmt --manifest-path tests/no-panic/Cargo.toml -- --check"),
            Line("cargo fmt --all --manifest-path boards/Cargo.toml -- --check"),
        ],
    ),
    step("paths", "every path that the documents name exists", &[Own(paths::check)]),
    step("circles", "no two files of a crate need each other", &[Own(circles::check)]),
    step(
        "clippy",
        "lints, warnings are errors",
        &[
            Line("cargo clippy --workspace --all-targets -- -D warnings"),
            Line("cargo clippy --package nearfield-dsp-core --all-features -- -D warnings"),
            Line(
                "cargo clippy --manifest-path tests/no-panic/Cargo.toml --target-dir target/no-panic \
                 --all-features -- -D warnings",
            ),
        ],
    ),
    step(
        "doc",
        "the API documentation, warnings are errors",
        &[Line("RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps")],
    ),
    step(
        "firmware",
        "the images of all boards, their sizes, and the tests of what they share",
        &[
            Own(firmware::build),
            Line(
                "cargo clippy --manifest-path boards/Cargo.toml --target-dir target/boards-host --package common \
                 --package rings --all-targets -- -D warnings",
            ),
            Line(
                "cargo test --locked --manifest-path boards/Cargo.toml --target-dir target/boards-host --package common",
            ),
        ],
    ),
    step(
        "soc",
        "make target/soc: the SoC of boards/rtl around VexRiscv, PicoRV32 and Ibex as programs, which unit runs",
        &[Own(soc::build)],
    ),
    step(
        "unit",
        "unit, property, integration and documentation tests; the slowest by name",
        &[Own(unit::test)],
    ),
    step(
        "mpi",
        "several processes of nearfield sbr and dgtd give the bits of one, where MPI is installed",
        &[Own(mpi::test)],
    ),
    step(
        "kernels",
        "every CUDA kernel compiles for every architecture (no card needed); registers and spills",
        &[Own(nvrtc::compile_kernels)],
    ),
    step(
        "bare-metal",
        "dsp-core for every bare-metal target that the toolchain has",
        &[Own(bare_metal::build)],
    ),
];

/// What is called by name only.
const APART: &[Step] = &[
    step(
        "rtl",
        "make the test benches of boards/rtl, which tests/tests/boards/rtl asks for by itself",
        &[Own(rtl::benches)],
    ),
    step(
        "synth",
        "synthesise boards/rtl for three families, place and route for two; writes docs/measured/synthesis.md",
        &[Own(synth::run)],
    ),
    step(
        "synth-large",
        "the same, with place and route of 1024 lines, which takes longer than all the rest",
        &[Own(synth::run_large)],
    ),
    step(
        "hil",
        "every board through its cases, one line each (a part of unit)",
        &[Line("cargo test --package tests --test boards cases -- --nocapture --test-threads=1")],
    ),
    step(
        "measure-almond",
        "make docs/measured/almond.md: the EMCC almond by DGTD, here or of the folder RESULTS, by SBR, and as published",
        &[Own(almond::measure)],
    ),
    step(
        "measure-boards",
        "make docs/measured/firmware.md: instructions, cycles, code and RAM of every board that can run here",
        &[
            Own(firmware::build),
            Line("MEASURE=docs/measured/firmware.md cargo test --package tests --test boards cases::measure"),
        ],
    ),
    step(
        "measure-dgtd",
        "make docs/measured/dgtd.md: stages of DGTD on this processor, and on a card from the rows of its machine",
        &[Own(dgtd::measure)],
    ),
    step(
        "measure-mom",
        "make docs/measured/mom.md: matrices of moments beside NumPy, which is got from PyPI, on this processor",
        &[Own(mom::measure)],
    ),
    step(
        "measure-mom-cuda",
        "make docs/measured/mom_cuda.md: the same on a card, of this machine or from the file ROWS",
        &[Own(mom_cuda::measure)],
    ),
    step(
        "measure-nufft",
        "make docs/measured/nufft.md: the NUFFT beside FINUFFT, which is got from PyPI, on this processor",
        &[Own(nufft::measure)],
    ),
    step(
        "measure-reflectarray",
        "make docs/measured/reflectarray.md: evaluations, a design, fronts and the paper's tables, on this processor",
        &[Own(reflectarray::measure)],
    ),
    step(
        "measure-sbr",
        "make docs/measured/sbr.md: rays beside Embree, which Debian has, trees and radar cross-sections, on this processor",
        &[Own(sbr::measure)],
    ),
    step(
        "measure-sbr-cuda",
        "make docs/measured/sbr_cuda.md: the paper's table on a card, of this machine or from the file ROWS",
        &[Own(sbr_cuda::measure)],
    ),
    step(
        "measure-sbr-large",
        "make docs/measured/sbr_large.md: seconds and memory of a mesh of 5 million triangles, on this processor",
        &[Own(sbr_large::measure)],
    ),
    step(
        "gpu",
        "make target/gpu: suites, bench and data to carry to a machine with a card",
        &[Own(gpu::pack)],
    ),
    step(
        "fuzz",
        "a million damaged inputs for every parser, with the release's optimisations and checks of overflow",
        &[Line(
            "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true FUZZ_INPUTS=1000000 cargo test --release --package tests \
             --test fuzz -- --nocapture --test-threads=1",
        )],
    ),
    step(
        "soak",
        "the live instrument at full rate for five minutes: memory flat to 1 %, handles constant",
        &[Own(soak::run)],
    ),
];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            report::failure(&error);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask lies in the repository")?;
    std::env::set_current_dir(root).with_context(|| root.display().to_string())?;
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["test"] => {
            command::build_once();
            step::run_all(STEPS)
        }
        ["lines"] => lines::print(None),
        ["lines", revision] => lines::print(Some(revision)),
        ["help" | "--help" | "-h"] => {
            print!("{}", usage());
            Ok(())
        }
        [name] => match STEPS.iter().chain(APART).find(|step| step.name == name) {
            Some(step) => step.run().map(drop),
            None => unknown(name),
        },
        _ => unknown(&arguments.join(" ")),
    }
}

fn unknown(command: &str) -> Result<()> {
    bail!("no such command: {command:?}\n{}", usage())
}

fn usage() -> String {
    let mut text = String::from(
        "Usage: cargo xtask COMMAND\n\n  test        all of the following in this order; stops at the first failure\n",
    );
    text.extend(STEPS.iter().map(describe));
    text += "\nNot part of test:\n\n";
    text +=
        "  lines       [REVISION] lines of Rust and CUDA outside tests, of the working tree or a commit\n";
    text.extend(APART.iter().map(describe));
    text
}

fn describe(step: &Step) -> String {
    let mut text = format!("  {:<12}{}\n", step.name, step.about);
    for action in step.actions {
        if let Line(line) = action {
            text += &format!("              $ {line}\n");
        }
    }
    text
}
