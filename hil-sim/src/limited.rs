//! Files of a limited length.

use std::fs::File;
use std::path::Path;

/// Opens an ordinary file of at most `limit` bytes. (Opening a pipe would wait for ever.)
pub fn open_limited(path: &Path, limit: u64) -> Result<File, String> {
    let found = std::fs::metadata(path).map_err(|e| e.to_string())?;
    if !found.is_file() {
        return Err("not a file".into());
    }
    if found.len() > limit {
        return Err(format!("{} bytes, at most {limit} are read", found.len()));
    }
    File::open(path).map_err(|e| e.to_string())
}
