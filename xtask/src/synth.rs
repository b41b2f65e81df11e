//! `cargo xtask synth` and `synth-large`: what the Verilog of `boards/rtl` takes on three families, how fast it is on two, and so how many
//! channels fit which part. Writes `docs/measured/synthesis.md`; all figures in it come from the tools' reports.

mod designs;
mod family;
mod fit;
mod page;
mod tools;

use crate::step::Outcome;
use anyhow::{Context, Result, anyhow};
use designs::{BLOCKS, Findings, KINDS, Kind, ROUTES, Route};
use family::{Area, ECP5, Family, ICE40, SERIES7};
use std::fs;
use tools::Design;

const PAGE: &str = "docs/measured/synthesis.md";

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
    crate::page::write(PAGE, page::TEMPLATE, page::data(&findings, &routes, &tools::versions()?))
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
