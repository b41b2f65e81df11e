//! The table of commands: name, devices, processes, and what runs them. Their help is in `args`.

use super::args::Command;
use super::context::Context;
use super::exit::Result;
use super::task::Devices::{self, Cpu, CpuOrGpu};
use super::task::Processes::{self, One, Several};
use super::task::Task;
use super::{bench, decimate, demo, dgtd, doctor, filter, info, live, mom, nufft, pnah, reflectarray, sbr};

/// A command with its arguments, to be run once.
type Run = Box<dyn FnOnce(&Context) -> Result<()>>;

/// A row of the table.
pub struct Entry {
    /// What the command needs.
    pub task: Task,
    /// Runs it.
    pub run: Run,
}

/// The row of a command that was typed.
pub fn entry(command: Command) -> Entry {
    match command {
        Command::Demo(arguments) => row("demo", Cpu, One, move |context| demo::run(context, arguments)),
        Command::Live(arguments) => row("live", CpuOrGpu, One, move |context| live::run(context, &arguments)),
        Command::Record(arguments) => {
            row("record", Cpu, One, move |context| live::record(context, &arguments))
        }
        Command::Info(arguments) => row("info", Cpu, One, move |context| info::run(context, &arguments)),
        Command::Decimate(arguments) => {
            row("decimate", CpuOrGpu, One, move |context| decimate::run(context, &arguments))
        }
        Command::Pnah(arguments) => row("pnah", CpuOrGpu, One, move |context| pnah::run(context, &arguments)),
        Command::Nufft(arguments) => {
            row("nufft", CpuOrGpu, One, move |context| nufft::run(context, &arguments))
        }
        Command::Reflectarray(arguments) => {
            row("reflectarray", CpuOrGpu, One, move |context| reflectarray::run(context, &arguments))
        }
        Command::Sbr(arguments) => {
            row("sbr", CpuOrGpu, Several, move |context| sbr::run(context, &arguments))
        }
        Command::Dgtd(arguments) => {
            row("dgtd", CpuOrGpu, Several, move |context| dgtd::run(context, &arguments))
        }
        Command::Mom(arguments) => row("mom", CpuOrGpu, One, move |context| mom::run(context, &arguments)),
        Command::Filter(arguments) => {
            row("filter", Cpu, One, move |context| filter::run(context, &arguments))
        }
        Command::Bench(arguments) => {
            row("bench", CpuOrGpu, One, move |context| bench::run(context, &arguments))
        }
        Command::Doctor => row("doctor", Cpu, One, doctor::run),
    }
}

fn row(
    name: &'static str,
    devices: Devices,
    processes: Processes,
    run: impl FnOnce(&Context) -> Result<()> + 'static,
) -> Entry {
    Entry { task: Task { name, devices, processes }, run: Box::new(run) }
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
            assert_eq!(Some(entry(command).task.name), typed.split(' ').next());
        }
    }
}
