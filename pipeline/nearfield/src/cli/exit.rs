//! The exit codes: 0 done, 1 the computation failed, 2 wrong usage or input, 130 interrupted.

pub use pipeline::numerics::failure::Failed;
use pipeline::numerics::failure::Kind;
use std::process::ExitCode;

/// What a command gives.
pub type Result<T, E = Failed> = std::result::Result<T, E>;

/// The command line asks for something that cannot be.
pub fn usage(message: impl AsRef<str>) -> Failed {
    Failed::input(message.as_ref())
}

/// Ends a function: the command line asks for something that cannot be.
macro_rules! refuse {
    ($($message:tt)*) => {
        return Err($crate::cli::exit::usage(format!($($message)*)))
    };
}
pub(crate) use refuse;

/// The user pressed Ctrl-C or the program was asked to end; what becomes of the work.
pub fn interrupted(what: impl AsRef<str>) -> Failed {
    Failed::new(Kind::Interrupted, format_args!("interrupted{}", what.as_ref()))
}

/// The same, and nothing is left of the work.
pub fn abandoned() -> Failed {
    interrupted("; unfinished files were removed")
}

fn number(failed: &Failed) -> u8 {
    match failed.kind {
        Kind::Device | Kind::Run => 1,
        Kind::Input => 2,
        Kind::Interrupted => 130,
    }
}

/// Prints a failure and gives the code that the shell sees.
pub fn code(outcome: Result<()>) -> ExitCode {
    let Err(failed) = outcome else { return ExitCode::SUCCESS };
    eprintln!("nearfield: {failed}");
    ExitCode::from(number(&failed))
}

#[cfg(test)]
mod tests {
    use super::super::live::card_refused;
    use super::*;
    use kernels::Error as Device;
    use pipeline::holography::camera::{self, CameraError};
    use pipeline::signal::array;
    use pipeline::signal::decimate::DecimateError;
    use pipeline::signal::filter_design::DesignError;
    use pipeline::signal::front_end::FrontEndError;
    use pipeline::{dgtd, files, holography as pnah, live, mesh, mom, nufft, plot, reflectarray, sbr};

    fn number(error: impl Into<Failed>) -> u8 {
        super::number(&error.into())
    }

    #[test]
    fn every_kind_of_failure_has_its_code() {
        assert_eq!(number(abandoned()), 130);
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
        let camera = |error: camera::cuda::Error| live::card::Error::Camera(error.into());
        assert_eq!(number(camera(card().into())), device);
        assert_eq!(number(camera(camera::cuda::Error::Shape)), input);
        assert_eq!(
            number(live::card::Error::Rehearsal(live::engine::CardError::Camera(card().into()))),
            device
        );
        assert_eq!(number(live::card::Error::Microphones), input);
        assert_eq!(number(card_refused(camera(card().into()))), device);
        assert_eq!(number(card_refused(camera(camera::cuda::Error::Shape))), input);
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
