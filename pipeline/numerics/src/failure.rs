//! What a failure is to blame on; the exit code of a program follows from it.

use std::fmt;

/// What is to blame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The command line, a file or a number that was given.
    Input,
    /// A GPU that could be opened, or its libraries.
    Device,
    /// The computation, the machine or the system.
    Run,
    /// Nothing: the user ended the work.
    Interrupted,
}

/// An error that knows what is to blame.
pub trait Failure: std::error::Error {
    /// What is to blame: the input, unless an error says otherwise.
    fn kind(&self) -> Kind {
        Kind::Input
    }

    /// Whether the input is to blame.
    fn is_input(&self) -> bool {
        self.kind() == Kind::Input
    }
}

impl Failure for std::io::Error {
    fn kind(&self) -> Kind {
        Kind::Run
    }
}

/// A failure as a program reports it. Every error that knows what is to blame becomes one.
#[derive(Debug)]
pub struct Failed {
    /// What is to blame.
    pub kind: Kind,
    message: String,
}

impl Failed {
    /// A failure of this kind.
    pub fn new(kind: Kind, message: impl fmt::Display) -> Self {
        Self { kind, message: message.to_string() }
    }

    /// A failure of the run that nothing else describes.
    pub fn run(message: impl fmt::Display) -> Self {
        Self::new(Kind::Run, message)
    }

    /// A failure of the input.
    pub fn input(message: impl fmt::Display) -> Self {
        Self::new(Kind::Input, message)
    }
}

impl<E: Failure> From<E> for Failed {
    fn from(error: E) -> Self {
        // The messages of our errors hold their causes already.
        Self::new(error.kind(), &error)
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
