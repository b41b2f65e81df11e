//! `cargo xtask firmware`: the images of all boards, with rustup's targets or with Debian's toolchain, whichever is there.
//!
//! ```text
//! target/firmware/NAME.elf     for QEMU, and for the texts of its log
//! target/firmware/NAME.bin     for the RTL systems: the memory from its first byte on
//! target/firmware/sizes.json   code and RAM of each
//! ```

mod elf;

use crate::step::Outcome;
use crate::{command, peer};
use anyhow::{Context, Result};
use elf::Elf;
use std::path::{Path, PathBuf};

/// The boards and their targets.
const BOARDS: [(&str, &str); 4] = [
    ("qemu-virt-rv32", "riscv32imc-unknown-none-elf"),
    ("vexriscv-sim", "riscv32imc-unknown-none-elf"),
    ("picorv32-sim", "riscv32imc-unknown-none-elf"),
    ("qemu-mps2-m4", "thumbv7em-none-eabi"),
];

/// Debian's toolchain, whose library comes as source.
const DEBIAN_CARGO: &str = "/usr/bin/cargo";
const DEBIAN_RUSTC: &str = "/usr/bin/rustc";
const DEBIAN_LIBRARY: &str = "/usr/lib/rustlib/src/rust/library/core";

/// Builds every board and lists the sizes.
pub fn build() -> Result<Outcome> {
    let target = PathBuf::from(peer::target());
    let folder = target.join("firmware");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let (mut sizes, mut compiler) = (serde_json::Map::new(), String::new());
    for (board, triple) in BOARDS {
        let Some(toolchain) = toolchain(triple)? else {
            return Ok(Outcome::Skipped(format!(
                "no toolchain for {triple}: `rustup target add {triple}`, or Debian's rustc-web, cargo-web, \
                 rust-web-src, rust-web-llvm and lld-22"
            )));
        };
        println!("   {board} with {}", toolchain.name());
        compiler = command::output(toolchain.version())?;
        // One board at a time: features of one must not reach another.
        command::run(&toolchain.line(board, triple, &target))?;
        let built = target.join("boards").join(triple).join("release").join(board);
        let bytes = std::fs::read(&built).with_context(|| built.display().to_string())?;
        let elf = Elf::parse(&bytes).with_context(|| built.display().to_string())?;
        let image = folder.join(board);
        std::fs::write(image.with_extension("elf"), &bytes)?;
        std::fs::write(image.with_extension("bin"), elf.image())?;
        let (code, data, ram) = (elf.code(), elf.data(), elf.ram());
        println!(
            "   {board}: {code} bytes of code and constants, {data} of initial values, {ram} of RAM beside the stack"
        );
        sizes.insert(board.into(), serde_json::json!({"code": code, "data": data, "ram": ram}));
    }
    let summary = serde_json::json!({"compiler": compiler, "boards": sizes});
    std::fs::write(folder.join("sizes.json"), format!("{summary:#}\n"))?;
    Ok(Outcome::Done)
}

/// Who builds.
#[derive(Debug, PartialEq, Eq)]
enum Toolchain {
    Rustup,
    Debian,
}

impl Toolchain {
    fn name(&self) -> &'static str {
        match self {
            Self::Rustup => "the target that rustup has installed",
            Self::Debian => "Debian's toolchain, which builds `core` from source",
        }
    }

    /// The line that asks its compiler for its version.
    fn version(&self) -> &'static str {
        match self {
            Self::Rustup => "rustc --version",
            Self::Debian => "/usr/bin/rustc --version",
        }
    }

    fn line(&self, board: &str, triple: &str, target: &Path) -> String {
        let (cargo, extra) = match self {
            Self::Rustup => ("cargo".to_owned(), ""),
            Self::Debian => {
                (format!("RUSTC={DEBIAN_RUSTC} RUSTC_BOOTSTRAP=1 {DEBIAN_CARGO}"), " -Z build-std=core")
            }
        };
        let folder = target.join("boards");
        format!(
            "DEFMT_LOG=info {cargo} build{extra} --release --locked --manifest-path boards/Cargo.toml --package {board} \
             --target {triple} --target-dir {}",
            folder.display()
        )
    }
}

/// The toolchain for a target, if there is one.
fn toolchain(triple: &str) -> Result<Option<Toolchain>> {
    let sysroot = command::output("rustc --print sysroot")?;
    if Path::new(&sysroot).join("lib/rustlib").join(triple).join("lib").is_dir() {
        return Ok(Some(Toolchain::Rustup));
    }
    let debian = [DEBIAN_CARGO, DEBIAN_RUSTC, DEBIAN_LIBRARY].iter().all(|path| Path::new(path).exists());
    Ok(debian.then_some(Toolchain::Debian))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_toolchains_build_the_same_package() {
        for (toolchain, begin) in [
            (Toolchain::Rustup, "DEFMT_LOG=info cargo build --release"),
            (
                Toolchain::Debian,
                "DEFMT_LOG=info RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo build -Z",
            ),
        ] {
            let line = toolchain.line("a-board", "a-target", Path::new("x"));
            assert!(line.starts_with(begin), "{line}");
            assert!(line.ends_with("--package a-board --target a-target --target-dir x/boards"), "{line}");
        }
    }
}
