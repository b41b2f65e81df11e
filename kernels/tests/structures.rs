//! The parsers of shared structures and of kernels' prototypes refuse what they would get wrong.

#![allow(dead_code, missing_docs, unreachable_pub, reason = "the build script's own modules")]

#[path = "../build/numbers.rs"]
mod numbers;
#[path = "../build/kernels.rs"]
mod prototypes;
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

/// A source with a kernel that takes everything there is.
const SOURCE: &str = "#include \"abi/work.h\"

inline void helper(u32 n) {}

extern \"C\" __global__ /* hot */ void __cluster_dims__(8, 1, 1) __launch_bounds__(N, N < 9 ? 2 : 1)
    scale(const double2* __restrict__ from, const Work* works, pair* to, u32 count, const __grid_constant__ Work s) {
}
";

fn calls(source: &str) -> Result<String, String> {
    let mut known = Known::default();
    Header::parse("abi/first.h", "#define N 3 // how many there are", &mut known)?;
    Header::parse("abi/work.h", GOOD, &mut known)?;
    Ok(prototypes::parse("toy.cu", source, &known)?.iter().map(|kernel| kernel.rust("toy")).collect())
}

#[test]
fn a_call_has_the_parameters_of_its_prototype() {
    let rust = calls(SOURCE).unwrap();
    for part in [
        "pub const SCALE: Signature = Signature { module: \"toy\", name: \"scale\", hot: true, capability: 90,",
        "Parameter::Input(\"from\"), Parameter::Input(\"works\"), Parameter::Output(\"to\"), ",
        "Parameter::Value(\"count\", size_of::<u32>()), Parameter::Value(\"s\", size_of::<crate::abi::work::Work>())",
        "pub fn scale<T: Plain<Unit = T>>(from: impl Reads<f64>, works: impl Reads<crate::abi::work::Work>, ",
        "to: impl Writes<T>, count: u32, s: &crate::abi::work::Work, ) -> Call",
        "Call::of(&SCALE).pointer(from.pointer()).pointer(works.pointer()).pointer(to.pointer()).value(&count).value(s)",
    ] {
        assert!(rust.contains(part), "{part}\n{rust}");
    }
    let plain = SOURCE.replace("/* hot */ void __cluster_dims__(8, 1, 1)", "void").replace("pair*", "u8*");
    let rust = calls(&plain).unwrap();
    assert!(rust.contains("hot: false, capability: 80") && rust.contains("pub fn scale(from"), "{rust}");
}

#[test]
fn planted_errors_of_prototypes_are_refused_with_their_line() {
    for (from, to, what) in [
        ("const Work* works", "const Works* works", "unknown type `Works*`"),
        ("u32 count", "long count", "unknown type `long`"),
        ("u32 count", "u32", "`u32` is no parameter"),
        ("u32 count", "u32 type", "`type` is no name of a parameter"),
        ("u32 count", "u32 counts[3]", "no name of a parameter"),
        ("scale(", "1(", "no name of a kernel"),
        ("Work s) {", "Work s;", "not a prototype"),
    ] {
        assert!(SOURCE.contains(from), "{from}");
        let problem = calls(&SOURCE.replacen(from, to, 1)).unwrap_err();
        assert!(problem.starts_with("cuda/toy.cu:5: ") && problem.contains(what), "{from}: {problem}");
    }
}
