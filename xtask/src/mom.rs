//! The page `docs/measured/mom.md`: fill and solution of matrices of moments beside NumPy, in one run.

use crate::step::Outcome;
use crate::{machine, peer};
use anyhow::{Context, Result};
use serde_json::Value;

/// The peer; fixed, as it decides on the BLAS.
const VERSION: &str = "2.4.6";
const FOLDER: &str = "target/numpy";
const PAGE: &str = "docs/measured/mom.md";
/// Seconds for each row.
const SECONDS: u32 = 10;

/// Gets NumPy, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    peer::install(FOLDER, &[("numpy", VERSION)])?;
    let (rows, load) = peer::rows(&format!("mom --seconds {SECONDS} --peer {FOLDER}"))?;
    std::fs::write(PAGE, page(&rows, &load)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value], load: &str) -> Result<String> {
    let first = rows.first().context("the bench gave no row")?;
    let version = first["numpy_version"].as_str().context("the bench had no peer")?;
    let (threads, incidences) = (&first["threads"], &first["incidences"]);
    let mut page = format!(
        "# Moments: what fill and solution take\n\nDate: {}. Machine: {}; load average before the run {load}, where anything above 0 is other people's work. Command: `cargo xtask measure-mom`, which made this page; do not edit.\n\n\
         A circle with 20 unknowns a wavelength, TM, electric equation, {threads} threads. Fills: pulses with the midpoint rule, and LCN with 8 nodes a cell. Solvers factor the LCN matrix and solve {incidences} right-hand sides: `lu`, `refine` (32-bit factors, refined to 64 bits) \
         and `crout` (the thesis's).\nNumPy {version} solves the same matrix with the same right-hand sides in turn with ours: factors and solutions alone, and then, as \"sure\", with the residuals and backward errors of all right-hand sides, \
         which `nearfield mom` always has\nand which `refine` and `crout` here have too. Times are milliseconds, the best of all rounds. Ratio: NumPy over `lu`; above 1 we are faster.\n\n\
         | unknowns | fill, pulse | fill, lcn:8 | lu | NumPy | ratio | lu, sure | NumPy, sure | ratio | refine | crout |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        machine::date_and_commit()?,
        machine::processor()?
    );
    for row in rows {
        page += &table_row(row).with_context(|| row.to_string())?;
    }
    Ok(page)
}

fn table_row(row: &Value) -> Option<String> {
    let number = |name: &str| row[name].as_f64();
    let crout = number("crout_ms").map_or("-".into(), |ms| format!("{ms:.1}"));
    let (lu, numpy) = (number("lu_ms")?, number("numpy_ms")?);
    let (lu_sure, numpy_sure) = (number("lu_sure_ms")?, number("numpy_sure_ms")?);
    Some(format!(
        "| {} | {:.1} | {:.1} | {lu:.1} | {numpy:.1} | {:.2} | {lu_sure:.1} | {numpy_sure:.1} | {:.2} | {:.1} | {crout} |\n",
        row["unknowns"].as_u64()?,
        number("fill_pulse_ms")?,
        number("fill_lcn_ms")?,
        numpy / lu,
        numpy_sure / lu_sure,
        number("refine_ms")?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_row_has_both_and_their_ratio() {
        let row = json!({
            "unknowns": 1000, "fill_pulse_ms": 10.0, "fill_lcn_ms": 20.0, "lu_ms": 100.0, "numpy_ms": 150.0,
            "lu_sure_ms": 125.0, "numpy_sure_ms": 200.0, "refine_ms": 80.0, "crout_ms": null,
        });
        assert_eq!(
            table_row(&row).as_deref(),
            Some("| 1000 | 10.0 | 20.0 | 100.0 | 150.0 | 1.50 | 125.0 | 200.0 | 1.60 | 80.0 | - |\n")
        );
        assert_eq!(table_row(&json!({ "unknowns": 2 })), None);
        assert!(page(&[], "0").is_err());
    }
}
