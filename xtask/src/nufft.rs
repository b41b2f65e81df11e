//! The page `docs/measured/nufft.md`: our NUFFT and FINUFFT on the same numbers, in one run.

use crate::outcome::Outcome;
use crate::{page, peer};
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// The peer, and what it needs; both fixed, as they decide on its speed.
const PACKAGES: [(&str, &str); 3] = [("finufft", "2.5.1"), ("numpy", "2.4.6"), ("packaging", "26.3")];
/// Seconds for each row.
const SECONDS: u32 = 6;
const TEMPLATE: &str = include_str!("../pages/nufft.md");

/// Gets FINUFFT, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    let (rows, load) = peer::rows_beside("nufft", SECONDS, &PACKAGES)?;
    page::write("docs/measured/nufft.md", TEMPLATE, data(&rows, &load)?)
}

/// Rows by numbers of threads.
fn data(rows: &[Value], load: &str) -> Result<Value> {
    let version = &rows.first().context("the bench gave no row")?["finufft_version"];
    let mut counts: Vec<u64> = rows.iter().filter_map(|row| row["threads"].as_u64()).collect();
    counts.dedup();
    let section = |threads: u64| {
        let rows: Vec<&Value> = rows.iter().filter(|row| row["threads"] == threads).collect();
        json!({ "title": format!("{threads} thread{}", if threads == 1 { "" } else { "s" }), "rows": rows })
    };
    let sections: Vec<Value> = counts.into_iter().map(section).collect();
    Ok(json!({ "version": version, "seconds": SECONDS, "load": load, "sections": sections }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_both_and_their_ratio() {
        let figures = |execute: f64| json!({ "plan_ms": 1.0, "points_ms": 0.5, "execute_ms": execute, "error": 2.5e-7 });
        let row = json!({
            "type": 2, "points": 10000, "modes": 100, "precision": "f32", "eps": 1e-6, "threads": 1,
            "nearfield": figures(2.0), "finufft": figures(3.0), "finufft_version": "2",
        });
        let text = |rows: &[Value]| {
            let mut data = data(rows, "0")?;
            (data["date"], data["processor"]) = ("d".into(), "p".into());
            page::fill(TEMPLATE, &data)
        };
        let line = "| 10000 | 100 | f32, 1e-6 | 2 | 1.00 | 0.50 | 2.00 | 2.5e-7 | 1.00 | 0.50 | 3.00 | 2.5e-7 | 1.50 |\n";
        let page = text(&[row]).unwrap();
        assert!(page.contains("\n## 1 thread\n") && page.ends_with(line), "{page}");
        assert!(text(&[json!({ "type": 2, "threads": 1 })]).is_err() && text(&[]).is_err());
    }
}
