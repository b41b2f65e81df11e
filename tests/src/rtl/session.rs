//! A session with a test bench (`boards/rtl/sim/bench.cpp`): commands are collected, run in one go, and answered.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Base of the front end's registers.
pub const FRONT_END: u32 = 0x2000_0000;
/// Its control register: bit 0 run, bit 1 wiring pattern, bits 5:4 kind of blocks.
pub const CONTROL: u32 = FRONT_END + 0x08;
/// System clocks for a bit time.
pub const DIVIDER: u32 = FRONT_END + 0x0c;
/// Words in the FIFO, and in bit 16 whether a block was lost.
pub const STATUS: u32 = FRONT_END + 0x10;
/// Blocks lost since run rose.
pub const LOST: u32 = FRONT_END + 0x14;
/// The FIFO's way out.
pub const DATA: u32 = FRONT_END + 0x18;
/// Base of the uplink's registers.
pub const UPLINK: u32 = 0x2001_0000;
/// Base of the supervisor's registers.
pub const SUPERVISOR: u32 = 0x2002_0000;

/// What a block holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// 32 bit times of each line.
    Words = 0,
    /// A sample of each line.
    Samples = 1,
    /// A Walsh coefficient of each line.
    Walsh = 2,
}

/// Commands for a bench.
#[derive(Debug)]
pub struct Session {
    program: PathBuf,
    lines: usize,
    script: String,
    folder: TempDir,
    files: usize,
}

/// What a bench answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Words popped from the front end.
    pub words: Vec<u32>,
    /// Answers to reads.
    pub reads: Vec<u32>,
    /// Frames that the link took.
    pub frames: Vec<Vec<u8>>,
    /// Resets of the core.
    pub resets: usize,
    /// Bytes of the console.
    pub console: Vec<u8>,
    /// Values written to the finisher.
    pub finishes: Vec<u32>,
}

impl Session {
    /// A bench of 16, 64 or 1024 lines (one lane of 16 channels, two and 32 lanes of 32), just powered on; `None` where Verilator is missing, which is said with the test's name.
    pub fn new(test: &str, lines: usize) -> Option<Self> {
        let program = super::program(test, "rtl", &format!("rtl/bench-{lines}/program"))?;
        let folder = TempDir::new().expect("a folder for rows");
        Some(Self { program, lines, script: String::new(), folder, files: 0 })
    }

    /// Number of lines.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Writes a register.
    pub fn write(&mut self, address: u32, value: u32) -> &mut Self {
        self.command(format_args!("write {address:x} {value:x}"))
    }

    /// Reads a register.
    pub fn read(&mut self, address: u32) -> &mut Self {
        self.command(format_args!("read {address:x}"))
    }

    /// Lets system clocks go by.
    pub fn wait(&mut self, clocks: u64) -> &mut Self {
        self.command(format_args!("wait {clocks}"))
    }

    /// The sensors' rows from now on, `lines / 8` bytes each.
    pub fn rows(&mut self, rows: &[u8]) -> &mut Self {
        let file = self.folder.path().join(format!("rows-{}", self.files));
        self.files += 1;
        std::fs::write(&file, rows).expect("a file for rows");
        self.command(format_args!("rows {}", file.display()))
    }

    /// Starts the front end on rows; stops it first, so that it begins anew with the first of them.
    pub fn start(&mut self, output: Output, rows: &[u8]) -> &mut Self {
        self.write(CONTROL, 0).rows(rows).write(CONTROL, 1 | (output as u32) << 4)
    }

    /// Pops whole blocks, waiting for each.
    pub fn blocks(&mut self, count: usize) -> &mut Self {
        let words = count * (self.lines + 1);
        self.command(format_args!("blocks {words}"))
    }

    /// The link takes nothing between these clocks from now.
    pub fn stall(&mut self, from: u64, to: u64) -> &mut Self {
        self.command(format_args!("stall {from} {to}"))
    }

    /// Switches the power off and on.
    pub fn power(&mut self) -> &mut Self {
        self.command(format_args!("power"))
    }

    fn command(&mut self, line: std::fmt::Arguments<'_>) -> &mut Self {
        let _ = writeln!(self.script, "{line}");
        self
    }

    /// Runs all commands so far on a bench that has just been powered on.
    pub fn run(&self) -> Transcript {
        let mut bench = Command::new(&self.program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.program.display()));
        let mut input = bench.stdin.take().expect("a pipe");
        let script = self.script.clone();
        // From a thread of its own: the bench answers while it is still being asked.
        let writer = std::thread::spawn(move || input.write_all(script.as_bytes()));
        let output = bench.wait_with_output().expect("the bench's answers");
        assert!(output.status.success(), "the bench ended with {}", output.status);
        writer.join().expect("the writer").expect("a bench that listens");
        Transcript::parse(&String::from_utf8_lossy(&output.stdout))
    }
}

impl Transcript {
    fn parse(text: &str) -> Self {
        let mut all = Self::default();
        for line in text.lines() {
            let (kind, value) = line.split_once(' ').unwrap_or((line, ""));
            let number =
                || u32::from_str_radix(value, 16).unwrap_or_else(|_| panic!("the bench says {line:?}"));
            match kind {
                "word" => all.words.push(number()),
                "read" => all.reads.push(number()),
                "frame" => all.frames.push(bytes(value)),
                "out" => all.console.extend(bytes(value)),
                "finish" => all.finishes.push(number()),
                "reset" => all.resets += 1,
                _ => panic!("the bench says {line:?}"),
            }
        }
        all
    }

    /// The popped blocks: their numbers, and the words of all lines.
    pub fn blocks(&self, lines: usize) -> Vec<(u32, &[u32])> {
        assert_eq!(self.words.len() % (lines + 1), 0, "a block was cut");
        self.words.chunks_exact(lines + 1).map(|block| (block[0], &block[1..])).collect()
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks_exact(2);
    digits.map(|pair| u8::from_str_radix(&String::from_utf8_lossy(pair), 16).expect("hexadecimal")).collect()
}
