//! As much of ELF as an image needs: the segments of a 32-bit little-endian program.

use anyhow::{Context, Result, ensure};

const LOAD: u32 = 1;
const WRITABLE: u32 = 2;

/// Largest image: far beyond the memory of a board.
const MOST: usize = 16 << 20;

/// A program's segments, in the order of their load addresses.
pub struct Elf<'a> {
    segments: Vec<Segment<'a>>,
}

struct Segment<'a> {
    load: u32,
    bytes: &'a [u8],
    /// Bytes that it has in memory.
    memory: usize,
    writable: bool,
}

impl<'a> Elf<'a> {
    pub fn parse(file: &'a [u8]) -> Result<Self> {
        ensure!(file.starts_with(b"\x7fELF\x01\x01"), "not a 32-bit little-endian ELF file");
        let (table, count) = (word(file, 28)? as usize, word(file, 44)? & 0xffff);
        let mut segments = Vec::new();
        for at in (0..count as usize).map(|number| table + 32 * number) {
            let [kind, offset, _, load, length, memory, flags] =
                [0, 4, 8, 12, 16, 20, 24].map(|field| word(file, at + field));
            let (offset, length) = (offset? as usize, length? as usize);
            let bytes = file.get(offset..offset + length).context("a segment beyond the file")?;
            let (memory, writable) = (memory? as usize, flags? & WRITABLE != 0);
            if kind? == LOAD && memory > 0 {
                segments.push(Segment { load: load?, bytes, memory, writable });
            }
        }
        segments.sort_by_key(|segment| segment.load);
        ensure!(!segments.is_empty(), "a program without segments");
        Ok(Self { segments })
    }

    /// The memory from the first loaded byte to the last.
    pub fn image(&self) -> Vec<u8> {
        let mut image = Vec::new();
        let loaded = self.segments.iter().filter(|segment| !segment.bytes.is_empty());
        let begin = loaded.clone().map(|segment| segment.load).min().unwrap_or(0);
        for segment in loaded {
            let at = (segment.load - begin) as usize;
            if at + segment.bytes.len() <= MOST {
                image.resize(at, 0);
                image.extend_from_slice(segment.bytes);
            }
        }
        image
    }

    /// Bytes of code and constants.
    pub fn code(&self) -> usize {
        self.segments.iter().filter(|segment| !segment.writable).map(|segment| segment.bytes.len()).sum()
    }

    /// Bytes of the initial values of variables.
    pub fn data(&self) -> usize {
        self.segments.iter().filter(|segment| segment.writable).map(|segment| segment.bytes.len()).sum()
    }

    /// Bytes of variables.
    pub fn ram(&self) -> usize {
        self.segments.iter().filter(|segment| segment.writable).map(|segment| segment.memory).sum()
    }
}

fn word(file: &[u8], at: usize) -> Result<u32> {
    let bytes = file.get(at..).and_then(|rest| rest.first_chunk()).context("a header beyond the file")?;
    Ok(u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file of a header, three program headers and eight bytes of content.
    fn file() -> Vec<u8> {
        let mut file = b"\x7fELF\x01\x01".to_vec();
        file.resize(28, 0);
        file.extend(52u32.to_le_bytes());
        file.resize(44, 0);
        file.extend(3u32.to_le_bytes());
        file.resize(52, 0);
        let content = 52 + 3 * 32;
        for header in [
            [LOAD, content, 0x100, 0x100, 4, 4, 5, 4],
            [LOAD, content + 4, 0x8000, 0x108, 4, 12, 6, 4],
            [6, content, 0, 0, 4, 4, 4, 4],
        ] {
            file.extend(header.iter().flat_map(|word: &u32| word.to_le_bytes()));
        }
        file.extend([1, 2, 3, 4, 5, 6, 7, 8]);
        file
    }

    #[test]
    fn an_image_has_its_segments_at_their_load_addresses() {
        let file = file();
        let elf = Elf::parse(&file).unwrap();
        assert_eq!(elf.image(), [1, 2, 3, 4, 0, 0, 0, 0, 5, 6, 7, 8]);
        assert_eq!((elf.code(), elf.data(), elf.ram()), (4, 4, 12));
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Elf::parse(b"\x7fELF\x02\x01").is_err());
        assert!(Elf::parse(&file()[..100]).is_err());
        assert!(Elf::parse(&file()[..150]).is_err());
    }
}
