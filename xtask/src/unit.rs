//! The step `unit`: all tests of the workspace, and how long each took.
//!
//! Only the nightly test harness tells times. `RUSTC_BOOTSTRAP` makes it one of a stable compiler, too; a runner gives
//! it to the test programs alone, so that cargo does not build anything anew for it.

use crate::command;
use crate::outcome::{Outcome, Timed};
use anyhow::{Context, Result};
use std::time::Duration;

/// Beside this file; cargo starts the test programs with it.
const RUNNER: &str = "xtask/src/unit/timed.sh";
/// What has tests: libraries, programs and integration tests. Examples are checked by clippy.
const TESTS: &str = "cargo test --workspace --tests -- -Zunstable-options --report-time";
const DOCUMENTATION: &str = "cargo test --workspace --doc";

/// Runs the tests, then those of the documentation.
pub fn test() -> Result<Outcome> {
    let version = command::output("rustc -vV")?;
    let runner = runner_variable(&version).context("rustc names no host")?;
    let mut heard = Heard::default();
    command::stream(&format!("{runner}={RUNNER} {TESTS}"), |line| heard.hear(line))?;
    command::run(DOCUMENTATION)?;
    Ok(Outcome::Tested(heard.tests))
}

/// The variable by which cargo takes a runner, from what `rustc -vV` says.
fn runner_variable(version: &str) -> Option<String> {
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    Some(format!("CARGO_TARGET_{}_RUNNER", host.to_uppercase().replace('-', "_")))
}

/// What the lines of cargo and of the test programs say.
#[derive(Default)]
struct Heard {
    program: String,
    tests: Vec<Timed>,
}

impl Heard {
    fn hear(&mut self, line: &str) {
        if let Some(program) = program(line) {
            self.program = program;
        } else if let Some((test, wall)) = test_time(line) {
            self.tests.push(Timed { name: format!("{} {test}", self.program), wall });
        }
    }
}

/// `sbr` from `Running unittests src/lib.rs (target/debug/deps/sbr-0123)`.
fn program(line: &str) -> Option<String> {
    let (before, path) = line.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    let (name, _) = path.rsplit('/').next()?.rsplit_once('-')?;
    before.contains("Running").then(|| name.to_owned())
}

/// Name and time from `test a::b ... ok <1.250s>`.
fn test_time(line: &str) -> Option<(&str, Duration)> {
    let (name, outcome) = line.strip_prefix("test ")?.split_once(" ... ")?;
    let (_, time) = outcome.trim_end().rsplit_once('<')?;
    let seconds: f64 = time.strip_suffix("s>")?.parse().ok()?;
    Some((name, Duration::try_from_secs_f64(seconds).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_belong_to_the_program_that_runs() {
        let mut heard = Heard::default();
        for line in [
            "     Running unittests src/lib.rs (target/debug/deps/sbr-01ab)",
            "test bvh::tests::small ... ok <1.250s>",
            "test result: ok. 1 passed; finished in 1.25s",
            "\u{1b}[1m     Running\u{1b}[0m tests/live/main.rs (/t/deps/live-02)",
            "SKIPPED x: there is no (card)",
            "test a - should panic ... FAILED <0.010s>",
            "test untimed ... ok",
        ] {
            heard.hear(line);
        }
        let timed = |name: &str, ms| Timed { name: name.into(), wall: Duration::from_millis(ms) };
        assert_eq!(heard.tests, [timed("sbr bvh::tests::small", 1250), timed("live a - should panic", 10)]);
    }

    #[test]
    fn the_runner_is_that_of_the_host() {
        let version = "rustc 1.95.0\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0";
        let variable = runner_variable(version).unwrap();
        assert_eq!(variable, "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER");
        assert_eq!(runner_variable(""), None);
    }
}
