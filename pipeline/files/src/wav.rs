//! Samples as a WAV file of 32-bit floats, RF64 when it is large.
//!
//! | chunk | content |
//! |---|---|
//! | `RIFF` | size of the rest |
//! | `JUNK` | 28 unused bytes |
//! | `fmt ` | IEEE float; from three channels on `WAVE_FORMAT_EXTENSIBLE` with no loudspeaker positions |
//! | `fact` | number of frames |
//! | `data` | the samples |
//!
//! The sizes are 32-bit numbers. Where they do not suffice, the same bytes become an RF64 file (EBU Tech
//! 3306): `RIFF` becomes `RF64`, the three numbers that do not fit become 0xFFFFFFFF, and `JUNK` becomes
//! `ds64`, which holds them in 64 bits. So it need not be known at the start how long the file will be.
//!
//! WAV holds whole hertz only: other sample rates are rounded to the nearest. NPY has no rate, and HDF5 holds
//! it exactly.

use std::path::Path;

use super::Error;
use super::atomic::AtomicFile;
use super::stream::Streamed;

/// The bytes of a frame are a 16-bit number.
const MAX_CHANNELS: usize = u16::MAX as usize / 4;
/// In a 32-bit size field: the number is in `ds64`.
const IN_DS64: u32 = u32::MAX;
/// `ds64`: sizes of the file and of the data, number of frames, and an empty table of further sizes.
const DS64_BYTES: u32 = 8 + 8 + 8 + 4;
const FORMAT_IEEE_FLOAT: u16 = 3;
const FORMAT_EXTENSIBLE: u16 = 0xfffe;
/// What follows the format number in the GUIDs of `WAVE_FORMAT_EXTENSIBLE`.
const GUID_TAIL: [u8; 14] = *b"\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71";

/// Opens a WAV file for samples.
pub(super) fn create(path: &Path, channels: usize, rate_hz: f64) -> Result<Streamed<AtomicFile>, Error> {
    let format = Format::new(path, channels, rate_hz)?;
    Streamed::new(AtomicFile::create(path)?, path, channels, Box::new(move |frames| format.header(frames)))
}

/// What the header says beside the sizes.
#[derive(Debug, Clone, Copy)]
struct Format {
    channels: u16,
    rate_hz: u32,
    /// The first size that is too large for RIFF.
    rf64_from: u64,
}

impl Format {
    fn new(path: &Path, channels: usize, rate_hz: f64) -> Result<Self, Error> {
        let fits = u16::try_from(channels).ok().filter(|_| (1..=MAX_CHANNELS).contains(&channels));
        let Some(channels) = fits else {
            return Err(Error::Channels { path: path.into(), channels, limit: MAX_CHANNELS });
        };
        // Bytes per second are a 32-bit number, too.
        let limit = u32::MAX / (4 * u32::from(channels));
        let rounded = rate_hz.round();
        if !(1.0..=f64::from(limit)).contains(&rounded) {
            let expected = format!("with {channels} channels WAV takes 1 to {limit} Hz: write .npy or .h5");
            return Err(Error::SampleRate { path: path.into(), rate_hz, expected });
        }
        Ok(Self { channels, rate_hz: rounded as u32, rf64_from: u64::from(IN_DS64) })
    }

    fn frame_bytes(&self) -> u16 {
        4 * self.channels
    }

    /// The `fmt ` chunk.
    fn fmt(&self) -> Vec<u8> {
        let extensible = self.channels > 2;
        let (tag, extra) = if extensible { (FORMAT_EXTENSIBLE, 22u16) } else { (FORMAT_IEEE_FLOAT, 0) };
        let mut chunk = b"fmt ".to_vec();
        chunk.extend((18 + u32::from(extra)).to_le_bytes());
        chunk.extend(tag.to_le_bytes());
        chunk.extend(self.channels.to_le_bytes());
        chunk.extend(self.rate_hz.to_le_bytes());
        chunk.extend((self.rate_hz * u32::from(self.frame_bytes())).to_le_bytes());
        chunk.extend(self.frame_bytes().to_le_bytes());
        chunk.extend(32u16.to_le_bytes());
        chunk.extend(extra.to_le_bytes());
        if extensible {
            chunk.extend(32u16.to_le_bytes()); // valid bits
            chunk.extend(0u32.to_le_bytes()); // channel mask
            chunk.extend(FORMAT_IEEE_FLOAT.to_le_bytes());
            chunk.extend(GUID_TAIL);
        }
        chunk
    }

    /// Everything before the samples.
    fn header(&self, frames: u64) -> Vec<u8> {
        let fmt = self.fmt();
        let data_bytes = frames * u64::from(self.frame_bytes());
        // After the size field: "WAVE", JUNK or ds64, fmt, fact, and the head of data.
        let riff_bytes = 4 + (8 + u64::from(DS64_BYTES)) + fmt.len() as u64 + 12 + 8 + data_bytes;
        let large = riff_bytes >= self.rf64_from;
        let short = |n: u64| match u32::try_from(n) {
            Ok(n) if !large => n,
            _ => IN_DS64,
        };
        let mut header = if large { *b"RF64" } else { *b"RIFF" }.to_vec();
        header.extend(short(riff_bytes).to_le_bytes());
        header.extend(b"WAVE");
        header.extend(if large { b"ds64" } else { b"JUNK" });
        header.extend(DS64_BYTES.to_le_bytes());
        for number in [riff_bytes, data_bytes, frames] {
            header.extend(if large { number } else { 0 }.to_le_bytes());
        }
        header.extend(0u32.to_le_bytes());
        header.extend(fmt);
        header.extend(b"fact");
        header.extend(4u32.to_le_bytes());
        header.extend(short(frames).to_le_bytes());
        header.extend(b"data");
        header.extend(short(data_bytes).to_le_bytes());
        header
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::tests::{ramp, written};
    use std::io::{Cursor, Seek, SeekFrom, Write};

    fn format(channels: usize) -> Format {
        Format::new(Path::new("a.wav"), channels, 46875.0).unwrap()
    }

    fn u16_at(bytes: &[u8], at: usize) -> u16 {
        u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap())
    }

    fn u32_at(bytes: &[u8], at: usize) -> u32 {
        u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
    }

    fn u64_at(bytes: &[u8], at: usize) -> u64 {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
    }

    /// Where the content of a chunk begins, found by walking the chunks as a reader does.
    fn chunk(bytes: &[u8], id: &[u8; 4]) -> usize {
        let mut at = 12;
        while &bytes[at..at + 4] != id {
            at += 8 + u32_at(bytes, at + 4) as usize;
        }
        at + 8
    }

    #[test]
    fn reads_back_with_another_reader() {
        for (channels, frames) in [(1, 1), (2, 100), (3, 100), (1024, 20)] {
            let (_dir, path) = written("a.wav", channels, 46875.0, frames);
            let mut reader = hound::WavReader::open(path).unwrap();
            let spec = reader.spec();
            assert_eq!((usize::from(spec.channels), spec.sample_rate), (channels, 46875));
            assert_eq!((spec.sample_format, spec.bits_per_sample), (hound::SampleFormat::Float, 32));
            assert_eq!(reader.duration() as usize, frames);
            let samples: Vec<f32> = reader.samples().map(Result::unwrap).collect();
            assert_eq!(samples, ramp(frames * channels));
        }
    }

    #[test]
    fn the_sizes_are_those_of_the_file() {
        for (channels, frames) in [(1, 0), (2, 9), (1024, 3)] {
            let (_dir, path) = written("a.wav", channels, 46875.0, frames);
            let bytes = std::fs::read(path).unwrap();
            assert_eq!(u32_at(&bytes, 4) as usize, bytes.len() - 8);
            let data = chunk(&bytes, b"data");
            assert_eq!(u32_at(&bytes, data - 4) as usize, bytes.len() - data);
            assert_eq!(bytes.len() - data, 4 * channels * frames);
            assert_eq!(u32_at(&bytes, chunk(&bytes, b"fact")) as usize, frames);
            assert_eq!(chunk(&bytes, b"JUNK"), 20);
        }
    }

    #[test]
    fn the_format_chunk() {
        let header = format(1024).header(5);
        let at = chunk(&header, b"fmt ");
        let numbers = [0, 2, 12, 14, 16].map(|offset| u16_at(&header, at + offset));
        assert_eq!(numbers, [0xfffe, 1024, 4096, 32, 22], "tag, channels, frame bytes, bits, further bytes");
        assert_eq!([u32_at(&header, at + 4), u32_at(&header, at + 8)], [46_875, 192_000_000]);
        let guid = b"\x03\0\0\0\0\0\x10\0\x80\0\0\xaa\0\x38\x9b\x71";
        assert_eq!(&header[at + 24..at + 40], guid);
        assert_eq!(u32_at(&header, at + 20), 0, "channel mask");
        let header = format(2).header(5);
        let at = chunk(&header, b"fmt ");
        assert_eq!((u32_at(&header, at - 4), u16_at(&header, at), u16_at(&header, at + 16)), (18, 3, 0));
    }

    #[test]
    fn rf64_begins_where_a_size_no_longer_fits() {
        // One channel: 94 bytes before the samples, of which the RIFF size does not count 8.
        let last = (u64::from(u32::MAX) - 1 - 86) / 4;
        let header = format(1).header(last);
        assert_eq!((header.len(), &header[..4]), (94, &b"RIFF"[..]));
        assert_eq!(u64::from(u32_at(&header, 4)), 86 + 4 * last);
        let header = format(1).header(last + 1);
        assert_eq!((header.len(), &header[..4]), (94, &b"RF64"[..]));
        assert_eq!(u64_at(&header, 20), 86 + 4 * (last + 1));
    }

    #[test]
    fn a_small_rf64_file() {
        let format = Format { rf64_from: 0, ..format(3) };
        let mut file =
            Streamed::new(Cursor::new(Vec::new()), Path::new("a"), 3, Box::new(move |n| format.header(n)))
                .unwrap();
        file.write(&ramp(30)).unwrap();
        let bytes = file.complete().unwrap().into_inner();
        assert_eq!((&bytes[..4], &bytes[12..16]), (&b"RF64"[..], &b"ds64"[..]));
        assert_eq!([u32_at(&bytes, 4), u32_at(&bytes, bytes.len() - 124)], [IN_DS64; 2]);
        let sizes = [20, 28, 36].map(|at| u64_at(&bytes, at));
        assert_eq!(sizes, [bytes.len() as u64 - 8, 120, 10]);
        assert_eq!(
            bytes[bytes.len() - 120..],
            ramp(30).iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>()
        );
    }

    /// A file of which only the first bytes are kept.
    struct Huge {
        start: [u8; 256],
        position: u64,
        len: u64,
    }

    impl Write for Huge {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let kept = self.start.iter_mut().skip(self.position as usize);
            kept.zip(bytes).for_each(|(to, from)| *to = *from);
            self.position += bytes.len() as u64;
            self.len = self.len.max(self.position);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Huge {
        fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
            let SeekFrom::Start(position) = to else { return Err(std::io::ErrorKind::Unsupported.into()) };
            self.position = position;
            Ok(position)
        }
    }

    #[test]
    fn five_gigabytes() {
        let format = format(1024);
        let huge = Huge { start: [0; 256], position: 0, len: 0 };
        let mut file =
            Streamed::new(huge, Path::new("a"), 1024, Box::new(move |n| format.header(n))).unwrap();
        let block = vec![0.25; 1024 * 1000];
        let frames = 1_311_000u64;
        for _ in 0..frames / 1000 {
            file.write(&block).unwrap();
        }
        let Huge { start, len, .. } = file.complete().unwrap();
        assert!(len > 5 << 30);
        assert_eq!(&start[..4], b"RF64");
        assert_eq!([20, 28, 36].map(|at| u64_at(&start, at)), [len - 8, frames * 4096, frames]);
        assert_eq!(len - frames * 4096, chunk(&start, b"data") as u64);
    }

    #[test]
    fn what_wav_cannot_hold_is_refused() {
        let new = |channels, rate| Format::new(Path::new("a.wav"), channels, rate);
        assert!(matches!(new(16384, 48e3), Err(Error::Channels { limit: 16383, .. })));
        assert_eq!(new(16383, 48e3).unwrap().frame_bytes(), 65532);
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 5e9] {
            assert!(matches!(new(1, rate), Err(Error::SampleRate { .. })), "{rate}");
        }
        // 1.5 MHz x 1024 channels x 4 bytes per second are more than 32 bits.
        assert!(matches!(new(1024, 1.5e6), Err(Error::SampleRate { .. })));
        assert_eq!(new(1, 46874.6).unwrap().rate_hz, 46875);
    }
}
