//! The table of commands: name, devices, processes, and what runs them. Their help is in `args`.

use super::args::Command;
use super::context::Context;
use super::exit::Result;
use super::task::Devices::{Cpu, CpuOrGpu};
use super::task::Processes::{One, Several};
use super::task::Task;
use super::{bench, decimate, demo, dgtd, doctor, filter, info, live, mom, nufft, pnah, reflectarray, sbr};

/// What a command that was typed needs.
pub fn task(command: &Command) -> Task {
    let (name, devices, processes) = match command {
        Command::Demo(_) => ("demo", Cpu, One),
        Command::Live(_) => ("live", CpuOrGpu, One),
        Command::Record(_) => ("record", Cpu, One),
        Command::Info(_) => ("info", Cpu, One),
        Command::Decimate(_) => ("decimate", CpuOrGpu, One),
        Command::Pnah(_) => ("pnah", CpuOrGpu, One),
        Command::Nufft(_) => ("nufft", CpuOrGpu, One),
        Command::Reflectarray(_) => ("reflectarray", CpuOrGpu, One),
        Command::Sbr(_) => ("sbr", CpuOrGpu, Several),
        Command::Dgtd(_) => ("dgtd", CpuOrGpu, Several),
        Command::Mom(_) => ("mom", CpuOrGpu, One),
        Command::Filter(_) => ("filter", Cpu, One),
        Command::Bench(_) => ("bench", CpuOrGpu, One),
        Command::Doctor => ("doctor", Cpu, One),
    };
    Task { name, devices, processes }
}

pub fn run(context: &Context, command: &Command) -> Result<()> {
    match command {
        Command::Demo(arguments) => demo::run(context, arguments),
        Command::Live(arguments) => live::run(context, arguments),
        Command::Record(arguments) => live::record(context, arguments),
        Command::Info(arguments) => info::run(context, arguments),
        Command::Decimate(arguments) => decimate::run(context, arguments),
        Command::Pnah(arguments) => pnah::run(context, arguments),
        Command::Nufft(arguments) => nufft::run(context, arguments),
        Command::Reflectarray(arguments) => reflectarray::run(context, arguments),
        Command::Sbr(arguments) => sbr::run(context, arguments),
        Command::Dgtd(arguments) => dgtd::run(context, arguments),
        Command::Mom(arguments) => mom::run(context, arguments),
        Command::Filter(arguments) => filter::run(context, arguments),
        Command::Bench(arguments) => bench::run(context, arguments),
        Command::Doctor => doctor::run(context),
    }
}

#[cfg(test)]
mod tests {
    use super::super::args::Arguments;
    use super::*;
    use clap::Parser;

    #[test]
    fn names_are_those_that_are_typed() {
        let decimate = "decimate a --out b.wav";
        for typed in [
            "demo",
            "live",
            "record a",
            "info a",
            decimate,
            "pnah a --standoff 0.04",
            "nufft --type 1 --input a.npz --output b.npz",
            "dgtd cavity",
            "filter",
            "bench",
            "doctor",
        ] {
            let words = std::iter::once("nearfield").chain(typed.split(' '));
            let command = Arguments::try_parse_from(words).unwrap().command.unwrap();
            assert_eq!(Some(task(&command).name), typed.split(' ').next());
        }
    }
}
