//! Recordings of packed one-bit samples: SigMF pairs `NAME.sigmf-meta` and `NAME.sigmf-data`.
//!
//! The data file is rows of equal length, one per time sample: one bit per microphone, exactly as the camera
//! sends them. To SigMF it is a multichannel file of unsigned bytes (`ru8`), with as many channels as a row
//! has bytes; the fields `nearfield:*` say how the bits lie in it. [`Meta`] lists them. This module moves
//! rows of bytes and does not unpack them.
//!
//! # Examples
//! ```no_run
//! use files::sigmf::Recording;
//! # fn main() -> Result<(), files::Error> {
//! let mut recording = Recording::open("scene.sigmf-meta")?;
//! let mut rows = vec![0; 1024 * recording.row_bytes()];
//! let mut start = recording.meta().first_valid;
//! while let n @ 1.. = recording.read_rows(start, &mut rows)? {
//!     // rows[..n * recording.row_bytes()] are the time samples start .. start + n
//!     start += n as u64;
//! }
//! # Ok(())
//! # }
//! ```

mod live;
mod meta;
mod names;
mod recording;
mod writer;

pub use live::LiveWriter;
pub use meta::{DATATYPE, Holes, Meta, PACKING, SIGMF_VERSION};
pub use recording::Recording;
pub use writer::RecordingWriter;

#[cfg(test)]
mod tests;
