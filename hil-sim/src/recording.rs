//! Recordings on disk: SigMF pairs `NAME.sigmf-meta` and `NAME.sigmf-data`, read and written.
//!
//! The data are rows of bits as the camera sends them; the metadata say how they lie ([`Meta`]). A recording
//! is replayed bit for bit. While one is written both files have temporary names; they get their own when it
//! is complete, the metadata last.

mod meta;

use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use dsp_core::pdm::TileLayout;
use tempfile::NamedTempFile;

use crate::Error;
use crate::limited::open_limited;
use crate::rows::Rows;

pub use meta::Meta;

/// Largest metadata file.
const MAX_META_BYTES: u64 = 4 << 20;

/// Bytes that are read or written at a time.
const BUFFER_BYTES: usize = 1 << 20;

/// A recording that is replayed.
#[derive(Debug)]
pub struct Recording {
    meta: Meta,
    layout: TileLayout,
    data: BufReader<File>,
    path: PathBuf,
    samples: u64,
    next: u64,
    endless: bool,
}

impl Recording {
    /// Opens `NAME`, `NAME.sigmf-meta` or `NAME.sigmf-data` and checks metadata and size.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let [meta_path, data_path] = pair(path);
        let bad = |path: &Path, message: String| Error::File { path: path.into(), message };
        let mut text = Vec::new();
        let file = open_limited(&meta_path, MAX_META_BYTES).map_err(|e| bad(&meta_path, e))?;
        file.take(MAX_META_BYTES).read_to_end(&mut text).map_err(|e| bad(&meta_path, e.to_string()))?;
        let meta = Meta::parse(&text).map_err(|e| bad(&meta_path, e))?;
        let layout = meta.layout().map_err(|e| bad(&meta_path, e))?;
        let file = open_limited(&data_path, u64::MAX).map_err(|e| bad(&data_path, e))?;
        let bytes = file.metadata().map_err(|e| bad(&data_path, e.to_string()))?.len();
        let row = layout.row_bytes() as u64;
        if bytes == 0 || !bytes.is_multiple_of(row) {
            let message = format!("{bytes} bytes are not whole rows of {row}; is the recording complete?");
            return Err(bad(&data_path, message));
        }
        let data = BufReader::with_capacity(BUFFER_BYTES, file);
        Ok(Self { meta, layout, data, path: data_path, samples: bytes / row, next: 0, endless: false })
    }

    /// Begins again at the end, for ever. Bits jump at the seam unless the recording holds whole periods.
    #[must_use]
    pub fn endless(self) -> Self {
        Self { endless: true, ..self }
    }

    /// The metadata.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Time samples of the recording.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    fn failure(&self, error: &std::io::Error) -> Error {
        Error::File { path: self.path.clone(), message: format!("at sample {}: {error}", self.next) }
    }
}

impl Rows for Recording {
    fn layout(&self) -> TileLayout {
        self.layout
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        let row = self.layout.row_bytes();
        let mut done = 0;
        while done < rows.len() {
            if self.next == self.samples {
                if !self.endless {
                    break;
                }
                self.data.seek(SeekFrom::Start(0)).map_err(|e| self.failure(&e))?;
                self.next = 0;
            }
            let left = usize::try_from(self.samples - self.next).unwrap_or(usize::MAX);
            let len = left.saturating_mul(row).min(rows.len() - done);
            self.data.read_exact(&mut rows[done..done + len]).map_err(|e| self.failure(&e))?;
            self.next += (len / row) as u64;
            done += len;
        }
        Ok(done / row)
    }
}

/// A recording that is being written.
#[derive(Debug)]
pub struct Recorder {
    meta: Meta,
    paths: [PathBuf; 2],
    data: BufWriter<NamedTempFile>,
    bytes: u64,
}

impl Recorder {
    /// Begins the recording `NAME`, `NAME.sigmf-meta` or `NAME.sigmf-data` in a folder that exists.
    pub fn create(path: &Path, meta: Meta) -> Result<Self, Error> {
        let paths = pair(path);
        meta.check().map_err(|message| Error::File { path: paths[0].clone(), message })?;
        let data = temporary(&paths[1])?;
        Ok(Self { meta, data: BufWriter::with_capacity(BUFFER_BYTES, data), paths, bytes: 0 })
    }

    /// Appends whole rows.
    pub fn write(&mut self, rows: &[u8]) -> Result<(), Error> {
        self.data.write_all(rows).map_err(|e| failure(&self.paths[1], &e))?;
        self.bytes += rows.len() as u64;
        Ok(())
    }

    /// Bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Gives both files their names; returns that of the metadata.
    pub fn finish(self) -> Result<PathBuf, Error> {
        let [meta_path, data_path] = &self.paths;
        let data = self.data.into_inner().map_err(|e| failure(data_path, e.error()))?;
        let mut meta = temporary(meta_path)?;
        meta.write_all(self.meta.to_json().as_bytes()).map_err(|e| failure(meta_path, &e))?;
        for (file, path) in [(&data, data_path), (&meta, meta_path)] {
            file.as_file().sync_all().map_err(|e| failure(path, &e))?;
        }
        // Older metadata must at no moment describe the new data.
        match std::fs::remove_file(meta_path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failure(meta_path, &e)),
            _ => {}
        }
        data.persist(data_path).map_err(|e| failure(data_path, &e.error))?;
        meta.persist(meta_path).map_err(|e| failure(meta_path, &e.error))?;
        Ok(meta_path.clone())
    }
}

/// Rows that are recorded as they pass.
#[derive(Debug)]
pub struct Recorded<'a, R> {
    rows: R,
    recorder: &'a mut Recorder,
}

impl<'a, R: Rows> Recorded<'a, R> {
    /// Every row that is read goes to the recorder, too.
    pub fn new(rows: R, recorder: &'a mut Recorder) -> Self {
        Self { rows, recorder }
    }
}

impl<R: Rows> Rows for Recorded<'_, R> {
    fn layout(&self) -> TileLayout {
        self.rows.layout()
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        let read = self.rows.read(rows)?;
        self.recorder.write(&rows[..read * self.layout().row_bytes()])?;
        Ok(read)
    }

    fn position(&self) -> u64 {
        self.rows.position()
    }
}

/// A temporary file beside `path`.
fn temporary(path: &Path) -> Result<NamedTempFile, Error> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hil-sim-").suffix(".part");
    // The permissions of any other new file, instead of the private ones of a temporary.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder).map_err(|e| failure(path, &e))
}

fn failure(path: &Path, error: &std::io::Error) -> Error {
    Error::File { path: path.into(), message: error.to_string() }
}

/// Metadata and data file of the recording that `path` names.
fn pair(path: &Path) -> [PathBuf; 2] {
    let is_half = path.extension().is_some_and(|e| e == "sigmf-meta" || e == "sigmf-data");
    let name = if is_half { path.with_extension("") } else { path.to_owned() };
    [".sigmf-meta", ".sigmf-data"].map(|suffix| {
        let mut text = name.clone().into_os_string();
        text.push(suffix);
        text.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Array, Scene, Settings, Simulator};

    fn written(dir: &Path, samples: usize) -> Vec<u8> {
        let scene = Scene::named("monopole").unwrap();
        let mut simulator = Simulator::new(&scene, &Array::CAMERA, &Settings::default()).unwrap();
        let mut rows = vec![0; 128 * samples];
        simulator.fill(&mut rows);
        let meta = Meta::new(&Array::CAMERA, 1.5e6, "a test");
        let mut recorder = Recorder::create(&dir.join("x"), meta).unwrap();
        rows.chunks(128 * 7).for_each(|part| recorder.write(part).unwrap());
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 1);
        assert_eq!(recorder.finish().unwrap(), dir.join("x.sigmf-meta"));
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 2);
        rows
    }

    #[test]
    fn what_is_written_is_replayed_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let rows = written(dir.path(), 100);
        for name in ["x", "x.sigmf-meta", "x.sigmf-data"] {
            let mut recording = Recording::open(&dir.path().join(name)).unwrap();
            assert_eq!(recording.samples(), 100);
            assert_eq!(recording.meta().pitch_m(), 0.02);
            let mut again = vec![0; 128 * 130];
            assert_eq!(recording.read(&mut again).unwrap(), 100);
            assert!(again[..rows.len()] == rows);
            assert_eq!(recording.read(&mut again).unwrap(), 0);
        }
        let mut endless = Recording::open(&dir.path().join("x")).unwrap().endless();
        let mut again = vec![0; 128 * 250];
        assert_eq!(endless.read(&mut again).unwrap(), 250);
        assert!(again == [&rows[..], &rows, &rows[..128 * 50]].concat());
    }

    #[test]
    fn broken_recordings_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let open = || Recording::open(&dir.path().join("x")).map(|_| ()).unwrap_err().to_string();
        assert!(open().contains("x.sigmf-meta"));
        written(dir.path(), 10);
        let data = dir.path().join("x.sigmf-data");
        std::fs::write(&data, [0; 129]).unwrap();
        assert!(open().contains("129 bytes"), "{}", open());
        std::fs::write(&data, []).unwrap();
        assert!(open().contains("0 bytes"));
        std::fs::remove_file(&data).unwrap();
        assert!(open().contains("x.sigmf-data"));
        assert!(Recorder::create(&dir.path().join("none/x"), Meta::new(&Array::CAMERA, 1.5e6, "")).is_err());
    }

    #[test]
    fn a_recording_that_is_given_up_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let mut recorder =
            Recorder::create(&dir.path().join("x"), Meta::new(&Array::CAMERA, 1.5e6, "")).unwrap();
        recorder.write(&[0; 128]).unwrap();
        drop(recorder);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
