//! The page `docs/measured/sbr.md`: our rays and Embree's on the same targets, in one run, and the paper's tables.

use crate::outcome::Outcome;
use crate::peer::PEERS;
use crate::{command, page, peer};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

const PEER: &str = "target/embree_peer";
/// Seconds for each row.
const SECONDS: u32 = 10;
const TEMPLATE: &str = include_str!("../pages/sbr.md");
/// Ways in which Embree casts, single rays first.
const WAYS: [&str; 8] = ["1", "1c", "8", "8c", "16", "16c", "stream", "streamc"];

/// Compiles the peer, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    std::fs::create_dir_all("target")?;
    let compile = format!("g++ -O3 -march=native -std=c++17 {PEERS}/embree_peer.cpp -o {PEER} -lembree3");
    if command::run(&compile).is_err() {
        bail!("Embree's program does not compile: apt-get install g++ libembree-dev");
    }
    let (rows, load) = peer::rows("", &format!("sbr --seconds {SECONDS} --peer {PEER}"))?;
    page::write("docs/measured/sbr.md", TEMPLATE, data(&rows, &load)?)
}

/// Tables of the bench, with Embree's best rates, and the rays of a target together.
fn data(rows: &[Value], load: &str) -> Result<Value> {
    let mut tables = page::tables(rows, "table");
    (tables["load"], tables["seconds"]) = (load.into(), SECONDS.into());
    let rays = tables["rays"].as_array_mut().context("the bench gave no rays")?;
    for row in rays.iter_mut() {
        let ways = ways(row).context("a row of rays lacks a figure, or had no peer")?;
        (row["best"], row["best_single"]) = (best(&ways).into(), best(&ways[..2]).into());
    }
    let together: Option<Vec<Value>> =
        rays.chunk_by(|a, b| a["target"] == b["target"]).map(together).collect();
    tables["together"] = together.context("a row of rays lacks a figure")?.into();
    Ok(tables)
}

/// Embree's rates in all ways, single rays first, rays a second.
fn ways(row: &Value) -> Option<Vec<f64>> {
    WAYS.iter().map(|way| row["embree"][way].as_f64()).collect()
}

fn best(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(0.0, f64::max)
}

/// The rays of a target one level after the other, as a direction has them, in millions.
fn together(levels: &[Value]) -> Option<Value> {
    let millions = |row: &Value, name: &str| row[name].as_f64().map(|x| 1e-6 * x);
    let column = |name: &str| levels.iter().map(|row| millions(row, name)).collect::<Option<Vec<f64>>>();
    let counts = column("rays")?;
    let total: f64 = counts.iter().sum();
    let rate = |of: &[f64]| total / counts.iter().zip(of).map(|(count, rate)| count / rate).sum::<f64>();
    let theirs = levels.iter().map(ways).collect::<Option<Vec<_>>>()?;
    let one = |way: usize| rate(&theirs.iter().map(|rates| 1e-6 * rates[way]).collect::<Vec<_>>());
    let one: Vec<f64> = (0..WAYS.len()).map(one).collect();
    let (ours, each) = (rate(&column("rays_per_s")?), rate(&column("best")?));
    Some(
        json!({ "target": levels[0]["target"], "rays": total, "ours": ours, "each": each, "one": best(&one) }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: &[Value]) -> Result<String> {
        let mut data = data(rows, "0")?;
        (data["date"], data["processor"]) = ("d".into(), "p".into());
        page::fill(TEMPLATE, &data)
    }

    #[test]
    fn rows_become_lines() {
        let embree = json!({ "1": 4e6, "1c": 5e6, "8": 6e6, "8c": 7e6, "16": 8e6, "16c": 10e6, "stream": 1e6, "streamc": 2e6 });
        let row = json!({ "target": "a", "table": "rays", "level": "first", "rays": 64, "hits": 9, "directions": 3, "rays_per_s": 5e6, "embree": embree, "embree_version": "3" });
        // Two kinds of rays: 64 at 5e6/s and 32 at 10e6/s; Embree's best ways are 16c at 10e6/s and 8 at 16e6/s, and the best for both is 8.
        let mut next = row.clone();
        (next["rays"], next["rays_per_s"]) = (json!(32), json!(10e6));
        next["embree"] = json!({ "1": 1e6, "1c": 1e6, "8": 16e6, "8c": 1e6, "16": 1e6, "16c": 2e6, "stream": 1e6, "streamc": 1e6 });
        let tree = json!({
            "table": "trees", "target": "a", "triangles": 7, "facet_kb": 1.0, "leaves": 3, "basic_kb": 2.0, "rope_kb": 4.0, "stack_steps": [5.0, 6.0], "rope_steps": [4.0, 0.5],
        });
        let direction = json!({
            "table": "directions", "target": "a", "threads": 2, "directions": 4, "seconds_each": 0.5, "seconds_361": 180.5, "segments_per_s": 3e6, "tubes_per_s": 1e6,
        });
        let mut rows = [row, next, tree, direction];
        let page = text(&rows).unwrap();
        for line in [
            "| a | first | 64 | 9 | 5.00 | 4.00 | 5.00 | 6.00 | 7.00 | 8.00 | 10.00 | 1.00 | 2.00 | 0.50 | 1.00 |\n",
            "| a | 96 | 6.00 | 11.43 | 7.58 | 0.52 | 0.79 |\n",
            "| a | 7 | 1.0 | 3 | 2.0 | 4.0 | 5.00 | 6.00 | 4.00 | 0.50 |\n",
            "| a | 4 | 0.500 | 180 | 3.00 | 1.00 |\n",
        ] {
            assert!(page.contains(line), "{line}: {page}");
        }
        rows[0]["embree"]["8"] = Value::Null;
        assert!(text(&rows).is_err() && text(&[]).is_err());
    }
}
