//! `cargo xtask synth` and `synth-large`: what the Verilog of `boards/rtl` takes on three families, how fast it is on two, and so how many
//! channels fit which part. Writes `docs/measured/synthesis.md`; all figures in it come from the tools' reports.

mod family;
mod fit;
mod page;
mod tools;

use crate::step::Outcome;
use anyhow::{Context, Result, anyhow};
use family::{Area, ECP5, Family, ICE40, SERIES7};
use std::fs;
use tools::Design;

const PAGE: &str = "docs/measured/synthesis.md";

/// One lane's blocks.
const BLOCKS: [Design; 7] = [
    Design { name: "capture_lane", top: "capture_lane", parameters: "" },
    Design { name: "cic_window", top: "cic_window", parameters: "" },
    Design { name: "cic_integrators", top: "cic_integrators", parameters: "" },
    Design { name: "fir_lane", top: "fir_lane", parameters: "" },
    Design { name: "chain_lane", top: "chain_lane", parameters: "" },
    Design { name: "walsh_lane", top: "walsh_lane", parameters: "" },
    Design { name: "decimator_control", top: "decimator_control", parameters: "" },
];

/// A front end in two sizes.
struct Kind {
    name: &'static str,
    /// 64 lines, and the family's large number.
    designs: [Design; 2],
}

const fn front_end(name: &'static str, parameters: &'static str) -> Design {
    Design { name, top: "front_end", parameters }
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "capture",
        designs: [
            front_end("capture-64", "LINES=64 FIFO_BITS=11 WITH_DECIMATOR=0 WITH_WALSH=0"),
            front_end("capture-large", "LINES=large FIFO_BITS=13 WITH_DECIMATOR=0 WITH_WALSH=0"),
        ],
    },
    Kind {
        name: "capture, samples",
        designs: [
            front_end("samples-64", "LINES=64 FIFO_BITS=11 WITH_WALSH=0"),
            front_end("samples-large", "LINES=large FIFO_BITS=13 WITH_WALSH=0"),
        ],
    },
];

/// A place and route: family, design, the part for the tool and for people.
struct Route {
    family: &'static Family,
    design: Design,
    part: &'static str,
    part_name: &'static str,
    lines: u32,
}

const fn pins(name: &'static str, parameters: &'static str) -> Design {
    Design { name, top: "pins", parameters }
}

const ROUTES: [Route; 3] = [
    Route {
        family: &ICE40,
        design: pins("pins-16", "LINES=16 FIFO_BITS=7 WITH_WALSH=0"),
        part: "--hx8k --package ct256 --pcf-allow-unconstrained",
        part_name: "iCE40HX8K",
        lines: 16,
    },
    Route {
        family: &ECP5,
        design: pins("pins-64", "LINES=64 FIFO_BITS=11"),
        part: "--25k --package CABGA381 --speed 6",
        part_name: "LFE5U-25F, speed grade 6",
        lines: 64,
    },
    Route {
        family: &ECP5,
        design: pins("pins-1024", "LINES=1024 FIFO_BITS=13 WITH_WALSH=0"),
        part: "--85k --package CABGA756 --speed 6",
        part_name: "LFE5U-85F, speed grade 6",
        lines: 1024,
    },
];

/// What was found for a family.
struct Findings {
    family: &'static Family,
    blocks: Vec<Area>,
    /// For each of [`KINDS`], 64 lines and [`Family::large`].
    kinds: Vec<[Area; 2]>,
}

/// Runs everything but the last place and route, which takes longer than all the rest, and writes the page.
pub fn run() -> Result<Outcome> {
    make(&ROUTES[..ROUTES.len() - 1])
}

/// Runs everything and writes the page.
pub fn run_large() -> Result<Outcome> {
    make(&ROUTES)
}

fn make(routes: &'static [Route]) -> Result<Outcome> {
    crate::tools::install(crate::tools::SYNTHESIS)?;
    fs::create_dir_all(tools::FOLDER).context(tools::FOLDER)?;
    tools::fetch()?;
    let (routes, findings) = std::thread::scope(|scope| {
        let routes = scope.spawn(|| routes.iter().map(place).collect::<Result<Vec<_>>>());
        let families = [&ICE40, &ECP5, &SERIES7].map(|family| scope.spawn(|| find(family)));
        (routes.join(), families.into_iter().map(|family| family.join()).collect::<Vec<_>>())
    });
    let routes = routes.map_err(|_| anyhow!("place and route panicked"))??;
    let findings = findings
        .into_iter()
        .map(|found| found.map_err(|_| anyhow!("synthesis panicked"))?)
        .collect::<Result<Vec<_>>>()?;
    let page = page::write(&findings, &routes, &tools::versions()?)?;
    fs::write(PAGE, page).context(PAGE)?;
    println!("   {PAGE} is new");
    Ok(Outcome::Done)
}

fn find(family: &'static Family) -> Result<Findings> {
    let of = |design: &Design| tools::synthesise(family, *design);
    let blocks = BLOCKS.iter().map(of).collect::<Result<_>>()?;
    let both = |kind: &Kind| Ok([of(&kind.designs[0])?, of(&kind.designs[1])?]);
    let kinds = KINDS.iter().map(both).collect::<Result<_>>()?;
    Ok(Findings { family, blocks, kinds })
}

fn place(route: &'static Route) -> Result<(&'static Route, Area, f64)> {
    let area = tools::synthesise(route.family, route.design)?;
    let fastest_mhz = tools::place_and_route(route.family, route.design, route.part)?;
    Ok((route, area, fastest_mhz))
}
