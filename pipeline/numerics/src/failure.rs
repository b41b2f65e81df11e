//! What a failure is to blame on; the exit code of a program follows from it.

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
