//! The page `docs/measured/reflectarray.md`: what evaluations and a design of a reflectarray take, and what designs reach.

use crate::outcome::Outcome;
use crate::{command, machine, page, peer};
use anyhow::{Context, Result};
use serde_json::{Value, json};

const BENCH: &str = "bench reflectarray --seconds 2 --json";
/// Both at once: apart, the example's dependencies would have everything compiled twice.
const BUILD: &str = "cargo build --release --package nearfield --package nearfield-bench --bin nearfield --example reflectarray_figures";
/// Beside the repository.
const DATA: &str = "../shared/data/reflectarray";
const TEMPLATE: &str = include_str!("../pages/reflectarray.md");

pub fn measure() -> Result<Outcome> {
    if !std::path::Path::new(DATA).join("front_boundary.csv").is_file() {
        return Ok(Outcome::Skipped(format!("{DATA}/front_boundary.csv is not there")));
    }
    command::run(BUILD)?;
    let release = format!("{}/release", peer::target());
    let load = machine::load()?;
    let bench = peer::lines(&format!("{release}/nearfield {BENCH}"))?;
    let figures =
        |what: &str| peer::lines(&format!("{release}/examples/reflectarray_figures --json {what} {DATA}"));
    let data = data(&bench, &figures("fronts")?, figures("tables")?, &load)?;
    page::write("docs/measured/reflectarray.md", TEMPLATE, data)
}

fn data(bench: &[Value], fronts: &[Value], mut tables: Vec<Value>, load: &str) -> Result<Value> {
    let mut rates: Vec<Value> = bench.iter().filter(|row| row["unit"] == "1/s").cloned().collect();
    for row in &mut rates {
        let name = row["name"].as_str().and_then(|name| name.split_once(": "));
        let (case, what) = name.context("a row of the bench without its case")?;
        (row["case"], row["what"]) = (case.into(), what.into());
    }
    let design = bench.iter().find(|row| row["unit"] == "s").context("the bench gave no design")?;
    let curves = fronts.iter().filter(|row| row["front"].is_array()).map(|row| front(row, fronts));
    let curves = curves.collect::<Option<Vec<Value>>>().context("a row of the fronts lacks a figure")?;
    for row in &mut tables {
        row["paper_text"] = pair(&row["paper"]).into();
    }
    Ok(json!({
        "load": load, "bench": BENCH, "data": DATA, "rates": rates, "design": design, "fronts": curves, "tables": tables,
    }))
}

/// Mean and minimum, dBi; none where there are none.
fn pair(value: &Value) -> Option<String> {
    Some(format!("{:.2}/{:.2}", value[0].as_f64()?, value[1].as_f64()?))
}

/// A case's front with the file's rows beside it.
fn front(front: &Value, all: &[Value]) -> Option<Value> {
    let points: Option<Vec<String>> = front["front"].as_array()?.iter().map(pair).collect();
    let own = |row: &&Value| row["case"] == front["case"] && row["front"].is_null();
    let rows: Vec<&Value> = all.iter().filter(own).collect();
    let margins = rows.iter().map(|row| row["margin_db"].as_f64());
    // A row that is not reached has no margin, and the front has none then.
    let least =
        margins.collect::<Option<Vec<f64>>>().map(|all| all.into_iter().fold(f64::INFINITY, f64::min));
    let mut front = front.clone();
    (front["points"], front["rows"], front["least"]) = (points?.join(", ").into(), json!(rows), json!(least));
    Some(front)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bench: &[Value], fronts: &[Value], tables: Vec<Value>) -> Result<String> {
        let mut data = data(bench, fronts, tables, "0")?;
        (data["date"], data["processor"]) = ("d".into(), "p".into());
        page::fill(TEMPLATE, &data)
    }

    fn bench() -> [Value; 2] {
        let rate = json!({ "name": "a, b: c", "unit": "1/s", "best": 1234.6, "median": 2.0, "best_ms": 0.81, "threads": 2 });
        let design = json!({
            "name": "d", "unit": "s", "best": 2.4, "median": 2.5, "runs": 5, "threads": 2, "d_mean_db": 33.0, "d_min_db": 31.9,
            "iterations": 900, "starts": 8, "mean": 0.1,
        });
        [rate, design]
    }

    #[test]
    fn rows_become_lines() {
        let text = text(&bench(), &[], vec![]).unwrap();
        assert!(
            text.contains("| a, b | c | 1235 | 2.00 | 0.8100 |\n") && text.contains("best 2.40 s"),
            "{text}"
        );
        assert!(super::tests::text(&bench()[..1], &[], vec![]).is_err());
    }

    #[test]
    fn fronts_say_what_is_not_reached() {
        let front = json!({ "case": "a", "designs": 9, "front": [[30.0, 29.0], [31.0, 28.0]], "seconds": 3.0, "asked_db": 0.2 });
        let row = |ours: Value, margin: Value| json!({ "case": "a", "p": 2.0, "d_mean_db": 30.5, "d_min_db": 27.5, "ours": ours, "margin_db": margin });
        let reached = [front.clone(), row(json!([31.0, 28.0]), json!(0.5))];
        let text = text(&bench(), &reached, vec![]).unwrap();
        assert!(
            text.contains("Least margin +0.500 dB") && text.contains("| 31.000 | 28.000 | +0.500 |"),
            "{text}"
        );
        let missed = [front, row(Value::Null, Value::Null)];
        let table = json!({ "table": 4, "name": "a", "part": "whole", "mean": 0.1, "ours": [31.0, 28.0], "paper": null });
        let text = super::tests::text(&bench(), &missed, vec![table]).unwrap();
        assert!(text.contains("Least margin -inf") && text.contains("not reached"), "{text}");
        assert!(text.contains("| 4 | a | whole | 0.1 | 31.00/28.00 |  |\n"), "{text}");
    }
}
