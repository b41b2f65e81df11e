//! The live instrument for five minutes: its memory must stay flat, its handles constant, and all that the bench sends must flow through it.
//!
//! The bench sends at the camera's full rate. After the first fifth, in which buffers and pools fill, the resident memory must stay within
//! [`FLAT`] of itself and the number of open handles the same. By its summary no frame may be lost and no row dropped, and at least [`FLOWED`] of what the
//! bench sends in that time must have come. Holograms that a busy machine left out are printed and are no failure. `SOAK_SECONDS` and `SOAK_SPEED` change time and rate.

use crate::step::Outcome;
use crate::{command, peer};
use anyhow::{Context, Result, bail, ensure};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Largest change of the resident memory, parts of one.
const FLAT: f64 = 0.01;

/// Least part of the rows of the time that must come; the bench may begin late.
const FLOWED: f64 = 0.9;

/// Rows a second of the camera.
const CAMERA_HZ: f64 = 1.5e6;

pub fn run() -> Result<Outcome> {
    if !Path::new("/proc/self/status").exists() {
        return Ok(Outcome::Skipped(
            "memory and handles are read from /proc, which this system does not have".into(),
        ));
    }
    command::run("cargo build --release --package nearfield --package hil-sim")?;
    let seconds: f64 = number("SOAK_SECONDS", 300.0)?;
    let speed: f64 = number("SOAK_SPEED", 1.0)?;
    let target = PathBuf::from(peer::target());
    let (release, folder) = (target.join("release"), target.join("soak"));
    std::fs::create_dir_all(&folder)?;
    let summary = folder.join("summary.json");
    // One of an earlier run must not speak for this one.
    if summary.exists() {
        std::fs::remove_file(&summary)?;
    }
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
    let watched = watch(&mut live, &mut bench, seconds);
    let ended = [stop(&mut bench)?, stop(&mut live)?];
    for line in lines {
        println!("   {}", line?);
    }
    judge(&watched?)?;
    // The bench was interrupted in work that has no end.
    ensure!(matches!(ended[0].code(), Some(0 | 130)), "hil-sim ended with {}", ended[0]);
    ensure!(ended[1].success(), "nearfield live ended with {}", ended[1]);
    let text = std::fs::read_to_string(&summary).with_context(|| summary.display().to_string())?;
    flowed(&serde_json::from_str(&text)?, FLOWED * seconds * speed * CAMERA_HZ)?;
    Ok(Outcome::Done)
}

/// Whether at least `rows` came, none was lost, and holograms were made.
fn flowed(summary: &serde_json::Value, rows: f64) -> Result<()> {
    let figures = &summary["figures"];
    let count = |value: &serde_json::Value, name: &str| {
        value[name].as_u64().with_context(|| format!("the summary has no {name}"))
    };
    let (ingest, dropped) = (&figures["ingest"], &figures["dropped"]);
    let (came, holograms) = (count(ingest, "samples")?, count(figures, "holograms")?);
    println!("   {came} rows, {holograms} holograms, {} left out", count(dropped, "holograms")?);
    ensure!(came as f64 >= rows, "only {came} rows came of at least {rows:.0}");
    ensure!(holograms > 0, "no hologram was made");
    ensure!(count(ingest, "lost_frames")? == 0, "frames were lost");
    ensure!(count(dropped, "rows")? == 0, "rows were dropped");
    Ok(())
}

fn number(name: &str, usual: f64) -> Result<f64> {
    match std::env::var(name) {
        Ok(text) => text.parse().with_context(|| format!("{name}={text}: not a number")),
        Err(_) => Ok(usual),
    }
}

/// Ends a program as Ctrl-C does.
fn stop(child: &mut Child) -> Result<ExitStatus> {
    command::succeeds(&format!("kill -INT {}", child.id()));
    Ok(child.wait()?)
}

/// Resident kilobytes and open handles, once a second after the first fifth.
fn watch(child: &mut Child, bench: &mut Child, seconds: f64) -> Result<Vec<(u64, usize)>> {
    let (begin, folder) = (Instant::now(), format!("/proc/{}", child.id()));
    let mut samples = Vec::new();
    while begin.elapsed().as_secs_f64() < seconds {
        std::thread::sleep(Duration::from_secs(1));
        if let Some(status) = child.try_wait()? {
            bail!("nearfield live ended by itself: {status}");
        }
        if let Some(status) = bench.try_wait()? {
            bail!("hil-sim ended by itself: {status}");
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

    #[test]
    fn nothing_that_flows_is_a_failure() {
        let summary = |samples: u64, holograms: u64, lost: u64, dropped: u64| {
            serde_json::json!({"figures": {
                "ingest": {"samples": samples, "lost_frames": lost}, "holograms": holograms,
                "dropped": {"rows": dropped, "holograms": 3},
            }})
        };
        assert!(flowed(&summary(900, 1, 0, 0), 900.0).is_ok());
        for wrong in
            [summary(899, 1, 0, 0), summary(900, 0, 0, 0), summary(900, 1, 1, 0), summary(900, 1, 0, 1)]
        {
            assert!(flowed(&wrong, 900.0).is_err(), "{wrong}");
        }
        assert!(flowed(&serde_json::json!({}), 0.0).is_err());
    }
}
