//! What the person in front of it sees. Colour on a terminal only, and not where `NO_COLOR` is set.

use crate::cost::Cost;
use crate::outcome::{Outcome, Timed};
use std::cmp::Reverse;
use std::io::IsTerminal;
use std::time::Duration;

/// A step begins.
pub fn begin(name: &str, about: &str) {
    println!("{} {about}", paint(BOLD, &format!("== {name}:")));
}

/// A command line begins.
pub fn command(line: &str) {
    println!("   $ {line}");
}

/// A step ended without failure.
pub fn end(name: &str, outcome: &Outcome, elapsed: Duration) {
    match outcome {
        Outcome::Done | Outcome::Tested(_) => {
            println!("{} {}", paint(GREEN, &format!("== {name} ok:")), time(elapsed))
        }
        Outcome::Skipped(reason) => skipped(name, reason),
    }
}

/// A step did nothing.
pub fn skipped(name: &str, reason: &str) {
    println!("{} {reason}", paint(YELLOW, &format!("== {name} SKIPPED:")));
}

/// Rows of the table of tests.
const SLOWEST: usize = 10;

pub fn tests(tests: &mut [Timed]) {
    tests.sort_by_key(|test| Reverse(test.wall));
    if !tests.is_empty() {
        println!("{}", paint(BOLD, &format!("== the {SLOWEST} slowest of {} tests", tests.len())));
    }
    for Timed { name, wall } in tests.iter().take(SLOWEST) {
        println!("   {:>10}  {name}", time(*wall));
    }
}

/// What steps cost, the slowest first, and what all took together.
pub fn steps(steps: &mut [(&str, Cost)], all: Cost) {
    steps.sort_by_key(|(_, cost)| Reverse(cost.wall));
    println!("{}", paint(BOLD, "==       wall         CPU  step"));
    for (name, Cost { wall, cpu }) in steps.iter().chain([&("all", all)]) {
        println!("   {:>10}  {:>10}  {name}", time(*wall), cpu.map_or_else(|| "-".into(), time));
    }
}

/// All steps ended without failure.
pub fn success(elapsed: Duration) {
    println!("{}", paint(GREEN, &format!("all checks passed in {}", long_time(elapsed))));
}

/// The error's chain, the cause first: the last line is what to do next.
pub fn failure(error: &anyhow::Error) {
    eprint!("{} ", paint(RED, "error:"));
    for error in error.chain().rev() {
        eprintln!("{error}");
    }
}

/// Seconds with one decimal.
pub fn time(elapsed: Duration) -> String {
    format!("{:.1} s", elapsed.as_secs_f64())
}

fn long_time(elapsed: Duration) -> String {
    format!("{} min {} s", elapsed.as_secs() / 60, elapsed.as_secs() % 60)
}

const BOLD: u8 = 1;
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;

/// Whether both streams are a terminal, whose person wants colours.
pub fn is_coloured() -> bool {
    let terminal = std::io::stdout().is_terminal() && std::io::stderr().is_terminal();
    terminal && std::env::var_os("NO_COLOR").is_none()
}

/// `text` in an ANSI style where there are colours.
fn paint(style: u8, text: &str) -> String {
    if is_coloured() { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_minutes_only_where_they_are_long() {
        assert_eq!(time(Duration::from_millis(12_340)), "12.3 s");
        assert_eq!(long_time(Duration::from_millis(192_900)), "3 min 12 s");
    }
}
