//! The page `docs/measured/mom.md`: fill and solution of matrices of moments beside NumPy, in one run.

use crate::outcome::Outcome;
use crate::{page, peer};
use anyhow::Result;
use serde_json::json;

/// The peer; fixed, as it decides on the BLAS.
const PACKAGES: [(&str, &str); 1] = [("numpy", "2.4.6")];
/// Seconds for each row.
const SECONDS: u32 = 10;
const TEMPLATE: &str = include_str!("../pages/mom.md");

/// Gets NumPy, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    let (rows, load) = peer::rows_beside("mom", SECONDS, &PACKAGES)?;
    page::write("docs/measured/mom.md", TEMPLATE, json!({ "rows": rows, "load": load }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_both_and_their_ratio() {
        let row = json!({
            "unknowns": 1000, "fill_pulse_ms": 10.0, "fill_lcn_ms": 20.0, "lu_ms": 100.0, "numpy_ms": 150.0,
            "lu_sure_ms": 125.0, "numpy_sure_ms": 200.0, "refine_ms": 80.0, "crout_ms": null,
            "threads": 2, "incidences": 361, "numpy_version": "2",
        });
        let of = |rows| json!({ "rows": rows, "load": "0", "date": "d", "processor": "p" });
        let text = page::fill(TEMPLATE, &of(json!([row]))).unwrap();
        let line = "| 1000 | 10.0 | 20.0 | 100.0 | 150.0 | 1.50 | 125.0 | 200.0 | 1.60 | 80.0 | - |\n";
        assert!(text.ends_with(line), "{text}");
        assert!(page::fill(TEMPLATE, &of(json!([row, { "unknowns": 2 }]))).is_err());
        assert!(page::fill(TEMPLATE, &of(json!([]))).is_err());
    }
}
