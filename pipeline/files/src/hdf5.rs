//! Samples in the HDF5 layout of Acoular: dataset `/time_data`, `float32`, shape (frames, channels), with the
//! attribute `sample_freq` in hertz (`float64`).
//!
//! The HDF5 library used here appends only to one-dimensional datasets, so the samples wait in memory for
//! [`SampleSink::finish`]: at most [`MAX_BYTES`], which is 22 s of 1024 channels at 46875 Hz. A larger file
//! is refused at the start where its size is known. They are stored in one contiguous run: blocks of frames
//! are read from it as fast as from chunks, and the library would copy all samples once more to make chunks.

use std::path::Path;

use hdf5_pure::{AttrValue, FileBuilder, make_f32_type};

use super::Error;
use super::atomic::AtomicFile;
use super::stream::{FrameCount, SampleSink};

/// The most samples that are held in memory, in bytes.
pub const MAX_BYTES: u64 = 4 << 30;
const MAX_CHANNELS: usize = 1 << 24;

/// An HDF5 file being filled.
pub(super) struct Sink {
    file: AtomicFile,
    count: FrameCount,
    sample_rate_hz: f64,
    /// Little-endian samples.
    data: Vec<u8>,
    max_bytes: u64,
}

impl Sink {
    /// Opens the file and takes memory for the expected frames.
    pub fn create(
        path: &Path,
        channels: usize,
        sample_rate_hz: f64,
        expected_frames: u64,
    ) -> Result<Self, Error> {
        if channels == 0 || channels > MAX_CHANNELS {
            return Err(Error::Channels { path: path.into(), channels, limit: MAX_CHANNELS });
        }
        if !(sample_rate_hz.is_finite() && sample_rate_hz > 0.0) {
            let expected = "it must be finite and positive".into();
            return Err(Error::SampleRate { path: path.into(), rate_hz: sample_rate_hz, expected });
        }
        let bytes = expected_frames.saturating_mul(4 * channels as u64);
        check_size(path, bytes, MAX_BYTES)?;
        let file = AtomicFile::create(path)?;
        let count = FrameCount { path: path.into(), channels, frames: 0 };
        let mut sink = Self { file, count, sample_rate_hz, data: Vec::new(), max_bytes: MAX_BYTES };
        sink.reserve(bytes as usize)?;
        Ok(sink)
    }

    fn reserve(&mut self, bytes: usize) -> Result<(), Error> {
        let no_memory = |_| Error::NoMemory { path: self.count.path.clone(), bytes: bytes as u64 };
        self.data.try_reserve(bytes).map_err(no_memory)
    }
}

impl SampleSink for Sink {
    fn write(&mut self, frames: &[f32]) -> Result<(), Error> {
        check_size(&self.count.path, (self.data.len() + 4 * frames.len()) as u64, self.max_bytes)?;
        self.count.add(frames)?;
        self.reserve(4 * frames.len())?;
        self.data.extend(frames.iter().flat_map(|sample| sample.to_le_bytes()));
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        let FrameCount { path, channels, frames } = self.count;
        let values = frames * channels as u64;
        let mut builder = FileBuilder::new();
        builder
            .create_dataset("time_data")
            .with_raw_data(make_f32_type(), self.data, values)
            .with_shape(&[frames, channels as u64])
            .set_attr("sample_freq", AttrValue::F64(self.sample_rate_hz));
        builder.finish_to(&mut self.file).map_err(|e| match e {
            hdf5_pure::Error::Io(source) => Error::write(&path, source),
            other => Error::write(&path, std::io::Error::other(other)),
        })?;
        self.file.commit()
    }
}

fn check_size(path: &Path, bytes: u64, limit: u64) -> Result<(), Error> {
    let hint = "that HDF5 output holds in memory; write .npy or .wav, which have no limit";
    if bytes > limit { Err(Error::TooLarge { path: path.into(), bytes, limit, hint }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::create_sink;
    use crate::sink::tests::{ramp, written};
    use numerics::failure::Failure as _;

    #[test]
    fn reads_back_in_acoulars_layout() {
        for (channels, frames) in [(1, 0), (1, 5), (3, 100), (1024, 20)] {
            let (_dir, path) = written("a.h5", channels, 46875.5, frames);
            let file = hdf5_pure::File::open(path).unwrap();
            let data = file.dataset("time_data").unwrap();
            assert_eq!(data.shape().unwrap(), [frames as u64, channels as u64]);
            assert_eq!(data.dtype().unwrap(), hdf5_pure::DType::F32);
            assert_eq!(data.read_f32().unwrap(), ramp(frames * channels));
            assert!(matches!(data.attrs().unwrap()["sample_freq"], AttrValue::F64(46875.5)));
        }
    }

    #[test]
    fn too_many_samples_are_refused_before_anything_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        for frames in [(1 << 20) + 1, u64::MAX] {
            let error = create_sink(dir.path().join("a.h5"), 1024, 46875.0, frames).err().unwrap();
            assert!(matches!(error, Error::TooLarge { limit: MAX_BYTES, .. }) && error.is_input(), "{error}");
            assert!(error.to_string().contains(".npy or .wav"), "{error}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn more_than_expected_is_taken_up_to_the_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.h5");
        let mut sink = Sink { max_bytes: 100, ..Sink::create(&path, 5, 46875.0, 1).unwrap() };
        sink.write(&ramp(25)).unwrap();
        assert!(matches!(sink.write(&[0.0; 5]), Err(Error::TooLarge { bytes: 120, limit: 100, .. })));
        Box::new(sink).finish().unwrap();
        assert_eq!(
            hdf5_pure::File::open(path).unwrap().dataset("time_data").unwrap().shape().unwrap(),
            [5, 5]
        );
    }

    #[test]
    fn impossible_rates_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(
                matches!(create_sink("a.h5", 1, rate, 1).err(), Some(Error::SampleRate { .. })),
                "{rate}"
            );
        }
    }
}
