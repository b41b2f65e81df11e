//! `summary.json`: the resolved settings, device, version, elapsed seconds and the figures to look at first.

use super::Context;
use pipeline::files::atomic::AtomicFile;
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
    let mut file = AtomicFile::create(folder.join("summary.json"))?;
    writeln!(file, "{summary:#}")?;
    file.commit()?;
    context.emit(&summary);
    Ok(())
}

/// Makes the folder for the results.
pub fn make_folder(folder: &Path) -> crate::cli::Result<()> {
    let made = std::fs::create_dir_all(folder);
    Ok(made.map_err(|source| pipeline::files::Error::Write { path: folder.into(), source })?)
}
