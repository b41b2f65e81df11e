//! A step of `cargo xtask test`: a name and the actions behind it.

pub use crate::outcome::Outcome;

use crate::cost::{Cost, Meter};
use crate::{command, report};
use anyhow::{Context, Result};

/// A named part of the test, callable on its own.
pub struct Step {
    /// What to type after `cargo xtask`.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    /// Run in this order.
    pub actions: &'static [Action],
}

/// A row of the table of steps.
pub const fn step(name: &'static str, about: &'static str, actions: &'static [Action]) -> Step {
    Step { name, about, actions }
}

/// One thing to do.
pub enum Action {
    /// A command line, see [`command::run`].
    Line(&'static str),
    /// A routine of this program.
    Own(fn() -> Result<Outcome>),
}

impl Step {
    /// Runs the actions up to the first failure, whose error says how to repeat it.
    pub fn run(&self) -> Result<(Outcome, Cost)> {
        let meter = Meter::start();
        report::begin(self.name, self.about);
        let mut outcome = Outcome::Done;
        for action in self.actions {
            let (result, repeat) = match action {
                Action::Line(line) => (command::run(line).map(|()| Outcome::Done), (*line).to_owned()),
                Action::Own(routine) => (routine(), format!("cargo xtask {}", self.name)),
            };
            let failed = || {
                format!(
                    "{} failed after {}; repeat it with\n    {repeat}",
                    self.name,
                    report::time(meter.read().wall)
                )
            };
            match result.with_context(failed)? {
                Outcome::Done => {}
                more => outcome = more,
            }
        }
        let cost = meter.read();
        report::end(self.name, &outcome, cost.wall);
        Ok((outcome, cost))
    }
}

/// Runs all steps up to the first failure, and ends with what they cost.
pub fn run_all(steps: &[Step]) -> Result<()> {
    let meter = Meter::start();
    let (mut skipped, mut costs, mut tests) = (Vec::new(), Vec::new(), Vec::new());
    for step in steps {
        let (outcome, cost) = step.run()?;
        costs.push((step.name, cost));
        match outcome {
            Outcome::Done => {}
            Outcome::Tested(times) => tests.extend(times),
            Outcome::Skipped(reason) => skipped.push((step.name, reason)),
        }
    }
    report::tests(&mut tests);
    report::steps(&mut costs, meter.read());
    for (name, reason) in skipped {
        report::skipped(name, &reason);
    }
    report::success(meter.read().wall);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_failure_stops_a_step_and_says_how_to_repeat_it() {
        let never = Action::Own(|| unreachable!("the step went on after a failure"));
        let actions = vec![Action::Line("true"), Action::Line("A=1 false"), never];
        let step = Step { name: "sample", about: "fails", actions: actions.leak() };
        let error = step.run().unwrap_err().to_string();
        assert!(error.starts_with("sample failed after ") && error.ends_with("\n    A=1 false"), "{error}");
    }

    #[test]
    fn the_first_failing_step_stops_all() {
        let steps = [
            Step {
                name: "one",
                about: "is skipped",
                actions: &[Action::Own(|| Ok(Outcome::Skipped("why".into())))],
            },
            Step { name: "two", about: "fails", actions: &[Action::Own(|| anyhow::bail!("broken"))] },
            Step { name: "three", about: "never runs", actions: &[Action::Own(|| unreachable!())] },
        ];
        let error = format!("{:#}", run_all(&steps).unwrap_err());
        assert!(error.contains("cargo xtask two") && error.ends_with("broken"), "{error}");
        assert!(run_all(&steps[..1]).is_ok());
    }
}
