//! Names of the two files of a recording.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The two files of the recording that `path` names.
pub fn pair(path: &Path) -> (PathBuf, PathBuf) {
    let is_half = path.extension().is_some_and(|e| e == "sigmf-meta" || e == "sigmf-data");
    let name = if is_half { path.with_extension("") } else { path.to_owned() };
    let with = |suffix: &str| {
        let mut text: OsString = name.clone().into();
        text.push(suffix);
        text.into()
    };
    (with(".sigmf-meta"), with(".sigmf-data"))
}
