//! The exit codes: 0 done, 1 the computation failed, 2 wrong usage or input, 130 interrupted.

use pipeline::holography::camera::CameraError;
use pipeline::signal::decimate::DecimateError;
use pipeline::signal::filter_design::DesignError;
use pipeline::signal::front_end::FrontEndError;
use pipeline::{dgtd, holography as pnah, mom, nufft, reflectarray, sbr};
use pipeline::{live, signal::array};
use std::process::ExitCode;

/// The user pressed Ctrl-C or the program was asked to end.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; unfinished files were removed")]
pub struct Interrupted;

/// Ctrl-C came before the source had ended.
#[derive(Debug, thiserror::Error)]
#[error("interrupted before the end of the source; recordings are closed")]
pub struct Stopped;

/// Ctrl-C came before a design was finished.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; the best design so far is in {0}, and --resume goes on from it")]
pub struct Kept(pub String);

/// Ctrl-C came before all directions were finished.
#[derive(Debug, thiserror::Error)]
#[error("interrupted; {done} of {total} directions were finished and are in {file}, the others are lost")]
pub struct Partial {
    /// Directions finished.
    pub done: usize,
    /// All of them.
    pub total: usize,
    /// Where they are.
    pub file: String,
}

/// Ctrl-C came before the last step.
#[derive(Debug, thiserror::Error)]
#[error("interrupted after {done} of {steps} steps; what was recorded is in {file}")]
pub struct Halted {
    /// Steps done.
    pub done: u64,
    /// All of them.
    pub steps: u64,
    /// Where the record is.
    pub file: String,
}

/// The command line asks for something that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(String);

/// A usage error with this message.
pub fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// Prints a failure and gives the code that the shell sees.
pub fn code(outcome: anyhow::Result<()>) -> ExitCode {
    let Err(error) = outcome else { return ExitCode::SUCCESS };
    // The messages of this program's errors hold their causes already.
    eprintln!("nearfield: {error}");
    ExitCode::from(number(&error))
}

fn number(error: &anyhow::Error) -> u8 {
    let stopped =
        error.is::<Stopped>() || error.is::<Kept>() || error.is::<Partial>() || error.is::<Halted>();
    if stopped || error.is::<Interrupted>() {
        return 130;
    }
    if is_of_card(error) {
        return 1;
    }
    let wrong_input = error.is::<Usage>()
        || error.is::<DesignError>()
        || error.is::<DecimateError>()
        || error.is::<hil_sim::Error>()
        || error.is::<CameraError>()
        || error.is::<FrontEndError>()
        || error.is::<nufft::Error>()
        || error.is::<pnah::Error>()
        || error.is::<reflectarray::Error>()
        || error.is::<reflectarray::case::Error>()
        || error.downcast_ref().is_some_and(dgtd::Error::is_input)
        || error.is::<dgtd::case::Error>()
        || error.downcast_ref().is_some_and(mom::Error::is_input)
        || error.is::<dgtd::checkpoint::Error>()
        || error.is::<sbr::Error>()
        || error.is::<sbr::material_file::Error>()
        || error.is::<pipeline::mesh::Error>()
        || error.is::<array::Error>()
        || error.is::<live::config::Error>()
        || error.downcast_ref().is_some_and(live::Error::is_input)
        || error.downcast_ref::<pipeline::files::Error>().is_some_and(pipeline::files::Error::is_input);
    if wrong_input { 2 } else { 1 }
}

/// Whether a card failed that could be opened: no fault of the command line.
fn is_of_card(error: &anyhow::Error) -> bool {
    let front_end = |error: &FrontEndError| matches!(error, FrontEndError::Kernels(_));
    let pnah = |error: &pnah::Error| matches!(error, pnah::Error::Card(_));
    error.downcast_ref().is_some_and(front_end)
        || error.downcast_ref().is_some_and(pnah)
        || error.downcast_ref().is_some_and(CameraError::is_of_card)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_failure_has_its_code() {
        assert_eq!(number(&Interrupted.into()), 130);
        assert_eq!(number(&Stopped.into()), 130);
        assert_eq!(number(&Kept("a".into()).into()), 130);
        assert_eq!(number(&Partial { done: 1, total: 2, file: "a".into() }.into()), 130);
        assert_eq!(number(&Halted { done: 1, steps: 2, file: "a".into() }.into()), 130);
        assert_eq!(number(&dgtd::Error::Empty.into()), 2);
        let unstable =
            dgtd::Error::Unstable { step: 1, element: 2, position: [0.0; 3], reason: "growth".into() };
        assert_eq!(number(&unstable.into()), 1);
        assert_eq!(number(&live::Error::Panicked("compute").into()), 1);
        let refusal = live::plan::Refusal::Ring { ring: 1, span: 32, hop: 64, needed: 4 };
        assert_eq!(number(&live::Error::Refused(refusal).into()), 2);
        assert_eq!(number(&usage("no")), 2);
        assert_eq!(number(&pipeline::files::Error::NotFound { path: "a".into() }.into()), 2);
        let full = pipeline::files::Error::Write {
            path: "a".into(),
            source: std::io::ErrorKind::StorageFull.into(),
        };
        assert_eq!(number(&full.into()), 1);
        assert_eq!(number(&anyhow::anyhow!("other")), 1);
        assert_eq!(number(&CameraError::Pnah(pnah::Error::NoFrequency).into()), 2);
        let card = kernels::Error::NoDriver;
        assert_eq!(number(&CameraError::Pnah(card.clone().into()).into()), 1);
        assert_eq!(number(&CameraError::FrontEnd(card.clone().into()).into()), 1);
        assert_eq!(number(&pnah::Error::Card(card).into()), 1);
    }
}
