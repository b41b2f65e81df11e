//! What a bit costs: the table of `docs/measured/firmware.md`, and the goal for the table decimator.

use super::{rtl, start};
use dsp_core::console::{Message, Mode, Status};
use hil_sim::board::{BLOCK_ROWS, LINES, Name, ROW_BYTES};
use pipeline::numerics::random::SplitMix64;
use std::fmt::Write;

/// Instructions a bit of the table decimator on RV32IMC.
const GOAL: f64 = 2.5;

/// Blocks in QEMU.
const BLOCKS: usize = 256;

/// Bits and output samples of a run; bits have no output of their own.
fn counts(mode: Mode, blocks: u32) -> (f64, Option<f64>) {
    let bits = f64::from(blocks) * (LINES * BLOCK_ROWS) as f64;
    let outputs = match mode {
        Mode::Bits => None,
        Mode::Walsh => Some(bits / 256.0),
        _ => Some(bits / 32.0),
    };
    (bits, outputs)
}

fn run(name: Name, mode: Mode) -> Option<Status> {
    let mut session = start("measure", name, &Default::default())?;
    // Whole Walsh windows, and few blocks of what takes long.
    let (blocks, divider) = if name.is_emulated() { (BLOCKS, 32) } else { rtl(name, mode) };
    let blocks = blocks / 32 * 32;
    session.order(Message::SetRate(divider)).unwrap();
    let mut random = SplitMix64::new(3);
    let rows: Vec<u8> =
        (0..blocks * BLOCK_ROWS * ROW_BYTES / 8).flat_map(|_| random.integer().to_le_bytes()).collect();
    session.order(Message::SetMode(mode)).unwrap();
    session.order(Message::Start).unwrap();
    session.feed(&rows).unwrap();
    Some(session.settle(blocks as u32).unwrap())
}

/// A row of the table.
fn line(name: Name, mode: Mode, status: &Status) -> String {
    let (bits, outputs) = counts(mode, status.blocks);
    let figure = |count: u32, per: f64| match (count, name) {
        (0, _) => "-".to_owned(),
        _ => format!("{:.2}", f64::from(count) / per),
    };
    let per_output = |count: u32| outputs.map_or("-".to_owned(), |outputs| figure(count, outputs));
    // Time in QEMU is the count of instructions, so there are no cycles.
    let cycles = |count: u32| if name.is_emulated() { 0 } else { count };
    format!(
        "| {} | {mode:?} | {} | {} | {} | {} | {} | {} |\n",
        name.as_str(),
        figure(status.engine_instructions, bits),
        per_output(status.engine_instructions),
        figure(status.busy_instructions, bits),
        figure(cycles(status.engine_cycles), bits),
        per_output(cycles(status.engine_cycles)),
        figure(cycles(status.busy_cycles), bits),
    )
}

fn sizes() -> String {
    let path = tests::board_places().firmware.join("sizes.json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let sizes: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut table = String::new();
    for (board, sizes) in sizes["boards"].as_object().unwrap() {
        writeln!(table, "| {board} | {} | {} | {} |", sizes["code"], sizes["data"], sizes["ram"]).unwrap();
    }
    writeln!(table, "\nCompiler: {}.", sizes["compiler"].as_str().unwrap()).unwrap();
    table
}

#[test]
fn measure() {
    let (mut table, mut stack, mut cheapest) = (String::new(), String::new(), None);
    let file = std::env::var_os("MEASURE");
    // The goal is judged in QEMU; the cycles of RTL take a minute and are for the file.
    for name in Name::ALL.into_iter().filter(|name| name.is_emulated() || file.is_some()) {
        let mut deepest = 0;
        for mode in Mode::ALL {
            let Some(status) = run(name, mode) else { break };
            table.push_str(&line(name, mode, &status));
            deepest = deepest.max(status.stack_used);
            if (name, mode) == (Name::QemuVirtRv32, Mode::Cic) {
                cheapest = Some(f64::from(status.engine_instructions) / counts(mode, status.blocks).0);
            }
        }
        if deepest > 0 {
            writeln!(stack, "| {} | {deepest} |", name.as_str()).unwrap();
        }
    }
    print!("{table}");
    if let Some(path) = file {
        let text = format!("{HEAD}{table}{SIZES}{}{STACK}{stack}", sizes());
        std::fs::write(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path), text).unwrap();
    }
    if let Some(cost) = cheapest {
        assert!(cost <= GOAL, "the table decimator takes {cost:.2} instructions a bit, the goal is {GOAL}");
    }
}

const HEAD: &str = "\
# Firmware: what a bit costs

Made by `cargo xtask measure-boards`; do not edit. Random bits on 64 lines. *Engine* is the signal processing alone, *loop* also has the
block's way out of the capture FIFO, the frame, its CRC and its way into the uplink. In QEMU (`-icount`) an instruction is a tick, so
there are no cycles; RTL counts both. The counts do not depend on the machine that runs this. On the Cortex-M the counter has steps
of 40 instructions. An output is a sample, or a Walsh coefficient. The table
decimator is mode Cic: order 4 by 32, tables of 16 KiB.

| board | mode | engine: instructions a bit | an output | loop: instructions a bit | engine: cycles a bit | an output | loop: cycles a bit |
|---|---|---|---|---|---|---|---|
";

const SIZES: &str = "
## Memory, bytes

| image | code and constants | initial values | variables |
|---|---|---|---|
";

const STACK: &str = "
## Deepest stack, bytes

| board | used of 16384 |
|---|---|
";
