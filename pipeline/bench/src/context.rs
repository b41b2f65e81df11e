//! What a benchmark is given: where to print, where to compute, for how long.

use kernels::Device;
use numerics::failure::Failed;
use serde_json::Value;
use std::path::Path;

/// What a benchmark gives.
pub(crate) type Result<T, E = Failed> = std::result::Result<T, E>;

/// Takes what a benchmark prints.
pub trait Output: Sync {
    /// A line for people.
    fn say(&self, line: &str);

    /// A line for people who asked for more.
    fn detail(&self, line: &str);

    /// A result for programs.
    fn emit(&self, result: &Value);

    /// Fails once the user wants the benchmark to end.
    ///
    /// # Errors
    ///
    /// The failure that ends the benchmark.
    fn check_interrupt(&self) -> Result<(), Failed>;
}

/// How to run a benchmark.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Where to print.
    pub output: &'a dyn Output,
    /// The GPU to measure; none for the CPU.
    pub device: Option<&'a Device>,
    /// Seconds for each row.
    pub seconds: f64,
    /// Another program to measure beside ours.
    pub peer: Option<&'a Path>,
}

impl Context<'_> {
    /// What computes: the card's name, or `cpu`.
    pub(crate) fn device_name(&self) -> &str {
        self.device.map_or("cpu", |device| &device.properties().name)
    }

    pub(crate) fn say(&self, line: impl AsRef<str>) {
        self.output.say(line.as_ref());
    }

    pub(crate) fn detail(&self, line: impl AsRef<str>) {
        self.output.detail(line.as_ref());
    }

    pub(crate) fn emit(&self, result: &Value) {
        self.output.emit(result);
    }

    pub(crate) fn check_interrupt(&self) -> Result<()> {
        self.output.check_interrupt()
    }
}
