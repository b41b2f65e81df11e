//! Errors of the command line, and the exit code that follows from them.

use std::process::ExitCode;

/// The command line asks for something that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(String);

/// The user pressed Ctrl-C; the report has been printed.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// A usage error with this message.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// The code that the shell sees: 0 done, 1 failed, 2 wrong usage or input, 130 interrupted.
pub fn exit(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    if error.is::<Interrupted>() {
        return ExitCode::from(130);
    }
    eprintln!("hil-sim: {error}");
    ExitCode::from(if error.is::<Usage>() || error.is::<hil_sim::Error>() { 2 } else { 1 })
}
