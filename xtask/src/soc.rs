//! `cargo xtask soc`: the SoC of `boards/rtl/soc` around three soft-cores, as programs `target/soc/soc-CORE`.
//!
//! The cores come as Python packages, which are nothing but their sources, and are unpacked below `target`; none of them is
//! in the repository. `boards/rtl/sim/main.cpp` has the programs' arguments.

use crate::rtl::{self, Program};
use crate::step::Outcome;
use crate::{command, report};
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::Path;

const CORES: &str = "target/cores";

/// A soft-core.
struct Core {
    name: &'static str,
    /// Its package; the version is fixed, since cycles are measured.
    package: (&'static str, &'static str),
    place: &'static str,
    /// Its wrapper, and what Verilator must know of it; `@` is the folder of its sources.
    more: &'static str,
}

const ALL: [Core; 3] = [
    Core {
        name: "vexriscv",
        package: ("pythondata_cpu_vexriscv", "1.0.1.post407"),
        place: "rtl/soc-vexriscv",
        more: "@/verilog/VexRiscv_IMAC.v boards/rtl/soc/core_vexriscv.v",
    },
    Core {
        name: "picorv32",
        package: ("pythondata_cpu_picorv32", "1.0.post218"),
        place: "rtl/soc-picorv32",
        more: "@/verilog/picorv32.v boards/rtl/soc/core_picorv32.v",
    },
    Core {
        name: "ibex",
        package: ("pythondata_cpu_ibex", "0.0.post2937"),
        place: "rtl/soc-ibex",
        more: "-I@/system_verilog/vendor/lowrisc_ip/ip/prim/rtl -I@/system_verilog/vendor/lowrisc_ip/dv/sv/dv_utils \
               -I@/system_verilog/rtl \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv \
               @/system_verilog/vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv \
               @/system_verilog/rtl/ibex_pkg.sv boards/rtl/soc/core_ibex.sv",
    },
];

/// Gets the cores and makes the programs.
pub fn build() -> Result<Outcome> {
    for core in &ALL {
        fetch(core)?;
        let folder = format!("{CORES}/{}", core.package.0);
        let made = rtl::build(&Program {
            place: core.place,
            top: ("soc", "soc/soc.v"),
            parameters: "",
            main: "main.cpp",
            definitions: "-CFLAGS -DLINES=64",
            // Warnings in other people's sources are theirs.
            more: format!("-Wno-lint -Wno-style -Wno-TIMESCALEMOD {}", core.more.replace('@', &folder)),
        })?;
        publish(&made, core.name)?;
    }
    Ok(Outcome::Done)
}

/// pip is not heard: it would name the registry that this machine is set to use.
fn fetch(core: &Core) -> Result<()> {
    let (package, version) = core.package;
    if Path::new(&format!("{CORES}/{package}-{version}.dist-info/RECORD")).is_file() {
        return Ok(());
    }
    let line = format!(
        "python3 -m pip install --quiet --no-deps --no-compile --upgrade --target {CORES} {package}=={version}"
    );
    report::command(&line);
    if !command::succeeds(&line) {
        bail!("pip did not get {package} {version}; the command above, typed by hand, says why");
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
