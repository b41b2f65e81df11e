//! Progress of long work: a bar on a terminal, JSON lines for programs, nothing in a pipe.

use super::Context;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::{Value, json};
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

/// Time between two JSON lines.
pub const INTERVAL: Duration = Duration::from_millis(500);

/// A bar for people on a terminal.
pub fn bar(context: &Context, total: u64, template: &str) -> ProgressBar {
    // The bar's target hides itself where standard error is no terminal.
    let silent = context.common.json || context.common.quiet;
    let target = if silent { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(total), target).with_style(style)
}

pub struct Progress<'a> {
    context: &'a Context,
    what: &'static str,
    bar: ProgressBar,
    last: Instant,
}

impl<'a> Progress<'a> {
    /// Starts at 0 of `total`.
    pub fn new(context: &'a Context, what: &'static str, total: u64) -> Self {
        let bar = bar(context, total, "{msg:>12} {wide_bar} {percent:>3} % {eta:>4} left {prefix}");
        Self { context, what, bar: bar.with_message(what), last: Instant::now() }
    }

    /// Reports `done`; fails if the user pressed Ctrl-C.
    pub fn at(&mut self, done: u64) -> super::Result<()> {
        self.at_with(done, String::new(), json!({}))
    }

    /// The same for work that is told whether to go on.
    pub fn flow(&mut self, done: u64) -> ControlFlow<()> {
        if self.at(done).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }

    /// The same with a note for the bar and figures for the line, which are fields of an object.
    pub fn at_with(&mut self, done: u64, note: String, figures: Value) -> super::Result<()> {
        self.bar.set_position(done);
        self.bar.set_prefix(note);
        if self.last.elapsed() >= INTERVAL {
            self.last = Instant::now();
            let total = self.bar.length();
            let mut line = json!({"progress": self.what, "done": done, "total": total});
            if let (Value::Object(line), Value::Object(figures)) = (&mut line, figures) {
                line.extend(figures);
            }
            self.context.emit(&line);
        }
        self.context.check_interrupt()
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
