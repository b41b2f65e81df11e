//! Builds `dsp-core` where there is no operating system, for every such target that the toolchain has.

use crate::command;
use crate::step::Outcome;
use anyhow::{Context, Result};
use std::path::Path;

/// The target that the message proposes: the soft-cores are of this kind.
const PROPOSED: &str = "riscv32imac-unknown-none-elf";

/// Builds for all of them, or is skipped for lack of any.
pub fn build() -> Result<Outcome> {
    let sysroot = command::output("rustc --print sysroot")?;
    let targets = installed(&Path::new(&sysroot).join("lib/rustlib"))?;
    if targets.is_empty() {
        let reason = format!("no bare-metal target is installed; `rustup target add {PROPOSED}` adds one");
        return Ok(Outcome::Skipped(reason));
    }
    for target in targets {
        command::run(&format!("cargo build --release --package nearfield-dsp-core --target {target}"))?;
    }
    Ok(Outcome::Done)
}

/// The targets in a toolchain's library folder whose system is `none`, in alphabetical order.
fn installed(library: &Path) -> Result<Vec<String>> {
    let mut targets = Vec::new();
    for entry in library.read_dir().with_context(|| library.display().to_string())? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.split('-').any(|part| part == "none") && library.join(&name).join("lib").is_dir() {
            targets.push(name);
        }
    }
    targets.sort();
    Ok(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_targets_without_a_system_count() {
        let library = tempfile::tempdir().unwrap();
        let names = ["x86_64-unknown-linux-gnu", "thumbv6m-none-eabi", "riscv32imac-unknown-none-elf", "etc"];
        for name in names {
            std::fs::create_dir_all(library.path().join(name).join("lib")).unwrap();
        }
        std::fs::create_dir(library.path().join("riscv32i-unknown-none-elf")).unwrap();
        let targets = installed(library.path()).unwrap();
        assert_eq!(targets, ["riscv32imac-unknown-none-elf", "thumbv6m-none-eabi"]);
        assert!(installed(&library.path().join("absent")).is_err());
    }
}
