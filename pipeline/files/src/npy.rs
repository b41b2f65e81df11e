//! Samples as a NumPy array: `float32`, shape (frames, channels), C order, `numpy.load` opens it.
//!
//! Format version 1.0: the magic `\x93NUMPY`, two version bytes, a little-endian `u16` length, and a Python
//! dictionary padded with blanks. The padding to 128 bytes leaves room for any number of frames. NPY holds no
//! sample rate.

use std::fmt::Display;
use std::path::Path;

use super::Error;
use super::atomic::AtomicFile;
use super::stream::Streamed;

/// The fewest bytes before the first sample. A header has a multiple of 64.
const HEADER_BYTES: usize = 128;
/// No limit of the format, but frames larger than 64 MiB are a mistake.
const MAX_CHANNELS: usize = 1 << 24;

/// Opens an NPY file for samples.
pub(super) fn create(path: &Path, channels: usize) -> Result<Streamed<AtomicFile>, Error> {
    if channels == 0 || channels > MAX_CHANNELS {
        return Err(Error::Channels { path: path.into(), channels, limit: MAX_CHANNELS });
    }
    let header = move |frames| header("<f4", &[frames, channels as u64]);
    Streamed::new(AtomicFile::create(path)?, path, channels, Box::new(header))
}

/// Everything before the numbers of an array in C order.
pub(super) fn header(descr: &str, shape: &[impl Display]) -> Vec<u8> {
    let shape = match shape {
        [only] => format!("{only},"),
        sides => sides.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
    };
    let mut bytes = b"\x93NUMPY\x01\x00..".to_vec();
    bytes.extend(format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}").bytes());
    let length = (bytes.len() + 1).next_multiple_of(64).max(HEADER_BYTES);
    bytes.resize(length - 1, b' ');
    bytes.push(b'\n');
    bytes[8..10].copy_from_slice(&(length as u16 - 10).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sink::tests::{ramp, written};

    #[test]
    fn reads_back_with_another_reader() {
        for (channels, frames) in [(1, 0), (1, 5), (3, 100), (1024, 20)] {
            let (_dir, path) = written("a.npy", channels, 46875.0, frames);
            let array: ndarray::Array2<f32> = ndarray_npy::read_npy(path).unwrap();
            assert_eq!(array.dim(), (frames, channels));
            assert!(array.is_standard_layout());
            assert_eq!(array.into_raw_vec_and_offset().0, ramp(frames * channels));
        }
    }

    #[test]
    fn the_header_keeps_its_length() {
        for frames in [0, 1, u64::MAX] {
            let header = header("<f4", &[frames, MAX_CHANNELS as u64]);
            assert_eq!(header.len(), HEADER_BYTES);
            assert!(header.ends_with(b" \n"), "the padding is used up");
        }
    }

    #[test]
    fn absurd_channel_counts_are_refused() {
        assert!(matches!(create(Path::new("a.npy"), MAX_CHANNELS + 1), Err(Error::Channels { .. })));
    }
}
