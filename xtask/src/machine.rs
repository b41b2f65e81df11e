//! What a measured page says of the machine and the moment.

use crate::command;
use anyhow::{Context, Result};

/// The load average of the last minute.
pub fn load() -> Result<String> {
    let text = std::fs::read_to_string("/proc/loadavg").context("/proc/loadavg")?;
    text.split(' ').next().map(Into::into).context("/proc/loadavg is empty")
}

/// Processor and cores.
pub fn processor() -> Result<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").context("/proc/cpuinfo")?;
    let models: Vec<&str> =
        text.lines().filter(|l| l.starts_with("model name")).filter_map(|l| l.split(": ").nth(1)).collect();
    let model = models.first().context("/proc/cpuinfo names no processor")?;
    Ok(format!("{model}, {} cores", models.len()))
}

/// Date and commit, and whether the tree differs from it.
pub fn date_and_commit() -> Result<String> {
    let (date, commit) = (command::output("date +%F")?, command::output("git rev-parse --short HEAD")?);
    let changed = if command::succeeds("git diff --quiet HEAD") { "" } else { " with changes" };
    Ok(format!("{date}, commit {commit}{changed}"))
}
