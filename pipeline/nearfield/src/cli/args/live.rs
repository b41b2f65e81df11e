//! Options of `live` and `record`.

use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("live.txt"))]
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

#[derive(Debug, Args)]
#[command(after_help = include_str!("record.txt"))]
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
