//! Files of a limited length.

use std::fs::File;
use std::path::Path;

use crate::Error;

/// Opens an ordinary file of at most `limit` bytes. (Opening a pipe would wait for ever.)
pub fn open_limited(path: &Path, limit: u64) -> Result<File, Error> {
    let bad = |message: String| Error::File { path: path.into(), message };
    let found = std::fs::metadata(path).map_err(|e| bad(e.to_string()))?;
    if !found.is_file() {
        return Err(bad("not a file".into()));
    }
    if found.len() > limit {
        return Err(bad(format!("{} bytes, at most {limit} are read", found.len())));
    }
    File::open(path).map_err(|e| bad(e.to_string()))
}
