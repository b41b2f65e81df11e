//! The page `docs/measured/nufft.md`: our NUFFT and FINUFFT on the same numbers, in one run.

use crate::step::Outcome;
use crate::{machine, peer};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

/// The peer, and what it needs; both fixed, as they decide on its speed.
const PACKAGES: [(&str, &str); 3] = [("finufft", "2.5.1"), ("numpy", "2.4.6"), ("packaging", "26.3")];
const FOLDER: &str = "target/finufft";
const PAGE: &str = "docs/measured/nufft.md";
/// Seconds for each row.
const SECONDS: u32 = 6;

/// Gets FINUFFT, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    peer::install(FOLDER, &PACKAGES)?;
    let (rows, load) = peer::rows(&format!("nufft --seconds {SECONDS} --peer {FOLDER}"))?;
    std::fs::write(PAGE, page(&rows, &load)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value], load: &str) -> Result<String> {
    let first = rows.first().context("the bench gave no row")?;
    let version = first["finufft_version"].as_str().context("the bench had no peer")?;
    let mut page = format!(
        "# NUFFT: what a sum takes\n\nDate: {}. Machine: {}; load average before the run {load}, where anything above 0 is other people's work, which hurts waiting threads most. Command: `cargo xtask measure-nufft`, which made this page; do not edit.\n\n\
         Two axes, N x N modes, M points and values without order, sign -1. Nearfield and FINUFFT {version} (from PyPI, all options by \
         default but the threads) run in turn on the same\nnumbers, {SECONDS} s a row: a few plans each, then our points and sum, theirs, ours again. Times are milliseconds, the \
         best of all rounds. Errors are relative (l2) against direct sums at the same 48 modes or\npoints. Ratio: FINUFFT's execute over ours; above 1 we \
         are faster. In `f32` the coordinates are rounded to `f32` before either has them.\n",
        machine::date_and_commit()?,
        machine::processor()?
    );
    let mut counts: Vec<u64> = rows.iter().filter_map(|row| row["threads"].as_u64()).collect();
    counts.dedup();
    for threads in counts {
        let plural = if threads == 1 { "" } else { "s" };
        let _ = write!(
            page,
            "\n## {threads} thread{plural}\n\n\
             | M | N | precision, eps | type | plan | points | execute | error | FINUFFT: plan | points | execute | error | ratio |\n\
             |---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
        );
        for row in rows.iter().filter(|row| row["threads"] == threads) {
            page += &table_row(row).with_context(|| row.to_string())?;
        }
    }
    Ok(page)
}

fn table_row(row: &Value) -> Option<String> {
    let figures = |who: &str| {
        let number = |name: &str| row[who][name].as_f64();
        let (plan, points, execute) = (number("plan_ms")?, number("points_ms")?, number("execute_ms")?);
        let text = format!("{plan:.2} | {points:.2} | {execute:.2} | {:.1e}", number("error")?);
        Some((text, execute))
    };
    let ((ours, our_time), (theirs, their_time)) = (figures("nearfield")?, figures("finufft")?);
    let (m, n, kind) = (row["points"].as_u64()?, row["modes"].as_u64()?, row["type"].as_u64()?);
    let (precision, eps) = (row["precision"].as_str()?, row["eps"].as_f64()?);
    let ratio = their_time / our_time;
    Some(format!("| {m} | {n} | {precision}, {eps:e} | {kind} | {ours} | {theirs} | {ratio:.2} |\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_has_both_and_their_ratio() {
        let figures = |execute: f64| json!({ "plan_ms": 1.0, "points_ms": 0.5, "execute_ms": execute, "error": 2.5e-7 });
        let row = json!({
            "type": 2, "points": 10000, "modes": 100, "precision": "f32", "eps": 1e-6, "threads": 1,
            "nearfield": figures(2.0), "finufft": figures(3.0),
        });
        let expected = "| 10000 | 100 | f32, 1e-6 | 2 | 1.00 | 0.50 | 2.00 | 2.5e-7 | 1.00 | 0.50 | 3.00 | 2.5e-7 | 1.50 |\n";
        assert_eq!(table_row(&row).as_deref(), Some(expected));
        assert_eq!(table_row(&json!({ "type": 2 })), None);
        assert!(page(&[], "0").is_err());
    }
}
