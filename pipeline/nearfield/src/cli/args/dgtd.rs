//! Options of `nearfield dgtd`.

use clap::Args;
use std::num::NonZero;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("dgtd.txt"))]
pub struct Dgtd {
    /// Case file, or the name of a built-in case
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-dgtd", value_name = "DIR")]
    pub out: PathBuf,
    /// Write checkpoint.bin after every so many rows of the files over time, and after Ctrl-C
    #[arg(long, value_name = "ROWS")]
    pub checkpoint: Option<NonZero<u64>>,
    /// Go on from a checkpoint of the same case and precision
    #[arg(long, value_name = "FILE")]
    pub restart: Option<PathBuf>,
    /// Print the file of a built-in case and stop
    #[arg(long)]
    pub print: bool,
}
