//! The page `docs/measured/dgtd.md`: stages of Maxwell's equations on tetrahedra, on this CPU and on a GPU.
//!
//! This machine need not have the GPU: its rows are in a file, the output of [`COMMAND`] by the program that
//! `cargo xtask gpu` packs.

use crate::outcome::Outcome;
use crate::{page, peer, report};
use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What came from the machine with the GPU.
const FILE: &str = "target/dgtd_cuda.jsonl";
const COMMAND: &str = "nearfield bench dgtd --device cuda --json";
/// Seconds for each row.
const SECONDS: u32 = 3;
const TEMPLATE: &str = include_str!("../pages/dgtd.md");

/// Measures the CPU, reads what a GPU's machine gave, and writes the page.
pub fn measure() -> Result<Outcome> {
    let (rows, load) = peer::rows("", &format!("dgtd --seconds {SECONDS}"))?;
    let card = match std::fs::read_to_string(FILE) {
        Ok(text) => peer::parse(&text).context(FILE)?,
        Err(_) => {
            let reason = format!("there is no {FILE}: what `{COMMAND}` prints on a machine with a GPU");
            report::skipped("card", &reason);
            Vec::new()
        }
    };
    page::write("docs/measured/dgtd.md", TEMPLATE, data(&rows, &card, &load)?)
}

/// Rows of the CPU, and tables of the GPU where there are any, with the row of one core of the same order.
fn data(rows: &[Value], card: &[Value], load: &str) -> Result<Value> {
    let mut cards = Vec::new();
    if !card.is_empty() {
        let tables = page::tables(card, "table");
        let of = |table: &str| tables[table].as_array().cloned().unwrap_or_default();
        let (mut plain, layered): (Vec<Value>, Vec<Value>) =
            of("card").into_iter().partition(|row| row["penalty"].is_null());
        let processor = of("processor");
        for row in &mut plain {
            let core = processor.iter().find(|core| core["order"] == row["order"] && core["threads"] == 1);
            row["core"] = core.cloned().unwrap_or_default();
        }
        let sphere = tables["sphere"][0].clone();
        cards.push(json!({ "plain": plain, "layered": layered, "processor": processor, "sphere": sphere }));
    }
    Ok(json!({ "rows": rows, "cards": cards, "load": load, "command": COMMAND }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(table: &str, threads: Option<u32>, penalty: Option<f64>) -> Value {
        json!({
            "table": table, "order": 3, "precision": "f32", "threads": threads, "elements": 6, "unknown_stages_per_s": 5e10,
            "gflops": 500.0, "roof_gflops": 1000.0, "gbytes_per_s": 250.0, "roof_gbytes_per_s": 1000.0, "stage_us": 7.0,
            "bytes_per_unknown": 17.5, "in_layers": 0.5, "penalty": penalty, "device": "a card",
            "steps": 4, "steps_s": 2.0, "surface_nodes": 9,
        })
    }

    fn text(rows: &[Value], card: &[Value]) -> Result<String> {
        let mut data = data(rows, card, "0")?;
        (data["date"], data["processor"]) = ("d".into(), "p".into());
        page::fill(TEMPLATE, &data)
    }

    #[test]
    fn rows_become_lines() {
        let line = "| 3 | f32 | 1 | 6 | 500.00 | 500.0 | 50 % | 250.0 | 25 % |\n";
        let core = row("processor", Some(1), None);
        let alone = text(std::slice::from_ref(&core), &[]).unwrap();
        assert!(alone.ends_with(line) && !alone.contains("A GPU"), "{alone}");
        let all =
            [row("card", None, None), row("card", None, Some(0.125)), row("sphere", None, Some(0.25)), core];
        let page = text(&[], &all).unwrap();
        for part in [
            "| 3 | f32 | 6 | 5.00 | 7 | 0.5 | 50 % | 0.2 | 25 % | 17.5 | 1 |\n",
            "| 3 | f32 | 50 % | 5.00 | 12.5 % |\n",
            "6 elements, order 3, 4 steps",
            "**2.00 s**",
            line,
        ] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(text(&[], &all[..1]).is_err() && text(&[json!({ "order": 3 })], &[]).is_err());
    }
}
