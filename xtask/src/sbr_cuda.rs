//! The page `docs/measured/sbr_cuda.md`: the paper's Table III on a card.

use crate::step::Outcome;
use crate::{machine, peer};
use anyhow::{Context, Result};
use serde_json::Value;

const PAGE: &str = "docs/measured/sbr_cuda.md";
/// Seconds for each row.
const SECONDS: &str = "1";

/// Measures where there is a card, or takes the rows of the file `ROWS`, and writes the page.
pub fn measure() -> Result<Outcome> {
    let rows = match peer::rows_of_card("sbr", SECONDS)? {
        Ok(rows) => rows,
        Err(outcome) => return Ok(outcome),
    };
    std::fs::write(PAGE, page(&rows)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

/// Tables: kinds of rows, and what stands above them.
const KINDS: [(&str, &str); 3] = [
    ("cut", ""),
    (
        "one ray a tube",
        "\nOne ray a tube, whose centre counts for all of it (`Rule::Footprint { splits: 0 }` of the library): what rays alone take, as other programs trace them. Tubes are neither cut nor quartered, and echoes of edges of facets are as wrong as tubes are wide.\n",
    ),
    ("edges", "\nWith diffraction by edges (`--edges ildc`).\n"),
];
const HEAD: &str = "\n| target | triangles | frequencies | best | median | runs | 101 take more | pieces of rays | 1e9 of them a second | tubes | quartered | paper |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";

/// Seconds of the paper's card, of the same number of triangles.
fn of_paper(target: &str) -> &'static str {
    match target {
        "missile" => "1.6 s",
        "ship" => "1.5 s",
        "airplane-a" => "231 s",
        _ => "368 s",
    }
}

fn page(rows: &[Value]) -> Result<String> {
    let first = rows.first().context("the bench gave no row")?;
    let device = first["device"].as_str().context("a row without its device")?;
    let mut page = format!(
        "# SBR on a card: the paper's Table III\n\nDate: {}. Machine: one {device}. Command: `nearfield bench sbr --device cuda --seconds {SECONDS} --json`, of whose rows `cargo xtask measure-sbr-cuda` made this page; do not edit.\n\n\
         Targets are those of `nearfield sbr missile`, `ship`, `airplane-a` and `airplane-b`, as large as those of Tao, Lin and Bao (2010) and with as many triangles, but of another geometry. 361 directions (theta 90 degrees), 10 GHz, at most 5 bounces, 10 tubes a\nwavelength, \
         four channels; 101 frequencies are 10 MHz apart, 10 GHz the highest. Seconds of a call, with all that the host does; best and median of the runs behind a first one. Pieces of rays are those that are traced. The paper's seconds are a GeForce 8800's.\n",
        machine::date_and_commit()?
    );
    for (kind, said) in KINDS {
        page += said;
        page += HEAD;
        for row in rows.iter().filter(|row| row["kind"] == kind) {
            page += &line(row).with_context(|| row.to_string())?;
        }
    }
    Ok(page)
}

fn line(row: &Value) -> Option<String> {
    let time = |name: &str| {
        let seconds = row[name].as_f64()?;
        Some(if seconds < 1.0 { format!("{:.1} ms", 1e3 * seconds) } else { format!("{seconds:.2} s") })
    };
    let frequencies = row["frequencies"].as_u64()?;
    let more = row["more_than_one"].as_f64().map_or(String::new(), |more| format!("{:.0} %", 100.0 * more));
    let target = row["target"].as_str()?;
    Some(format!(
        "| {target} | {} | {frequencies} | {} | {} | {} | {more} | {:.3e} | {:.2} | {} | {} | {} |\n",
        row["triangles"].as_u64()?,
        time("best_s")?,
        time("median_s")?,
        row["runs"].as_u64()?,
        row["segments"].as_f64()?,
        1e-9 * row["segments_per_s"].as_f64()?,
        row["tubes"].as_u64()?,
        row["quartered"].as_u64()?,
        if frequencies == 1 { of_paper(target) } else { "" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_have_all_figures_or_are_none() {
        let row = json!({
            "target": "ship", "triangles": 2388, "frequencies": 101, "best_s": 0.05, "median_s": 1.25, "runs": 7, "more_than_one": 0.25,
            "segments": 5e7, "segments_per_s": 1e9, "tubes": 11, "quartered": 3,
        });
        assert_eq!(
            line(&row).as_deref(),
            Some("| ship | 2388 | 101 | 50.0 ms | 1.25 s | 7 | 25 % | 5.000e7 | 1.00 | 11 | 3 |  |\n")
        );
        assert_eq!(line(&json!({})), None);
        assert!(page(&[]).is_err());
    }
}
