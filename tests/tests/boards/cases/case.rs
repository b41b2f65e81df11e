//! A case as its file says it.

use dsp_core::console::Mode;
use hil_sim::board::{BLOCK_ROWS, Faults, Name, ROW_BYTES};
use hil_sim::recording::Recording;
use hil_sim::rows::Rows;
use pipeline::numerics::random::SplitMix64;
use serde::Deserialize;
use std::path::PathBuf;
use tests::shared;

/// Where the bits come from.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Random bits, the same in every run.
    Random,
    /// The first 64 channels of the recording d1.
    D1,
    /// The front end's own pattern.
    Wiring,
}

/// Which reset is provoked before the capture.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Reset {
    /// By a panic.
    Panic,
    /// By a loop that does not kick the watchdog.
    Watchdog,
}

/// A file of `tests/boards`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Where it runs.
    boards: Vec<String>,
    /// The bits.
    pub source: Source,
    /// How many blocks of 32 bit times at most.
    pub blocks: usize,
    /// What the firmware makes of them.
    mode: String,
    /// The FIFO drops blocks: the first, and how many.
    pub overrun: Option<[u32; 2]>,
    /// Clocks a bit; where no uplink stalls, too few for the boards: their FIFOs drop blocks.
    pub rate: Option<u32>,
    /// The RTL's uplink takes nothing between these cycles, counted from its first frame.
    stall_cycles: Option<[u64; 2]>,
    /// The uplink is closed before this block and opened when the board has complained.
    pub stall_at: Option<usize>,
    /// A damaged command comes first.
    #[serde(default)]
    pub corrupted_command: bool,
    /// A reset comes first.
    pub reset: Option<Reset>,
    /// Lines that are swapped in front of the board.
    #[serde(default)]
    pub swapped: Vec<[usize; 2]>,
}

/// The cases' folder.
pub fn folder() -> PathBuf {
    concat!(env!("CARGO_MANIFEST_DIR"), "/boards").into()
}

impl Case {
    pub fn load(name: &str) -> Self {
        let path = folder().join(name).with_extension("toml");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn boards(&self) -> impl Iterator<Item = Name> {
        self.boards
            .iter()
            .map(|name| Name::parse(name).unwrap_or_else(|| panic!("no board is called {name}")))
    }

    pub fn mode(&self) -> Mode {
        super::mode_of(&self.mode)
    }

    pub fn faults(&self) -> Faults {
        let overrun = self.overrun.map(|[at, count]| (at, count));
        let stall_cycles = self.stall_cycles.map(|[from, to]| (from, to));
        Faults { overrun, swapped: self.swapped.clone(), stall_cycles }
    }

    /// Whether the uplink stalls.
    pub fn stalls(&self) -> bool {
        self.stall_at.is_some() || self.stall_cycles.is_some()
    }

    /// Whole blocks of rows of 64 lines; none, loudly, without the shared data.
    pub fn rows(&self, test: &str) -> Option<Vec<u8>> {
        let mut lines = vec![0; self.blocks * BLOCK_ROWS * ROW_BYTES];
        if self.source != Source::D1 {
            let mut random = SplitMix64::new(7);
            lines.chunks_exact_mut(8).for_each(|row| row.copy_from_slice(&random.integer().to_le_bytes()));
            return Some(lines);
        }
        let mut recording = Recording::open(&shared(test, "pnah/d1.sigmf-meta")?).unwrap();
        let row_bytes = recording.layout().row_bytes();
        let mut rows = vec![0; self.blocks * BLOCK_ROWS * row_bytes];
        let read = recording.read(&mut rows).unwrap() / BLOCK_ROWS * BLOCK_ROWS;
        let (from, to) = (rows.chunks_exact(row_bytes), lines.chunks_exact_mut(ROW_BYTES));
        from.zip(to).for_each(|(from, to)| to.copy_from_slice(&from[..ROW_BYTES]));
        lines.truncate(read * ROW_BYTES);
        Some(lines)
    }
}
