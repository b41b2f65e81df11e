//! Writing a recording that can be read at any moment, whatever becomes of the writer.
//!
//! Unlike [`super::RecordingWriter`], whose files get their names when they are complete, both files are there from the start: the
//! metadata first, marked `nearfield:unfinished`, then the rows, block by block. A process that is killed leaves a recording up to its
//! last flushed block, with its holes but those of the last [`LISTING`]. [`LiveWriter::finish`] replaces the metadata by one without the mark.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::meta::{Holes, Meta};
use super::names::pair;
use crate::{Error, atomic};

/// Bytes of a block: 5 ms of the camera.
const BLOCK: usize = 1 << 20;

/// Time between two listings of the holes in the metadata: the list may be long, and blocks are many.
const LISTING: Duration = Duration::from_secs(1);

/// A recording being written under its name.
#[derive(Debug)]
pub struct LiveWriter {
    meta: Meta,
    meta_path: PathBuf,
    data_path: PathBuf,
    data: File,
    block: Vec<u8>,
    samples: u64,
    holes: Holes,
    /// When the metadata was written, and what it counts.
    listed: (Instant, u64),
}

impl LiveWriter {
    /// Begins the recording `NAME`; refuses one that is there.
    pub fn create(path: impl AsRef<Path>, mut meta: Meta) -> Result<Self, Error> {
        let (meta_path, data_path) = pair(path.as_ref());
        meta.check(&meta_path)?;
        meta.unfinished = true;
        if data_path.symlink_metadata().is_ok() {
            return Err(Error::write(&data_path, std::io::ErrorKind::AlreadyExists.into()));
        }
        let new = |path: &Path| File::options().write(true).create_new(true).open(path);
        let holes = Holes::default();
        let begin = || {
            let mut file = new(&meta_path).map_err(|e| Error::write(&meta_path, e))?;
            let written = file.write_all(meta.to_json_with(&holes).as_bytes()).and_then(|()| file.sync_all());
            let data = written.map_err(|e| Error::write(&meta_path, e));
            let data = data.and_then(|()| new(&data_path).map_err(|e| Error::write(&data_path, e)));
            // Metadata of no data is of no use, and it is ours.
            data.inspect_err(|_| drop(std::fs::remove_file(&meta_path)))
        };
        let data = begin()?;
        let (block, listed) = (Vec::with_capacity(BLOCK), (Instant::now(), 0));
        Ok(Self { meta, meta_path, data_path, data, block, samples: 0, holes, listed })
    }

    /// The metadata file.
    pub fn path(&self) -> &Path {
        &self.meta_path
    }

    /// Time samples so far, flushed or not.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Time samples that are not on the disk after it refused, `more` that were being written included.
    pub fn missing(&self, more: u64) -> u64 {
        let bytes = self.data.metadata().map_or(0, |found| found.len());
        (self.samples + more).saturating_sub(bytes / self.meta.row_bytes() as u64)
    }

    /// Appends whole time samples.
    pub fn write_rows(&mut self, rows: &[u8]) -> Result<(), Error> {
        let row_bytes = self.meta.row_bytes();
        if !rows.len().is_multiple_of(row_bytes) {
            let (path, len) = (self.data_path.clone(), rows.len());
            return Err(Error::PartialSample { path, len, per_sample: row_bytes, at_sample: self.samples });
        }
        if self.block.len() + rows.len() > BLOCK {
            self.flush()?;
        }
        if rows.len() >= BLOCK {
            self.data.write_all(rows).map_err(|e| Error::write(&self.data_path, e))?;
        } else {
            self.block.extend_from_slice(rows);
        }
        self.samples += (rows.len() / row_bytes) as u64;
        Ok(())
    }

    /// Says that `count` of the next time samples, from the present end on, are not all the sensor's.
    pub fn note_hole(&mut self, count: u64) {
        self.holes.note(self.samples, count);
    }

    /// Hands all rows to the system: a killed process does not lose them any more.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.data.write_all(&self.block).map_err(|e| Error::write(&self.data_path, e))?;
        self.block.clear();
        if self.holes.samples != self.listed.1 && self.listed.0.elapsed() >= LISTING {
            self.list()?;
        }
        Ok(())
    }

    /// Brings the holes into the metadata of the unfinished recording. Nothing waits for the disk: a killed process loses nothing by it.
    fn list(&mut self) -> Result<(), Error> {
        let part = self.meta_path.with_extension("sigmf-meta-part");
        let text = self.meta.to_json_with(&self.holes);
        let put = std::fs::write(&part, text).and_then(|()| std::fs::rename(&part, &self.meta_path));
        put.map_err(|e| Error::write(&self.meta_path, e))?;
        self.listed = (Instant::now(), self.holes.samples);
        Ok(())
    }

    /// Flushes, waits for the disk, and takes the mark from the metadata.
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        self.data.sync_all().map_err(|e| Error::write(&self.data_path, e))?;
        self.meta.unfinished = false;
        self.meta.first_valid = self.meta.first_valid.min(self.samples);
        let text = self.meta.to_json_with(&self.holes);
        atomic::write(&self.meta_path, |file| file.write_all(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Recording;
    use super::*;
    use numerics::failure::Failure as _;

    #[test]
    fn what_is_flushed_can_be_read_though_nobody_finished() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("night");
        let mut writer = LiveWriter::create(&name, Meta::small()).unwrap();
        writer.write_rows(&[7; 20]).unwrap();
        writer.flush().unwrap();
        writer.write_rows(&[8; 20]).unwrap();
        // As after a kill: nothing is dropped in order, and half a row is on the disk.
        writer.data.write_all(&[9]).unwrap();
        std::mem::forget(writer);
        let mut recording = Recording::open(&name).unwrap();
        assert!(recording.meta().unfinished);
        let mut rows = [0; 40];
        assert_eq!((recording.samples(), recording.read_rows(0, &mut rows).unwrap()), (10, 10));
        assert_eq!(rows[..20], [7; 20]);
    }

    /// `/dev/full` has no room, like a disk that has filled up.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_an_error_and_leaves_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("night");
        let mut writer = LiveWriter::create(&name, Meta::small()).unwrap();
        writer.write_rows(&[7; 20]).unwrap();
        writer.flush().unwrap();
        writer.data = File::options().write(true).open("/dev/full").unwrap();
        writer.write_rows(&[8; 20]).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(!error.is_input() && error.to_string().contains("night.sigmf-data: cannot write"), "{error}");
        assert_eq!(Recording::open(&name).unwrap().samples(), 10);
    }

    #[test]
    fn a_finished_recording_is_like_any_other_and_lists_its_holes() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("night");
        let mut writer = LiveWriter::create(&name, Meta::small()).unwrap();
        writer.write_rows(&vec![1; 2 * BLOCK]).unwrap();
        writer.note_hole(3);
        writer.write_rows(&[2; 6]).unwrap();
        writer.note_hole(1);
        writer.write_rows(&[2; 4]).unwrap();
        writer.finish().unwrap();
        let recording = Recording::open(&name).unwrap();
        assert_eq!((recording.samples(), recording.meta().unfinished), (BLOCK as u64 + 5, false));
        let expected = Holes { listed: vec![(BLOCK as u64, 4)], count: 1, samples: 4 };
        assert_eq!(recording.holes(), &expected);
        let text = std::fs::read_to_string(folder.path().join("night.sigmf-meta")).unwrap();
        let root: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(root["annotations"][0]["core:sample_start"].as_u64(), Some(BLOCK as u64));
    }

    #[test]
    fn neither_half_of_another_recording_is_overwritten() {
        for half in ["night.sigmf-meta", "night.sigmf-data"] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join(half), "dear").unwrap();
            let error = LiveWriter::create(folder.path().join("night"), Meta::small()).unwrap_err();
            let Error::Write { source, .. } = &error else { panic!("{error}") };
            assert_eq!(source.kind(), std::io::ErrorKind::AlreadyExists);
            assert_eq!(std::fs::read_to_string(folder.path().join(half)).unwrap(), "dear");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "the other half is not left");
        }
    }

    #[test]
    fn a_killed_recorder_has_listed_its_holes() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("night");
        let mut writer = LiveWriter::create(&name, Meta::small()).unwrap();
        writer.note_hole(2);
        writer.write_rows(&[7; 20]).unwrap();
        writer.listed.0 = Instant::now().checked_sub(LISTING).unwrap();
        writer.flush().unwrap();
        std::mem::forget(writer);
        let recording = Recording::open(&name).unwrap();
        assert!(recording.meta().unfinished);
        assert_eq!(recording.holes(), &Holes { listed: vec![(0, 2)], count: 1, samples: 2 });
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
