//! `nearfield bench`: the options to the benchmarks, their lines to standard output.

use super::Context;
use super::args::Bench;
use super::exit::Result;
use serde_json::Value;

pub fn run(context: &Context, arguments: &Bench) -> Result<()> {
    bench::run(
        &bench::Context {
            output: context,
            device: context.device(),
            seconds: arguments.seconds,
            peer: arguments.peer.as_deref(),
        },
        &arguments.what,
    )
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

    fn check_interrupt(&self) -> Result<()> {
        self.check_interrupt()
    }
}
