//! The page `docs/measured/dgtd.md`: stages of Maxwell's equations on tetrahedra, on this processor and on a card.
//!
//! This machine need not have the card: its rows are in a file, the output of [`COMMAND`] by the program that `cargo xtask gpu` packs.

use crate::step::Outcome;
use crate::{machine, peer, report};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;
use std::fs;

const PAGE: &str = "docs/measured/dgtd.md";
/// What came from the machine with the card.
const FILE: &str = "target/dgtd_cuda.jsonl";
const COMMAND: &str = "nearfield bench dgtd --device cuda --json";
/// Seconds for each row.
const SECONDS: u32 = 3;

/// Measures the processor, reads what a card's machine gave, and writes the page.
pub fn measure() -> Result<Outcome> {
    let (rows, load) = peer::rows(&format!("dgtd --seconds {SECONDS}"))?;
    let card = match fs::read_to_string(FILE) {
        Ok(text) => {
            text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>().context(FILE)?
        }
        Err(_) => {
            report::skipped(
                "card",
                &format!("there is no {FILE}: what `{COMMAND}` prints on a machine with a card"),
            );
            Vec::new()
        }
    };
    fs::write(PAGE, page(&rows, &card, &load)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value], card: &[Value], load: &str) -> Result<String> {
    let mut page = format!(
        "# DGTD: what a stage takes\n\nDate: {}. Command: `cargo xtask measure-dgtd`, which made this page; do not edit. An unknown is one of 6 Np K values, a step has five stages. Operations are those of products of matrices, two a multiply-add; \
         bytes are those that a stage reads\nand writes at least: fields, residuals, geometry, memories of layers, each once. Roofs are measured in the same run: multiply-adds in registers, and arrays that are read and written alike. Mathematics: `docs/math/dgtd.md`.\n",
        machine::date_and_commit()?
    );
    let _ = write!(
        page,
        "\n## The processor\n\nMachine: {}; load average before the run {load}, where anything above 0 is other people's work.\n\n{HEADING}",
        machine::processor()?
    );
    for row in rows {
        page += &processor(row).with_context(|| row.to_string())?;
    }
    if !card.is_empty() {
        page += &of_card(card).context("the rows of the card lack a figure")?;
    }
    Ok(page)
}

const HEADING: &str = "| order | precision | threads | elements | 1e8 unknowns x stages/s | GFLOP/s | of the roof | GB/s | of the roof |\n|---|---|---|---|---|---|---|---|---|\n";

fn number(row: &Value, name: &str) -> Option<f64> {
    row[name].as_f64()
}

/// A figure, and its part of the roof in percent.
fn beside(row: &Value, name: &str, scale: f64) -> Option<String> {
    let (value, roof) = (number(row, name)?, number(row, &format!("roof_{name}"))?);
    Some(format!("{:.1} | {:.0} %", scale * value, 100.0 * value / roof))
}

fn processor(row: &Value) -> Option<String> {
    Some(format!(
        "| {} | {} | {} | {} | {:.2} | {} | {} |\n",
        row["order"].as_u64()?,
        row["precision"].as_str()?,
        row["threads"].as_u64()?,
        row["elements"].as_u64()?,
        1e-8 * number(row, "unknown_stages_per_s")?,
        beside(row, "gflops", 1.0)?,
        beside(row, "gbytes_per_s", 1.0)?
    ))
}

fn of_card(rows: &[Value]) -> Option<String> {
    let of = |table: &'static str| rows.iter().filter(move |row| row["table"] == table);
    let (plain, layered): (Vec<&Value>, Vec<&Value>) = of("card").partition(|row| row["penalty"].is_null());
    let mut text = format!(
        "\n## A card\n\nCard: {}. Command there: `{COMMAND}`. A cavity of equal cells, in device memory. Ratio: to the same order on one core of that machine's processor, in single precision, from the same run.\n\n\
         | order | precision | elements | 1e10 unknowns x stages/s | stage, us | TFLOP/s | of the roof | TB/s | of the roof | bytes an unknown | ratio |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
        plain.first()?["device"].as_str()?
    );
    for row in plain {
        let rate = number(row, "unknown_stages_per_s")?;
        let core = of("processor").find(|core| core["order"] == row["order"] && core["threads"] == 1);
        let ratio = core.and_then(|core| number(core, "unknown_stages_per_s"));
        let ratio = ratio.map_or(String::new(), |core| format!("{:.0}", rate / core));
        let _ = writeln!(
            text,
            "| {} | {} | {} | {:.2} | {:.0} | {} | {} | {:.1} | {ratio} |",
            row["order"].as_u64()?,
            row["precision"].as_str()?,
            row["elements"].as_u64()?,
            1e-10 * rate,
            number(row, "stage_us")?,
            beside(row, "gflops", 1e-3)?,
            beside(row, "gbytes_per_s", 1e-3)?,
            number(row, "bytes_per_unknown")?
        );
    }
    text += "\nThe same elements with four layers of cells on every side; penalty: the time of a stage over that without layers, less one.\n\n| order | precision | elements in layers | 1e10 unknowns x stages/s | penalty |\n|---|---|---|---|---|\n";
    for row in layered {
        let _ = writeln!(
            text,
            "| {} | {} | {:.0} % | {:.2} | {:.1} % |",
            row["order"].as_u64()?,
            row["precision"].as_str()?,
            100.0 * number(row, "in_layers")?,
            1e-10 * number(row, "unknown_stages_per_s")?,
            100.0 * number(row, "penalty")?
        );
    }
    let row = of("sphere").next()?;
    let _ = writeln!(
        text,
        "\n**The paper's dielectric sphere**: {} elements, order {}, {} steps with the sums of the far field at {} nodes: **{:.2} s** (the paper: 782 s on its card, 15 163 s on a core); {:.0} % of the elements in layers, which cost {:.1} %.",
        row["elements"].as_u64()?,
        row["order"].as_u64()?,
        row["steps"].as_u64()?,
        row["surface_nodes"].as_u64()?,
        number(row, "steps_s")?,
        100.0 * number(row, "in_layers")?,
        100.0 * number(row, "penalty")?
    );
    text += "\nThe processor of that machine, in the same run:\n\n";
    text += HEADING;
    for row in of("processor") {
        text += &processor(row)?;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(table: &str, threads: Option<u32>, penalty: Option<f64>) -> Value {
        json!({
            "table": table, "order": 3, "precision": "f32", "threads": threads, "elements": 6, "unknown_stages_per_s": 5e10,
            "gflops": 500.0, "roof_gflops": 1000.0, "gbytes_per_s": 250.0, "roof_gbytes_per_s": 1000.0, "stage_us": 7.0,
            "bytes_per_unknown": 17.5, "in_layers": 0.5, "penalty": penalty, "device": "a card",
            "steps": 4, "steps_s": 2.0, "surface_nodes": 9,
        })
    }

    #[test]
    fn rows_become_lines() {
        let line = "| 3 | f32 | 1 | 6 | 500.00 | 500.0 | 50 % | 250.0 | 25 % |\n";
        assert_eq!(processor(&row("processor", Some(1), None)).as_deref(), Some(line));
        let all = [
            row("card", None, None),
            row("card", None, Some(0.125)),
            row("sphere", None, Some(0.25)),
            row("processor", Some(1), None),
        ];
        let text = of_card(&all).unwrap();
        for part in [
            "| 3 | f32 | 6 | 5.00 | 7 | 0.5 | 50 % | 0.2 | 25 % | 17.5 | 1 |\n",
            "| 3 | f32 | 50 % | 5.00 | 12.5 % |\n",
            "6 elements, order 3, 4 steps",
            "**2.00 s**",
            line,
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(of_card(&[]), None);
        assert_eq!(processor(&json!({ "order": 3 })), None);
    }
}
