//! The figures of the page `docs/measured/synthesis.md`, for its template.

use super::designs::{BLOCKS, Findings, KINDS, Route};
use super::family::{Area, Family, Part};
use super::fit::{BIT_RATE_MHZ, MOST_LANES, Model, clocks_per_bit};
use serde_json::{Value, json};

pub const TEMPLATE: &str = include_str!("../../pages/synthesis.md");
/// Every family has a row with as many lines.
const MANY_LINES: u32 = 1024;

/// All of them; routes are with their areas and fastest clocks, MHz.
pub fn data(findings: &[Findings], routes: &[(&Route, Area, f64)], versions: &str) -> Value {
    json!({
        "versions": versions, "many_lines": MANY_LINES, "most_lanes": MOST_LANES, "bit_rate_mhz": BIT_RATE_MHZ,
        "families": findings.iter().map(family).collect::<Vec<_>>(),
        "routes": routes.iter().map(speed).collect::<Vec<_>>(),
        "parts": findings.iter().flat_map(|found| fits(found, routes)).collect::<Vec<_>>(),
    })
}

fn family(found: &Findings) -> Value {
    let Family { name, units, channel_bits, .. } = found.family;
    let large = found.family.large();
    let together = MANY_LINES.div_ceil(large);
    let mut front_ends = Vec::new();
    for (kind, areas) in KINDS.iter().zip(&found.kinds) {
        front_ends.push(front_end(kind.name, 64, 1, areas[0]));
        front_ends.push(front_end(kind.name, large, 1, areas[1]));
        if together > 1 {
            front_ends.push(front_end(kind.name, large, together, areas[1]));
        }
    }
    let beside = json!({ "together": together, "large": large, "lane": 1 << channel_bits });
    let blocks =
        BLOCKS.iter().zip(&found.blocks).map(|(design, area)| with(*area, json!({ "name": design.name })));
    json!({
        "name": name, "units": units, "front_ends": front_ends, "blocks": blocks.collect::<Vec<_>>(),
        "side_by_side": if together > 1 { vec![beside] } else { Vec::new() },
    })
}

/// A row with an area.
fn with(area: Area, mut row: Value) -> Value {
    let Area { luts, flip_flops, multipliers, memories } = area;
    (row["luts"], row["flip_flops"]) = (luts.into(), flip_flops.into());
    (row["multipliers"], row["memories"]) = (multipliers.into(), memories.into());
    row
}

/// `together` front ends of `lines` lines each.
fn front_end(kind: &str, lines: u32, together: u32, one: Area) -> Value {
    let all = lines * together;
    let lines = if together > 1 { format!("{all} = {together} x {lines}") } else { lines.to_string() };
    with(one * f64::from(together), json!({ "kind": kind, "lines": lines, "channels": all }))
}

/// The clock that lanes need, MHz.
fn needed_mhz(lines: u32, channel_bits: u32, decimating: bool) -> f64 {
    BIT_RATE_MHZ * f64::from(clocks_per_bit(lines, channel_bits, decimating))
}

fn speed((route, area, fastest): &(&Route, Area, f64)) -> Value {
    let channel_bits = route.family.channel_bits;
    let needed = needed_mhz(route.lines, channel_bits, true);
    let verdict = if *fastest >= needed { "fast enough" } else { "too slow" };
    let row = json!({
        "part": route.part_name, "lines": route.lines, "lane": 1 << channel_bits, "fastest": fastest,
        "needed": needed, "verdict": verdict,
    });
    with(*area, row)
}

fn fits(found: &Findings, routes: &[(&Route, Area, f64)]) -> Vec<Value> {
    let Family { name, channel_bits, fifo, parts, .. } = *found.family;
    let models: Vec<Model> = (found.kinds.iter())
        .map(|areas| Model::new(*areas, found.family.large(), 1 << channel_bits, fifo))
        .collect();
    let of_family = routes.iter().filter(|(route, ..)| route.family.name == name);
    let reached = of_family.map(|(.., fastest)| *fastest).min_by(f64::total_cmp);
    let clocks = [true, false].map(|decimating| needed_mhz(64, channel_bits, decimating));
    let row = |part: &Part| {
        let [capture, samples] = [0, 1].map(|kind: usize| models[kind].channels(part));
        json!({ "name": part.name, "capture": capture, "samples": samples, "clocks": clocks, "reached": reached })
    };
    parts.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::super::family::{ECP5, ICE40, SERIES7};
    use super::*;

    #[test]
    fn lines_side_by_side_are_front_ends_that_exist() {
        for family in [&ICE40, &ECP5, &SERIES7] {
            assert!(family.large_lanes <= MOST_LANES, "{}", family.name);
            assert_eq!(MANY_LINES % family.large(), 0, "{}", family.name);
        }
        let one = Area { luts: 1024.0, flip_flops: 512.0, multipliers: 0.0, memories: 64.0 };
        let rows = [front_end("samples", 512, 1, one), front_end("samples", 512, 2, one)];
        let mut data = data(&[], &[], "");
        data["date"] = "d".into();
        data["families"] =
            json!([{ "name": "n", "units": "u", "front_ends": rows, "blocks": [], "side_by_side": [] }]);
        let page = crate::page::fill(TEMPLATE, &data).unwrap();
        let expected = "| samples | 512 | 1024 | 512 | 0 | 64 | 2.0 | 1.0 | 0.000 | 0.125 |\n\
                        | samples | 1024 = 2 x 512 | 2048 | 1024 | 0 | 128 | 2.0 | 1.0 | 0.000 | 0.125 |\n";
        assert!(page.contains(expected), "{page}");
    }
}
