//! The commands of `nearfield`, one file each, and what they share.

pub mod args;
pub mod bench;
pub mod decimate;
pub mod demo;
pub mod doctor;
pub mod exit;
pub mod filter;
pub mod info;
pub mod pnah;
mod progress;
mod summary;

use args::{Common, Device};
use exit::{Interrupted, usage};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// More threads than any machine has use for.
const MOST_THREADS: usize = 1024;

/// What every command needs: how to talk, how many threads, whether Ctrl-C was pressed.
pub struct Context {
    common: Common,
    interrupted: Arc<AtomicBool>,
}

impl Context {
    /// Applies the common options.
    pub fn new(common: Common) -> anyhow::Result<Self> {
        if let Device::Cuda(_) = common.device {
            return Err(usage(format!(
                "--device {}: this version computes on the CPU; use cpu or auto",
                common.device
            )));
        }
        let threads = common.threads.map_or(0, std::num::NonZero::get);
        if threads > MOST_THREADS {
            return Err(usage(format!("--threads {threads}: at most {MOST_THREADS}")));
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
        Ok(Self { common, interrupted })
    }

    /// Fails once Ctrl-C was pressed; long work asks between blocks.
    fn check_interrupt(&self) -> Result<(), Interrupted> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }

    /// A line for people, unless they asked for silence or for JSON.
    fn say(&self, line: impl AsRef<str>) {
        if !self.common.quiet && !self.common.json {
            print_line(line.as_ref());
        }
    }

    /// A line on standard error for people: the result is not what they may think.
    fn warn(&self, line: impl AsRef<str>) {
        if !self.common.quiet {
            eprintln!("nearfield: warning: {}", line.as_ref());
        }
    }

    /// A line for people who asked for more.
    fn detail(&self, line: impl AsRef<str>) {
        if self.common.verbose > 0 {
            self.say(line);
        }
    }

    /// The result for programs: one JSON object on one line.
    fn emit(&self, result: &Value) {
        if self.common.json {
            print_line(&result.to_string());
        }
    }

    /// The common settings as they were resolved.
    fn settings(&self) -> Value {
        json!({
            "device": "cpu",
            "precision": self.common.precision.to_string(),
            "threads": rayon::current_num_threads(),
        })
    }
}

/// Writes a line to standard output. A closed pipe is the reader's choice; anything else ends the program, since its
/// result would be lost.
fn print_line(line: &str) {
    if let Err(error) = writeln!(std::io::stdout(), "{line}")
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        eprintln!("nearfield: cannot write to standard output: {error}");
        std::process::exit(1);
    }
}
