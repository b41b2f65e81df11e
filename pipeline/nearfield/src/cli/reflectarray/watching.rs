//! Progress of a synthesis: a bar on a terminal, JSON lines for programs, the history for the picture, and Ctrl-C.

use super::super::Context;
use super::super::progress::{INTERVAL, bar};
use indicatif::ProgressBar;
use pipeline::reflectarray::Progress;
use serde_json::json;
use std::ops::ControlFlow;
use std::time::Instant;

const STEPS: f64 = 1000.0;

/// Values of all iterations so far.
#[derive(Default)]
pub struct History {
    pub objective: Vec<f64>,
    pub mean: Vec<f64>,
    pub least: Vec<f64>,
    /// First iteration and name of every stage.
    pub stages: Vec<(f64, String)>,
}

impl History {
    /// Name of the stage that was last seen.
    pub fn last_stage(&self) -> &str {
        self.stages.last().map_or("", |(_, name)| name)
    }
}

pub struct Watching<'a> {
    context: &'a Context,
    bar: ProgressBar,
    begin: Instant,
    told: Instant,
    history: History,
}

impl<'a> Watching<'a> {
    /// Before the first iteration.
    pub fn new(context: &'a Context) -> Self {
        let (bar, now) = (bar(context, STEPS as u64, "{msg} {wide_bar} {percent:>3} %"), Instant::now());
        Self { context, bar, begin: now, told: now, history: History::default() }
    }

    /// An iteration; breaks once Ctrl-C was pressed.
    pub fn see(&mut self, progress: &Progress<'_>) -> ControlFlow<()> {
        let Progress { stage, iteration, done, objective, score } = *progress;
        let history = &mut self.history;
        if history.last_stage() != stage {
            history.stages.push((history.objective.len() as f64, stage.to_owned()));
        }
        history.objective.push(objective);
        history.mean.push(score.d_mean_db);
        history.least.push(score.d_min_db);
        let left = self.left(done);
        let time = left.map_or(String::new(), |left| format!(", {left:.0} s left"));
        self.bar.set_message(format!(
            "{stage:>18}: objective {objective:.5}, D_mean {:.2}, D_min {:.2} dBi{time}",
            score.d_mean_db, score.d_min_db
        ));
        self.bar.set_position((STEPS * done) as u64);
        if self.told.elapsed() >= INTERVAL {
            self.told = Instant::now();
            self.context.emit(&json!({
                "progress": stage, "iteration": iteration, "done": done, "objective": objective,
                "d_mean_db": score.d_mean_db, "d_min_db": score.d_min_db, "left_s": left,
            }));
        }
        if self.context.check_interrupt().is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    /// Seconds left at most, as the time so far goes on; stages that end early leave less.
    fn left(&self, done: f64) -> Option<f64> {
        (done > 0.01).then(|| self.begin.elapsed().as_secs_f64() * (1.0 - done).max(0.0) / done)
    }

    /// Clears the bar.
    pub fn finish(self) -> History {
        self.bar.finish_and_clear();
        self.history
    }
}
