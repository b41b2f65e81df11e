//! The page `docs/measured/sbr_cuda.md`: the paper's Table III on a GPU.

use crate::outcome::Outcome;
use crate::{page, peer};
use anyhow::Result;
use serde_json::Value;

/// Seconds for each row.
const SECONDS: &str = "1";
const TEMPLATE: &str = include_str!("../pages/sbr_cuda.md");

/// Measures where there is a GPU, or takes the rows of the file `ROWS`, and writes the page.
pub fn measure() -> Result<Outcome> {
    peer::measure_card("sbr", SECONDS, TEMPLATE, data)
}

/// Seconds of the paper's GPU, of the same number of triangles.
fn of_paper(target: &str) -> &'static str {
    match target {
        "missile" => "1.6 s",
        "ship" => "1.5 s",
        "airplane-a" => "231 s",
        _ => "368 s",
    }
}

/// Tables by kinds of rows, with the paper's time where there is one frequency.
fn data(rows: &[Value]) -> Result<Value> {
    let mut rows = rows.to_vec();
    for row in rows.iter_mut().filter(|row| row["frequencies"] == 1) {
        row["paper"] = of_paper(row["target"].as_str().unwrap_or_default()).into();
    }
    let mut tables = page::tables(&rows, "kind");
    tables["seconds"] = SECONDS.into();
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_have_all_figures_or_are_none() {
        let row = |kind: &str, frequencies: u32| {
            json!({
                "kind": kind, "device": "a card", "target": "ship", "triangles": 2388, "frequencies": frequencies, "best_s": 0.05,
                "median_s": 1.25, "runs": 7, "more_than_one": 0.25, "segments": 5e7, "segments_per_s": 1e9, "tubes": 11, "quartered": 3,
            })
        };
        let text = |rows: &[Value]| {
            let mut data = data(rows)?;
            data["date"] = "d".into();
            page::fill(TEMPLATE, &data)
        };
        let rows = [row("cut", 101), row("one ray a tube", 1), row("edges", 1)];
        let page = text(&rows).unwrap();
        let line = "| 101 | 50.0 ms | 1.25 s | 7 | 25 % | 5.000e7 | 1.00 | 11 | 3 |  |\n";
        assert!(page.contains(&format!("| ship | 2388 {line}")), "{page}");
        assert!(page.ends_with("| 5.000e7 | 1.00 | 11 | 3 | 1.5 s |\n"), "{page}");
        assert!(text(&rows[..2]).is_err() && text(&[]).is_err());
    }
}
