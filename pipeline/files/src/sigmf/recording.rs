//! Reading a recording.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::meta::{Holes, Meta};
use super::names::pair;
use crate::Error;

/// Metadata takes a few hundred bytes, annotations may add to it. Parsed, it takes up to 32 times as many.
const MAX_META_BYTES: u64 = 4 << 20;

/// A recording open for reading.
#[derive(Debug)]
pub struct Recording {
    meta: Meta,
    holes: Holes,
    data: File,
    data_path: PathBuf,
    samples: u64,
}

impl Recording {
    /// Opens a recording by `NAME`, `NAME.sigmf-meta` or `NAME.sigmf-data`; checks its metadata and its size.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (meta_path, data_path) = pair(path.as_ref());
        let (meta, holes) = read_meta(&meta_path)?;
        let (data, bytes) = open_file(&data_path)?;
        let row_bytes = meta.row_bytes() as u64;
        let samples = bytes / row_bytes;
        if !bytes.is_multiple_of(row_bytes) && !meta.unfinished {
            return Err(Error::Truncated { path: data_path, bytes, row_bytes, at_sample: samples });
        }
        if meta.first_valid > samples {
            return Err(Error::BadField {
                path: meta_path,
                field: "nearfield:first_valid",
                found: meta.first_valid.to_string(),
                expected: format!("at most {samples}, the time samples in {}", data_path.display()),
            });
        }
        Ok(Self { meta, holes, data, data_path, samples })
    }

    /// The checked metadata.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// What its recorder says is not the sensor's.
    pub fn holes(&self) -> &Holes {
        &self.holes
    }

    /// The data file.
    pub fn data_path(&self) -> &Path {
        &self.data_path
    }

    /// Time samples in the file.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Bytes per time sample.
    pub fn row_bytes(&self) -> usize {
        self.meta.row_bytes()
    }

    /// Reads as many whole rows as fit into `buf`, beginning with time sample `start`, and returns how many
    /// that were: fewer than fit at the end of the recording, none past it.
    ///
    /// A file that has become shorter since it was opened is an error, never a short count. (A file that is
    /// only removed from its folder keeps its bytes until it is closed, on every system that allows the
    /// removal, and reads as before.)
    pub fn read_rows(&mut self, start: u64, buf: &mut [u8]) -> Result<usize, Error> {
        let row_bytes = self.row_bytes();
        let rows = (buf.len() / row_bytes)
            .min(usize::try_from(self.samples.saturating_sub(start)).unwrap_or(usize::MAX));
        if rows == 0 {
            return Ok(0);
        }
        // `start` is below `samples`, so this product is below the size of the file.
        let mut offset = start * row_bytes as u64;
        self.data.seek(SeekFrom::Start(offset)).map_err(|e| Error::read(&self.data_path, offset, e))?;
        let mut rest = &mut buf[..rows * row_bytes];
        while !rest.is_empty() {
            match self.data.read(rest) {
                Ok(0) => return Err(self.shrunk(offset)),
                Ok(n) => {
                    offset += n as u64;
                    rest = &mut rest[n..];
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::read(&self.data_path, offset, e)),
            }
        }
        Ok(rows)
    }

    fn shrunk(&self, reached: u64) -> Error {
        let row_bytes = self.row_bytes() as u64;
        // A read may begin past the new end: say where the file ends, not where the reader was.
        let found_at = self.data.metadata().map_or(reached, |now| now.len().min(reached));
        let expected = self.samples * row_bytes;
        Error::Shrunk { path: self.data_path.clone(), expected, found_at, at_sample: found_at / row_bytes }
    }
}

/// Opens an ordinary file and returns its size. Opening a pipe would wait for ever, so the kind is checked
/// first.
fn open_file(path: &Path) -> Result<(File, u64), Error> {
    let failure = |e| Error::read(path, 0, e);
    if !std::fs::metadata(path).map_err(failure)?.is_file() {
        return Err(Error::NotAFile(path.into()));
    }
    let file = File::open(path).map_err(failure)?;
    let bytes = file.metadata().map_err(failure)?.len();
    Ok((file, bytes))
}

fn read_meta(path: &Path) -> Result<(Meta, Holes), Error> {
    let (file, bytes) = open_file(path)?;
    if bytes > MAX_META_BYTES {
        let hint = "for metadata; is this the data file under the wrong name?";
        return Err(Error::TooLarge { path: path.into(), bytes, limit: MAX_META_BYTES, hint });
    }
    let mut text = Vec::new();
    file.take(MAX_META_BYTES).read_to_end(&mut text).map_err(|e| Error::read(path, 0, e))?;
    Ok((Meta::parse(&text, path)?, Holes::parse(&text, path)?))
}
