//! The `hil-sim` program: a bench in software that sends what a sensor array would send.
#![forbid(unsafe_code)]

mod cli;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = cli::Arguments::parse().resolve().and_then(|plan| cli::run(&plan));
    cli::exit(outcome)
}
