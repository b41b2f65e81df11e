//! Every Nth hologram as a file that numpy reads.
//!
//! `hologram-SEQUENCE.npz` holds `frequency_hz` `[n]`, `measured` and `source` `[n][y][x]` (complex, Pa; a card does not give `measured`),
//! `stamps_s` (first sample, ring in, device in, device out, sink) and `flags` (holes, masked, fallback, restarted, provisional; 1 if so).

use super::compute::{Label, Snapshot};
use files::Error;
use files::npz::NpzFile;
use holography::product::{Flags, Stamps};
use serde::Deserialize;
use std::path::PathBuf;

/// Where, and how often: `[files]`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of folder and every")]
pub struct Settings {
    /// The folder; it must be there.
    pub folder: PathBuf,
    /// One in so many holograms.
    pub every: u64,
}

/// The writer.
pub struct Files {
    folder: PathBuf,
    /// Files written so far.
    pub written: u64,
    /// Whether every file so far could be written.
    pub open: bool,
}

impl Files {
    /// Writes into the settings' folder.
    pub fn new(settings: &Settings) -> Self {
        Self { folder: settings.folder.clone(), written: 0, open: true }
    }

    /// Writes one hologram; an error is the end of it.
    pub fn write(&mut self, shot: &Snapshot, label: &Label) -> Result<(), Error> {
        self.put(shot, label).inspect(|()| self.written += 1).inspect_err(|_| self.open = false)
    }

    fn put(&self, shot: &Snapshot, label: &Label) -> Result<(), Error> {
        let (n, (rows, cols)) = (label.frequencies.len(), label.shape);
        let Stamps { first_sample, ring_in, device_in, device_out, sink } = shot.stamps;
        let Flags { holes, masked, fallback, restarted, provisional } = shot.flags;
        let path = self.folder.join(format!("hologram-{:09}.npz", shot.sequence));
        let mut file = NpzFile::create(path)?
            .add("frequency_hz", &[n], &label.frequencies)?
            .add("source", &[n, rows, cols], &shot.source)?
            .add("stamps_s", &[5], &[first_sample, ring_in, device_in, device_out, sink])?
            .add("flags", &[5], &[holes, masked, fallback, restarted, provisional].map(u8::from))?;
        if !shot.measured.is_empty() {
            file = file.add("measured", &[n, shot.measured.len() / n / cols.max(1), cols], &shot.measured)?;
        }
        file.finish()
    }
}
