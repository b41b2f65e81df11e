//! The live instrument for five minutes: its memory must stay flat and its handles constant.
//!
//! The bench sends at the camera's full rate. After the first fifth, in which buffers and pools fill, the resident memory must stay within
//! [`FLAT`] of itself and the number of open handles the same. `SOAK_SECONDS` and `SOAK_SPEED` change time and rate.

use crate::command;
use crate::step::Outcome;
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Largest change of the resident memory, parts of one.
const FLAT: f64 = 0.01;

/// Runs the soak.
pub fn run() -> Result<Outcome> {
    if !Path::new("/proc/self/status").exists() {
        return Ok(Outcome::Skipped(
            "memory and handles are read from /proc, which this system does not have".into(),
        ));
    }
    command::run("cargo build --release --package pipeline --package hil-sim")?;
    let seconds: f64 = number("SOAK_SECONDS", 300.0)?;
    let speed: f64 = number("SOAK_SPEED", 1.0)?;
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let release = Path::new(&target).join("release");
    let folder = Path::new(&target).join("soak");
    std::fs::create_dir_all(&folder)?;
    let mut live = Command::new(release.join("nearfield"))
        .args(["live", "--udp", "127.0.0.1:0", "--out"])
        .arg(&folder)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start nearfield live")?;
    let mut lines = BufReader::new(live.stdout.take().context("its output")?).lines();
    let first = lines.next().context("nearfield live said nothing")??;
    let to = first.strip_prefix("listening on ").and_then(|rest| rest.split(';').next());
    let to = to.with_context(|| format!("not where it listens: {first}"))?.to_owned();
    let mut bench = Command::new(release.join("hil-sim"))
        .args(["--scene", "demo", "--loop", "--quiet", "--to", &to, "--speed", &speed.to_string()])
        .spawn()
        .context("cannot start hil-sim")?;
    let watched = watch(&mut live, seconds);
    stop(&mut bench)?;
    stop(&mut live)?;
    for line in lines {
        println!("   {}", line?);
    }
    let samples = watched?;
    judge(&samples).map(|()| Outcome::Done)
}

fn number(name: &str, usual: f64) -> Result<f64> {
    match std::env::var(name) {
        Ok(text) => text.parse().with_context(|| format!("{name}={text}: not a number")),
        Err(_) => Ok(usual),
    }
}

/// Ends a program as Ctrl-C does.
fn stop(child: &mut Child) -> Result<()> {
    command::succeeds(&format!("kill -INT {}", child.id()));
    child.wait()?;
    Ok(())
}

/// Resident kilobytes and open handles, once a second after the first fifth.
fn watch(child: &mut Child, seconds: f64) -> Result<Vec<(u64, usize)>> {
    let (begin, folder) = (Instant::now(), format!("/proc/{}", child.id()));
    let mut samples = Vec::new();
    while begin.elapsed().as_secs_f64() < seconds {
        std::thread::sleep(Duration::from_secs(1));
        if let Some(status) = child.try_wait()? {
            bail!("nearfield live ended by itself: {status}");
        }
        if begin.elapsed().as_secs_f64() > seconds / 5.0 {
            let status = std::fs::read_to_string(format!("{folder}/status"))?;
            let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
            let kilobytes = resident.trim().trim_end_matches(" kB").parse()?;
            samples.push((kilobytes, std::fs::read_dir(format!("{folder}/fd"))?.count()));
        }
    }
    Ok(samples)
}

fn judge(samples: &[(u64, usize)]) -> Result<()> {
    let memory = samples.iter().map(|(kilobytes, _)| *kilobytes);
    let (least, most) = (memory.clone().min().context("too short")?, memory.max().unwrap_or(0));
    let handles = samples.iter().map(|(_, handles)| *handles);
    let (fewest, highest) = (handles.clone().min().unwrap_or(0), handles.max().unwrap_or(0));
    println!(
        "   resident memory {least} to {most} kB, handles {fewest} to {highest}, {} samples",
        samples.len()
    );
    ensure!((most - least) as f64 <= FLAT * least as f64, "the memory is not flat to {FLAT}");
    ensure!(fewest == highest, "the number of handles changes");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_and_leaks_are_failures() {
        assert!(judge(&[(10_000, 9), (10_099, 9)]).is_ok());
        assert!(judge(&[(10_000, 9), (10_101, 9)]).is_err());
        assert!(judge(&[(10_000, 9), (10_000, 10)]).is_err());
        assert!(judge(&[]).is_err());
    }
}
