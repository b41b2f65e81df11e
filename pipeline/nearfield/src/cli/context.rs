//! What every command is given, and the lines that it prints.

use super::args::{Common, Device};
use super::exit::{Failed, Result, abandoned, usage};
use super::ranks::Ranks;
use super::task::{Devices, Task};
use crate::cli::exit::refuse;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// More threads than any machine has use for.
const MOST_THREADS: usize = 1024;

/// What every command needs: how to talk, where to compute, how many threads, whether Ctrl-C was pressed.
pub struct Context {
    pub(super) common: Common,
    /// None: the CPU.
    pub(super) card: Option<kernels::Device>,
    pub(super) interrupted: Arc<AtomicBool>,
    /// Processes that share the work.
    pub(super) ranks: Ranks,
}

impl Context {
    /// Applies the common options for `task`.
    pub fn new(mut common: Common, task: &Task) -> Result<Self> {
        let interrupted = Arc::new(AtomicBool::new(false));
        let ranks = Ranks::start(task, interrupted.clone())?;
        if !ranks.is_first() {
            (common.quiet, common.json) = (true, false);
        }
        let card = card(common.device, task)?;
        let threads = common.threads.map_or(0, std::num::NonZero::get);
        if threads > MOST_THREADS {
            refuse!("--threads {threads}: at most {MOST_THREADS}");
        }
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed)).map_err(Failed::run)?;
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(Failed::run)?;
        Ok(Self { common, card, interrupted, ranks })
    }

    /// The card to compute on; none means the CPU.
    pub(super) fn device(&self) -> Option<&kernels::Device> {
        self.card.as_ref()
    }

    /// What computes: the card's name, or `cpu`.
    pub(super) fn device_name(&self) -> &str {
        self.device().map_or("cpu", |device| &device.properties().name)
    }

    /// Fails once Ctrl-C was pressed; long work asks between blocks.
    pub(super) fn check_interrupt(&self) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) { Err(abandoned()) } else { Ok(()) }
    }

    /// A line for people, unless they asked for silence or for JSON.
    pub(super) fn say(&self, line: impl AsRef<str>) {
        if !self.common.quiet && !self.common.json {
            print_line(line.as_ref());
        }
    }

    /// A line on standard error for people: the result is not what they may think.
    pub(super) fn warn(&self, line: impl AsRef<str>) {
        if !self.common.quiet {
            eprintln!("nearfield: warning: {}", line.as_ref());
        }
    }

    /// A line for people who asked for more.
    pub(super) fn detail(&self, line: impl AsRef<str>) {
        if self.common.verbose > 0 {
            self.say(line);
        }
    }

    /// The result for programs: one JSON object on one line.
    pub(super) fn emit(&self, result: &Value) {
        if self.common.json {
            print_line(&result.to_string());
        }
    }

    /// The common settings as they were resolved.
    pub(super) fn settings(&self) -> Value {
        json!({
            "device": self.device_name(),
            "precision": self.common.precision.to_string(),
            "threads": rayon::current_num_threads(),
        })
    }
}

/// The card that was asked for, with all that it takes to run kernels on it.
fn card(choice: Device, task: &Task) -> Result<Option<kernels::Device>> {
    let Device::Cuda(index) = choice else { return Ok(None) };
    if task.devices == Devices::Cpu {
        let name = task.name;
        refuse!("--device {choice}: `nearfield {name}` runs on the CPU only; use --device cpu");
    }
    let device = kernels::Device::open(index as usize)
        .and_then(|device| kernels::compile::version().map(|_| device))
        .map_err(|error| usage(format!("--device {choice}: {error}")))?;
    Ok(Some(device))
}

/// Prints the text of a built-in case.
pub(crate) fn print_case(case: &Path, built_in: &[(&str, &str)]) -> Result<()> {
    let Some((_, text)) = built_in.iter().find(|(name, _)| case.as_os_str() == *name) else {
        let names: Vec<&str> = built_in.iter().map(|(name, _)| *name).collect();
        let (given, names) = (case.display(), names.join(", "));
        refuse!("{given}: no built-in case; there are {names}");
    };
    print_line(text.trim_end());
    Ok(())
}

/// Writes a line to standard output. A closed pipe is the reader's choice; anything else ends the program, since its
/// result would be lost.
pub(crate) fn print_line(line: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}")
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        eprintln!("nearfield: cannot write to standard output: {error}");
        std::process::exit(1);
    }
}
