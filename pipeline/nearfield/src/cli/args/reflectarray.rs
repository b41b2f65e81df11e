//! Options of `nearfield reflectarray`.

use clap::{Args, ValueEnum};
use pipeline::reflectarray::synthesis;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
CASE is a file, which docs/reflectarray.md explains field by field, or one of the built-in cases:
  europe-71   Europe from 5 degrees east, 71 x 71 elements on a regular grid of half a wavelength
  conus-44    the United States and Canada from 91 degrees west, 44 x 44 elements that may move, 0.5 to 0.7 wavelengths apart
  conus-42    the same with 42 x 42
  conus-40    the same with 40 x 40
Begin a case of your own with one of these: nearfield reflectarray europe-71 --print > mine.toml

Phases, and positions where spacing_wavelengths is given, are chosen so that the least directivity over the coverages is as high as can be;
--mean trades some of it for the mean. Samples for that lie inside the regions and on their boundaries; the scores that are printed
are taken on samples twice as dense. With --method functional or projections the levels (min_dbi) of the coverages are aimed at instead, as in the literature.

Writes to the folder of --out:
  masks.png         regions and samples, before the synthesis begins
  elements.csv      x_m,y_m,phase_rad
  directivity.npz   u, v and directivity_dbi [v][u] around the coverages; -2, -3 and so on for further frequencies
  directivity.ffe   the far field over theta and phi
  directivity.png, coverage.png, cuts.png, positions.png, phases.png, convergence.png
  layout.dxf        rectangular patches, where the case has [layout]
  summary.json      D_mean and D_min of every coverage, gains over the power on the elements, spillover, and the settings

Ctrl-C keeps the best design so far, and --resume goes on from it.

Examples:
  nearfield reflectarray europe-71 --out europe
  nearfield reflectarray mine.toml --masks          draw what is asked for, and stop
  nearfield reflectarray mine.toml --mean 0.5       rather a higher mean than a higher minimum
  nearfield reflectarray mine.toml --method functional
  nearfield reflectarray mine.toml --resume         after Ctrl-C";

/// How a design is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// The least margin over the levels is made as large as can be, with a part of the mean
    MaxMin,
    /// The squared distance to the levels is made small; every coverage needs min_dbi
    Functional,
    /// Iterated projections onto the levels, for comparison; phases only
    Projections,
}

impl From<Method> for synthesis::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::MaxMin => Self::MaxMin,
            Method::Functional => Self::Functional,
            Method::Projections => Self::Projections,
        }
    }
}

/// Options of `reflectarray`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub struct Reflectarray {
    /// Case file, or the name of a built-in case
    #[arg(value_name = "CASE")]
    pub case: PathBuf,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-reflectarray", value_name = "DIR")]
    pub out: PathBuf,
    /// How a design is judged; by default what the case says
    #[arg(long, value_name = "METHOD")]
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
