//! The demo's bench: a process of its own, as a sensor is.
//!
//! The program starts itself with `demo --as-bench`. The two talk through pipes:
//!
//! | who | where | what |
//! |---|---|---|
//! | bench | standard output | `ready`, when the block that it repeats is simulated |
//! | demo | standard input | a line `ADDRESS:PORT SPEED`; the bench sends from then on |
//! | demo | standard input | its end: the bench stops |
//! | bench | standard output | how well it kept its schedule, as JSON |
//!
//! The system closes the pipe of a demo that is gone, however it went: the bench never outlives it. A bench that ends before
//! its time ends the demo, which reports what the bench wrote to standard error.

use super::super::args::Demo;
use super::super::exit::{abandoned, usage};
use super::super::{Context, Failed, Result, print_line};
use hil_sim::frames::{LARGEST_DATAGRAM, samples_in};
use hil_sim::link::Rates;
use hil_sim::stream::{Pace, Sender, transmit};
use hil_sim::{Array, Bench, FrameSource, Link, Scene, Settings};
use pipeline::live::source::frames::bench_rows;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;

/// Seconds of the block that is repeated.
pub const REPEAT_S: f64 = 0.5;

const READY: &str = "ready";

/// A bench that runs.
pub struct Process {
    child: Child,
    /// Open as long as it shall run.
    orders: ChildStdin,
    /// Gives the rest of what it says once it has ended.
    ended: JoinHandle<String>,
}

impl Process {
    /// Starts a bench and waits until it has simulated. `ends` is set when it ends.
    pub fn start(context: &Context, arguments: &Demo, ends: &Arc<AtomicBool>) -> Result<Self> {
        let program = std::env::current_exe()
            .map_err(|_| Failed::run("this program cannot be found to start the bench"))?;
        let mut command = Command::new(program);
        command.args(["demo", "--as-bench", "--scene", &arguments.scene]);
        command.args(["--seed", &arguments.seed.to_string()]);
        if let Some(threads) = context.common.threads {
            command.args(["--threads", &threads.to_string()]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|_| Failed::run("the bench cannot be started"))?;
        let (Some(orders), Some(said)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failed::run("the bench has no pipes"));
        };
        let (mut said, mut line) = (BufReader::new(said), String::new());
        said.read_line(&mut line).map_err(|_| Failed::run("the bench cannot be heard"))?;
        let ends = ends.clone();
        let ended = std::thread::Builder::new().name("bench".into()).spawn(move || {
            let mut rest = String::new();
            // What cannot be read is not there: the exit status tells.
            let _ = said.read_to_string(&mut rest);
            ends.store(true, Ordering::Relaxed);
            rest
        })?;
        let process = Self { child, orders, ended };
        if line.trim_end() != READY {
            process.end()?;
            // It ended well and too early: only Ctrl-C does that.
            return Err(abandoned());
        }
        context.check_interrupt()?;
        Ok(process)
    }

    /// Makes it send to `to` at `speed` times the array's rate.
    pub fn send(&mut self, to: SocketAddr, speed: f64) -> Result<()> {
        writeln!(self.orders, "{to} {speed}").map_err(|_| Failed::run("the bench takes no orders"))
    }

    /// Ends it; how well it kept its schedule, or why it did not run.
    pub fn end(self) -> Result<Value> {
        drop(self.orders);
        let said = self.ended.join().unwrap_or_default();
        let output =
            self.child.wait_with_output().map_err(|_| Failed::run("the bench cannot be waited for"))?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let reason = errors.trim().trim_start_matches("nearfield: ");
            let colon = if reason.is_empty() { "" } else { ": " };
            return Err(Failed::run(format!("the bench stopped ({}){colon}{reason}", output.status)));
        }
        // Nothing, if it was told to end before it was told where to send.
        Ok(serde_json::from_str(said.trim()).unwrap_or_default())
    }
}

/// The bench's side: simulates, waits for its order, sends until standard input ends.
pub fn run(context: &Context, arguments: &Demo) -> Result<()> {
    let orders = listen(context.interrupted.clone())?;
    let settings = Settings { seed: arguments.seed, ..Settings::default() };
    let array = Array::CAMERA;
    let bench = Bench::new(Scene::named(&arguments.scene)?, array, settings);
    let rows = bench_rows(&bench, Some(REPEAT_S))?;
    print_line(READY);
    // No order: there is nobody to send to.
    let Ok(order) = orders.recv() else { return Ok(()) };
    let (to, speed) = parse(&order).ok_or_else(|| usage(format!("no order for the bench: {order:?}")))?;
    let mut frames =
        FrameSource::of(rows, samples_in(&array.layout, LARGEST_DATAGRAM), settings.bit_rate_hz)?;
    let mut link = Link::new(Rates::default(), arguments.seed)?;
    let mut sender = Sender::new(to).map_err(|_| Failed::run(format!("cannot send to {to}")))?;
    let mut pace = Pace::new(Some(speed * settings.bit_rate_hz));
    let stop = || context.check_interrupt().is_err();
    transmit(&mut frames, &mut link, &mut pace, &mut sender, u64::MAX, &stop)
        .map_err(|_| Failed::run(format!("cannot send to {to}")))?;
    print_line(&serde_json::to_string(&pace.kept()).map_err(Failed::run)?);
    Ok(())
}

/// The first line of standard input, when it comes; `ended` is set when there is no more.
fn listen(ended: Arc<AtomicBool>) -> std::io::Result<mpsc::Receiver<String>> {
    let (told, orders) = mpsc::channel();
    std::thread::Builder::new().name("orders".into()).spawn(move || {
        let (mut input, mut line) = (std::io::stdin().lock(), String::new());
        if input.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
            // Whoever waits for it may have failed.
            let _ = told.send(line);
        }
        drop(told);
        let _ = std::io::copy(&mut input, &mut std::io::sink());
        ended.store(true, Ordering::Relaxed);
    })?;
    Ok(orders)
}

fn parse(order: &str) -> Option<(SocketAddr, f64)> {
    let (to, speed) = order.trim().split_once(' ')?;
    Some((to.parse().ok()?, speed.parse().ok().filter(|speed| *speed > 0.0)?))
}
