//! Recordings on disk ([`files::sigmf`]) as a source of rows, replayed bit for bit, and rows that are
//! recorded as they pass.

use std::path::Path;

use dsp_core::pdm::TileLayout;
use files::sigmf::{self, Meta, RecordingWriter, SIGMF_VERSION};

use crate::rows::Rows;
use crate::{Array, Error};

/// Metadata of rows that this array sends.
pub fn metadata(array: &Array, bit_rate_hz: f64, description: &str) -> Meta {
    let layout = array.layout;
    Meta {
        version: SIGMF_VERSION.into(),
        sample_rate_hz: bit_rate_hz,
        rows: layout.rows(),
        cols: layout.cols(),
        tile_side: layout.tile_side(),
        pitch_m: array.pitch,
        first_valid: 0,
        description: Some(description.into()),
        unfinished: false,
    }
}

/// A recording that is replayed.
#[derive(Debug)]
pub struct Recording {
    recording: sigmf::Recording,
    layout: TileLayout,
    next: u64,
    endless: bool,
}

impl Recording {
    /// Opens `NAME`, `NAME.sigmf-meta` or `NAME.sigmf-data` and checks metadata and size.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let recording = sigmf::Recording::open(path)?;
        if recording.samples() == 0 {
            let message = "0 bytes; is the recording complete?".into();
            return Err(Error::File { path: recording.data_path().into(), message });
        }
        let &Meta { rows, cols, tile_side, .. } = recording.meta();
        let layout = TileLayout::new(rows, cols, tile_side).map_err(Error::Layout)?;
        Ok(Self { recording, layout, next: 0, endless: false })
    }

    /// Begins again at the end, for ever. Bits jump at the seam unless the recording holds whole periods.
    #[must_use]
    pub fn endless(self) -> Self {
        Self { endless: true, ..self }
    }

    /// The metadata.
    pub fn meta(&self) -> &Meta {
        self.recording.meta()
    }

    /// Time samples of the recording.
    pub fn samples(&self) -> u64 {
        self.recording.samples()
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
            match self.recording.read_rows(self.next, &mut rows[done..])? {
                0 if self.endless => self.next = 0,
                0 => break,
                read => {
                    self.next += read as u64;
                    done += read * row;
                }
            }
        }
        Ok(done / row)
    }
}

/// Rows that are recorded as they pass.
#[derive(Debug)]
pub struct Recorded<'a, R> {
    rows: R,
    recorder: &'a mut RecordingWriter,
}

impl<'a, R: Rows> Recorded<'a, R> {
    /// Every row that is read goes to the recorder, too.
    pub fn new(rows: R, recorder: &'a mut RecordingWriter) -> Self {
        Self { rows, recorder }
    }
}

impl<R: Rows> Rows for Recorded<'_, R> {
    fn layout(&self) -> TileLayout {
        self.rows.layout()
    }

    fn read(&mut self, rows: &mut [u8]) -> Result<usize, Error> {
        let read = self.rows.read(rows)?;
        self.recorder.write_rows(&rows[..read * self.layout().row_bytes()])?;
        Ok(read)
    }

    fn position(&self) -> u64 {
        self.rows.position()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, Settings, Simulator};

    fn written(dir: &Path, samples: usize) -> Vec<u8> {
        let scene = Scene::named("monopole").unwrap();
        let mut simulator = Simulator::new(&scene, &Array::CAMERA, &Settings::default()).unwrap();
        let mut rows = vec![0; 128 * samples];
        simulator.fill(&mut rows);
        let meta = metadata(&Array::CAMERA, 1.5e6, "a test");
        let mut recorder = RecordingWriter::create(dir.join("x"), meta).unwrap();
        rows.chunks(128 * 7).for_each(|part| recorder.write_rows(part).unwrap());
        assert!(!dir.join("x.sigmf-data").exists());
        assert_eq!(recorder.path(), dir.join("x.sigmf-meta"));
        recorder.finish().unwrap();
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
            assert_eq!(recording.meta().pitch_m, 0.02);
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
        let meta = metadata(&Array::CAMERA, 1.5e6, "");
        assert!(RecordingWriter::create(dir.path().join("none/x"), meta).is_err());
    }

    #[test]
    fn a_recording_that_is_given_up_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let meta = metadata(&Array::CAMERA, 1.5e6, "");
        let mut recorder = RecordingWriter::create(dir.path().join("x"), meta).unwrap();
        recorder.write_rows(&[0; 128]).unwrap();
        drop(recorder);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
