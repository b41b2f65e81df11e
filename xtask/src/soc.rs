//! `cargo xtask soc`: the SoC of `boards/rtl/soc` around three soft-cores, as programs `target/soc/soc-CORE`.
//!
//! The cores come as Python packages, which are nothing but their sources, and are unpacked below `target`; none of them is
//! in the repository. `boards/rtl/sim/main.cpp` has the programs' arguments.

use crate::pip;
use crate::rtl::{self, Program};
use crate::step::Outcome;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

const CORES: &str = "target/cores";
/// What marks a signal of a core as open to programs.
const MARK: &str = "/* verilator public */";

/// Soft-cores: name, version of the package (fixed, since cycles are measured), and what Verilator must know of the core
/// and its wrapper; `@` is the folder of its sources.
const ALL: [(&str, &str, &str); 3] = [
    ("vexriscv", "1.0.1.post407", "@/verilog/VexRiscv_IMAC.v boards/rtl/soc/core_vexriscv.v"),
    ("picorv32", "1.0.post218", "@/verilog/picorv32.v boards/rtl/soc/core_picorv32.v"),
    (
        "ibex",
        "0.0.post2937",
        "-I@/system_verilog/vendor/lowrisc_ip/ip/prim/rtl -I@/system_verilog/vendor/lowrisc_ip/dv/sv/dv_utils \
               -I@/system_verilog/rtl \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv \
               @/system_verilog/rtl/ibex_pkg.sv boards/rtl/soc/core_ibex.sv",
    ),
];

/// Gets the cores and makes the programs.
pub fn build() -> Result<Outcome> {
    for (name, version, files) in ALL {
        let package = format!("pythondata_cpu_{name}");
        pip::install(CORES, "--no-deps --no-compile", &[(&package, version)])?;
        let folder = format!("{CORES}/{package}");
        hide_signals(&folder, files)?;
        let made = rtl::build(&Program {
            place: format!("rtl/soc-{name}"),
            top: ("soc", "soc/soc.v"),
            main: "main.cpp",
            definitions: "-CFLAGS -DLINES=64",
            // Warnings in other people's sources are theirs.
            more: format!("-Wno-lint -Wno-style -Wno-TIMESCALEMOD {}", files.replace('@', &folder)),
            ..Program::default()
        })?;
        publish(&made, name)?;
    }
    Ok(Outcome::Done)
}

/// Takes the marks out of a core's sources that open signals to programs: as a program may change such a
/// signal, Verilator would compute all that depends on it at both edges of the clock.
fn hide_signals(folder: &str, files: &str) -> Result<()> {
    for file in files.split_whitespace().filter_map(|word| word.strip_prefix('@')) {
        let path = format!("{folder}{file}");
        let text = fs::read_to_string(&path).with_context(|| path.clone())?;
        if text.contains(MARK) {
            fs::write(&path, text.replace(MARK, "")).with_context(|| path)?;
        }
    }
    Ok(())
}

/// Puts a program where `hil-sim` looks for it; in one step, as the old one may be running.
fn publish(made: &Path, name: &str) -> Result<()> {
    let (new, place) = (format!("target/soc/new-{name}"), format!("target/soc/soc-{name}"));
    fs::create_dir_all("target/soc")?;
    fs::copy(made, &new).with_context(|| made.display().to_string())?;
    fs::rename(&new, &place).with_context(|| place)
}
