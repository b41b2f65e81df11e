//! The table of benchmarks.

use crate::context::{Context, Options, Output, Usage};
use crate::{
    dgtd_cpu, dgtd_cuda, dsp, live_rate, mom_cpu, mom_cuda, nufft_cpu, nufft_cuda, pnah_cpu, pnah_cuda,
    reflectarray_cpu, reflectarray_cuda, sbr_cpu, sbr_cuda,
};
use kernels::Device;

type OnCpu = fn(&Context<'_>) -> anyhow::Result<()>;
type OnCuda = fn(&Context<'_>, &Device) -> anyhow::Result<()>;

/// A benchmark.
#[derive(Debug)]
pub struct Bench {
    /// As it is typed.
    pub name: &'static str,
    /// What it measures.
    pub about: &'static str,
    /// Whether it can measure another program beside ours, on the CPU.
    has_peer: bool,
    cpu: OnCpu,
    /// On a GPU, or why there is no such benchmark.
    cuda: Result<OnCuda, &'static str>,
}

/// All benchmarks.
pub const BENCHES: [Bench; 8] = [
    Bench {
        name: "dsp",
        about: "Decimators, transforms and filters of dsp-core, on one core",
        has_peer: false,
        cpu: dsp::run,
        cuda: Err("bench dsp measures the processor's core: use --device cpu, or bench pnah"),
    },
    Bench {
        name: "pnah",
        about: "Holograms, from bits to the source plane, on all cores",
        has_peer: false,
        cpu: pnah_cpu::run,
        cuda: Ok(pnah_cuda::run),
    },
    Bench {
        name: "nufft",
        about: "NUFFT of types 1 and 2 on two axes, on one core and on all",
        has_peer: true,
        cpu: nufft_cpu::run,
        cuda: Ok(nufft_cuda::run),
    },
    Bench {
        name: "reflectarray",
        about: "Evaluations of a reflectarray's objective and gradient, and a whole design",
        has_peer: false,
        cpu: reflectarray_cpu::run,
        cuda: Ok(reflectarray_cuda::run),
    },
    Bench {
        name: "sbr",
        about: "Rays and radar cross-sections of a missile, a ship and two aircraft, on one core and on all",
        has_peer: true,
        cpu: sbr_cpu::run,
        cuda: Ok(sbr_cuda::run),
    },
    Bench {
        name: "dgtd",
        about: "Stages of Maxwell's equations on tetrahedra, on all cores, beside what the cores and the memory can do",
        has_peer: false,
        cpu: dgtd_cpu::run,
        cuda: Ok(dgtd_cuda::run),
    },
    Bench {
        name: "mom",
        about: "Fill and solution of a matrix of moments, on all cores",
        has_peer: true,
        cpu: mom_cpu::run,
        cuda: Ok(mom_cuda::run),
    },
    Bench {
        name: "live",
        about: "The rate that the live instrument sustains, by search; a trial takes --seconds",
        has_peer: false,
        cpu: live_rate::run,
        cuda: Err("bench live measures the host: use --device cpu"),
    },
];

/// Runs the benchmark `name`.
///
/// # Errors
///
/// [`Usage`] where the options cannot be; otherwise what failed in a solver, in a peer, or in `output`.
pub fn run(name: &str, options: &Options<'_>, output: &dyn Output) -> anyhow::Result<()> {
    let Options { device, seconds, peer } = *options;
    let bench = BENCHES.iter().find(|bench| bench.name == name);
    let bench = bench.ok_or_else(|| Usage(format!("no benchmark {name}")))?;
    if !(seconds > 0.0 && seconds <= 60.0) {
        return Err(Usage(format!("--seconds {seconds}: must be above 0 and at most 60")).into());
    }
    if peer.is_some() && !bench.has_peer {
        return Err(Usage("--peer: only bench mom, bench nufft and bench sbr have one".into()).into());
    }
    let context = Context { output, seconds, peer, device };
    match (device, bench.cuda) {
        (None, _) => (bench.cpu)(&context),
        (Some(device), Ok(cuda)) => cuda(&context, device),
        (Some(_), Err(reason)) => Err(Usage(reason.into()).into()),
    }
}
