//! The commands of `nearfield`, one file each, and what they share.

mod args;
mod bench;
mod context;
mod decimate;
mod demo;
mod dgtd;
mod doctor;
mod exit;
mod filter;
mod info;
mod live;
mod mom;
mod nufft;
mod pnah;
mod progress;
mod ranks;
mod reflectarray;
mod sbr;
mod summary;
mod table;
mod task;

pub(crate) use context::{Context, print_case, print_line};
pub(crate) use exit::{Failed, Result};

use args::Arguments;
use clap::Parser;
use std::process::ExitCode;

/// Runs the program: reads the command line, finds the command in the table, runs it, gives its exit code.
pub fn main() -> ExitCode {
    let Arguments { common, command } = Arguments::parse();
    let command = command.unwrap_or_default();
    exit::code(
        Context::new(common, &table::task(&command)).and_then(|context| table::run(&context, &command)),
    )
}
