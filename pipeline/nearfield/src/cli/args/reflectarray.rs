//! Options of `nearfield reflectarray`.

use super::words::choice;
use clap::Args;
use pipeline::reflectarray::synthesis::Method;
use std::path::PathBuf;

/// How a design is judged, as the case file has it.
const METHODS: [(&str, &str, Method); 3] = [
    (
        "max-min",
        "The least margin over the levels is made as large as can be, with a part of the mean",
        Method::MaxMin,
    ),
    (
        "functional",
        "The squared distance to the levels is made small; every coverage needs min_dbi",
        Method::Functional,
    ),
    ("projections", "Iterated projections onto the levels, for comparison; phases only", Method::Projections),
];

#[derive(Debug, Args)]
#[command(after_help = include_str!("reflectarray.txt"))]
pub struct Reflectarray {
    /// Case file, or the name of a built-in case
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-reflectarray", value_name = "DIR")]
    pub out: PathBuf,
    /// How a design is judged; by default what the case says
    #[arg(long, value_name = "METHOD", value_parser = choice(&METHODS))]
    pub method: Option<Method>,
    /// What the mean directivity counts for beside the least, 0 to 1; by default what the case says
    #[arg(long, value_name = "PART", allow_negative_numbers = true)]
    pub mean: Option<f64>,
    /// Designs to begin with; by default what the case says
    #[arg(long, value_name = "N")]
    pub starts: Option<usize>,
    /// Go on from the design that an interrupted run of the same case left in the folder
    #[arg(long, conflicts_with = "masks")]
    pub resume: bool,
    /// Draw the regions to masks.png and stop
    #[arg(long)]
    pub masks: bool,
    /// Print the file of a built-in case and stop
    #[arg(long, conflicts_with_all = ["resume", "masks"])]
    pub print: bool,
}
