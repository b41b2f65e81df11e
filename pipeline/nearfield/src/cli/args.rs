//! The command line as it is typed; commands turn it into resolved settings.

mod dgtd;
mod live;
mod mom;
mod nufft;
mod pnah;
mod reflectarray;
mod sbr;
mod words;

pub use dgtd::Dgtd;
pub use live::{From, Live, Record};
pub use mom::Mom;
pub use nufft::Nufft;
pub use pnah::{ArrayChoice, MethodChoice, Pnah, Quantity};
pub use reflectarray::Reflectarray;
pub use sbr::{FacetsChoice, ImageChoice, RuleChoice, Sbr};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::fmt;
use std::num::NonZero;
use std::path::PathBuf;
use std::str::FromStr;

/// Turns the raw one-bit streams of a sensor array into fields.
#[derive(Debug, Parser)]
#[command(name = "nearfield", version, after_help = include_str!("args/all.txt"))]
pub struct Arguments {
    /// Options of every command.
    #[command(flatten)]
    pub common: Common,
    /// What to do; without a command, `demo`.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Clone, Args)]
pub struct Common {
    /// Where to compute: auto, cpu, cuda or cuda:INDEX; auto is the CPU, a GPU must be asked for
    #[arg(long, global = true, default_value = "auto", value_name = "DEVICE")]
    pub device: Device,
    /// Floating-point type of solvers; the decimator is exact in integers and the same in both
    #[arg(long, global = true, default_value = "f32")]
    pub precision: Precision,
    /// Threads to use; by default all cores
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<NonZero<usize>>,
    /// Machine-readable progress and result on standard output, one JSON object a line
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
}

/// Where to compute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// The CPU: a card must be asked for.
    Auto,
    /// This processor.
    Cpu,
    /// The CUDA device with this index.
    Cuda(u32),
}

impl FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("'{text}' is no device: use auto, cpu, cuda or cuda:INDEX");
        match text.split_once(':') {
            None if text == "auto" => Ok(Self::Auto),
            None if text == "cpu" => Ok(Self::Cpu),
            None if text == "cuda" => Ok(Self::Cuda(0)),
            Some(("cuda", index)) => index.parse().map(Self::Cuda).map_err(|_| wrong()),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => write!(f, "auto"),
            Self::Cpu => write!(f, "cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
        }
    }
}

/// Floating-point type of solvers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// 32 bits.
    F32,
    /// 64 bits.
    F64,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The main job with no hardware: simulate a scene, stream its bits, draw and write, then show it live until Ctrl-C
    Demo(Demo),
    /// The program beside the sensor: holograms of what comes over the network, with page, recorder and controller output
    Live(Box<Live>),
    /// Store what comes over the network
    Record(Record),
    /// Describe a recording, check it, find stuck microphones
    Info(Info),
    /// Bits to samples: NAME.wav, NAME.npy or NAME.h5
    Decimate(Decimate),
    /// Holograms of a recording: the sound on the source plane
    Pnah(Box<Pnah>),
    /// Fourier sums at points that lie on no grid: NUFFT of type 1, 2 or 3, from archive to archive
    Nufft(Nufft),
    /// Phases and positions of a reflectarray's elements, from the coverage to the layout of its patches
    Reflectarray(Reflectarray),
    /// Radar cross-sections of a surface of triangles, by shooting and bouncing rays
    Sbr(Box<Sbr>),
    /// Fields in time on tetrahedra, by the discontinuous Galerkin method
    Dgtd(Dgtd),
    /// Scattering by conducting cylinders in the plane, by moments and Nystrom methods
    Mom(Box<Mom>),
    /// Design a decimator: taps, response, tables for firmware
    Filter(Filter),
    /// Benchmarks with their baselines, in one run
    Bench(Bench),
    /// What this machine has: processor, GPUs, libraries, firmware tools
    Doctor,
}

impl Default for Command {
    fn default() -> Self {
        Self::Demo(Demo::parse_from(["demo"]))
    }
}

#[derive(Debug, Parser)]
pub struct Demo {
    /// Folder for the results
    #[arg(long, default_value = "nearfield-demo", value_name = "DIR")]
    pub out: PathBuf,
    /// What stands before the array; any unknown name lists them
    #[arg(long, default_value = "demo", value_name = "NAME")]
    pub scene: String,
    /// Seconds to simulate
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    pub duration: f64,
    /// Microphone whose spectrum and sound are written: row x 32 + column, from the top left
    #[arg(long, default_value_t = 528, value_name = "INDEX")]
    pub microphone: u32,
    /// Seed of all that is random
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Keep the bits as well, as a SigMF recording (192 MB a second)
    #[arg(long)]
    pub record: bool,
    /// Stop when the results are written: no live page
    #[arg(long)]
    pub once: bool,
    /// Where the live page is served; by default a free port of this machine
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub page: Option<std::net::SocketAddr>,
    /// Pace of the live part, times the array's; by default what this machine has room for beside a browser
    #[arg(long, value_name = "TIMES")]
    pub speed: Option<f64>,
    /// Seconds of the live part; by default until Ctrl-C
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
    /// Be the bench of another demo, which writes to standard input where to send
    #[arg(long, hide = true)]
    pub as_bench: bool,
}

#[derive(Debug, Args)]
pub struct Info {
    /// The recording: NAME, NAME.sigmf-meta or NAME.sigmf-data
    pub recording: PathBuf,
}

#[derive(Debug, Args)]
pub struct Decimate {
    /// The recording: NAME, NAME.sigmf-meta or NAME.sigmf-data
    pub recording: PathBuf,
    /// File to write or replace; its ending chooses the format: .wav (RF64 when large), .npy, .h5 (Acoular)
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    #[command(flatten)]
    pub chain: Chain,
}

#[derive(Debug, Args)]
pub struct Filter {
    /// Folder for the results
    #[arg(long, default_value = "nearfield-filter", value_name = "DIR")]
    pub out: PathBuf,
    /// Bits a second and channel
    #[arg(long, default_value_t = 1.5e6, value_name = "HZ")]
    pub bit_rate_hz: f64,
    #[command(flatten)]
    pub chain: Chain,
}

/// The decimating filters.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Filters (defaults: flat to 18 kHz, 96 dB of alias rejection, rate 32)")]
pub struct Chain {
    /// Order of the CIC
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub cic_order: u32,
    /// Rate of the CIC
    #[arg(long, default_value_t = 8, value_name = "R")]
    pub cic_rate: u32,
    /// Rate of the FIR; the whole rate is R x D
    #[arg(long, default_value_t = 4, value_name = "D")]
    pub fir_rate: u32,
    /// Highest frequency that must be flat; by default 0.384 of the output rate
    #[arg(long, value_name = "HZ")]
    pub pass_hz: Option<f64>,
    /// Largest deviation from flatness
    #[arg(long, default_value_t = 0.004, value_name = "DB")]
    pub ripple_db: f64,
    /// Smallest rejection by the FIR; what folds in before it is the CIC's to reject
    #[arg(long, default_value_t = 98.0, value_name = "DB")]
    pub stop_db: f64,
    /// Fractional bits of the integer taps
    #[arg(long, default_value_t = 20, value_name = "BITS")]
    pub tap_bits: u32,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// What to measure: dsp, pnah, nufft, reflectarray, sbr, dgtd, mom or live
    #[arg(default_value = "dsp", value_parser = benches())]
    pub what: String,
    /// Seconds to spend on each row
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    pub seconds: f64,
    /// Of nufft, sbr and mom: a program to measure beside, round by round, from xtask/peers; `cargo xtask measure-nufft` and its like start it
    #[arg(long, value_name = "PROGRAM")]
    pub peer: Option<PathBuf>,
}

/// The benchmarks there are.
fn benches() -> PossibleValuesParser {
    bench::BENCHES.each_ref().map(|bench| PossibleValue::new(bench.name).help(bench.about)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn devices_read_back() {
        for text in ["auto", "cpu", "cuda:3"] {
            assert_eq!(text.parse::<Device>().unwrap().to_string(), text);
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for text in ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:0"] {
            assert!(text.parse::<Device>().is_err(), "{text}");
        }
    }

    #[test]
    fn no_command_is_the_demo() {
        let Command::Demo(demo) = Command::default() else { panic!("not the demo") };
        assert_eq!(demo.out, PathBuf::from("nearfield-demo"));
    }
}
