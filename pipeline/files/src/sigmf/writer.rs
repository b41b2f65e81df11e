//! Writing a recording.

use std::io::Write;
use std::path::Path;

use super::meta::Meta;
use super::names::pair;
use crate::Error;
use crate::atomic::{AtomicFile, commit_pair};

/// A recording being written. Neither of its files exists under its name before [`finish`](Self::finish).
#[derive(Debug)]
pub struct RecordingWriter {
    meta: Meta,
    meta_file: AtomicFile,
    data: AtomicFile,
    samples: u64,
}

impl RecordingWriter {
    /// Begins the recording `NAME`, `NAME.sigmf-meta` or `NAME.sigmf-data`.
    pub fn create(path: impl AsRef<Path>, meta: Meta) -> Result<Self, Error> {
        let (meta_path, data_path) = pair(path.as_ref());
        meta.check(&meta_path)?;
        let (meta_file, data) = (AtomicFile::create(meta_path)?, AtomicFile::create(data_path)?);
        Ok(Self { meta, meta_file, data, samples: 0 })
    }

    /// The metadata file.
    pub fn path(&self) -> &Path {
        self.meta_file.path()
    }

    /// Time samples written so far.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Appends whole time samples.
    pub fn write_rows(&mut self, rows: &[u8]) -> Result<(), Error> {
        let row_bytes = self.meta.row_bytes();
        if !rows.len().is_multiple_of(row_bytes) {
            let (path, len) = (self.data.path().into(), rows.len());
            return Err(Error::PartialSample { path, len, per_sample: row_bytes, at_sample: self.samples });
        }
        self.data.write_all(rows).map_err(|e| Error::write(self.data.path(), e))?;
        self.samples += (rows.len() / row_bytes) as u64;
        Ok(())
    }

    /// Writes the metadata and gives both files their names.
    ///
    /// A recording that was stopped within its filter history is history to its end: `first_valid` is lowered
    /// to the number of time samples, so that the recording can be opened.
    pub fn finish(mut self) -> Result<(), Error> {
        self.meta.first_valid = self.meta.first_valid.min(self.samples);
        let text = self.meta.to_json();
        self.meta_file.write_all(text.as_bytes()).map_err(|e| Error::write(self.meta_file.path(), e))?;
        commit_pair(self.data, self.meta_file)
    }
}
