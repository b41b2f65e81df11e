//! `summary.json`: the resolved settings, device, version, elapsed seconds and the figures to look at first.

use super::{Context, Result};
use pipeline::files::{self, atomic};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Writes `summary.json` into `folder`, and the same object to standard output if JSON was asked for.
pub fn write(
    context: &Context,
    folder: &Path,
    settings: Value,
    figures: Value,
    start: Instant,
) -> Result<()> {
    let mut all = context.settings();
    if let (Some(all), Value::Object(own)) = (all.as_object_mut(), settings) {
        all.extend(own);
    }
    let summary = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "device": context.device_name(),
        "settings": all,
        "figures": figures,
        "elapsed_s": start.elapsed().as_secs_f64(),
    });
    atomic::write(folder.join("summary.json"), |file| writeln!(file, "{summary:#}"))?;
    context.emit(&summary);
    Ok(())
}

pub fn make_folder(folder: &Path) -> Result<()> {
    let made = std::fs::create_dir_all(folder);
    Ok(made.map_err(|source| files::Error::write(folder, source))?)
}
