//! What a benchmark is given: where to print, where to compute, for how long.

use kernels::Device;
use serde_json::Value;
use std::path::Path;

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
    /// The error that ends the benchmark.
    fn check_interrupt(&self) -> anyhow::Result<()>;
}

/// The options cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub(crate) String);

/// How to run a benchmark.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// The GPU to measure; none for the CPU.
    pub device: Option<&'a Device>,
    /// Seconds for each row.
    pub seconds: f64,
    /// Another program to measure beside ours.
    pub peer: Option<&'a Path>,
}

/// Options and output of the benchmark that runs.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) output: &'a dyn Output,
    /// Seconds for each row.
    pub(crate) seconds: f64,
    pub(crate) peer: Option<&'a Path>,
    pub(crate) device: Option<&'a Device>,
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

    pub(crate) fn check_interrupt(&self) -> anyhow::Result<()> {
        self.output.check_interrupt()
    }
}
