//! The table of benchmarks.

use crate::context::{Context, Result};
use crate::{
    dgtd_cpu, dgtd_cuda, dsp, live_rate, mom_cpu, mom_cuda, nufft_cpu, nufft_cuda, pnah_cpu, pnah_cuda,
    reflectarray_cpu, reflectarray_cuda, sbr_cpu, sbr_cuda,
};
use kernels::Device;
use numerics::failure::{Failed, Kind};

type OnCpu = fn(&Context<'_>) -> Result<()>;
type OnCuda = fn(&Context<'_>, &Device) -> Result<()>;

/// A benchmark.
#[derive(Debug)]
pub struct Bench {
    /// As it is typed.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    cpu: OnCpu,
    /// On a GPU, or why there is no such benchmark.
    cuda: Result<OnCuda, &'static str>,
}

const fn bench(
    name: &'static str,
    about: &'static str,
    cpu: OnCpu,
    cuda: Result<OnCuda, &'static str>,
) -> Bench {
    Bench { name, about, cpu, cuda }
}

/// All benchmarks.
pub const BENCHES: [Bench; 8] = [
    bench(
        "dsp",
        "Decimators, transforms and filters of dsp-core, on one core",
        dsp::run,
        Err("bench dsp measures the processor's core: use --device cpu, or bench pnah"),
    ),
    bench(
        "pnah",
        "Holograms, from bits to the source plane, on all cores",
        pnah_cpu::run,
        Ok(pnah_cuda::run),
    ),
    bench(
        "nufft",
        "NUFFT of types 1 and 2 on two axes, on one core and on all",
        nufft_cpu::run,
        Ok(nufft_cuda::run),
    ),
    bench(
        "reflectarray",
        "Evaluations of a reflectarray's objective and gradient, and a whole design",
        reflectarray_cpu::run,
        Ok(reflectarray_cuda::run),
    ),
    bench(
        "sbr",
        "Rays and radar cross-sections of a missile, a ship and two aircraft, on one core and on all",
        sbr_cpu::run,
        Ok(sbr_cuda::run),
    ),
    bench(
        "dgtd",
        "Stages of Maxwell's equations on tetrahedra, on all cores, beside what the cores and the memory can do",
        dgtd_cpu::run,
        Ok(dgtd_cuda::run),
    ),
    bench("mom", "Fill and solution of a matrix of moments, on all cores", mom_cpu::run, Ok(mom_cuda::run)),
    bench(
        "live",
        "The rate that the live instrument sustains, by search; a trial takes --seconds",
        live_rate::run,
        Err("bench live measures the host: use --device cpu"),
    ),
];

/// Those that can measure another program beside ours, on the CPU.
const WITH_PEER: [&str; 3] = ["mom", "nufft", "sbr"];

/// Runs the benchmark `name`.
///
/// # Errors
///
/// Options that cannot be, and what failed in a solver, in a peer, or in the output.
pub fn run(context: &Context<'_>, name: &str) -> Result<(), Failed> {
    let seconds = context.seconds;
    let bench = BENCHES.iter().find(|bench| bench.name == name);
    let bench = bench.ok_or_else(|| Failed::input(format_args!("no benchmark {name}")))?;
    if !(seconds > 0.0 && seconds <= 60.0) {
        let message = format_args!("--seconds {seconds}: must be above 0 and at most 60");
        return Err(Failed::input(message));
    }
    if context.peer.is_some() && !WITH_PEER.contains(&name) {
        return Err(Failed::input("--peer: only bench mom, bench nufft and bench sbr have one"));
    }
    let outcome = match (context.device, bench.cuda) {
        (None, _) => (bench.cpu)(context),
        (Some(device), Ok(cuda)) => cuda(context, device),
        (Some(_), Err(reason)) => return Err(Failed::input(reason)),
    };
    // Tasks are built in: without a peer nobody gave what a solver refuses.
    outcome.map_err(|failed| match failed.kind {
        Kind::Input if context.peer.is_none() => Failed::run(failed),
        _ => failed,
    })
}
