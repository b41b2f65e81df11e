//! The page `docs/measured/synthesis.md`.

use super::family::{Area, Family};
use super::fit::{BIT_RATE_MHZ, Model, clocks_per_bit};
use super::{BLOCKS, Findings, KINDS, Route};
use crate::command;
use anyhow::Result;
use std::fmt::Write;

/// The whole page.
pub fn write(findings: &[Findings], routes: &[(&Route, Area, f64)], versions: &str) -> Result<String> {
    let mut page = String::from("# What the front end takes on an FPGA\n\n");
    let date = command::output("date +%F")?;
    let _ = writeln!(
        page,
        "Date: {date}. Command: `cargo xtask synth` (`synth-large` for the speed of 1024 lines), which made this page from the tools' reports ({versions}); they lie in\n\
         `target/synth`. `boards/rtl/README.md` says what the blocks are. Nothing here was measured on a part.\n\n\
         LUT: look-up tables, with those of carry chains (ECP5) and of small memories. BRAM: see each family. DSP: \
         multipliers; iCE40HX has\nnone, its multipliers are LUTs. A lane is 32 channels; on iCE40, which is slower, 16, and no part of it is large.\n"
    );
    for found in findings {
        family(&mut page, found);
    }
    speed(&mut page, routes);
    fits(&mut page, findings, routes);
    Ok(page)
}

fn family(page: &mut String, found: &Findings) {
    let Family { name, units, .. } = found.family;
    let _ = writeln!(page, "## {name} ({units})\n");
    page.push_str("| front end | lines | LUT | FF | DSP | BRAM | LUT a channel | FF | DSP | BRAM |\n");
    page.push_str("|---|---|---|---|---|---|---|---|---|---|\n");
    for (kind, areas) in KINDS.iter().zip(&found.kinds) {
        for (lines, area) in [64, found.family.large()].into_iter().zip(areas) {
            let each = *area * (1.0 / f64::from(lines));
            let _ = writeln!(
                page,
                "| {} | {lines} | {} | {:.1} | {:.1} | {:.3} | {:.3} |",
                kind.name,
                cells(*area),
                each.luts,
                each.flip_flops,
                each.multipliers,
                each.memories
            );
        }
    }
    page.push_str("\nThe Walsh engine is a `walsh_lane` for each lane more.\n\n| block of one lane | LUT | FF | DSP | BRAM |\n|---|---|---|---|---|\n");
    for (design, area) in BLOCKS.iter().zip(&found.blocks) {
        let _ = writeln!(page, "| `{}` | {} |", design.name, cells(*area));
    }
    page.push('\n');
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
         ask for, with samples and for capture alone; reached is the\nslowest place and route of the family above. More than 48 lanes with samples are several front ends side by side.\n\n\
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
