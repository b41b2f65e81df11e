//! The names in a ZIP archive and the bytes of one entry.
//!
//! The crate `zip` reads the format and unpacks; this module bounds the memory, compares the sizes, and says
//! in terms of arrays what is wrong. The crate compares the checksum when an entry has been read to its end.

use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};
use zip::result::ZipError;

use crate::Error;

/// Names that an error shows.
const MOST_NAMES: usize = 16;

/// An archive whose directory has been read.
pub(super) struct Archive<'a, R> {
    zip: ZipArchive<R>,
    /// Size of the file.
    bytes: u64,
    path: &'a Path,
}

impl<'a, R: Read + Seek> Archive<'a, R> {
    /// Reads the directory.
    pub fn open(mut file: R, path: &'a Path) -> Result<Self, Error> {
        let bytes = file.seek(SeekFrom::End(0)).map_err(|source| Error::read(path, 0, source))?;
        // Offsets count from the start of the file: the archive is not searched for behind other data.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let lost = "no whole ZIP directory at its end; it may have been cut short";
        let zip = ZipArchive::with_config(config, file).map_err(|error| fault(path, bytes, lost, error))?;
        Ok(Self { zip, bytes, path })
    }

    /// Names of the arrays, without the ending `.npy`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.zip.file_names().map(|name| name.strip_suffix(".npy").unwrap_or(name))
    }

    /// The NPY file of an array of at most `limit` bytes, unpacked and checked.
    pub fn entry(mut self, name: &str, limit: u64) -> Result<Vec<u8>, Error> {
        let Some(at) = self.names().position(|found| found == name) else {
            return Err(self.no_array(name));
        };
        let (path, directory) = (self.path, self.zip.central_directory_start());
        let lost = "no array where the directory has one";
        let entry = self.zip.by_index(at).map_err(|error| fault(path, directory, lost, error))?;
        let (offset, size) = (entry.header_start(), entry.size());
        if size > limit {
            let hint = "for one array: it would not fit the memory";
            return Err(Error::TooLarge { path: path.into(), bytes: size, limit, hint });
        }
        // The size is a claim: trusted with memory up to the size of the file, beyond that as bytes come. One
        // byte more than claimed shows a lie; without one, the read reaches the end and so the checksum.
        let mut bytes = Vec::with_capacity(size.min(self.bytes) as usize);
        let read = entry.take(size + 1).read_to_end(&mut bytes);
        read.map_err(|source| fault(path, offset, lost, source.into()))?;
        if bytes.len() as u64 != size {
            let reason = "an array has another size than the directory says";
            return Err(Error::Archive { path: path.into(), offset, reason });
        }
        Ok(bytes)
    }

    fn no_array(&self, name: &str) -> Error {
        let mut found: Vec<&str> = self.names().take(MOST_NAMES).collect();
        if self.zip.len() > MOST_NAMES {
            found.push("...");
        }
        Error::NoArray { path: self.path.into(), name: name.into(), found: found.join(", ") }
    }
}

/// An error of the crate as one of ours: `lost` if the structure is not there, and a failure of the disk apart
/// from one of the archive.
fn fault(path: &Path, offset: u64, lost: &'static str, error: ZipError) -> Error {
    let reason = match error {
        ZipError::Io(source) => match source.kind() {
            ErrorKind::UnexpectedEof => "it ends too early; it may have been cut short",
            ErrorKind::InvalidData => "an array's checksum is wrong; copy the file again",
            ErrorKind::InvalidInput => "damaged bytes; copy the file again",
            _ => return Error::read(path, offset, source),
        },
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            "the array is encrypted"
        }
        ZipError::UnsupportedArchive(_) => "a compression other than deflate",
        _ => lost,
    };
    Error::Archive { path: path.into(), offset, reason }
}
