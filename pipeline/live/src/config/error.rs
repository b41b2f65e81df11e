//! Why a configuration is refused.

use numerics::failure::Failure;

/// What is wrong with an instrument.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file, its text, or a value.
    #[error(transparent)]
    Case(#[from] files::case::Error),
    /// The array's files.
    #[error("[array] {0}")]
    Array(#[from] signal::array::Error),
    /// The geometry of the holograms.
    #[error("[hologram] {0}")]
    Pnah(#[from] holography::Error),
    /// The recording that is the source.
    #[error("[source] {0}")]
    Recording(#[from] files::Error),
    /// The scene that is the source.
    #[error("[source] {0}")]
    Scene(#[from] hil_sim::Error),
    /// The page's token.
    #[error("[viewer] token: {0}")]
    Token(#[from] viewer::Error),
}

impl Failure for Error {}

impl Error {
    /// The error of one field.
    pub(super) fn value(field: &str, found: impl ToString, expected: impl Into<String>) -> Self {
        files::case::Error::value(field, found, expected).into()
    }
}
