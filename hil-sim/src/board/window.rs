//! The window of memory between a QEMU board and the bench; `boards/rings` is its other side and has the map.
//!
//! QEMU keeps the machine's RAM in a shared file. Reading and writing that file is reading and writing the RAM, a word at
//! a time and in order, as far as a word is aligned; the counters are written last.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// What tells the board that the window is ready.
const ID: u32 = u32::from_le_bytes(*b"NFQ1");

/// Words of a ring.
pub const RING_WORDS: u32 = 0x2_0000;

/// Where the window begins in the RAM, in bytes.
pub const OFFSET: u64 = 4 << 20;

/// A word of the control page.
#[derive(Clone, Copy, Debug)]
pub enum Word {
    Id = 0x00,
    Start = 0x04,
    Control = 0x08,
    CaptureHead = 0x10,
    CaptureTail = 0x14,
    CaptureStart = 0x18,
    UplinkHead = 0x1c,
    UplinkTail = 0x20,
    UplinkOpen = 0x24,
}

/// A ring, by where it begins in the window.
#[derive(Clone, Copy, Debug)]
pub enum Ring {
    Capture = 0x1000,
    Uplink = 0x10_0000,
}

/// The window, as a part of the RAM's file.
#[derive(Debug)]
pub struct Window {
    file: File,
}

impl Window {
    /// The window in a RAM file, open for both.
    pub fn new(file: File) -> Self {
        Self { file }
    }

    /// Lets the board begin.
    pub fn open(&self) -> io::Result<()> {
        self.set(Word::UplinkOpen, 1)?;
        self.set(Word::Id, ID)
    }

    pub fn get(&self, word: Word) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.file.read_exact_at(&mut bytes, OFFSET + word as u64)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub fn set(&self, word: Word, value: u32) -> io::Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), OFFSET + word as u64)
    }

    /// Writes words to a ring from the counter `at` on.
    pub fn write(&self, ring: Ring, at: u32, words: &[u32]) -> io::Result<()> {
        let (begin, bytes) = (OFFSET + ring as u64, bytes(words));
        let place = at % RING_WORDS;
        let first = bytes.len().min(4 * (RING_WORDS - place) as usize);
        self.file.write_all_at(&bytes[..first], begin + 4 * u64::from(place))?;
        self.file.write_all_at(&bytes[first..], begin)
    }

    /// Reads `len` bytes of a ring from the counter `at` on.
    pub fn read(&self, ring: Ring, at: u32, len: usize) -> io::Result<Vec<u8>> {
        let (begin, mut bytes) = (OFFSET + ring as u64, vec![0; len]);
        let place = at % RING_WORDS;
        let first = len.min(4 * (RING_WORDS - place) as usize);
        self.file.read_exact_at(&mut bytes[..first], begin + 4 * u64::from(place))?;
        self.file.read_exact_at(&mut bytes[first..], begin)?;
        Ok(bytes)
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_wrap() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(16 << 20).unwrap();
        let window = Window::new(file);
        window.open().unwrap();
        assert_eq!(window.get(Word::Id).unwrap(), ID);
        let words: Vec<u32> = (1..=10).collect();
        let at = 3 * RING_WORDS - 4;
        window.write(Ring::Uplink, at, &words).unwrap();
        assert_eq!(window.read(Ring::Uplink, at, 40).unwrap(), bytes(&words));
        assert_eq!(window.read(Ring::Uplink, 0, 4).unwrap(), [5, 0, 0, 0]);
        assert_eq!(window.read(Ring::Capture, at, 40).unwrap(), [0; 40]);
    }
}
