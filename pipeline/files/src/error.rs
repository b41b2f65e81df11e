//! The error of every reader and writer in [`crate`].

use numerics::failure::{Failure, Kind};
use std::fmt::{Debug, Display};
use std::path::{Path, PathBuf};

/// What went wrong with a file, and where. The messages end with what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file to be read does not exist.
    #[error(
        "{}: no such file; a recording is the pair NAME.sigmf-meta and NAME.sigmf-data in one folder",
        .0.display()
    )]
    NotFound(PathBuf),
    /// The path names a folder, a device or a pipe.
    #[error("{}: not an ordinary file; give the name of a file", .0.display())]
    NotAFile(PathBuf),
    /// The operating system refused to read.
    #[error("{}: cannot read at byte {offset}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Where the read began, in bytes from the start of the file.
        offset: u64,
        /// The reason.
        source: std::io::Error,
    },
    /// The file ended before the size it had when it was opened.
    #[error(
        "{}: ends at byte {found_at} (time sample {at_sample}), but had {expected} bytes when it was opened; \
         it was cut while it was being read: copy it again",
        path.display()
    )]
    Shrunk {
        /// The file.
        path: PathBuf,
        /// Its size when it was opened, in bytes.
        expected: u64,
        /// The byte at which it ends now.
        found_at: u64,
        /// The time sample that holds this byte.
        at_sample: u64,
    },
    /// The data file is not a whole number of time samples.
    #[error(
        "{}: {bytes} bytes is not a whole number of time samples of {row_bytes} bytes: \
         sample {at_sample} is cut short. \
         Copy the file again, or cut it to {} bytes to keep its {at_sample} whole samples",
        path.display(), at_sample * row_bytes
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// Bytes per time sample.
        row_bytes: u64,
        /// The incomplete time sample, which is also the number of whole ones.
        at_sample: u64,
    },
    /// The metadata is not JSON.
    #[error("{}:{line}:{column}: not valid JSON: {message}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the parser expected.
        message: String,
    },
    /// The metadata lacks a field.
    #[error("{}: the field {field} is missing; it must be {expected}", path.display())]
    MissingField {
        /// The file.
        path: PathBuf,
        /// The field, with the object that holds it.
        field: &'static str,
        /// What it should hold.
        expected: String,
    },
    /// A field of the metadata has a value that cannot be used.
    #[error("{}: the field {field} is {found}; it must be {expected}", path.display())]
    BadField {
        /// The file.
        path: PathBuf,
        /// The field, with the object that holds it.
        field: &'static str,
        /// The value, shortened.
        found: String,
        /// What it should hold.
        expected: String,
    },
    /// The file is, or would become, too large to handle.
    #[error("{}: {bytes} bytes is more than the limit of {limit} bytes {hint}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size in bytes.
        bytes: u64,
        /// The largest size accepted, in bytes.
        limit: u64,
        /// Why there is a limit, and the way around it.
        hint: &'static str,
    },
    /// The name of an output file ends in nothing known.
    #[error(
        "{}: the format follows from the name, which must end in .wav, .npy, .h5 or .hdf5",
        .0.display()
    )]
    UnknownExtension(PathBuf),
    /// The format cannot hold this number of channels.
    #[error("{}: cannot hold {channels} channels; this format takes 1 to {limit}", path.display())]
    Channels {
        /// The file.
        path: PathBuf,
        /// The number asked for.
        channels: usize,
        /// The largest number the format holds.
        limit: usize,
    },
    /// The format cannot hold this sample rate.
    #[error("{}: cannot hold a sample rate of {rate_hz} Hz; {expected}", path.display())]
    SampleRate {
        /// The file.
        path: PathBuf,
        /// The rate asked for, in hertz.
        rate_hz: f64,
        /// The rates it can hold.
        expected: String,
    },
    /// The folder of an output file does not exist.
    #[error("{}: the folder does not exist; create it first", .0.display())]
    NoFolder(PathBuf),
    /// A block handed to a writer does not end with a time sample. A fault of the caller, not of a file.
    #[error(
        "{}: {len} values after time sample {at_sample} are not whole time samples of {per_sample}",
        path.display()
    )]
    PartialSample {
        /// The output file.
        path: PathBuf,
        /// Values (or bytes) in the block.
        len: usize,
        /// Values (or bytes) per time sample.
        per_sample: usize,
        /// Time samples written before this block.
        at_sample: u64,
    },
    /// A ZIP archive that is damaged, or made in a way that is not read.
    #[error("{}: not a readable NPZ archive: {reason} (byte {offset})", path.display())]
    Archive {
        /// The file.
        path: PathBuf,
        /// Where the fault is, in bytes from the start of the file.
        offset: u64,
        /// What is wrong there.
        reason: &'static str,
    },
    /// An archive has no array of this name.
    #[error("{}: no array {name:?}; it holds: {found}", path.display())]
    NoArray {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// The names that are there, the first few.
        found: String,
    },
    /// An array of an archive is damaged or of another type than is needed.
    #[error("{}: the array {name:?} cannot be used: {reason}", path.display())]
    BadArray {
        /// The file.
        path: PathBuf,
        /// The array.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// An array handed to a writer has another number of values than its shape. A fault of the caller.
    #[error("{}: {values} values for the array {name:?} of shape {shape:?}", path.display())]
    Shape {
        /// The output file.
        path: PathBuf,
        /// The array.
        name: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The values given.
        values: usize,
    },
    /// Memory for the file's content could not be had.
    #[error("{}: no memory for {bytes} bytes; write .npy or .wav, which need none", path.display())]
    NoMemory {
        /// The output file.
        path: PathBuf,
        /// The size of the block.
        bytes: u64,
    },
    /// The operating system refused to write.
    #[error("{}: cannot write: {source}; no partial file is left", path.display())]
    Write {
        /// The output file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

/// What is wrong with a file, which it begins with.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct InFile<R: Display> {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: R,
}

impl<R: Display + Debug> Failure for InFile<R> {}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::Write { .. } | Self::NoMemory { .. } | Self::PartialSample { .. } | Self::Shape { .. } => {
                Kind::Run
            }
            _ => Kind::Input,
        }
    }
}

impl Error {
    /// A failed read at byte `offset`; a missing file has a variant of its own.
    pub fn read(path: &Path, offset: u64, source: std::io::Error) -> Self {
        match source.kind() {
            std::io::ErrorKind::NotFound => Self::NotFound(path.into()),
            _ => Self::Read { path: path.into(), offset, source },
        }
    }

    /// A failed write.
    pub fn write(path: &Path, source: std::io::Error) -> Self {
        Self::Write { path: path.into(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_file_the_position_and_the_remedy() {
        let e = Error::Truncated { path: "a.sigmf-data".into(), bytes: 1000, row_bytes: 128, at_sample: 7 };
        let text = e.to_string();
        for part in ["a.sigmf-data", "1000 bytes", "sample 7", "cut it to 896 bytes"] {
            assert!(text.contains(part), "{part:?} is not in {text:?}");
        }
        assert!(e.is_input());
    }

    #[test]
    fn only_failures_of_writing_are_not_the_inputs_fault() {
        let full = || std::io::Error::from(std::io::ErrorKind::StorageFull);
        assert!(!Error::write(Path::new("x.npy"), full()).is_input());
        assert!(Error::read(Path::new("x"), 3, full()).is_input());
        let missing = Error::read(Path::new("x"), 0, std::io::ErrorKind::NotFound.into());
        assert!(matches!(missing, Error::NotFound(..)));
    }
}
