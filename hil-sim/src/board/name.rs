//! The boards by name: their size, their programs, and what may go wrong around them.

use std::path::PathBuf;

use crate::Error;

/// Lines of a board, one microphone each.
pub const LINES: usize = 64;

/// Bytes of one bit time of all lines.
pub const ROW_BYTES: usize = LINES / 8;

/// Bit times of a block of the capture port.
pub const BLOCK_ROWS: usize = 32;

/// A board that the bench can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Name {
    /// QEMU's virt machine, RV32IMC.
    QemuVirtRv32,
    /// QEMU's mps2-an386, a Cortex-M4.
    QemuMps2M4,
    /// The RTL system around VexRiscv.
    Vexriscv,
    /// The RTL system around Ibex.
    Ibex,
    /// The RTL system around PicoRV32.
    Picorv32,
}

impl Name {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::QemuVirtRv32, Self::QemuMps2M4, Self::Vexriscv, Self::Ibex, Self::Picorv32];

    /// Its own name, and that of the program that runs it.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::QemuVirtRv32 => ("qemu-virt-rv32", "qemu-system-riscv32"),
            Self::QemuMps2M4 => ("qemu-mps2-m4", "qemu-system-arm"),
            Self::Vexriscv => ("vexriscv-sim", "soc-vexriscv"),
            Self::Ibex => ("ibex-sim", "soc-ibex"),
            Self::Picorv32 => ("picorv32-sim", "soc-picorv32"),
        }
    }

    /// The name on the command line.
    pub const fn as_str(self) -> &'static str {
        self.names().0
    }

    /// The board of a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|name| name.as_str() == text)
    }

    /// The firmware that it runs.
    pub const fn image(self) -> &'static str {
        match self {
            Self::Ibex => Self::Picorv32.as_str(),
            _ => self.as_str(),
        }
    }

    /// The program that runs it.
    pub const fn program(self) -> &'static str {
        self.names().1
    }

    /// Whether QEMU runs it.
    pub const fn is_emulated(self) -> bool {
        matches!(self, Self::QemuVirtRv32 | Self::QemuMps2M4)
    }

    /// This error on this board.
    pub(crate) fn error(self, message: impl ToString) -> Error {
        Error::Board { board: self.as_str(), message: message.to_string() }
    }
}

/// Where firmware and simulators are.
#[derive(Clone, Debug)]
pub struct Places {
    /// Folder of the images `NAME.elf` and `NAME.bin`, made by `cargo xtask firmware`.
    pub firmware: PathBuf,
    /// Folder of the programs `soc-CORE`, made by `cargo xtask soc`.
    pub simulators: PathBuf,
}

impl Places {
    /// Both in a target folder.
    pub fn in_target(target: &std::path::Path) -> Self {
        Self { firmware: target.join("firmware"), simulators: target.join("soc") }
    }

    /// The first thing that is missing to run a board, and how to get it.
    pub fn missing(&self, name: Name) -> Option<String> {
        let image = self.firmware.join(name.image()).with_extension("elf");
        if !image.is_file() {
            return Some(format!("no {}; `cargo xtask firmware` makes it", image.display()));
        }
        if name.is_emulated() {
            let found = std::process::Command::new(name.program()).arg("--version").output();
            return found.is_err().then(|| format!("no {}; `cargo xtask tools` gets it", name.program()));
        }
        let program = self.simulators.join(name.program());
        (!program.is_file()).then(|| format!("no {}; `cargo xtask soc` makes it", program.display()))
    }
}

/// What goes wrong around a board on purpose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The capture FIFO overruns: at this block, so many blocks are dropped.
    pub overrun: Option<(u32, u32)>,
    /// Pairs of lines that are swapped in front of the capture port.
    pub swapped: Vec<[usize; 2]>,
    /// The RTL's uplink takes nothing between these cycles, counted from its first frame.
    pub stall_cycles: Option<(u64, u64)>,
}
