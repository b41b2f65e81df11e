//! `summary.json`: the resolved settings, device, version, elapsed seconds and the figures to look at first.

use super::Context;
use pipeline::files::{self, atomic::AtomicFile};
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
) -> crate::cli::Result<()> {
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
    write_file(folder.join("summary.json"), |file| writeln!(file, "{summary:#}"))?;
    context.emit(&summary);
    Ok(())
}

/// Writes a file, which has its name when it is complete.
pub fn write_file(
    path: impl AsRef<Path>,
    fill: impl FnOnce(&mut AtomicFile) -> std::io::Result<()>,
) -> crate::cli::Result<()> {
    let path = path.as_ref();
    let mut file = AtomicFile::create(path)?;
    fill(&mut file).map_err(|source| files::Error::Write { path: path.into(), source })?;
    Ok(file.commit()?)
}

pub fn make_folder(folder: &Path) -> crate::cli::Result<()> {
    let made = std::fs::create_dir_all(folder);
    Ok(made.map_err(|source| files::Error::Write { path: folder.into(), source })?)
}
