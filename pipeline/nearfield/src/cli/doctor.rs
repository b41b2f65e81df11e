//! `nearfield doctor`: what this machine has, what is missing, and what for.

use super::{Context, Result};
use kernels::device::Properties;
use kernels::{Error, Version};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Libraries and programs that some part of Nearfield uses if they are there, and what for.
const LIBRARIES: [(&str, &str); 5] = [
    ("libcuda.so", "NVIDIA driver"),
    ("libnvrtc.so", "compiles GPU kernels"),
    ("libcufft.so", "GPU Fourier transforms"),
    ("libcublas.so", "GPU matrices"),
    ("libcusolver.so", "GPU linear solvers"),
];
const PROGRAMS: [(&str, &str); 7] = [
    ("nvidia-smi", "watches the GPUs"),
    ("verilator", "runs RTL on the bench"),
    ("yosys", "FPGA area and timing"),
    ("qemu-system-riscv32", "runs RISC-V firmware"),
    ("qemu-system-arm", "runs Cortex-M firmware"),
    ("rustup", "bare-metal targets"),
    ("mpirun", "several machines"),
];

pub fn run(context: &Context) -> Result<()> {
    let processor = processor();
    let cuda = Cuda::find();
    let libraries = LIBRARIES.map(|(name, purpose)| (name, purpose, find_library(name)));
    let programs = PROGRAMS.map(|(name, purpose)| (name, purpose, find_program(name)));
    context.say(format!("nearfield {}", env!("CARGO_PKG_VERSION")));
    let features = processor.features.join(" ");
    context.say(format!("  processor   {}, {} threads: {features}", processor.name, processor.threads));
    context.say(format!("  decimator   {}", processor.engine));
    let realtime = pipeline::live::realtime::try_all();
    realtime.iter().for_each(|outcome| context.say(format!("  real time   {}", outcome.line())));
    cuda.lines().iter().for_each(|line| context.say(line));
    for (name, purpose, place) in libraries.iter().chain(&programs) {
        let place = place.as_ref().map_or("not found".into(), |p| p.display().to_string());
        context.say(format!("  {name:<20} {purpose:<24} {place}"));
    }
    let mpi = cfg!(feature = "mpi");
    let several = "several, by mpirun, for sbr and dgtd";
    let one = "one; several need a program with --features mpi";
    context.say(format!("  processes   {}", if mpi { several } else { one }));
    let found = |parts: &[(&str, &str, Option<PathBuf>)]| -> Value {
        parts.iter().map(|(name, _, place)| (*name, json!(place))).collect()
    };
    context.emit(&json!({
        "version": env!("CARGO_PKG_VERSION"),
        "processor": processor.name,
        "threads": processor.threads,
        "cpu_features": processor.features,
        "mpi": mpi,
        "decimator": processor.engine,
        "realtime": realtime,
        "gpus": cuda.cards.iter().flatten().map(describe).collect::<Vec<_>>(),
        "cuda": cuda.json(),
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
    macro_rules! found {
        ($($name:tt),*) => { [$(($name, std::is_x86_feature_detected!($name))),*] };
    }
    let all = found!("sse4.2", "avx2", "fma", "avx512f", "avx512bw", "avx512vnni");
    all.into_iter().filter_map(|(name, there)| there.then_some(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn features() -> Vec<&'static str> {
    Vec::new()
}

/// What `--device cuda` would find; what is missing says how to get it.
struct Cuda {
    driver: Result<Version, Error>,
    cards: Vec<Result<Properties, Error>>,
    nvrtc: Result<Version, Error>,
    /// Where compiled kernels are kept, and whether they can be.
    cache: Option<(PathBuf, bool)>,
}

impl Cuda {
    fn find() -> Self {
        let card = |index| kernels::Device::open(index).map(|device| device.properties().clone());
        Self {
            driver: kernels::device::driver_version(),
            cards: (0..kernels::device::count().unwrap_or(0)).map(card).collect(),
            nvrtc: kernels::compile::version(),
            cache: kernels::cache::folder().map(|folder| (folder.clone(), is_writable(&folder))),
        }
    }

    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let version = |version: &Result<Version, Error>| {
            version.as_ref().map_or_else(Error::to_string, |version| format!("CUDA {version}"))
        };
        for (index, card) in self.cards.iter().enumerate() {
            let text = card.as_ref().map_or_else(Error::to_string, describe);
            lines.push(format!("  GPU         cuda:{index} {text}"));
        }
        if self.cards.is_empty() {
            lines.push("  GPU         none found: everything runs on the CPU".into());
        }
        lines.push(format!("  driver      {}", version(&self.driver)));
        lines.push(format!("  NVRTC       {}", version(&self.nvrtc)));
        let kernels = match &self.cache {
            Some((folder, true)) => format!("kept in {}", folder.display()),
            Some((folder, false)) => {
                format!("compiled at every start: {} cannot be written", folder.display())
            }
            None => "compiled at every start: set NEARFIELD_CACHE to a folder to keep them".into(),
        };
        lines.push(format!("  kernels     {kernels}"));
        lines
    }

    fn json(&self) -> Value {
        let version = |version: &Result<Version, Error>| match version {
            Ok(version) => json!({ "version": version.to_string() }),
            Err(error) => json!({ "version": null, "problem": error.to_string() }),
        };
        let card = |(index, card): (usize, &Result<Properties, Error>)| match card {
            Ok(p) => json!({
                "index": index,
                "name": p.name,
                "compute_capability": p.capability.to_string(),
                "memory_bytes": p.memory,
                "multiprocessors": p.multiprocessors,
            }),
            Err(error) => json!({ "index": index, "problem": error.to_string() }),
        };
        json!({
            "driver": version(&self.driver),
            "devices": self.cards.iter().enumerate().map(card).collect::<Vec<_>>(),
            "nvrtc": version(&self.nvrtc),
            "cache": self.cache.as_ref().map(|(folder, _)| folder),
            "cache_writable": self.cache.as_ref().is_some_and(|(_, writable)| *writable),
        })
    }
}

/// A card in a line.
fn describe(card: &Properties) -> String {
    let Properties { name, capability, memory, multiprocessors, .. } = card;
    let gib = *memory as f64 / f64::from(1 << 30);
    format!("{name}, compute capability {capability}, {gib:.1} GiB, {multiprocessors} multiprocessors")
}

/// Whether files can be made in a folder, or in the one that it would be made in.
fn is_writable(folder: &Path) -> bool {
    let existing = folder.ancestors().find(|ancestor| ancestor.exists());
    existing.is_some_and(|existing| tempfile::tempfile_in(existing).is_ok())
}

fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Looks where the loader looks: its variable, its cache, the usual folders. Any version of the library counts.
fn find_library(name: &str) -> Option<PathBuf> {
    let variable = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual =
        "/usr/local/cuda/lib64:/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib";
    let in_folder = |folder: PathBuf| {
        let files = std::fs::read_dir(folder).ok()?.flatten();
        files.map(|file| file.path()).find(|path| is_library(path, name))
    };
    let mut folders = std::env::split_paths(&variable).chain(std::env::split_paths(usual));
    folders.find_map(in_folder).or_else(|| in_cache(name))
}

fn is_library(path: &Path, name: &str) -> bool {
    let file = path.file_name().and_then(|f| f.to_str()).unwrap_or_default();
    file.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn in_cache(name: &str) -> Option<PathBuf> {
    let output = Command::new("/sbin/ldconfig").arg("-p").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut paths = text.lines().filter_map(|line| Some(PathBuf::from(line.split_once(" => ")?.1)));
    paths.find(|path| is_library(path, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_count_and_longer_names_do_not() {
        assert!(is_library(Path::new("/a/libcufft.so.12"), "libcufft.so"));
        assert!(is_library(Path::new("libcufft.so"), "libcufft.so"));
        assert!(!is_library(Path::new("libcufftw.so"), "libcufft.so"));
        assert!(find_program("sh").is_some() || cfg!(not(unix)));
        assert!(find_program("no-such-program-here").is_none());
    }

    #[test]
    fn a_folder_that_can_be_made_is_writable_and_a_file_is_no_folder() {
        let folder = tempfile::tempdir().unwrap();
        assert!(is_writable(folder.path()));
        assert!(is_writable(&folder.path().join("a/b")));
        std::fs::write(folder.path().join("file"), "").unwrap();
        assert!(!is_writable(&folder.path().join("file")));
        assert!(!is_writable(&folder.path().join("file/a")));
    }

    #[test]
    fn what_is_missing_is_said_with_its_remedy() {
        let cuda =
            Cuda { driver: Err(Error::NoDriver), cards: Vec::new(), nvrtc: Err(Error::NoNvrtc), cache: None };
        let text = cuda.lines().join("\n");
        for part in ["everything runs on the CPU", "install the driver", "pip install", "NEARFIELD_CACHE"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(cuda.json()["driver"]["version"], Value::Null);
        assert_eq!(cuda.json()["devices"], json!([]));
    }
}
