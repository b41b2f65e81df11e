//! `nearfield doctor`: what this machine has, what is missing, and what for.

use super::Context;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::Command;

/// A library or program that some part of Nearfield uses if it is there.
struct Part {
    name: &'static str,
    purpose: &'static str,
}

const LIBRARIES: [Part; 5] = [
    Part { name: "libcuda.so", purpose: "NVIDIA driver" },
    Part { name: "libnvrtc.so", purpose: "compiles GPU kernels" },
    Part { name: "libcufft.so", purpose: "GPU Fourier transforms" },
    Part { name: "libcublas.so", purpose: "GPU matrices" },
    Part { name: "libcusolver.so", purpose: "GPU linear solvers" },
];

const PROGRAMS: [Part; 7] = [
    Part { name: "nvidia-smi", purpose: "names the GPUs" },
    Part { name: "verilator", purpose: "runs RTL on the bench" },
    Part { name: "yosys", purpose: "FPGA area and timing" },
    Part { name: "qemu-system-riscv32", purpose: "runs RISC-V firmware" },
    Part { name: "qemu-system-arm", purpose: "runs Cortex-M firmware" },
    Part { name: "rustup", purpose: "bare-metal targets" },
    Part { name: "mpirun", purpose: "several machines" },
];

/// Runs the command.
pub fn run(context: &Context) -> anyhow::Result<()> {
    let processor = processor();
    let gpus = gpus();
    let libraries: Vec<(&Part, Option<PathBuf>)> =
        LIBRARIES.iter().map(|p| (p, find_library(p.name))).collect();
    let programs: Vec<(&Part, Option<PathBuf>)> =
        PROGRAMS.iter().map(|p| (p, find_program(p.name))).collect();
    context.say(format!("nearfield {}", env!("CARGO_PKG_VERSION")));
    let features = processor.features.join(" ");
    context.say(format!("  processor   {}, {} threads: {features}", processor.name, processor.threads));
    context.say(format!("  decimator   {}", processor.engine));
    match gpus.as_slice() {
        [] => context.say("  GPU         none found: everything runs on the CPU"),
        list => list.iter().for_each(|gpu| context.say(format!("  GPU         {gpu}"))),
    }
    for (part, place) in libraries.iter().chain(&programs) {
        let place = place.as_ref().map_or("not found".into(), |p| p.display().to_string());
        context.say(format!("  {:<20} {:<24} {place}", part.name, part.purpose));
    }
    let found = |parts: &[(&Part, Option<PathBuf>)]| -> Value {
        parts.iter().map(|(p, place)| (p.name, json!(place))).collect()
    };
    context.emit(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "processor": processor.name,
        "threads": processor.threads,
        "cpu_features": processor.features,
        "decimator": processor.engine,
        "gpus": gpus,
        "libraries": found(&libraries),
        "programs": found(&programs),
    }));
    Ok(())
}

struct Processor {
    name: String,
    threads: usize,
    features: Vec<&'static str>,
    engine: &'static str,
}

fn processor() -> Processor {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    Processor {
        name: name.unwrap_or(std::env::consts::ARCH).to_owned(),
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        features: features(),
        engine: match pulp::Arch::new() {
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V4(_) => "AVX-512, 32 products an instruction",
            #[cfg(target_arch = "x86_64")]
            pulp::Arch::V3(_) => "AVX2, 16 products an instruction",
            _ => "portable Rust",
        },
    }
}

#[cfg(target_arch = "x86_64")]
fn features() -> Vec<&'static str> {
    let all = [
        ("sse4.2", std::is_x86_feature_detected!("sse4.2")),
        ("avx2", std::is_x86_feature_detected!("avx2")),
        ("fma", std::is_x86_feature_detected!("fma")),
        ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ("avx512bw", std::is_x86_feature_detected!("avx512bw")),
        ("avx512vnni", std::is_x86_feature_detected!("avx512vnni")),
    ];
    all.into_iter().filter_map(|(name, there)| there.then_some(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// The GPUs as the driver's own program names them.
fn gpus() -> Vec<String> {
    let query = ["--query-gpu=name,memory.total,driver_version", "--format=csv,noheader"];
    let output = Command::new("nvidia-smi").args(query).output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Looks where the loader looks: its variable, its cache, the usual folders. Any version of the library counts.
fn find_library(name: &str) -> Option<PathBuf> {
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = [
        "/usr/local/cuda/lib64",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
    ];
    let in_folder = |folder: PathBuf| {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        files.map(|file| file.path()).find(|path| is_library(path, name))
    };
    std::env::split_paths(&variable)
        .chain(usual.map(PathBuf::from))
        .find_map(in_folder)
        .or_else(|| in_cache(name))
}

fn is_library(path: &std::path::Path, name: &str) -> bool {
    let file = path.file_name().and_then(|f| f.to_str()).unwrap_or_default();
    file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn in_cache(name: &str) -> Option<PathBuf> {
    let output = Command::new("/sbin/ldconfig").arg("-p").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines()
        .filter_map(|line| line.split_once(" => "))
        .map(|(_, path)| PathBuf::from(path))
        .find(|p| is_library(p, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn versions_count_and_longer_names_do_not() {
        assert!(is_library(Path::new("/a/libcufft.so.12"), "libcufft.so"));
        assert!(is_library(Path::new("libcufft.so"), "libcufft.so"));
        assert!(!is_library(Path::new("libcufftw.so"), "libcufft.so"));
        assert!(find_program("sh").is_some() || cfg!(not(unix)));
        assert!(find_program("no-such-program-here").is_none());
    }
}
