//! The SoC of `boards/rtl/soc` around each soft-core runs a program, simulated by Verilator.
//!
//! The programs are a few instructions each, assembled here, so that this suite needs no compiler for the cores.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const CORES: [&str; 3] = ["vexriscv", "picorv32", "ibex"];

/// Registers: bases of the devices (the aliases with bit 31 set, which no core caches), then temporaries.
const FRONT_END: u32 = 8;
const UPLINK: u32 = 9;
const CONSOLE: u32 = 18;
const FINISHER: u32 = 19;
const SUPERVISOR: u32 = 20;
const BUFFER: u32 = 21;
const A: u32 = 5;
const B: u32 = 6;
const C: u32 = 7;

/// The RV32I instructions used here; immediates are bytes, offsets of branches count from the branch.
mod assemble {
    pub fn lui(to: u32, value: u32) -> u32 {
        value & 0xffff_f000 | to << 7 | 0x37
    }
    pub fn auipc(to: u32) -> u32 {
        to << 7 | 0x17
    }
    pub fn addi(to: u32, from: u32, value: i32) -> u32 {
        (value as u32) << 20 | from << 15 | to << 7 | 0x13
    }
    pub fn andi(to: u32, from: u32, value: i32) -> u32 {
        (value as u32) << 20 | from << 15 | 7 << 12 | to << 7 | 0x13
    }
    pub fn beq(left: u32, right: u32, offset: i32) -> u32 {
        branch(0, left, right, offset)
    }
    pub fn lw(to: u32, base: u32, offset: u32) -> u32 {
        offset << 20 | base << 15 | 2 << 12 | to << 7 | 0x03
    }
    fn store(width: u32, from: u32, base: u32, offset: u32) -> u32 {
        (offset >> 5) << 25 | from << 20 | base << 15 | width << 12 | (offset & 31) << 7 | 0x23
    }
    pub fn sw(from: u32, base: u32, offset: u32) -> u32 {
        store(2, from, base, offset)
    }
    pub fn sb(from: u32, base: u32, offset: u32) -> u32 {
        store(0, from, base, offset)
    }
    fn branch(kind: u32, left: u32, right: u32, offset: i32) -> u32 {
        let o = offset as u32;
        let high = (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25;
        high | right << 20 | left << 15 | kind << 12 | (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63
    }
    pub fn bne(left: u32, right: u32, offset: i32) -> u32 {
        branch(1, left, right, offset)
    }
    pub fn blt(left: u32, right: u32, offset: i32) -> u32 {
        branch(4, left, right, offset)
    }
    /// A jump forward by less than 2 KiB, or (0) to itself.
    pub fn jump(offset: u32) -> u32 {
        offset << 20 | 0x6f
    }
}
use assemble::*;

/// An image with the bases in their registers before `body`. Ibex begins at byte 0x80, the others at 0.
fn image(body: &[u32]) -> Vec<u8> {
    let mut words = vec![jump(0x80)];
    words.resize(0x80 / 4, 0);
    words.extend([
        lui(FRONT_END, 0xa000_0000),
        lui(UPLINK, 0xa001_0000),
        lui(CONSOLE, 0x9000_0000),
        lui(FINISHER, 0x8010_0000),
        lui(SUPERVISOR, 0xa002_0000),
        auipc(BUFFER),
    ]);
    words.extend(body);
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Tells the simulation to stop with a code.
fn finish(code: u32) -> Vec<u32> {
    let value = if code == 0 { 0x5555 } else { code << 16 | 0x3333 };
    // addi adds a signed number of 12 bits.
    let low = (value as i32) << 20 >> 20;
    vec![lui(A, value.wrapping_sub(low as u32)), addi(A, A, low), sw(A, FINISHER, 0), jump(0)]
}

struct Run {
    status: Option<i32>,
    frames: Vec<u8>,
    console: Vec<u8>,
    report: serde_json::Value,
}

/// Runs an image on a core; `None` where Verilator is missing.
fn run(test: &str, core: &str, image: &[u8], rows: &[u8], clocks: u64, more: &[&str]) -> Option<Run> {
    let program = tests::rtl::program(test, "soc", &format!("soc/soc-{core}"))?;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("image"), image).unwrap();
    std::fs::write(path("rows"), rows).unwrap();
    let mut command = Command::new(program);
    for (name, file) in [
        ("--image", "image"),
        ("--capture", "rows"),
        ("--uplink", "frames"),
        ("--console-out", "console"),
        ("--report", "report"),
    ] {
        command.arg(name).arg(path(file));
    }
    let status = command.args(["--max-cycles", &clocks.to_string()]).args(more).status().unwrap().code();
    let read = |name: &str| std::fs::read(path(name)).unwrap();
    let report = serde_json::from_slice(&read("report")).unwrap();
    Some(Run { status, frames: read("frames"), console: read("console"), report })
}

/// Waits for a block, takes it through the RAM into a frame, says so, and stops.
#[test]
fn every_core_sends_a_block() {
    let mut body = vec![addi(A, 0, 1), sw(A, FRONT_END, 0x08), addi(B, 0, 65)];
    body.extend([lw(A, FRONT_END, 0x10), blt(A, B, -4)]);
    // 65 words: out of the FIFO, into the RAM and back (one byte of it twice), into the frame.
    body.extend([lw(A, FRONT_END, 0x18), sw(A, BUFFER, 0x400), sb(A, BUFFER, 0x400), lw(C, BUFFER, 0x400)]);
    body.extend([sw(C, UPLINK, 0x08), addi(B, B, -1), bne(B, 0, -24)]);
    body.extend([addi(A, 0, 260), sw(A, UPLINK, 0x0c)]);
    body.extend(b"ok\n".iter().flat_map(|&byte| [addi(A, 0, byte.into()), sb(A, CONSOLE, 0)]));
    body.extend(finish(0));
    // Line c at bit time t: bit t mod 6 of c, so no two lines are alike.
    let bit = |t: u32, c: u32| c >> (t % 6) & 1;
    let row = |t: u32| (0..64).fold(0u64, |row, c| row | u64::from(bit(t, c)) << c);
    let rows: Vec<u8> = (0..32).flat_map(|t| row(t).to_le_bytes()).collect();
    let word = |c: u32| (0..32).fold(0u32, |word, t| word | bit(t, c) << t);
    for core in CORES {
        let Some(run) = run("every_core_sends_a_block", core, &image(&body), &rows, 100_000, &[]) else {
            return;
        };
        assert_eq!(run.status, Some(0), "{core}: {}", run.report);
        let words: Vec<u32> = run.frames.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        assert_eq!(words[..2], [260, 0], "{core}: the frame's length, the block's number");
        assert_eq!(words[2..], (0..64).map(word).collect::<Vec<_>>(), "{core}");
        assert_eq!(run.console, b"ok\n", "{core}");
        let number = |name: &str| run.report[name].as_u64().unwrap();
        assert_eq!((number("bits_captured"), number("frames"), number("blocks_lost")), (32, 1, 0), "{core}");
    }
}

/// Bytes come in through the console and go out again, one more each.
#[test]
fn the_console_works_both_ways() {
    let folder = TempDir::new().unwrap();
    let input = folder.path().join("input");
    std::fs::write(&input, b"HAL").unwrap();
    // Bit 0 of byte 5: a byte is there.
    let mut body = vec![addi(C, 0, 3), lw(A, CONSOLE, 4), andi(A, A, 0x100), beq(A, 0, -8)];
    body.extend([lw(A, CONSOLE, 0), addi(A, A, 1), sb(A, CONSOLE, 0), addi(C, C, -1), bne(C, 0, -28)]);
    body.extend(finish(0));
    for core in CORES {
        let more = ["--console-in", input.to_str().unwrap()];
        let Some(run) = run("the_console_works_both_ways", core, &image(&body), &[], 100_000, &more) else {
            return;
        };
        assert_eq!((run.status, &*run.console), (Some(0), &b"IBM"[..]), "{core}: {}", run.report);
    }
}

/// A frame waits for the link; one that comes too late is not in the report.
#[test]
fn a_stalled_link_holds_frames_back() {
    let mut body = vec![addi(A, 0, 77), sw(A, UPLINK, 0x08), addi(A, 0, 4), sw(A, UPLINK, 0x0c)];
    body.extend([addi(A, 0, 1000), addi(A, A, -1), bne(A, 0, -4)]);
    body.extend(finish(0));
    for core in CORES {
        for (fault, frames) in [("uplink-stall:0:1000", 1), ("uplink-stall:0:1000000", 0)] {
            let more = ["--fault", fault];
            let run = run("a_stalled_link_holds_frames_back", core, &image(&body), &[], 100_000, &more);
            let Some(run) = run else { return };
            assert_eq!(
                (run.status, run.report["frames"].as_u64()),
                (Some(0), Some(frames)),
                "{core}, {fault}"
            );
            assert_eq!(run.frames.len() as u64, 8 * frames, "{core}, {fault}");
        }
    }
}

/// The same program takes the same number of instructions on every core, and is reported so.
#[test]
fn instructions_are_counted() {
    const ROUNDS: i32 = 1000;
    let mut body = vec![addi(A, 0, ROUNDS), addi(A, A, -1), bne(A, 0, -4)];
    body.extend(finish(0));
    // Six for the bases, one to begin, two a round, three to stop; PicoRV32 and VexRiscv jump first. A core may have begun up
    // to three more when the store to the finisher is seen.
    let least = 6 + 1 + 2 * ROUNDS as u64 + 2;
    for core in CORES {
        let Some(run) = run("instructions_are_counted", core, &image(&body), &[], 100_000, &[]) else {
            return;
        };
        let (instructions, cycles) =
            (run.report["instructions"].as_u64().unwrap(), run.report["cycles"].as_u64().unwrap());
        assert!(
            (least..least + 6).contains(&instructions),
            "{core}: {instructions}, at least {least} expected"
        );
        assert!(cycles > instructions, "{core}: {cycles} clocks for {instructions} instructions");
    }
}

/// A core that hangs is reset by the watchdog, finds its mark, and says so in its exit code.
#[test]
fn a_hanging_core_is_reset() {
    // Was it the watchdog? Then stop with code 42.
    let bitten = u32::from_le_bytes(*b"WDOG");
    let low = (bitten as i32) << 20 >> 20;
    let mut body = vec![lw(B, SUPERVISOR, 0x0c), lui(A, bitten.wrapping_sub(low as u32)), addi(A, A, low)];
    body.push(bne(A, B, 20));
    body.extend(finish(42));
    body.extend([addi(A, 0, 500), sw(A, SUPERVISOR, 0x04), jump(0)]);
    for core in CORES {
        let Some(run) = run("a_hanging_core_is_reset", core, &image(&body), &[], 100_000, &[]) else {
            return;
        };
        assert_eq!(run.status, Some(42), "{core}: {}", run.report);
        assert_eq!(run.report["resets"], 1, "{core}");
        assert_eq!(run.report["exit_code"], 42, "{core}");
    }
}

/// The clocks run out; wrong arguments are refused.
#[test]
fn a_run_ends_in_the_open() {
    let endless = image(&[jump(0)]);
    for core in CORES {
        let Some(run) = run("a_run_ends_in_the_open", core, &endless, &[], 5_000, &[]) else { return };
        assert_eq!(run.status, Some(124), "{core}");
        assert_eq!(
            (run.report["finished"].as_bool(), run.report["cycles"].as_u64()),
            (Some(false), Some(5_000))
        );
        let program =
            tests::rtl::program("a_run_ends_in_the_open", "soc", &format!("soc/soc-{core}")).unwrap();
        let refused = |arguments: &[&str]| {
            let output = Command::new(&program).args(arguments).output().unwrap();
            (output.status.code(), String::from_utf8_lossy(&output.stderr).trim().to_owned())
        };
        assert_eq!(refused(&["--what", "1"]), (Some(2), "no such argument: --what".into()), "{core}");
        assert_eq!(refused(&["--max-cycles", "1"]), (Some(2), "needed: --image".into()), "{core}");
        let absent = Path::new("/nonexistent/image").display().to_string();
        let (code, said) = refused(&["--max-cycles", "1", "--image", &absent]);
        assert_eq!((code, said), (Some(2), format!("cannot read {absent}")), "{core}");
    }
}
