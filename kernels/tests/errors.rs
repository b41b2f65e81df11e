//! What a machine without a card, a driver or NVRTC is told; nothing panics.

use kernels::{Device, Error, compile, device};
use std::io::Write;

/// The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
fn skipped(test: &str, why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
}

#[test]
fn the_card_behind_the_last_is_an_error() {
    match device::count() {
        Ok(count) => {
            for ordinal in [count, usize::MAX] {
                assert_eq!(Device::open(ordinal).unwrap_err(), Error::NoDevice { ordinal, count });
            }
        }
        Err(error) => {
            assert_eq!(Device::open(0).unwrap_err(), error);
            assert!(Device::all().is_empty());
        }
    }
}

#[test]
fn without_a_driver_the_error_says_what_to_do() {
    match device::driver_version() {
        Err(error) => {
            assert!(matches!(error, Error::NoDriver | Error::DriverTooOld { .. }), "{error:?}");
            let text = error.to_string();
            assert!(text.contains("driver") && text.ends_with("or use --device cpu"), "{text}");
        }
        Ok(version) => {
            skipped(
                "without_a_driver_the_error_says_what_to_do",
                &format!("there is a driver for CUDA {version}"),
            );
        }
    }
}

#[test]
fn without_nvrtc_the_error_says_where_to_get_it() {
    match compile::version() {
        Err(error) => {
            assert_eq!(error, Error::NoNvrtc);
            let program = kernels::Program { name: "none", source: "", kernels: &[], samples: &[] };
            assert_eq!(compile::compile(&program, "sm_90", &[]).unwrap_err(), error);
            assert!(error.to_string().contains("LD_LIBRARY_PATH"), "{error}");
        }
        Ok(version) => {
            skipped("without_nvrtc_the_error_says_where_to_get_it", &format!("there is NVRTC {version}"));
        }
    }
}
