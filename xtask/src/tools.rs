//! The programs that the other steps call: which are missing, and how to get them.
//!
//! To add one, add a line to [`TOOLS`]; a new way of installing is a variant of [`Source`] and its command in
//! [`commands`].

use crate::command;
use crate::step::Outcome;
use Source::{Apt, Rustup};
use anyhow::{Result, bail};

/// A program that some step needs.
pub struct Tool {
    name: &'static str,
    /// A command line that succeeds where the program is installed.
    detect: &'static str,
    source: Source,
    /// Who needs it.
    why: &'static str,
}

/// Where a program comes from.
enum Source {
    /// A component of the Rust toolchain.
    Rustup(&'static str),
    /// Debian packages.
    Apt(&'static [&'static str]),
}

const fn tool(name: &'static str, detect: &'static str, source: Source, why: &'static str) -> Tool {
    Tool { name, detect, source, why }
}

const TOOLS: &[Tool] = &[
    tool("rustfmt", "cargo fmt --version", Rustup("rustfmt"), "the step fmt"),
    tool("clippy", "cargo clippy --version", Rustup("clippy"), "the step clippy"),
    tool(
        "cc",
        "cc --version",
        Apt(&["gcc", "libc6-dev"]),
        "links every program; tests/tests/boards/no_panic.rs links with it",
    ),
    tool("nm", "nm --version", Apt(&["binutils"]), "tests/tests/boards/no_panic.rs lists symbols with it"),
    tool(
        "pip",
        "python3 -m pip --version",
        Apt(&["python3-pip"]),
        "the step kernels gets the CUDA compiler with it, the step soc the soft-cores",
    ),
    tool(
        "verilator",
        "verilator --version",
        Apt(&["verilator"]),
        "tests/tests/boards/rtl simulates the Verilog of boards/rtl with it",
    ),
    tool("g++", "g++ --version", Apt(&["g++", "make"]), "compiles what verilator makes"),
    tool(
        "bare-metal Rust",
        "test -e /usr/lib/rustlib/src/rust/library/core",
        Apt(&["rustc-web", "cargo-web", "rust-web-src", "rust-web-llvm", "lld-22"]),
        "the step firmware builds with it where rustup has no bare-metal targets",
    ),
    tool(
        "QEMU for RISC-V",
        "qemu-system-riscv32 --version",
        Apt(&["qemu-system-misc"]),
        "tests/tests/boards/cases runs firmware in it",
    ),
    tool(
        "QEMU for Arm",
        "qemu-system-arm --version",
        Apt(&["qemu-system-arm"]),
        "tests/tests/boards/cases runs firmware in it",
    ),
    tool(
        "chromium",
        "chromium --version",
        Apt(&["chromium"]),
        "pipeline/nearfield/tests/program/viewer looks at the live page with it",
    ),
];

/// What `cargo xtask synth` calls, which is no part of the test.
pub const SYNTHESIS: &[Tool] = &[
    tool("yosys", "yosys -V", Apt(&["yosys"]), "synthesis for every family"),
    tool("nextpnr-ice40", "nextpnr-ice40 --version", Apt(&["nextpnr-ice40"]), "place and route on iCE40"),
    tool("pip", "python3 -m pip --version", Apt(&["python3-pip"]), "gets place and route for ECP5"),
];

pub fn install_missing() -> Result<Outcome> {
    install(TOOLS)?;
    Ok(Outcome::Done)
}

/// Installs what is missing as root; for others it is an error that holds the commands to type.
pub fn install(tools: &'static [Tool]) -> Result<()> {
    let missing = missing(tools);
    if missing.is_empty() {
        return Ok(());
    }
    for tool in &missing {
        println!("   {} is missing: {}", tool.name, tool.why);
    }
    let root = command::output("id -u")? == "0";
    let commands = commands(&missing, root);
    if !root {
        bail!("missing tools; install them with\n    {}", commands.join("\n    "));
    }
    for line in &commands {
        command::run(line)?;
    }
    if let Some(tool) = self::missing(tools).first() {
        bail!("{} is still missing: `{}` fails", tool.name, tool.detect);
    }
    Ok(())
}

fn missing(tools: &[Tool]) -> Vec<&Tool> {
    tools.iter().filter(|tool| !command::succeeds(tool.detect)).collect()
}

/// The command lines that install `tools`, for root or for somebody who may become root.
fn commands(tools: &[&Tool], root: bool) -> Vec<String> {
    let (mut components, mut packages) = (Vec::<&str>::new(), Vec::<&str>::new());
    for tool in tools {
        match tool.source {
            Rustup(component) => components.push(component),
            Apt(names) => packages.extend(names),
        }
    }
    let mut lines = Vec::new();
    if !packages.is_empty() {
        let apt = if root { "DEBIAN_FRONTEND=noninteractive apt-get" } else { "sudo apt-get" };
        lines.push(format!("{apt} update"));
        lines.push(format!("{apt} install -y --no-install-recommends {}", packages.join(" ")));
    }
    if !components.is_empty() {
        lines.push(format!("rustup component add {}", components.join(" ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tools_are_found_and_present_ones_are_not() {
        let tool = |detect| Tool { name: "x", detect, source: Rustup("x"), why: "a test" };
        let tools = [tool("true"), tool("no-such-program-of-nearfield --version"), tool("false")];
        let detects: Vec<_> = missing(&tools).iter().map(|tool| tool.detect).collect();
        assert_eq!(detects, ["no-such-program-of-nearfield --version", "false"]);
    }

    #[test]
    fn all_packages_come_in_one_command() {
        let all: Vec<_> = TOOLS.iter().collect();
        let rustup = "rustup component add rustfmt clippy";
        let install = "apt-get install -y --no-install-recommends gcc libc6-dev binutils python3-pip verilator g++ make \
                       rustc-web cargo-web rust-web-src rust-web-llvm lld-22 qemu-system-misc qemu-system-arm \
                       chromium";
        let others = ["sudo apt-get update".to_owned(), format!("sudo {install}"), rustup.to_owned()];
        assert_eq!(commands(&all, false), others);
        let frontend = "DEBIAN_FRONTEND=noninteractive";
        let root = [format!("{frontend} apt-get update"), format!("{frontend} {install}"), rustup.to_owned()];
        assert_eq!(commands(&all, true), root);
    }

    #[test]
    fn nothing_is_run_for_nothing() {
        assert!(commands(&[], true).is_empty());
        assert_eq!(commands(&[&TOOLS[1]], false), ["rustup component add clippy"]);
    }
}
