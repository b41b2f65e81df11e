//! Files that take samples block by block.
//!
//! Samples are interleaved, channel after channel within a time sample (a *frame*), as `f32` in units of full
//! scale. WAV and NPY are a header of fixed length and then the samples as they come, so they need no memory:
//! the header is written once to hold the place and once more at the end, when the number of frames is known.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::Error;
use crate::atomic::AtomicFile;

/// A file that takes samples. Nothing is under its name before [`finish`](Self::finish) has succeeded.
pub trait SampleSink: Send {
    /// Appends whole frames of interleaved samples.
    fn write(&mut self, frames: &[f32]) -> Result<(), Error>;

    /// Names the file, with the frames that were written, be they more or fewer than expected.
    fn finish(self: Box<Self>) -> Result<(), Error>;
}

/// Counts the frames in a block of samples.
pub struct FrameCount {
    pub path: PathBuf,
    pub channels: usize,
    pub frames: u64,
}

impl FrameCount {
    /// Adds a block, which must be whole frames.
    pub fn add(&mut self, block: &[f32]) -> Result<(), Error> {
        if !block.len().is_multiple_of(self.channels) {
            let (path, len, per_sample) = (self.path.clone(), block.len(), self.channels);
            return Err(Error::PartialSample { path, len, per_sample, at_sample: self.frames });
        }
        self.frames += (block.len() / self.channels) as u64;
        Ok(())
    }
}

/// Makes the header of a file with this many frames; always of the same length.
type Header = Box<dyn Fn(u64) -> Vec<u8> + Send>;

/// A file of a header and little-endian `f32` samples.
pub struct Streamed<W> {
    out: W,
    header: Header,
    count: FrameCount,
}

impl<W: Write + Seek> Streamed<W> {
    pub fn new(mut out: W, path: &Path, channels: usize, header: Header) -> Result<Self, Error> {
        out.write_all(&header(0)).map_err(|e| Error::write(path, e))?;
        Ok(Self { out, header, count: FrameCount { path: path.into(), channels, frames: 0 } })
    }

    pub fn write(&mut self, frames: &[f32]) -> Result<(), Error> {
        self.count.add(frames)?;
        write_f32(&mut self.out, frames).map_err(|e| Error::write(&self.count.path, e))
    }

    /// Puts the final header in its place and returns the file.
    pub fn complete(mut self) -> Result<W, Error> {
        let header = (self.header)(self.count.frames);
        let patched = self.out.seek(SeekFrom::Start(0)).and_then(|_| self.out.write_all(&header));
        patched.map_err(|e| Error::write(&self.count.path, e))?;
        Ok(self.out)
    }
}

impl SampleSink for Streamed<AtomicFile> {
    fn write(&mut self, frames: &[f32]) -> Result<(), Error> {
        Self::write(self, frames)
    }

    fn finish(self: Box<Self>) -> Result<(), Error> {
        self.complete()?.commit()
    }
}

/// Writes samples as little-endian bytes, by way of a block on the stack.
fn write_f32(out: &mut impl Write, samples: &[f32]) -> std::io::Result<()> {
    let mut block = [0; 16384];
    for samples in samples.chunks(block.len() / 4) {
        let bytes = &mut block[..4 * samples.len()];
        for (bytes, sample) in bytes.chunks_exact_mut(4).zip(samples) {
            bytes.copy_from_slice(&sample.to_le_bytes());
        }
        out.write_all(bytes)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::failure::Failure as _;

    /// A disk that takes `room` bytes.
    struct Full {
        room: usize,
    }

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.room = self.room.checked_sub(bytes.len()).ok_or(std::io::ErrorKind::StorageFull)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Full {
        fn seek(&mut self, _: SeekFrom) -> std::io::Result<u64> {
            Ok(0)
        }
    }

    #[test]
    fn a_full_disk_is_reported_by_every_step() {
        let start = |room| Streamed::new(Full { room }, Path::new("a.npy"), 1, Box::new(|_| vec![0; 100]));
        let failed =
            |error: Error| assert!(!error.is_input() && error.to_string().starts_with("a.npy: cannot write"));
        failed(start(99).err().unwrap());
        failed(start(100).unwrap().write(&[0.0]).unwrap_err());
        failed(start(199).unwrap().complete().err().unwrap());
        assert!(start(200).unwrap().complete().is_ok());
    }
}
