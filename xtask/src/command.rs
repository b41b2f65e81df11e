//! Command lines as a person would type them: words separated by blanks, `NAME=value` first for the environment.
//!
//! No quoting, so that what is printed is what is run; a value with a blank in it needs another spelling
//! (`-Dwarnings` for `-D warnings`).

use crate::report;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Whether builds keep no incremental state; see [`build_once`].
static ONCE: AtomicBool = AtomicBool::new(false);

/// From now on cargo keeps no incremental state: who builds from nothing and once pays for it, and only edits gain.
pub fn build_once() {
    ONCE.store(true, Ordering::Relaxed);
}

/// Shows and runs a line; anything but success is an error.
pub fn run(line: &str) -> Result<()> {
    report::command(line);
    let status = parse(line).status().with_context(|| format!("cannot start `{line}`"))?;
    ensure!(status.success(), "`{line}`: {status}");
    Ok(())
}

/// How long output may take that a command has written before its end.
const REST: Duration = Duration::from_millis(500);

/// Shows and runs a line; each line of what it prints and complains is shown and given to `hear` as it comes.
pub fn stream(line: &str, mut hear: impl FnMut(&str)) -> Result<()> {
    report::command(line);
    let (reader, writer) = std::io::pipe()?;
    let mut command = parse(line);
    if report::is_coloured() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    let mut child = command
        .stdout(writer.try_clone()?)
        .stderr(writer)
        .spawn()
        .with_context(|| format!("cannot start `{line}`"))?;
    // Its ends of the pipe.
    drop(command);
    let (send, lines) = channel();
    // A process that the command left behind may hold the pipe open for ever: the thread is not waited for.
    std::thread::spawn(move || {
        let bytes = BufReader::new(reader).split(b'\n').map_while(Result::ok);
        bytes.map(|bytes| send.send(bytes)).take_while(Result::is_ok).for_each(drop);
    });
    loop {
        match lines.recv_timeout(REST) {
            Ok(bytes) => {
                std::io::stdout().write_all(&[&bytes, &b"\n"[..]].concat())?;
                hear(&String::from_utf8_lossy(&bytes));
            }
            Err(RecvTimeoutError::Timeout) if child.try_wait()?.is_none() => {}
            Err(_) => break,
        }
    }
    let status = child.wait()?;
    ensure!(status.success(), "`{line}`: {status}");
    Ok(())
}

/// Runs a line silently; whether it succeeded.
pub fn succeeds(line: &str) -> bool {
    parse(line).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Shows a line and runs it silently, unless `made` is there from the same line and input; a file beside it has both.
pub fn make(line: &str, input: &str, made: &Path) -> Result<()> {
    report::command(line);
    let (mark, stamp) = (format!("{}.stamp", made.display()), format!("{line}\n{input}"));
    if made.is_file() && fs::read_to_string(&mark).is_ok_and(|old| old == stamp) {
        return Ok(());
    }
    // A run that is cut short must not look like a whole one.
    let _ = fs::remove_file(&mark);
    ensure!(succeeds(line), "`{line}` did not make {}; typed by hand it says why", made.display());
    fs::write(&mark, stamp).with_context(|| mark)
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
    if ONCE.load(Ordering::Relaxed) {
        command.env("CARGO_INCREMENTAL", "0");
    }
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
    fn both_streams_are_heard_line_by_line() {
        let mut heard = Vec::new();
        stream("ls Cargo.toml no-such-file-of-nearfield", |line| heard.push(line.to_owned())).unwrap_err();
        heard.sort();
        assert!(heard.len() == 2 && heard[0] == "Cargo.toml" && heard[1].starts_with("ls: "), "{heard:?}");
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
