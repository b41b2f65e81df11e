//! Every kernel compiles for every architecture, with the parameters that Rust believes, and hot ones spill nothing.
//!
//! No card is needed, only NVRTC: `cargo xtask kernels` gets it and runs this. Elsewhere the tests that need it are
//! skipped in the open, unless `NEARFIELD_REQUIRE_NVRTC=1` makes that a failure.

mod check;
mod ptx;
mod table;
mod usage;

use kernels::compile::{self, compile};
use kernels::program::{Define, Parameter, Program, Signature};
use kernels::{Error, PROGRAMS};
use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;
use table::Row;

/// Compute capabilities, times ten: Ampere, Hopper, and the two of Blackwell.
const CAPABILITIES: [u32; 4] = [80, 90, 100, 120];

/// Whether the compiler is here; if not, says so, or fails where it is required.
fn has_nvrtc(test: &str) -> bool {
    let Err(error) = compile::version() else { return true };
    assert!(std::env::var_os("NEARFIELD_REQUIRE_NVRTC").is_none_or(|value| value != "1"), "{test}: {error}");
    // The test harness keeps `eprintln!` to itself when a test passes; this must be seen.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {error}");
    false
}

/// One call of the compiler.
struct Job {
    program: &'static Program,
    defines: &'static [Define],
    capability: u32,
}

/// What came of it.
struct Report {
    rows: Vec<Row>,
    warnings: BTreeSet<String>,
    complaints: Vec<String>,
}

fn jobs(programs: &[&'static Program]) -> Vec<Job> {
    let uses =
        programs.iter().flat_map(|program| program.samples.iter().map(move |defines| (*program, *defines)));
    let job = |program, defines, capability| Job { program, defines, capability };
    uses.flat_map(|(p, d)| CAPABILITIES.map(|capability| job(p, d, capability))).collect()
}

impl Job {
    fn run(&self) -> Report {
        let Self { program, defines, capability } = *self;
        let arch = format!("sm_{capability}");
        let place = format!("module {}, {arch}, {}", program.name, table::defines(defines));
        let compiled = match compile(program, &arch, defines) {
            Ok(compiled) => compiled,
            Err(error) => {
                let complaints = vec![format!("{place}:\n{error}")];
                return Report { rows: vec![], warnings: BTreeSet::new(), complaints };
            }
        };
        let (usages, complaints) = check::check(program, capability, &compiled);
        let warnings = usage::warnings(&compiled.log).map(|warning| format!("{}: {warning}", program.name));
        Report {
            rows: usages
                .into_iter()
                .map(|usage| Row { program, defines, arch: arch.clone(), usage })
                .collect(),
            warnings: warnings.collect(),
            complaints: complaints.into_iter().map(|complaint| format!("{place}: {complaint}")).collect(),
        }
    }
}

/// Runs the jobs on all processors; reports come in the order of the jobs.
fn run(jobs: &[Job]) -> Vec<Report> {
    let (next, done) = (Mutex::new(0..jobs.len()), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let take = || next.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(index) = take() {
                    let report = jobs[index].run();
                    done.lock().unwrap().push((index, report));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, report)| report).collect()
}

#[test]
fn every_kernel_is_what_rust_believes_and_hot_ones_spill_nothing() {
    if !has_nvrtc("every_kernel_is_what_rust_believes_and_hot_ones_spill_nothing") {
        return;
    }
    let jobs = jobs(PROGRAMS);
    let reports = run(&jobs);
    println!("NVRTC {}, {} compilations", compile::version().unwrap(), jobs.len());
    let rows: Vec<&Row> = reports.iter().flat_map(|report| &report.rows).collect();
    print!("{}", table::table(&rows));
    let warnings: BTreeSet<_> = reports.iter().flat_map(|report| &report.warnings).collect();
    warnings.iter().for_each(|warning| println!("{warning}"));
    let mut complaints: Vec<String> = reports.iter().flat_map(|report| report.complaints.clone()).collect();
    for (program, signature) in PROGRAMS.iter().flat_map(|p| p.kernels.iter().map(move |k| (p, k))) {
        if !rows.iter().any(|row| row.program.name == program.name && row.usage.kernel == signature.name) {
            complaints.push(format!("module {}, kernel {}: never compiled", program.name, signature.name));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// A kernel that needs more registers than there are where it is told to, and one that only sm_90 and later have.
const TOY: Program = Program {
    name: "toy",
    source: r#"
#include "abi/layout.h"
struct Plan { float scale; u32 count; double offset; };
NEARFIELD_SIZE(Plan, PLAN_SIZE);
NEARFIELD_FIELD(Plan, offset, 8);

extern "C" __global__ __launch_bounds__(1024) void fold(const float* input, float* output, Plan plan, u8 flag) {
    __shared__ float first[32];
    float values[LENGTH];
    #pragma unroll
    for (int k = 0; k < LENGTH; k++) values[k] = input[k * plan.count + threadIdx.x];
    if (threadIdx.x < 32) first[threadIdx.x] = values[0];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < LENGTH; k++) {
        output[k * plan.count + threadIdx.x] = values[LENGTH - 1 - k] * plan.scale + first[k % 32] + flag;
    }
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void later(u64* output) { *output = 1; }
#endif
"#,
    kernels: &[
        &Signature {
            module: "toy",
            name: "fold",
            hot: true,
            capability: 80,
            parameters: &[
                Parameter::Input("input"),
                Parameter::Output("output"),
                Parameter::Value("plan", 16),
                Parameter::Value("flag", 1),
            ],
        },
        &Signature {
            module: "toy",
            name: "later",
            hot: false,
            capability: 90,
            parameters: &[Parameter::Output("output")],
        },
    ],
    samples: &[&[("LENGTH", 4), ("PLAN_SIZE", 16)], &[("LENGTH", 128), ("PLAN_SIZE", 16)]],
};

#[test]
fn a_small_program_passes_and_a_hot_kernel_that_spills_does_not() {
    if !has_nvrtc("a_small_program_passes_and_a_hot_kernel_that_spills_does_not") {
        return;
    }
    let reports = run(&jobs(&[&TOY]));
    let rows: Vec<&Row> = reports.iter().flat_map(|report| &report.rows).collect();
    assert_eq!(rows.len(), 2 * (1 + 2 + 2 + 2), "\n{}", table::table(&rows));
    for (report, capability) in reports[..4].iter().zip(CAPABILITIES) {
        assert_eq!(report.complaints, Vec::<String>::new());
        let fold = report.rows.iter().find(|row| row.usage.kernel == "fold").unwrap();
        assert_eq!((fold.usage.shared, fold.usage.spill_stores), (128, 0), "sm_{capability}");
        assert!((8..=64).contains(&fold.usage.registers), "{:?}", fold.usage);
    }
    for (report, capability) in reports[4..].iter().zip(CAPABILITIES) {
        let start =
            format!("module toy, sm_{capability}, LENGTH=128 PLAN_SIZE=16: kernel fold: hot, and spills ");
        assert_eq!(report.complaints.len(), 1, "{:?}", report.complaints);
        assert!(report.complaints[0].starts_with(&start), "{:?}", report.complaints);
    }
}

#[test]
fn what_does_not_compile_is_an_error_with_the_module_and_the_compilers_words() {
    if !has_nvrtc("what_does_not_compile_is_an_error_with_the_module_and_the_compilers_words") {
        return;
    }
    let log = |program: &Program, arch: &str, defines: &[Define]| match compile(program, arch, defines) {
        Err(Error::Compile { module, arch: named, log }) if module == program.name && named == arch => log,
        other => panic!("{arch} {defines:?}: {other:?}"),
    };
    let wrong =
        Program { name: "wrong", source: "\n\nint f() { return undeclared; }", kernels: &[], samples: &[] };
    let text = log(&wrong, "sm_90", &[]);
    assert!(text.contains("wrong.cu(3)") && text.contains("\"undeclared\" is undefined"), "{text}");
    let text = log(&TOY, "sm_90", &[("LENGTH", 4), ("PLAN_SIZE", 24)]);
    assert!(text.contains("Plan has another size in Rust"), "{text}");
    let text = log(&TOY, "sm_1", TOY.samples[0]);
    assert!(text.contains("--gpu-architecture"), "{text}");
    let text = log(&Program { source: "\0", ..TOY }, "sm_90", &[]);
    assert!(text.contains("nul byte"), "{text}");
}
