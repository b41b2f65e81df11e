//! A board in QEMU: the process, and the front end and the uplink that the bench plays in its window.

use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::NamedTempFile;

use super::window::{RING_WORDS, Ring, Window, Word};
use super::{BLOCK_ROWS, Faults, LINES, Name, ROW_BYTES, wiring};
use dsp_core::pdm::transpose32;

/// RAM of both machines.
const RAM_BYTES: u64 = 16 << 20;

/// Words of a block in the ring.
const BLOCK: u32 = LINES as u32 + 1;

/// The machine and the ports that the bench plays.
#[derive(Debug)]
pub struct Qemu {
    window: Window,
    /// The RAM; it goes when the machine does.
    _ram: NamedTempFile,
    faults: Faults,
    /// The start of the capture that is being served.
    start: u32,
    /// Number of the next block.
    number: u32,
}

impl Qemu {
    /// Starts the machine with its console on pipes.
    pub fn start(name: Name, elf: &Path, faults: Faults) -> io::Result<(Self, Child)> {
        let ram = ram_file()?;
        ram.as_file().set_len(RAM_BYTES)?;
        let window = Window::new(File::options().read(true).write(true).open(ram.path())?);
        window.open()?;
        let machine = match name {
            Name::QemuMps2M4 => "mps2-an386,memory-backend=ram",
            _ => "virt,memory-backend=ram",
        };
        let backend =
            format!("memory-backend-file,id=ram,size={RAM_BYTES},share=on,mem-path={}", ram.path().display());
        let mut command = Command::new(name.program());
        command.args(["-machine", machine, "-object", &backend, "-m", "16M", "-kernel"]).arg(elf);
        if name == Name::QemuVirtRv32 {
            command.args(["-bios", "none"]);
        }
        // Time runs with the instructions, so that a run is the same on every host.
        command.args(["-icount", "shift=0", "-display", "none", "-monitor", "none", "-serial", "stdio"]);
        command.args(["-action", "watchdog=reset"]);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        Ok((Self { window, _ram: ram, faults, start: 0, number: 0 }, child))
    }

    /// Offers the 32 rows of a block; false if there is no room for it now, or the capture does not run.
    pub fn offer(&mut self, rows: &[u8]) -> io::Result<bool> {
        let control = self.window.get(Word::Control)?;
        if control & 1 == 0 {
            return Ok(false);
        }
        let tail = self.window.get(Word::CaptureTail)?;
        let start = self.window.get(Word::Start)?;
        if start != self.start {
            // A new start: what an old one left in the ring is gone.
            (self.start, self.number) = (start, 0);
            self.window.set(Word::CaptureHead, tail)?;
            self.window.set(Word::CaptureStart, start)?;
        }
        let head = self.window.get(Word::CaptureHead)?;
        if head.wrapping_sub(tail) + BLOCK > RING_WORDS {
            return Ok(false);
        }
        let number = self.number;
        self.number = number.wrapping_add(1);
        if self.faults.overrun.is_some_and(|(at, count)| (at..at + count).contains(&number)) {
            return Ok(true);
        }
        let mut words = if control & 2 == 0 { time_words(rows) } else { wiring::time_words(number) };
        self.faults.swapped.iter().for_each(|[a, b]| words.swap(*a, *b));
        self.window.write(Ring::Capture, head, &[&[number], &words[..]].concat())?;
        self.window.set(Word::CaptureHead, head.wrapping_add(BLOCK))?;
        Ok(true)
    }

    /// The next frame of the uplink, if there is one.
    pub fn frame(&mut self) -> io::Result<Option<Vec<u8>>> {
        let (head, tail) = (self.window.get(Word::UplinkHead)?, self.window.get(Word::UplinkTail)?);
        if head == tail || self.window.get(Word::UplinkOpen)? == 0 {
            return Ok(None);
        }
        let length = self.window.read(Ring::Uplink, tail, 4)?;
        let length = length.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        if length > 4 * RING_WORDS {
            return Err(io::Error::other(format!("a frame of {length} bytes in the uplink ring")));
        }
        let frame = self.window.read(Ring::Uplink, tail.wrapping_add(1), length as usize)?;
        self.window.set(Word::UplinkTail, tail.wrapping_add(1 + length.div_ceil(4)))?;
        Ok(Some(frame))
    }

    /// Opens or closes the uplink.
    pub fn open_uplink(&mut self, open: bool) -> io::Result<()> {
        self.window.set(Word::UplinkOpen, open.into())
    }
}

/// In memory, where the system has a file system there.
fn ram_file() -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix("nearfield-board-").suffix(".ram");
    builder.tempfile_in("/dev/shm").or_else(|_| builder.tempfile())
}

/// A block's rows as one word a line.
fn time_words(rows: &[u8]) -> [u32; LINES] {
    let mut words = [0; LINES];
    for (group, words) in words.chunks_exact_mut(32).enumerate() {
        let mut square = [0; BLOCK_ROWS];
        for (slot, row) in square.iter_mut().zip(rows.chunks_exact(ROW_BYTES)) {
            let bytes = row.as_chunks::<4>().0.get(group).copied().unwrap_or_default();
            *slot = u32::from_le_bytes(bytes);
        }
        transpose32(&mut square);
        words.copy_from_slice(&square);
    }
    words
}
