//! The page `docs/measured/synthesis.md`.

use super::designs::{BLOCKS, Findings, KINDS, Route};
use super::family::{Area, Family};
use super::fit::{BIT_RATE_MHZ, MOST_LANES, Model, clocks_per_bit};
use crate::command;
use anyhow::Result;
use std::fmt::Write;

/// Every family has a row with as many lines.
const MANY_LINES: u32 = 1024;

/// The whole page.
pub fn write(findings: &[Findings], routes: &[(&Route, Area, f64)], versions: &str) -> Result<String> {
    let mut page = String::from("# What the front end takes on an FPGA\n\n");
    let date = command::output("date +%F")?;
    let _ = writeln!(
        page,
        "Date: {date}. Command: `cargo xtask synth` (`synth-large` for the speed of 1024 lines), which made this page from the tools' reports ({versions}); they lie in\n\
         `target/synth`. `boards/rtl/README.md` says what the blocks are. Nothing here was measured on a part.\n\n\
         LUT: look-up tables, with those of carry chains (ECP5) and of small memories. BRAM: see each family. DSP: \
         multipliers; iCE40HX has\nnone, its multipliers are LUTs. A lane is 32 channels; on iCE40, which is slower, 16.\n"
    );
    for found in findings {
        family(&mut page, found);
    }
    speed(&mut page, routes);
    fits(&mut page, findings, routes);
    Ok(page)
}

fn family(page: &mut String, found: &Findings) {
    let Family { name, units, channel_bits, .. } = found.family;
    let large = found.family.large();
    let together = MANY_LINES.div_ceil(large);
    let _ = writeln!(page, "## {name} ({units})\n");
    page.push_str("| front end | lines | LUT | FF | DSP | BRAM | LUT a channel | FF | DSP | BRAM |\n");
    page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    for (kind, areas) in KINDS.iter().zip(&found.kinds) {
        row(page, kind.name, 64, 1, areas[0]);
        row(page, kind.name, large, 1, areas[1]);
        if together > 1 {
            row(page, kind.name, large, together, areas[1]);
        }
    }
    if together > 1 {
        let _ = writeln!(
            page,
            "\n{MANY_LINES} lines are {together} front ends of {large} side by side, each with its own control and FIFO, so that row is the one above it \
             times {together}: one with a\ndecimator has at most {MOST_LANES} lanes, here of {} channels. The last table has what a \
             part of the family holds.",
            1 << channel_bits
        );
    }
    page.push_str("\nThe Walsh engine is a `walsh_lane` for each lane more.\n\n| block of one lane | LUT | FF | DSP | BRAM |\n|---|---|---|---|---|\n");
    for (design, area) in BLOCKS.iter().zip(&found.blocks) {
        let _ = writeln!(page, "| `{}` | {} |", design.name, cells(*area));
    }
    page.push('\n');
}

/// A row of `together` front ends of `lines` lines each.
fn row(page: &mut String, kind: &str, lines: u32, together: u32, one: Area) {
    let (all, sum) = (lines * together, one * f64::from(together));
    let each = sum * (1.0 / f64::from(all));
    let lines = if together > 1 { format!("{all} = {together} x {lines}") } else { lines.to_string() };
    let Area { luts, flip_flops, multipliers, memories } = each;
    let _ = writeln!(
        page,
        "| {kind} | {lines} | {} | {luts:.1} | {flip_flops:.1} | {multipliers:.3} | {memories:.3} |",
        cells(sum)
    );
}

fn cells(area: Area) -> String {
    let Area { luts, flip_flops, multipliers, memories } = area;
    format!("{luts} | {flip_flops} | {multipliers} | {memories}")
}

fn speed(page: &mut String, routes: &[(&Route, Area, f64)]) {
    let _ = writeln!(
        page,
        "## Speed\n\nPlace and route of the front end between registers (`boards/rtl/synth/pins.v`), one seed. The clock that \
         is needed follows from\nthe decimator's timetable at {BIT_RATE_MHZ} Mbit/s.\n\n\
         | part | lines | channels a lane | LUT | FF | DSP | BRAM | fastest clock, MHz | needed, MHz | |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    );
    for (route, area, fastest) in routes {
        let needed = BIT_RATE_MHZ * f64::from(clocks_per_bit(route.lines, route.family.channel_bits, true));
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {fastest:.1} | {needed} | {} |",
            route.part_name,
            route.lines,
            1 << route.family.channel_bits,
            cells(*area),
            if *fastest >= needed { "fast enough" } else { "too slow" }
        );
    }
    page.push('\n');
}

fn fits(page: &mut String, findings: &[Findings], routes: &[(&Route, Area, f64)]) {
    let _ = writeln!(
        page,
        "## How many channels fit\n\nWhole lanes that fit a part, from the fixed area and the area of a lane (both follow from the \
         sizes above), with a FIFO of two\nblocks, at most 80 % of the LUTs, all of the rest. The clock is what {BIT_RATE_MHZ} Mbit/s \
         ask for, with samples and for capture alone; reached is the\nslowest place and route of the family above. More than {MOST_LANES} lanes with samples are several front ends side by side.\n\n\
         | part | capture | capture, samples | what ends first | clock, MHz | reached |\n\
         |---|---|---|---|---|---|"
    );
    for found in findings {
        let Family { name, channel_bits, fifo, parts, .. } = *found.family;
        let model = |areas: &[Area; 2]| Model::new(*areas, found.family.large(), 1 << channel_bits, fifo);
        let models: Vec<Model> = found.kinds.iter().map(model).collect();
        let of_family = |route: &&(&Route, Area, f64)| route.0.family.name == name;
        let reached = routes.iter().filter(of_family).map(|route| route.2).min_by(f64::total_cmp);
        let reached = reached.map_or("not known: no place and route".to_owned(), |mhz| format!("{mhz:.1}"));
        let clock = |decimating| BIT_RATE_MHZ * f64::from(clocks_per_bit(64, channel_bits, decimating));
        for part in parts {
            let all: Vec<(u32, &str)> = models.iter().map(|model| model.channels(part)).collect();
            let limits: Vec<&str> = all.iter().map(|(_, limit)| *limit).collect();
            let counts: Vec<String> = all.iter().map(|(channels, _)| channels.to_string()).collect();
            let _ = writeln!(
                page,
                "| {} | {} | {} | {}, {} | {reached} |",
                part.name,
                counts.join(" | "),
                limits.join(", "),
                clock(true),
                clock(false)
            );
        }
    }
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
        let mut page = String::new();
        row(&mut page, "samples", 512, 1, one);
        row(&mut page, "samples", 512, 2, one);
        let expected = "| samples | 512 | 1024 | 512 | 0 | 64 | 2.0 | 1.0 | 0.000 | 0.125 |\n\
                        | samples | 1024 = 2 x 512 | 2048 | 1024 | 0 | 128 | 2.0 | 1.0 | 0.000 | 0.125 |\n";
        assert_eq!(page, expected);
    }
}
