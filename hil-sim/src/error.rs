//! The error of every part of the bench.

use numerics::failure::Failure;
use std::path::PathBuf;

use dsp_core::frame::FrameError;
use dsp_core::pdm::LayoutError;

/// Why a bench cannot be set up. The messages say what would be accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No built-in scene has this name.
    #[error("no scene is called {name:?}; there are {known}")]
    UnknownScene {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// A line's frequency is not a positive number below the limit.
    #[error(
        "line {line}: frequency {frequency_hz} Hz; it must be above 0 and at most {limit_hz} Hz (bit rate / 32)"
    )]
    Frequency {
        /// Place of the line in the scene.
        line: usize,
        /// Its frequency in hertz.
        frequency_hz: f64,
        /// The largest frequency that the modulators follow, in hertz.
        limit_hz: f64,
    },
    /// A number of a source, of the array or of the simulator is out of range.
    #[error("{name} = {value}; {expected}")]
    Setting {
        /// What it is.
        name: &'static str,
        /// Its value.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A microphone would hear more than its modulator can follow.
    #[error(
        "microphone {index} would peak at {peak_fs:.3} of full scale, more than {limit_fs}: \
         multiply the scene's level by {:.3} or less, or raise the SNR",
        limit_fs / peak_fs
    )]
    Overload {
        /// Grid index of the microphone.
        index: usize,
        /// Its expected peak as a fraction of full scale.
        peak_fs: f64,
        /// The largest peak accepted.
        limit_fs: f64,
    },
    /// An item of a list on the bench is wrong.
    #[error("{list} {index}: {source}")]
    Item {
        /// The list.
        list: &'static str,
        /// Place in the list.
        index: usize,
        /// What is wrong.
        #[source]
        source: Box<Error>,
    },
    /// The grid of microphones cannot be.
    #[error("array: {0}")]
    Layout(LayoutError),
    /// A fault does not say what it must; this is to be written.
    #[error("{0}")]
    FaultTable(&'static str),
    /// A file cannot be used.
    #[error("{}: {message}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why, and what to do.
        message: String,
    },
    /// A recording or an array cannot be read or written.
    #[error("{0}")]
    Files(String),
    /// A scene file is wrong at a line.
    #[error("{}, line {line}: {message}", path.display())]
    SceneFile {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Why, and what to do.
        message: String,
    },
    /// The frame format cannot carry this array or this frame length.
    #[error("cannot be sent in frames of this size: {0}")]
    Frame(#[from] FrameError),
    /// A board cannot be run, or does not do what it should.
    #[error("board {board}: {message}")]
    Board {
        /// The board.
        board: &'static str,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The frame format counts channels in 16 bits.
    #[error("{0} channels; a frame carries at most 65535")]
    TooManyChannels(u32),
}

impl Failure for Error {}

impl From<files::Error> for Error {
    fn from(error: files::Error) -> Self {
        Self::Files(error.to_string())
    }
}

impl Error {
    /// This error in item `index` of a list.
    pub(crate) fn of(self, list: &'static str, index: usize) -> Self {
        Self::Item { list, index, source: Box::new(self) }
    }

    /// Refuses a setting unless it is `accepted`.
    pub(crate) fn unless(
        accepted: bool,
        name: &'static str,
        value: f64,
        expected: &'static str,
    ) -> Result<(), Self> {
        if accepted { Ok(()) } else { Err(Self::Setting { name, value, expected }) }
    }
}
