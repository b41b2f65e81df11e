//! The exit codes: 0 done, 1 the computation failed, 2 wrong usage or input, 130 interrupted.

use pipeline::numerics::failure::{Failure, Kind};
use std::fmt;
use std::process::ExitCode;

/// What a command gives.
pub type Result<T> = std::result::Result<T, Failed>;

/// A command that failed. Every error that knows what is to blame becomes one.
#[derive(Debug)]
pub struct Failed {
    kind: Kind,
    message: String,
}

impl Failed {
    /// A failure of the run that nothing else describes.
    pub fn run(message: impl fmt::Display) -> Self {
        Self { kind: Kind::Run, message: message.to_string() }
    }

    /// What the shell sees.
    fn code(&self) -> u8 {
        match self.kind {
            Kind::Device | Kind::Run => 1,
            Kind::Input => 2,
            Kind::Interrupted => 130,
        }
    }
}

impl<E: Failure> From<E> for Failed {
    fn from(error: E) -> Self {
        // The messages of this program's errors hold their causes already.
        Self { kind: error.kind(), message: error.to_string() }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The command line asks for something that cannot be.
pub fn usage(message: impl Into<String>) -> Failed {
    Failed { kind: Kind::Input, message: message.into() }
}

/// Prints a failure and gives the code that the shell sees.
pub fn code(outcome: Result<()>) -> ExitCode {
    let Err(failed) = outcome else { return ExitCode::SUCCESS };
    eprintln!("nearfield: {failed}");
    ExitCode::from(failed.code())
}

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

/// Errors that say that the user ended the work.
macro_rules! interrupted {
    ($($name:ident),*) => {
        $(impl Failure for $name {
            fn kind(&self) -> Kind {
                Kind::Interrupted
            }
        })*
    };
}

interrupted!(Interrupted, Stopped, Kept, Partial, Halted);

#[cfg(test)]
mod tests {
    use super::*;
    use kernels::Error as Device;
    use pipeline::holography::camera::{self, CameraError};
    use pipeline::signal::array;
    use pipeline::signal::decimate::DecimateError;
    use pipeline::signal::filter_design::DesignError;
    use pipeline::signal::front_end::FrontEndError;
    use pipeline::{dgtd, files, holography as pnah, live, mesh, mom, nufft, plot, reflectarray, sbr};

    fn number(error: impl Into<Failed>) -> u8 {
        error.into().code()
    }

    #[test]
    fn every_kind_of_failure_has_its_code() {
        assert_eq!(number(Interrupted), 130);
        assert_eq!(number(Stopped), 130);
        assert_eq!(number(Kept("a".into())), 130);
        assert_eq!(number(Partial { done: 1, total: 2, file: "a".into() }), 130);
        assert_eq!(number(Halted { done: 1, steps: 2, file: "a".into() }), 130);
        assert_eq!(number(dgtd::Error::Empty), 2);
        let unstable =
            dgtd::Error::Unstable { step: 1, element: 2, position: [0.0; 3], reason: "growth".into() };
        assert_eq!(number(unstable), 1);
        assert_eq!(number(live::Error::Panicked("compute")), 1);
        let refusal = live::plan::Refusal::Ring { ring: 1, span: 32, hop: 64, needed: 4 };
        assert_eq!(number(live::Error::Refused(refusal)), 2);
        assert_eq!(number(usage("no")), 2);
        assert_eq!(number(files::Error::NotFound("a".into())), 2);
        let full = files::Error::Write { path: "a".into(), source: std::io::ErrorKind::StorageFull.into() };
        assert_eq!(number(full), 1);
        assert_eq!(number(Failed::run("other")), 1);
        assert_eq!(number(CameraError::Pnah(pnah::Error::NoFrequency)), 2);
    }

    #[test]
    fn a_device_that_fails_is_no_fault_of_the_input() {
        let card = || Device::NoDriver;
        let [device, input] = [1, 2];
        assert_eq!(number(card()), device);
        assert_eq!(number(nufft::Error::Card(card())), device);
        assert_eq!(number(nufft::Error::Axes(4)), input);
        assert_eq!(number(pnah::Error::Card(card())), device);
        assert_eq!(number(pnah::Error::Nufft(nufft::Error::Card(card()))), device);
        assert_eq!(number(pnah::Error::NoFrequency), input);
        assert_eq!(number(CameraError::Pnah(card().into())), device);
        assert_eq!(number(CameraError::FrontEnd(card().into())), device);
        assert_eq!(number(CameraError::Channels { array: 1, stream: 2 }), input);
        assert_eq!(number(camera::cuda::Error::Kernels(card())), device);
        assert_eq!(number(camera::cuda::Error::Shape), input);
        assert_eq!(number(reflectarray::Error::Card(card())), device);
        assert_eq!(number(reflectarray::Error::Nufft(nufft::Error::Card(card()))), device);
        assert_eq!(number(reflectarray::Error::NoCoverage), input);
        assert_eq!(number(reflectarray::case::Error::Model(card().into())), device);
        assert_eq!(number(sbr::Error::Card(card())), device);
        assert_eq!(number(sbr::Error::NoObservation), input);
        assert_eq!(number(dgtd::Error::Card(card())), device);
        assert_eq!(number(dgtd::case::Error::Problem(card().into())), device);
        assert_eq!(number(dgtd::Error::Empty), input);
        assert_eq!(number(mom::Error::Card(card())), device);
        assert_eq!(number(mom::Error::Empty), input);
        assert_eq!(number(FrontEndError::Kernels(card())), device);
        assert_eq!(number(FrontEndError::NoBins), input);
        assert_eq!(number(DecimateError::Card(card())), device);
        assert_eq!(number(DecimateError::NotDefault), input);
        let range = DesignError::Range { name: "a", value: 1.0, must: "b".into() };
        assert_eq!(number(range), input);
        assert_eq!(number(array::Error::NotText(1)), input);
        assert_eq!(number(mesh::Error::Empty), input);
        assert_eq!(number(plot::Error::Draw("a".into())), 1);
    }
}
