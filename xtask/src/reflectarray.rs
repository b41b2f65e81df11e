//! The page `docs/measured/reflectarray.md`: what evaluations and a design of a reflectarray take, and what designs reach.

use crate::step::Outcome;
use crate::{command, machine};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

const PAGE: &str = "docs/measured/reflectarray.md";
const BENCH: &str = "bench reflectarray --seconds 2 --json";
/// Both at once: apart, the example's dependencies would have everything compiled twice.
const BUILD: &str = "cargo build --release --package pipeline --bin nearfield --example reflectarray_figures";
/// Beside the repository.
const DATA: &str = "../shared/data/reflectarray";

/// Measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    if !std::path::Path::new(DATA).join("front_boundary.csv").is_file() {
        return Ok(Outcome::Skipped(format!("{DATA}/front_boundary.csv is not there")));
    }
    command::run(BUILD)?;
    let target = std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into());
    let figures = format!("{target}/release/examples/reflectarray_figures --json");
    let load = machine::load()?;
    let bench = rows(&format!("{target}/release/nearfield {BENCH}"))?;
    let fronts = rows(&format!("{figures} fronts {DATA}"))?;
    let tables = rows(&format!("{figures} tables {DATA}"))?;
    let mut page = head(&load)?;
    page += &evaluations(&bench).context("a row of the bench lacks a figure")?;
    page += &front_tables(&fronts).context("a row of the fronts lacks a figure")?;
    page += &paper_tables(&tables).context("a row of the tables lacks a figure")?;
    std::fs::write(PAGE, page).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn rows(line: &str) -> Result<Vec<Value>> {
    let text = command::capture(line)?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn head(load: &str) -> Result<String> {
    Ok(format!(
        "# Reflectarrays: what evaluations and designs take, and what they reach\n\n\
         Date: {}. Machine: {}; load average before the run {load}, where anything above 0 is other people's work. Command: `cargo xtask measure-reflectarray`, which made this \
         page of `nearfield {BENCH}` and of\n`cargo run --release --package pipeline --example reflectarray_figures -- fronts|tables {DATA}`; do not edit. Mathematics: `docs/math/reflectarray.md`.\n",
        machine::date_and_commit()?,
        machine::processor()?
    ))
}

/// Evaluations a second, and the design.
fn evaluations(rows: &[Value]) -> Option<String> {
    let threads = rows.first()?["threads"].as_u64()?;
    let mut text = format!(
        "\n## Evaluations\n\n\
         Double precision, fields to 1e-7 as in the synthesis, {threads} threads; one evaluation at a time uses one of them. Best and median of all runs. Elements lie half a wavelength apart, but for those that move, \
         whose gradient is by\nall phases and by a map of 9 x 9 nodes for their positions. A gradient by differences is counted as one objective more than there are unknowns, and was not run as a whole. Direct sums are \
         directivities without a\ngradient, one run on one thread.\n\n\
         | array | row | best, 1/s | median, 1/s | best, ms |\n|---|---|---|---|---|\n"
    );
    for row in rows.iter().filter(|row| row["unit"] == "1/s") {
        let (case, what) = row["name"].as_str()?.split_once(": ")?;
        let [best, median, ms] = ["best", "median", "best_ms"].map(|name| row[name].as_f64());
        let _ =
            writeln!(text, "| {case} | {what} | {} | {} | {} |", short(best?), short(median?), short(ms?));
    }
    let design = rows.iter().find(|row| row["unit"] == "s")?;
    let number = |name: &str| design[name].as_f64();
    let _ = write!(
        text,
        "\n## A design\n\n\
         `europe-71` (71 x 71 elements, 0.5 wavelengths, mu = {}), all stages from {} starts to the end, {threads} threads: **best {:.2} s, median {:.2} s** of {} runs; {} iterations of the start that won. Scored at half the \
         optimiser's step, boundary\nincluded: D_mean {:.3} dBi, D_min {:.3} dBi. Asked for were 6 s or less. The paper's machine took about 2 hours, and 4 days with differences.\n",
        number("mean")?,
        design["starts"].as_u64()?,
        number("best")?,
        number("median")?,
        design["runs"].as_u64()?,
        design["iterations"].as_u64()?,
        number("d_mean_db")?,
        number("d_min_db")?
    );
    Some(text)
}

/// Three or four digits that mean something.
fn short(x: f64) -> String {
    match x {
        x if x >= 100.0 => format!("{x:.0}"),
        x if x >= 1.0 => format!("{x:.2}"),
        x => format!("{x:.4}"),
    }
}

fn pair(value: &Value) -> Option<[f64; 2]> {
    Some([value[0].as_f64()?, value[1].as_f64()?])
}

/// Every case's front, and the file's rows beside it.
fn front_tables(rows: &[Value]) -> Option<String> {
    let mut text = String::from(
        "\n## Fronts\n\n\
         Coverages of `../shared/data/reflectarray`, optimised at a twelfth of the wavelength over the side and scored at half of that step, boundaries included. Beside every row of `front_boundary.csv` (a plain L-BFGS with a \
         p-norm) stands the one\ndesign of ours with at least its D_mean that has the largest D_min: nothing is interpolated. Below our least D_mean that is the design with the largest D_min, whose mean is higher still; above our \
         largest there would be none. dBi; the margin is\nthat of D_min, dB.\n",
    );
    for front in rows.iter().filter(|row| row["front"].is_array()) {
        let case = front["case"].as_str()?;
        let points: Option<Vec<[f64; 2]>> = front["front"].as_array()?.iter().map(pair).collect();
        let points: Vec<String> = points?.iter().map(|[mean, min]| format!("{mean:.2}/{min:.2}")).collect();
        let own: Vec<&Value> =
            rows.iter().filter(|row| row["case"] == case && row["front"].is_null()).collect();
        let least = own
            .iter()
            .map(|row| row["margin_db"].as_f64().unwrap_or(f64::NEG_INFINITY))
            .fold(f64::INFINITY, f64::min);
        let _ = write!(
            text,
            "\n### {case}\n\nLeast margin {least:+.3} dB; asked for {:+.1}. {} designs in {:.0} s; none of these is bettered by another one (D_mean/D_min): {}.\n\n\
             | p | D_mean | D_min | ours: D_mean | D_min | margin |\n|---|---|---|---|---|---|\n",
            front["asked_db"].as_f64()?,
            front["designs"].as_u64()?,
            front["seconds"].as_f64()?,
            points.join(", ")
        );
        for row in own {
            let [p, mean, min] = ["p", "d_mean_db", "d_min_db"].map(|name| row[name].as_f64());
            let ours = match (pair(&row["ours"]), row["margin_db"].as_f64()) {
                (Some([mean, min]), Some(margin)) => format!("{mean:.3} | {min:.3} | {margin:+.3}"),
                _ => "not reached | |".into(),
            };
            let _ = writeln!(text, "| {} | {:.3} | {:.3} | {ours} |", p?, mean?, min?);
        }
    }
    Some(text)
}

/// The paper's tables, its figures beside ours.
fn paper_tables(rows: &[Value]) -> Option<String> {
    let mut text = String::from(
        "\n## The paper's tables\n\n\
         Capozzoli, Curcio, Liseno and Toso, Progress In Electromagnetics Research 156 (2016). **Its masks are not published, and neither is how it scored: its figures stand beside ours on other masks and cannot be compared with them row by row.** \
         Ours are\n`coverage_europe`, `coverage_europewide` and `coverage_conus_canada` of the shared data, scored at half the optimiser's step with the boundary; mu trades the mean for the minimum. D_mean/D_min, dBi. The 30.5/29.5 that the \
         paper has for\na gradient by differences has no row of ours: it was not run.\n\n\
         | table | design | part | mu | ours | paper, its mask |\n|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let show = |[mean, min]: [f64; 2]| format!("{mean:.2}/{min:.2}");
        let mean = row["mean"].as_f64().map_or(String::new(), |mean| mean.to_string());
        let paper = pair(&row["paper"]).map_or(String::new(), show);
        let (name, part) = (row["name"].as_str()?, row["part"].as_str()?);
        let ours = show(pair(&row["ours"])?);
        let _ =
            writeln!(text, "| {} | {name} | {part} | {mean} | {ours} | {paper} |", row["table"].as_u64()?);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_become_lines() {
        let rate = json!({ "name": "a, b: c", "unit": "1/s", "best": 1234.6, "median": 2.0, "best_ms": 0.81, "threads": 2 });
        let design = json!({
            "name": "d", "unit": "s", "best": 2.4, "median": 2.5, "runs": 5, "threads": 2, "d_mean_db": 33.0, "d_min_db": 31.9,
            "iterations": 900, "starts": 8, "mean": 0.1,
        });
        let text = evaluations(&[rate.clone(), design]).unwrap();
        assert!(
            text.contains("| a, b | c | 1235 | 2.00 | 0.8100 |\n") && text.contains("best 2.40 s"),
            "{text}"
        );
        assert_eq!(evaluations(&[rate]), None);
    }

    #[test]
    fn fronts_say_what_is_not_reached() {
        let front = json!({ "case": "a", "designs": 9, "front": [[30.0, 29.0], [31.0, 28.0]], "seconds": 3.0, "asked_db": 0.2 });
        let row = |ours: Value, margin: Value| json!({ "case": "a", "p": 2.0, "d_mean_db": 30.5, "d_min_db": 27.5, "ours": ours, "margin_db": margin });
        let text = front_tables(&[front.clone(), row(json!([31.0, 28.0]), json!(0.5))]).unwrap();
        assert!(
            text.contains("Least margin +0.500 dB") && text.contains("| 31.000 | 28.000 | +0.500 |"),
            "{text}"
        );
        let text = front_tables(&[front, row(Value::Null, Value::Null)]).unwrap();
        assert!(text.contains("Least margin -inf") && text.contains("not reached"), "{text}");
        let table = json!({ "table": 4, "name": "a", "part": "whole", "mean": 0.1, "ours": [31.0, 28.0], "paper": null });
        assert!(paper_tables(&[table]).unwrap().contains("| 4 | a | whole | 0.1 | 31.00/28.00 |  |\n"));
    }
}
