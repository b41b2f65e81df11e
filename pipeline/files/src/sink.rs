//! Where decimated samples go: one interface over the three output formats, chosen by the name of the file.

use std::path::Path;

pub use crate::stream::SampleSink;
use crate::{Error, hdf5, npy, wav};

/// Opens an output file in the format that its name ends in: `.wav`, `.npy`, `.h5` or `.hdf5`.
///
/// `expected_frames` lets formats refuse at once what they could not hold in the end.
pub fn create_sink(
    path: impl AsRef<Path>,
    channels: usize,
    sample_rate_hz: f64,
    expected_frames: u64,
) -> Result<Box<dyn SampleSink>, Error> {
    let path = path.as_ref();
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    Ok(match &*extension {
        "wav" => Box::new(wav::create(path, channels, sample_rate_hz)?),
        "npy" => Box::new(npy::create(path, channels)?),
        "h5" | "hdf5" => Box::new(hdf5::Sink::create(path, channels, sample_rate_hz, expected_frames)?),
        _ => return Err(Error::UnknownExtension(path.into())),
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    /// Samples that tell which they are, exact in `f32`.
    pub fn ramp(count: usize) -> Vec<f32> {
        (0..count).map(|i| (i as f32 - 100.0) / 1024.0).collect()
    }

    /// Writes `frames` frames in blocks of odd sizes and returns the folder and the file.
    pub fn written(name: &str, channels: usize, rate: f64, frames: usize) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        // The expectation is wrong on purpose.
        let mut sink = create_sink(&path, channels, rate, frames as u64 + 3).unwrap();
        for block in ramp(frames * channels).chunks(7 * channels) {
            sink.write(block).unwrap();
        }
        assert!(!path.exists());
        sink.finish().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        (dir, path)
    }

    #[test]
    fn the_name_chooses_the_format() {
        for (name, magic) in
            [("a.wav", "RIFF"), ("a.NPY", "\u{93}NUMPY"), ("a.h5", "\u{89}HDF"), ("a.hdf5", "\u{89}HDF")]
        {
            let (_dir, path) = written(name, 2, 46875.0, 10);
            let start: String =
                fs::read(path).unwrap()[..magic.chars().count()].iter().map(|&b| b as char).collect();
            assert_eq!(start, magic);
        }
        for name in ["a.mp3", "a", ".npy", "a.npy."] {
            let error = create_sink(name, 2, 46875.0, 10).err().unwrap();
            assert!(matches!(error, Error::UnknownExtension(..)), "{name}: {error}");
            assert!(error.to_string().contains(".wav, .npy, .h5 or .hdf5"));
        }
    }

    #[test]
    fn part_of_a_frame_or_an_abandoned_file_leaves_nothing() {
        for name in ["a.wav", "a.npy", "a.h5"] {
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join(name);
            let mut sink = create_sink(&path, 3, 46875.0, 10).unwrap();
            sink.write(&[0.5; 6]).unwrap();
            let error = sink.write(&[0.5; 7]).unwrap_err();
            assert!(
                matches!(error, Error::PartialSample { len: 7, per_sample: 3, at_sample: 2, .. }),
                "{error}"
            );
            drop(sink);
            assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{name}");
        }
    }

    #[test]
    fn no_channels_are_refused() {
        for name in ["a.wav", "a.npy", "a.h5"] {
            let dir = tempfile::tempdir().unwrap();
            let error = create_sink(dir.path().join(name), 0, 46875.0, 10).err().unwrap();
            assert!(matches!(error, Error::Channels { channels: 0, .. }), "{error}");
        }
    }
}
