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
use step::{Action, Step};

/// All that `cargo xtask test` does, in this order. Lines are run from the repository's root as they stand here.
const STEPS: &[Step] = &[
    Step {
        name: "tools",
        about: "install what the other steps need (as root), or say how",
        actions: &[Action::Own(tools::install_missing)],
    },
    Step {
        name: "fmt",
        about: "formatting",
        actions: &[
            Action::Line("cargo fmt --all -- --check"),
            Action::Line("cargo fmt --manifest-path tests/no-panic/Cargo.toml -- --check"),
            Action::Line("cargo fmt --all --manifest-path boards/Cargo.toml -- --check"),
        ],
    },
    Step {
        name: "paths",
        about: "every path that the documents name exists",
        actions: &[Action::Own(paths::check)],
    },
    Step {
        name: "circles",
        about: "no two files of a crate need each other",
        actions: &[Action::Own(circles::check)],
    },
    Step {
        name: "clippy",
        about: "lints, warnings are errors",
        actions: &[
            Action::Line("cargo clippy --workspace --all-targets -- -D warnings"),
            Action::Line("cargo clippy --package nearfield-dsp-core --all-features -- -D warnings"),
            Action::Line(
                "cargo clippy --manifest-path tests/no-panic/Cargo.toml --target-dir target/no-panic \
                 --all-features -- -D warnings",
            ),
        ],
    },
    Step {
        name: "doc",
        about: "the API documentation, warnings are errors",
        actions: &[Action::Line("RUSTDOCFLAGS=-Dwarnings cargo doc --workspace --no-deps")],
    },
    Step {
        name: "firmware",
        about: "the images of all boards, their sizes, and the tests of what they share",
        actions: &[
            Action::Own(firmware::build),
            Action::Line(
                "cargo clippy --manifest-path boards/Cargo.toml --target-dir target/boards-host --package common \
                 --package rings --all-targets -- -D warnings",
            ),
            Action::Line(
                "cargo test --locked --manifest-path boards/Cargo.toml --target-dir target/boards-host --package common",
            ),
        ],
    },
    Step {
        name: "soc",
        about: "make target/soc: the SoC of boards/rtl around VexRiscv, PicoRV32 and Ibex as programs, which unit runs",
        actions: &[Action::Own(soc::build)],
    },
    Step {
        name: "unit",
        about: "unit, property, integration and documentation tests; the slowest by name",
        actions: &[Action::Own(unit::test)],
    },
    Step {
        name: "mpi",
        about: "several processes of nearfield sbr and dgtd give the bits of one, where MPI is installed",
        actions: &[Action::Own(mpi::test)],
    },
    Step {
        name: "kernels",
        about: "every CUDA kernel compiles for every architecture (no card needed); registers and spills",
        actions: &[Action::Own(nvrtc::compile_kernels)],
    },
    Step {
        name: "bare-metal",
        about: "dsp-core for every bare-metal target that the toolchain has",
        actions: &[Action::Own(bare_metal::build)],
    },
];

/// What is called by name only.
const APART: &[Step] = &[
    Step {
        name: "rtl",
        about: "make the test benches of boards/rtl, which tests/tests/boards/rtl asks for by itself",
        actions: &[Action::Own(rtl::benches)],
    },
    Step {
        name: "synth",
        about: "synthesise boards/rtl for three families, place and route for two; writes docs/measured/synthesis.md",
        actions: &[Action::Own(synth::run)],
    },
    Step {
        name: "synth-large",
        about: "the same, with place and route of 1024 lines, which takes longer than all the rest",
        actions: &[Action::Own(synth::run_large)],
    },
    Step {
        name: "hil",
        about: "every board through its cases, one line each (a part of unit)",
        actions: &[Action::Line(
            "cargo test --package tests --test boards cases -- --nocapture --test-threads=1",
        )],
    },
    Step {
        name: "measure-almond",
        about: "make docs/measured/almond.md: the EMCC almond by DGTD, here or of the folder RESULTS, by SBR, and as published",
        actions: &[Action::Own(almond::measure)],
    },
    Step {
        name: "measure-boards",
        about: "make docs/measured/firmware.md: instructions, cycles, code and RAM of every board that can run here",
        actions: &[
            Action::Own(firmware::build),
            Action::Line(
                "MEASURE=docs/measured/firmware.md cargo test --package tests --test boards cases::measure",
            ),
        ],
    },
    Step {
        name: "measure-dgtd",
        about: "make docs/measured/dgtd.md: stages of DGTD on this processor, and on a card from the rows of its machine",
        actions: &[Action::Own(dgtd::measure)],
    },
    Step {
        name: "measure-mom",
        about: "make docs/measured/mom.md: matrices of moments beside NumPy, which is got from PyPI, on this processor",
        actions: &[Action::Own(mom::measure)],
    },
    Step {
        name: "measure-mom-cuda",
        about: "make docs/measured/mom_cuda.md: the same on a card, of this machine or from the file ROWS",
        actions: &[Action::Own(mom_cuda::measure)],
    },
    Step {
        name: "measure-nufft",
        about: "make docs/measured/nufft.md: the NUFFT beside FINUFFT, which is got from PyPI, on this processor",
        actions: &[Action::Own(nufft::measure)],
    },
    Step {
        name: "measure-reflectarray",
        about: "make docs/measured/reflectarray.md: evaluations, a design, fronts and the paper's tables, on this processor",
        actions: &[Action::Own(reflectarray::measure)],
    },
    Step {
        name: "measure-sbr",
        about: "make docs/measured/sbr.md: rays beside Embree, which Debian has, trees and radar cross-sections, on this processor",
        actions: &[Action::Own(sbr::measure)],
    },
    Step {
        name: "measure-sbr-cuda",
        about: "make docs/measured/sbr_cuda.md: the paper's table on a card, of this machine or from the file ROWS",
        actions: &[Action::Own(sbr_cuda::measure)],
    },
    Step {
        name: "measure-sbr-large",
        about: "make docs/measured/sbr_large.md: seconds and memory of a mesh of 5 million triangles, on this processor",
        actions: &[Action::Own(sbr_large::measure)],
    },
    Step {
        name: "gpu",
        about: "make target/gpu: suites, bench and data to carry to a machine with a card",
        actions: &[Action::Own(gpu::pack)],
    },
    Step {
        name: "fuzz",
        about: "a million damaged inputs for every parser, with the release's optimisations and checks of overflow",
        actions: &[Action::Line(
            "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true FUZZ_INPUTS=1000000 cargo test --release --package tests \
             --test fuzz -- --nocapture --test-threads=1",
        )],
    },
    Step {
        name: "soak",
        about: "the live instrument at full rate for five minutes: memory flat to 1 %, handles constant",
        actions: &[Action::Own(soak::run)],
    },
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
        if let Action::Line(line) = action {
            text += &format!("              $ {line}\n");
        }
    }
    text
}
