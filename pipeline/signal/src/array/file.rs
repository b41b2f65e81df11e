//! Text files of bounded size.

use std::io::Read;
use std::path::Path;

use serde::de::DeserializeOwned;

use super::Error;

/// Largest file: 65536 microphones of 256 characters.
const MAX_BYTES: u64 = 16 << 20;

/// The ending of a name in lower case, empty if there is none.
pub(super) fn extension(path: &Path) -> String {
    path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase()
}

/// The whole text, without a byte order mark.
pub(super) fn read(path: &Path) -> Result<String, Error> {
    let mut bytes = Vec::new();
    // The limit holds for pipes and growing files too.
    std::fs::File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Error::TooLarge { bytes: bytes.len() as u64, limit: MAX_BYTES });
    }
    let text = String::from_utf8(bytes).map_err(|e| Error::NotText(e.utf8_error().valid_up_to()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// TOML to a structure; an error has the line and column.
pub(super) fn from_toml<D: DeserializeOwned>(text: &str) -> Result<D, Error> {
    files::case::tables(text).map_err(|wrong| Error::syntax(text, wrong.span().start, &wrong.to_string()))
}
