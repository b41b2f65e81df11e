//! `nearfield bench`: the options to the benchmarks, their lines to standard output.

use super::Context;
use super::args::Bench;
use super::exit::{Failed, Interrupted, Result, usage};
use serde_json::Value;

/// Runs the command.
pub fn run(context: &Context, arguments: &Bench) -> Result<()> {
    let options = bench::Options {
        device: context.device(),
        seconds: arguments.seconds,
        peer: arguments.peer.as_deref(),
    };
    let outcome = bench::run(&arguments.what, &options, context);
    outcome.map_err(|error| match error.downcast::<Interrupted>() {
        Ok(interrupted) => interrupted.into(),
        Err(error) if error.is::<bench::Usage>() => usage(error.to_string()),
        Err(error) => Failed::run(error),
    })
}

impl bench::Output for Context {
    fn say(&self, line: &str) {
        self.say(line);
    }

    fn detail(&self, line: &str) {
        self.detail(line);
    }

    fn emit(&self, result: &Value) {
        self.emit(result);
    }

    fn check_interrupt(&self) -> anyhow::Result<()> {
        Ok(self.check_interrupt()?)
    }
}
