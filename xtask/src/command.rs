//! Command lines as a person would type them: words separated by blanks, `NAME=value` first for the environment.
//!
//! No quoting, so that what is printed is what is run; a value with a blank in it needs another spelling
//! (`-Dwarnings` for `-D warnings`).

use crate::report;
use anyhow::{Context, Result, ensure};
use std::process::{Command, Stdio};

/// Shows and runs a line; anything but success is an error.
pub fn run(line: &str) -> Result<()> {
    report::command(line);
    let status = parse(line).status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}`: {status}");
    Ok(())
}

/// Runs a line silently; whether it succeeded.
pub fn succeeds(line: &str) -> bool {
    parse(line).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Runs a line silently; what it printed.
pub fn output(line: &str) -> Result<String> {
    let output = parse(line).output().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(output.status.success(), "`{line}`: {}", output.status);
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Shows and runs a line; what it printed, without its complaints, which are seen.
pub fn capture(line: &str) -> Result<String> {
    report::command(line);
    let output =
        parse(line).stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(output.status.success(), "`{line}`: {}", output.status);
    Ok(String::from_utf8(output.stdout)?)
}

/// Nothing asks questions: standard input is empty.
fn parse(line: &str) -> Command {
    let mut words = line.split_whitespace().peekable();
    let mut environment = Vec::new();
    while let Some(pair) = words.peek().and_then(|word| word.split_once('=')) {
        environment.push(pair);
        words.next();
    }
    let mut command = Command::new(words.next().unwrap_or_default());
    command.envs(environment).args(words).stdin(Stdio::null());
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_sets_its_environment_and_keeps_its_arguments() {
        assert_eq!(output("NEARFIELD_A=b=c printenv NEARFIELD_A").unwrap(), "b=c");
        assert_eq!(output("echo  --x=y  z").unwrap(), "--x=y z");
        assert_eq!(capture("echo a").unwrap(), "a\n");
    }

    #[test]
    fn failure_names_the_line() {
        assert!(run("true").is_ok() && succeeds("true") && !succeeds("false"));
        assert!(run("false").unwrap_err().to_string().starts_with("`false`: "));
        assert!(capture("false").unwrap_err().to_string().starts_with("`false`: "));
        let missing = "no-such-program-of-nearfield --version";
        assert!(!succeeds(missing));
        assert_eq!(output(missing).unwrap_err().to_string(), format!("cannot start `{missing}`"));
    }
}
