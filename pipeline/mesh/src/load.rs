//! The bytes of a file.

use crate::Error;
use std::path::Path;

/// The bytes of an ordinary file.
pub fn load(path: &Path) -> Result<Vec<u8>, Error> {
    let failed = |source: std::io::Error| Error::Read { path: path.into(), reason: source.to_string() };
    // A pipe would block in open().
    if !path.metadata().map_err(failed)?.is_file() {
        return Err(Error::Read { path: path.into(), reason: "not an ordinary file".into() });
    }
    std::fs::read(path).map_err(failed)
}
