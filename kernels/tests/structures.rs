//! The parser of shared structures refuses what it would get wrong.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "the build script's own modules")]

#[path = "../build/numbers.rs"]
mod numbers;
#[path = "../build/structures.rs"]
mod structures;

use structures::{Header, Known};

const GOOD: &str = "#pragma once
// Sizes of the work.
struct Work {
    u32 count, rest;  // how many
    double places[N][2]; // where
};
constexpr u32 M = N + 1; // one more
";

/// Rust and checks of a header behind one that defines N = 3.
fn generated(text: &str) -> Result<(String, String), String> {
    let mut known = Known::default();
    Header::parse("abi/first.h", "#define N 3 // how many there are", &mut known)?;
    let header = Header::parse("abi/work.h", text, &mut known)?;
    Ok((header.rust("work", &known), header.checks(&known)))
}

#[test]
fn a_structure_has_its_fields_places_and_words() {
    let (rust, checks) = generated(GOOD).unwrap();
    for part in [
        "/// Sizes of the work.\n#[derive(Debug, Clone, Copy, PartialEq, Default)]\n#[repr(C)]\npub struct Work {",
        "/// How many.\n    pub count: u32,",
        "/// Where.\n    pub places: [[f64; 2]; 3],",
        "size_of::<Work>() == 56",
        "offset_of!(Work, places) == 8",
        "pub const M: usize = 4;",
    ] {
        assert!(rust.contains(part), "{part}\n{rust}");
    }
    assert!(checks.contains("NEARFIELD_SIZE(Work, 56);\nNEARFIELD_FIELD(Work, count, 0);"), "{checks}");
}

#[test]
fn planted_errors_are_refused_with_their_line() {
    for (from, to, line, what) in [
        ("count, rest", "count", 5, "a gap before `places`"),
        ("u32 count", "long count", 4, "unknown type `long`"),
        ("[N]", "[O]", 5, "unknown length `O`"),
        ("[N]", "[N", 5, "bracket"),
        ("[2]; // where", "[2], end; //", 5, "no words"),
        ("rest;", "rest,", 4, "not a field"),
        ("count,", "type,", 4, "no name"),
        ("// Sizes of the work.", "", 6, "no words"),
        (
            "rest;  // how many\n    double places[N][2]; // where",
            "rest; // n\n    double x; // x\n    u32 y; // y",
            7,
            "gap at its end",
        ),
        ("constexpr u32", "constexpr int", 7, "not understood"),
        ("N + 1; // one more", "N + 1;", 7, "no words"),
        ("#pragma once", "};", 1, "closes nothing"),
    ] {
        assert!(GOOD.contains(from), "{from}");
        let problem = generated(&GOOD.replacen(from, to, 1)).unwrap_err();
        assert!(problem.starts_with(&format!("cuda/abi/work.h:{line}: ")), "{from} -> {to}: {problem}");
        assert!(problem.contains(what), "{from} -> {to}: {problem}");
    }
}
