//! Options of `live` and `record`.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

const LIVE_HELP: &str = "\
Examples:
  The camera sends to port 5000 of this machine; the page's address is printed:
    nearfield live --udp 127.0.0.1:5000 --frequency 440,880
  Everything from a file; docs/instrument.md explains it, pipeline/live/examples/ has examples:
    nearfield live --config instrument.toml
  Without hardware, in two terminals:
    nearfield live --udp 127.0.0.1:5000
    hil-sim --scene demo --loop --to 127.0.0.1:5000

Ctrl-C ends it: recordings are closed, counters are printed, summary.json is written. Lost rows are filled with silence and every
hologram over them is flagged; what a full ring drops is counted. An instrument whose buffers or latency cannot be what is asked for is
refused with the numbers.

Exit codes: 0 done or ended by Ctrl-C, 1 failed, 2 wrong configuration, 130 Ctrl-C before the end of a file.";

const RECORD_HELP: &str = "\
Examples:
  nearfield record night --udp 127.0.0.1:5000 --seconds 60
  nearfield record night --config instrument.toml      array and rate from a file

The recording can be read at any time, even if the program is killed: `nearfield info night` says then that it is unfinished.
An existing recording is never replaced: a second one is night-2.";

/// Options of `live`.
#[derive(Debug, Args)]
#[command(after_help = LIVE_HELP)]
pub struct Live {
    #[command(flatten)]
    pub from: From,
    /// Folder for summary.json
    #[arg(long, default_value = "nearfield-live", value_name = "DIR")]
    pub out: PathBuf,
    /// Frequencies in Hz, separated by commas; over those of the file
    #[arg(long, value_delimiter = ',', value_name = "HZ")]
    pub frequency: Option<Vec<f64>>,
    /// Distance of the source plane in m; over that of the file
    #[arg(long, value_name = "M")]
    pub standoff: Option<f64>,
    /// Record from the start under this name; over that of the file
    #[arg(long, value_name = "NAME")]
    pub record: Option<PathBuf>,
    /// No page
    #[arg(long)]
    pub no_viewer: bool,
}

/// Options of `record`.
#[derive(Debug, Args)]
#[command(after_help = RECORD_HELP)]
pub struct Record {
    /// Name of the recording: NAME.sigmf-meta and NAME.sigmf-data
    pub name: PathBuf,
    #[command(flatten)]
    pub from: From,
}

/// Where the bits come from, and how long.
#[derive(Debug, Clone, Args)]
pub struct From {
    /// The instrument
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Listen here; over the source of the file
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub udp: Option<SocketAddr>,
    /// Stop after so many seconds
    #[arg(long, value_name = "S")]
    pub seconds: Option<f64>,
}
