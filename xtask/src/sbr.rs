//! The page `docs/measured/sbr.md`: our rays and Embree's on the same targets, in one run, and the paper's tables.

use crate::step::Outcome;
use crate::{command, machine, peer};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write;

const PAGE: &str = "docs/measured/sbr.md";
const PROGRAM: &str = "pipeline/src/cli/bench/sbr/embree_peer.cpp";
const PEER: &str = "target/embree_peer";
/// Seconds for each row.
const SECONDS: u32 = 10;

/// Compiles the peer, measures, and writes the page.
pub fn measure() -> Result<Outcome> {
    std::fs::create_dir_all("target")?;
    let compile = format!("g++ -O3 -march=native -std=c++17 {PROGRAM} -o {PEER} -lembree3");
    if command::run(&compile).is_err() {
        bail!("Embree's program does not compile: apt-get install g++ libembree-dev");
    }
    let (rows, load) = peer::rows(&format!("sbr --seconds {SECONDS} --peer {PEER}"))?;
    std::fs::write(PAGE, page(&rows, &load)?).with_context(|| PAGE)?;
    Ok(Outcome::Done)
}

fn page(rows: &[Value], load: &str) -> Result<String> {
    let mut page = format!(
        "# SBR: what rays and radar cross-sections take\n\nDate: {}. Machine: {}; load average before the run {load}, where anything above 0 is other people's work. Command: `cargo xtask measure-sbr`, which made this page of \
         `nearfield bench sbr`; do not edit.\n\
         Targets are those of `nearfield sbr missile`, `ship`, `airplane-a` and `airplane-b`, as large as those of Tao, Lin and Bao (2010) and with as many triangles, but of another geometry. 10 GHz, 5 bounces, 10 tubes a \
         wavelength, four channels. Mathematics: `docs/math/sbr.md`.\n",
        machine::date_and_commit()?,
        machine::processor()?
    );
    let of = |table: &str| rows.iter().filter(|row| row["table"] == table).collect::<Vec<_>>();
    page += &rays(&of("rays")).context("a row of rays lacks a figure, or had no peer")?;
    page += &together(&of("rays")).context("a row of rays lacks a figure, or had no peer")?;
    page += &trees(&of("trees")).context("a row of trees lacks a figure")?;
    page += &directions(&of("directions")).context("a row of directions lacks a figure")?;
    Ok(page)
}

fn rays(rows: &[&Value]) -> Option<String> {
    let version = rows.first()?["embree_version"].as_str()?;
    let directions = rows.first()?["directions"].as_u64()?;
    let mut text = format!(
        "\n## Rays on one core\n\n\
         The same rays, in turn, one thread, pieces of 16384 rays, {SECONDS} s a row; each casts a piece three times at a turn, so that caches are its own, the best of all counts, and pieces are added up; million rays a second. Rays come from {directions} directions round the target (theta 90 degrees, at angles by the golden \
         ratio): first ones in squares of 8 x 8 of the launch grid, of the large targets every so many squares, reflected ones as they follow from their hits, square by square and sorted by the signs of their directions and by \
         triangle, as a computation does. Both have them laid out before, which is not timed: ours coordinate by coordinate, with a direction once for neighbours that share it, Embree's in packets. Reflected rays that leave a triangle towards nothing, as a box of differences tells (`outlook.rs`), end there. Ours are hits of double\nprecision, the same bits as a search through all triangles. Embree {version} (Debian) has single precision and its best tree; reflected rays begin 1e-5 radii later there. `1`, `8`, `16`: rays at once, \
         `stream`: 256 a call; `c`: called coherent.\nRatio: ours over the best of Embree's; above 1 we are faster. Beside it the ratio to single rays of Embree (`1`, `1c`).\n\n\
         | target | rays | number | hits | ours | Embree: 1 | 1c | 8 | 8c | 16 | 16c | stream | streamc | ratio | to single |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for row in rows {
        let ours = 1e-6 * row["rays_per_s"].as_f64()?;
        let ways = ways(row)?;
        let shown: Vec<String> = ways.iter().map(|rate| format!("{rate:.2}")).collect();
        let (target, level) = (row["target"].as_str()?, row["level"].as_str()?);
        let _ = writeln!(
            text,
            "| {target} | {level} | {} | {} | {ours:.2} | {} | {:.2} | {:.2} |",
            row["rays"].as_u64()?,
            row["hits"].as_u64()?,
            shown.join(" | "),
            ours / best(&ways),
            ours / best(&ways[..2])
        );
    }
    Some(text)
}

/// Embree's rates in all ways, single rays first, million rays a second.
fn ways(row: &Value) -> Option<Vec<f64>> {
    let names = ["1", "1c", "8", "8c", "16", "16c", "stream", "streamc"];
    names.iter().map(|way| row["embree"][way].as_f64().map(|rate| 1e-6 * rate)).collect()
}

fn best(rates: &[f64]) -> f64 {
    rates.iter().copied().fold(0.0, f64::max)
}

/// The rays of a target one level after the other, as a direction has them.
fn together(rows: &[&Value]) -> Option<String> {
    let mut text = String::from(
        "\nAll rays of a target, one kind after the other. Embree has the best way for each kind, or one way for all, the best of these.\n\n\
         | target | rays | ours | Embree: each its best | one way | ratio | to one way |\n|---|---|---|---|---|---|---|\n",
    );
    let mut targets: Vec<&Value> = rows.iter().map(|row| &row["target"]).collect();
    targets.dedup();
    for target in targets {
        let own: Vec<&&Value> = rows.iter().filter(|row| row["target"] == *target).collect();
        let counts = own
            .iter()
            .map(|row| row["rays"].as_f64().map(|rays| 1e-6 * rays))
            .collect::<Option<Vec<f64>>>()?;
        let ours = own
            .iter()
            .map(|row| row["rays_per_s"].as_f64().map(|rate| 1e-6 * rate))
            .collect::<Option<Vec<f64>>>()?;
        let theirs = own.iter().map(|row| ways(row)).collect::<Option<Vec<_>>>()?;
        let rays: f64 = counts.iter().sum();
        let rate = |of: &dyn Fn(usize) -> f64| rays / (0..own.len()).map(|i| counts[i] / of(i)).sum::<f64>();
        let ours = rate(&|i| ours[i]);
        let each = rate(&|i| best(&theirs[i]));
        let one = best(&(0..theirs[0].len()).map(|way| rate(&|i| theirs[i][way])).collect::<Vec<_>>());
        let _ = writeln!(
            text,
            "| {} | {:.0} | {ours:.2} | {each:.2} | {one:.2} | {:.2} | {:.2} |",
            target.as_str()?,
            1e6 * rays,
            ours / each,
            ours / one
        );
    }
    Some(text)
}

fn trees(rows: &[&Value]) -> Option<String> {
    let mut text = String::from(
        "\n## The paper's Tables I and II\n\n\
         The kd-tree, in double precision. Steps are planes that a ray passes on its way, the mean of rays that hit (first) and of all reflected ones, from one direction (theta 65, phi 30 degrees). With a stack every ray begins at the root; \
         with ropes a reflected ray begins in the\nleaf of its hit.\n\n\
         | target | triangles | triangles, kB | leaves | tree, kB | ropes, kB | stack: first | reflected | ropes: first | reflected |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for row in rows {
        let number = |name: &str| row[name].as_f64();
        let step = |name: &str, kind: usize| row[name][kind].as_f64();
        let _ = writeln!(
            text,
            "| {} | {} | {:.1} | {} | {:.1} | {:.1} | {:.2} | {:.2} | {:.2} | {:.2} |",
            row["target"].as_str()?,
            row["triangles"].as_u64()?,
            number("facet_kb")?,
            row["leaves"].as_u64()?,
            number("basic_kb")?,
            number("rope_kb")?,
            step("stack_steps", 0)?,
            step("stack_steps", 1)?,
            step("rope_steps", 0)?,
            step("rope_steps", 1)?
        );
    }
    Some(text)
}

fn directions(rows: &[&Value]) -> Option<String> {
    let threads = rows.first()?["threads"].as_u64()?;
    let mut text = format!(
        "\n## The paper's Table III, on the processor\n\n\
         Whole directions round the target (theta 90 degrees), {threads} threads. **Not all 361 were run**: as many as fitted into {SECONDS} s, at least one, at angles by the golden ratio; the time of 361 is extrapolated from them.\n\n\
         | target | directions run | s a direction | 361, extrapolated, s | segments, 1e6/s | tubes, 1e6/s |\n|---|---|---|---|---|---|\n"
    );
    for row in rows {
        let number = |name: &str| row[name].as_f64();
        let _ = writeln!(
            text,
            "| {} | {} | {:.3} | {:.0} | {:.2} | {:.2} |",
            row["target"].as_str()?,
            row["directions"].as_u64()?,
            number("seconds_each")?,
            number("seconds_361")?,
            1e-6 * number("segments_per_s")?,
            1e-6 * number("tubes_per_s")?
        );
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rows_become_lines() {
        let embree = json!({ "1": 4e6, "1c": 5e6, "8": 6e6, "8c": 7e6, "16": 8e6, "16c": 10e6, "stream": 1e6, "streamc": 2e6 });
        let mut row = json!({ "target": "a", "table": "rays", "level": "first", "rays": 64, "hits": 9, "directions": 3, "rays_per_s": 5e6, "embree": embree, "embree_version": "3" });
        let line = "| a | first | 64 | 9 | 5.00 | 4.00 | 5.00 | 6.00 | 7.00 | 8.00 | 10.00 | 1.00 | 2.00 | 0.50 | 1.00 |\n";
        assert!(rays(&[&row]).unwrap().ends_with(line));
        // Two kinds of rays: 64 at 5e6/s and 32 at 10e6/s; Embree's best ways are 16c at 10e6/s and 8 at 16e6/s, and the best for both is 8.
        let mut next = row.clone();
        (next["rays"], next["rays_per_s"]) = (json!(32), json!(10e6));
        next["embree"] = json!({ "1": 1e6, "1c": 1e6, "8": 16e6, "8c": 1e6, "16": 1e6, "16c": 2e6, "stream": 1e6, "streamc": 1e6 });
        let line = "| a | 96 | 6.00 | 11.43 | 7.58 | 0.52 | 0.79 |\n";
        assert!(together(&[&row, &next]).unwrap().ends_with(line), "{:?}", together(&[&row, &next]));
        row["embree"]["8"] = Value::Null;
        assert_eq!(together(&[&row]), None);
        assert_eq!(rays(&[&row]), None);
        let row = json!({
            "target": "a", "triangles": 7, "facet_kb": 1.0, "leaves": 3, "basic_kb": 2.0, "rope_kb": 4.0, "stack_steps": [5.0, 6.0], "rope_steps": [4.0, 0.5],
        });
        assert!(
            trees(&[&row])
                .unwrap()
                .ends_with("| a | 7 | 1.0 | 3 | 2.0 | 4.0 | 5.00 | 6.00 | 4.00 | 0.50 |\n")
        );
        let row = json!({
            "target": "a", "threads": 2, "directions": 4, "seconds_each": 0.5, "seconds_361": 180.5, "segments_per_s": 3e6, "tubes_per_s": 1e6,
        });
        assert!(directions(&[&row]).unwrap().ends_with("| a | 4 | 0.500 | 180 | 3.00 | 1.00 |\n"));
        assert!(page(&[], "0").is_err());
    }
}
