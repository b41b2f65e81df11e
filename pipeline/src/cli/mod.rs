//! The commands of `nearfield`, one file each, and what they share.

pub mod args;
pub mod bench;
pub mod decimate;
pub mod demo;
pub mod doctor;
pub mod exit;
pub mod filter;
pub mod info;
mod progress;
mod summary;

use args::{Common, Device};
use exit::{Interrupted, usage};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))?;
        Ok(Self { common, interrupted })
    }

    /// Fails once Ctrl-C was pressed; long work asks between blocks.
    fn check_interrupt(&self) -> Result<(), Interrupted> {
        if self.interrupted.load(Ordering::Relaxed) { Err(Interrupted) } else { Ok(()) }
    }

    /// A line for people, unless they asked for silence or for JSON.
    fn say(&self, line: impl AsRef<str>) {
        if !self.common.quiet && !self.common.json {
            // A closed pipe is the reader's choice, not an error.
            let _ = writeln!(std::io::stdout(), "{}", line.as_ref());
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
            let _ = writeln!(std::io::stdout(), "{result}");
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
