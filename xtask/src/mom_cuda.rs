//! The page `docs/measured/mom_cuda.md`: matrices of moments on a card, and the thesis's figures as tables.

use crate::step::Outcome;
use crate::{machine, peer};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

const PAGE: &str = "docs/measured/mom_cuda.md";
/// Seconds for each row.
const SECONDS: &str = "0.5";

/// Measures where there is a card, or takes the rows of the file `ROWS`, and writes the page.
pub fn measure() -> Result<Outcome> {
    let rows = match peer::rows_of_card("mom", SECONDS)? {
        Ok(rows) => rows,
        Err(outcome) => return Ok(outcome),
    };
    std::fs::write(PAGE, page(&rows)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value]) -> Result<String> {
    let of = |table: &str| rows.iter().filter(|row| row["table"] == table).collect::<Vec<_>>();
    let (fills, solutions, beside) = (of("fill"), of("solution"), of("processor"));
    let first = fills.first().context("the bench gave no row")?;
    let device = first["device"].as_str().context("a row without its device")?;
    let threads = beside.first().map_or(0, |row| row["threads"].as_u64().unwrap_or(0));
    let mut page = format!(
        "# Moments on a card\n\nDate: {}. Machine: one {device} beside {threads} threads of a processor. Command: `nearfield bench mom --device cuda --seconds {SECONDS} --json`, of whose rows `cargo xtask measure-mom-cuda` made this page; do not edit.\n\n\
         A circle with 20 unknowns a wavelength, TM, electric equation. Fills by the card's clock; shares are those of the time that writing the matrix alone would take at the rate of a copy.\n\n\
         | unknowns | method | c128, ms | share | c64, ms | share |\n|---|---|---|---|---|---|\n",
        machine::date_and_commit()?
    );
    for row in &fills {
        page += &fill(row).with_context(|| row.to_string())?;
    }
    page += "\nFill of LCN with 8 nodes a cell, factors, 361 incidences with residuals and backward errors, and the far field towards 361 directions in the host's memory, by the host's clock, milliseconds, the best run; cells, tables and kernels are made before. Share: of the rate of cuBLAS's 64-bit products, for the 8/3 N^3 operations of LU.\n\n\
             | unknowns | solver | fill | factors | share | incidences | far field | all | backward error | steps |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for row in &solutions {
        page += &solution(row).with_context(|| row.to_string())?;
    }
    page += "\n## The thesis's figures 13 to 23\n\nTime against unknowns on the processor and on the card, in the same run, and the speed-up of every step. The thesis's solver is `crout`; `lu` on the processor stands for MATLAB's direct solver.\n\n\
             | unknowns | solver | processor: fill | factors | incidences | all | card: fill | factors | incidences | all | speed-up: fill | factors | incidences | all |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for row in &beside {
        let same = |other: &&&Value| other["unknowns"] == row["unknowns"] && other["solver"] == row["solver"];
        let card = solutions.iter().find(same).with_context(|| format!("no row of the card for {row}"))?;
        page += &speed_up(row, card).with_context(|| row.to_string())?;
    }
    Ok(page)
}

fn fill(row: &Value) -> Option<String> {
    let number = |name: &str| row[name].as_f64();
    Some(format!(
        "| {} | {} | {:.3} | {:.0} % | {:.3} | {:.0} % |\n",
        row["unknowns"].as_u64()?,
        row["method"].as_str()?,
        number("c128_ms")?,
        100.0 * number("c128_write_share")?,
        number("c64_ms")?,
        100.0 * number("c64_write_share")?
    ))
}

fn solution(row: &Value) -> Option<String> {
    let number = |name: &str| row[name].as_f64();
    Some(format!(
        "| {} | {} | {:.2} | {:.2} | {:.0} % | {:.2} | {:.2} | {:.2} | {:.1e} | {} |\n",
        row["unknowns"].as_u64()?,
        row["solver"].as_str()?,
        number("fill_ms")?,
        number("factor_ms")?,
        100.0 * number("factor_share")?,
        number("solve_ms")?,
        number("far_ms")?,
        number("total_ms")?,
        number("backward_error")?,
        row["steps"].as_u64()?
    ))
}

fn speed_up(here: &Value, card: &Value) -> Option<String> {
    let mut line = format!("| {} | {} |", here["unknowns"].as_u64()?, here["solver"].as_str()?);
    let steps = ["fill_ms", "factor_ms", "solve_ms", "total_ms"];
    for row in [here, card] {
        for step in steps {
            let _ = write!(line, " {:.2} |", row[step].as_f64()?);
        }
    }
    for step in steps {
        let _ = write!(line, " {:.1} |", here[step].as_f64()? / card[step].as_f64()?);
    }
    line.push('\n');
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn speed_ups_are_ratios_of_the_same_step() {
        let row = |scale: f64| {
            json!({
                "unknowns": 1000, "solver": "lu", "fill_ms": scale, "factor_ms": 2.0 * scale, "solve_ms": 3.0 * scale,
                "total_ms": 6.0 * scale,
            })
        };
        assert_eq!(
            speed_up(&row(10.0), &row(0.5)).as_deref(),
            Some(
                "| 1000 | lu | 10.00 | 20.00 | 30.00 | 60.00 | 0.50 | 1.00 | 1.50 | 3.00 | 20.0 | 20.0 | 20.0 | 20.0 |\n"
            )
        );
        assert_eq!(speed_up(&json!({}), &row(1.0)), None);
        assert!(page(&[]).is_err());
    }
}
