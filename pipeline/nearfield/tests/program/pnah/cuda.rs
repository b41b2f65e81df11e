//! The same commands on a card.

use super::bench::*;
use kernels::Device;
use std::io::Write;

/// Relative error (L2 over all fields) of `f32` on the card against `f32` on the CPU: both are within 1e-5 of `f64` here, and a
/// filter that passes growing waves multiplies that by less than 5.
const TOLERANCE: f64 = 1e-4;

/// Whether there is a card, or a line that must be seen.
fn has_card(test: &str) -> bool {
    let found = !Device::all().is_empty();
    if !found {
        let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: no CUDA device");
    }
    found
}

#[test]
fn a_card_gives_what_the_cpu_gives() {
    if !has_card("a_card_gives_what_the_cpu_gives") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 2);
    let name = Device::all()[0].properties().name.clone();
    for options in [
        &["--bins", "6,12"][..],
        &["--method", "nominal", "--filter", "lcurve"],
        &["--bins", "6,12", "--method", "average", "--filter", "50:0.3", "--pad", "zero"],
        &["--bins", "6", "--method", "walsh", "--coefficients", "40", "--filter", "50:0.3", "--pad", "plpbp"],
        &["--bins", "6", "--method", "bits", "--filter", "50:0.3", "--forward"],
        &["--bins", "6,12", "--quantity", "pressure,velocity,intensity", "--refine", "2", "--animate"],
        &["--bins", "6,12", "--precision", "f64"],
    ] {
        let on = |out, device| pnah(folder.path(), out, &[options, &["--device", device]].concat());
        let (cpu, card) = (on("cpu", "cpu"), on("card", "cuda"));
        for (cpu, card) in [(&cpu.measured, &card.measured), (&cpu.source, &card.source)] {
            let error = difference(cpu, card);
            assert!(error < TOLERANCE, "{options:?}: {error:e}");
        }
        assert_eq!(names(&folder.path().join("cpu")), names(&folder.path().join("card")));
        assert_eq!(card.summary["device"], name.as_str());
        assert_eq!(cpu.summary["device"], "cpu");
        for out in ["cpu", "card"] {
            std::fs::remove_dir_all(folder.path().join(out)).unwrap();
        }
    }
}

/// What only the CPU does is refused with the way out, before anything is written.
#[test]
fn a_card_says_what_it_cannot_do() {
    if !has_card("a_card_says_what_it_cannot_do") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let mut arguments = [&COMMON[..], &["--out", "o", "--device", "cuda", "--bins", "1"]].concat();
    let samples = arguments.iter().position(|a| *a == "256").unwrap();
    arguments[samples] = "60";
    let message = refuse(folder.path(), &arguments);
    assert!(message.contains("60 samples") && message.contains("--device cpu"), "{message}");
    assert!(!folder.path().join("o").exists());
}

/// On any machine: there is no such card, or no driver.
#[test]
fn a_card_that_is_not_there_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 1);
    let message = refuse(folder.path(), &[&COMMON[..], &["--device", "cuda:4000000000"]].concat());
    assert!(message.contains("--device cuda:4000000000: "), "{message}");
    assert!(names(folder.path()).iter().all(|name| name.starts_with("rec.")));
}
