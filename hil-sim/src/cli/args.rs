//! The arguments as they are typed.

use clap::Parser;
use std::net::SocketAddr;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  hil-sim --scene demo --seconds 1 --record out
      simulates a second of the demo scene as fast as it can and records it: out/demo.sigmf-meta, -data
  hil-sim --scene demo --loop 0.5 --to 127.0.0.1:7000 --frame-rows loopback
      plays half a second again and again in real time, 1.536 Gbit/s, until Ctrl-C
  hil-sim --replay out/demo --to 127.0.0.1:7000 --loss 0.001 --corrupt 0.001 --json
      sends the recording over a bad link; the JSON says what was injected and what a receiver must report
  hil-sim --scene scenes/small.toml --seconds 0.1 --board qemu-virt-rv32 --to 127.0.0.1:7000
      the bits go through a board's firmware in QEMU, and its frames are sent
  hil-sim --scene scenes/failing.toml --to 127.0.0.1:7000 --speed 0.1
      a scene file, at a tenth of real time

Built-in scenes: demo, monopole, dipole, plate, silence. The README explains scene files and faults.
Exit codes: 0 done, 1 failed, 2 wrong usage or input, 130 ended by Ctrl-C (the report is printed all the same).";

/// A bench in software: simulates or replays the bits of a sensor array, breaks them on purpose, and sends them
/// as the array would.
///
/// Rows of bits come from a scene (--scene) or from a recording or capture (--replay). They are packed in frames,
/// pass a link with faults, and leave as UDP datagrams on an exact schedule (--to), or are recorded (--record).
/// Every fault is counted; the report says what was injected and what a correct receiver must have counted.
#[derive(Debug, Parser)]
#[command(name = "hil-sim", version, after_help = EXAMPLES)]
pub struct Arguments {
    /// Built-in scene or scene file (TOML) [default: demo]
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "replay")]
    pub scene: Option<String>,

    /// SigMF recording, or PCAP or PCAPNG capture of the UDP stream, instead of a scene
    #[arg(long, value_name = "REC")]
    pub replay: Option<PathBuf>,

    /// Send UDP datagrams to this address; without it nothing is sent
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub to: Option<SocketAddr>,

    /// Times real time, or max for as fast as can be [default: 1 with --to, else max]
    #[arg(long, value_name = "N|max")]
    pub speed: Option<String>,

    /// Longest time of a batch of datagrams, in microseconds: 1000 or more sleep between batches, less keep a core busy and send each on time
    #[arg(long, value_name = "US", default_value_t = 1000.0)]
    pub batch_us: f64,

    /// Times the rate at which a bench that fell behind catches up; 1 never does
    #[arg(long, value_name = "N", default_value_t = hil_sim::stream::CATCH_UP)]
    pub catch_up: f64,

    /// Seconds of sound [default: until Ctrl-C with --to, to the end of a recording, else 1]
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,

    /// Compute this many seconds once, or less for whole periods of all tones, and play them again and again; a
    /// recording is repeated whole
    #[arg(long = "loop", value_name = "S", num_args = 0..=1, default_missing_value = "0.5")]
    pub looped: Option<f64>,

    /// Record the rows (before the link's faults) as a SigMF pair in this folder, with summary.json
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,

    /// File with [[fault]], [clock] and [link] tables; they take the place of the scene's
    #[arg(long, value_name = "FILE")]
    pub faults: Option<PathBuf>,

    /// Seed of all that is random [default: the scene's, else 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// Time samples a frame: a number, or ethernet (fits 1472 bytes), jumbo (8960), loopback (65507)
    #[arg(long, value_name = "N|NAME", default_value = "ethernet")]
    pub frame_rows: String,

    /// Firmware between the bits and the frames: qemu-virt-rv32, qemu-mps2-m4, or the RTL of vexriscv-sim, ibex-sim, picorv32-sim
    #[arg(long, value_name = "NAME")]
    pub board: Option<String>,

    /// What a board makes of the bits: bits, decimate, cic, average, walsh
    #[arg(long, value_name = "MODE", default_value = "bits", requires = "board")]
    pub mode: String,

    /// Folder of `firmware` and `soc`, as `cargo xtask firmware` and `cargo xtask soc` make them
    #[arg(long, value_name = "DIR", default_value = "target", requires = "board")]
    pub board_files: PathBuf,

    /// Threads of the simulation [default: all cores]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,

    /// Progress once a second and the report as JSON, one object a line, on stdout
    #[arg(long)]
    pub json: bool,

    /// No progress, only the report
    #[arg(short, long)]
    pub quiet: bool,

    /// Rates of the link that take the place of the scene's
    #[command(flatten)]
    pub link: LinkArguments,
}

/// Faults of the link, as probabilities a frame.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Link faults (probability a frame)")]
pub struct LinkArguments {
    /// Frame lost
    #[arg(long, value_name = "P")]
    pub loss: Option<f64>,
    /// Burst of losses begins; mean length in frames
    #[arg(long, value_name = "P[:FRAMES]")]
    pub burst: Option<String>,
    /// Frame arrives twice
    #[arg(long, value_name = "P")]
    pub duplicate: Option<f64>,
    /// Frame overtaken by up to DEPTH later ones
    #[arg(long, value_name = "P[:DEPTH]")]
    pub reorder: Option<String>,
    /// Bits of the frame flipped
    #[arg(long, value_name = "P")]
    pub corrupt: Option<f64>,
    /// Frame cut short
    #[arg(long, value_name = "P")]
    pub truncate: Option<f64>,
    /// Random bytes before the frame
    #[arg(long, value_name = "P")]
    pub garbage: Option<f64>,
    /// Frame of another array before the frame
    #[arg(long, value_name = "P")]
    pub foreign: Option<f64>,
}
