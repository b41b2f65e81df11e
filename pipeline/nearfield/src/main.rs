//! The `nearfield` program: bits of a sensor array to fields.
#![forbid(unsafe_code)]

mod cli;

use clap::Parser;
use cli::args::{Arguments, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let Arguments { common, command } = Arguments::parse();
    let command = command.unwrap_or_default();
    let outcome = cli::Context::new(common, &command).and_then(|context| match command {
        Command::Demo(arguments) => cli::demo::run(&context, arguments),
        Command::Live(arguments) => cli::live::run(&context, &arguments),
        Command::Record(arguments) => cli::live::record(&context, &arguments),
        Command::Info(arguments) => cli::info::run(&context, &arguments),
        Command::Decimate(arguments) => cli::decimate::run(&context, &arguments),
        Command::Pnah(arguments) => cli::pnah::run(&context, &arguments),
        Command::Nufft(arguments) => cli::nufft::run(&context, &arguments),
        Command::Reflectarray(arguments) => cli::reflectarray::run(&context, &arguments),
        Command::Sbr(arguments) => cli::sbr::run(&context, &arguments),
        Command::Dgtd(arguments) => cli::dgtd::run(&context, &arguments),
        Command::Mom(arguments) => cli::mom::run(&context, &arguments),
        Command::Filter(arguments) => cli::filter::run(&context, &arguments),
        Command::Bench(arguments) => cli::bench::run(&context, &arguments),
        Command::Doctor => cli::doctor::run(&context),
    });
    cli::exit::code(outcome)
}
