//! The page `docs/measured/mom_cuda.md`: matrices of moments on a GPU, and the thesis's figures as tables.

use crate::outcome::Outcome;
use crate::{page, peer};
use anyhow::{Context, Result};
use serde_json::Value;

/// Seconds for each row.
const SECONDS: &str = "0.5";
const TEMPLATE: &str = include_str!("../pages/mom_cuda.md");

/// Measures where there is a GPU, or takes the rows of the file `ROWS`, and writes the page.
pub fn measure() -> Result<Outcome> {
    peer::measure_card("mom", SECONDS, TEMPLATE, data)
}

/// Tables, with the GPU's row in the CPU's row of the same size and solver.
fn data(rows: &[Value]) -> Result<Value> {
    let mut tables = page::tables(rows, "table");
    tables["seconds"] = SECONDS.into();
    let solutions = tables["solution"].as_array().context("the bench gave no solution")?.clone();
    for row in tables["processor"].as_array_mut().into_iter().flatten() {
        let same = |other: &&Value| other["unknowns"] == row["unknowns"] && other["solver"] == row["solver"];
        let card = solutions.iter().find(same).with_context(|| format!("no row of the GPU for {row}"))?;
        row["card"] = card.clone();
    }
    Ok(tables)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn speed_ups_are_ratios_of_the_same_step() {
        let row = |table: &str, scale: f64| {
            json!({
                "table": table, "unknowns": 1000, "solver": "lu", "fill_ms": scale, "factor_ms": 2.0 * scale,
                "solve_ms": 3.0 * scale, "total_ms": 6.0 * scale, "factor_share": 0.5, "far_ms": 1.0,
                "backward_error": 1e-15, "steps": 0, "threads": 2,
            })
        };
        let fill = json!({
            "table": "fill", "unknowns": 1000, "method": "pulse", "c128_ms": 1.0, "c128_write_share": 0.5, "c64_ms": 1.0,
            "c64_write_share": 0.25, "device": "a card",
        });
        let mut data = data(&[fill, row("solution", 0.5), row("processor", 10.0)]).unwrap();
        data["date"] = "d".into();
        let text = page::fill(TEMPLATE, &data).unwrap();
        let line = "| 1000 | lu | 10.00 | 20.00 | 30.00 | 60.00 | 0.50 | 1.00 | 1.50 | 3.00 | 20.0 | 20.0 | 20.0 | 20.0 |\n";
        assert!(
            text.ends_with(line) && text.contains("| 1000 | pulse | 1.000 | 50 % | 1.000 | 25 % |\n"),
            "{text}"
        );
        assert!(super::data(&[row("processor", 1.0)]).is_err() && super::data(&[]).is_err());
    }
}
