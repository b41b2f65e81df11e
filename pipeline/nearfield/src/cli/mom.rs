//! `nearfield mom`: two-dimensional scattering by moments and Nystrom methods.

mod output;
mod penetrable;
mod pictures;
mod run;

use super::args::Mom;
use super::{Context, Result, summary};
use pipeline::mom::Plan;
use pipeline::mom::cells::{Mesh, Room};
use run::{Run, say_task};
use std::time::Instant;

/// Amplification from which on closed bodies are said to be near an interior resonance.
///
/// Far from one it is below ten for bodies of tens of wavelengths, with corners or without; a resonance at a distance of d in ka gives some 1/d over the root of the number of waves around the body.
const RESONANT: f64 = 30.0;

pub fn run(context: &Context, arguments: &Mom) -> Result<()> {
    let start = Instant::now();
    let run = Run::resolve(arguments)?;
    run.warnings.iter().for_each(|warning| context.warn(warning));
    if let Some(medium) = run.medium {
        return penetrable::run(context, &run, medium, start);
    }
    say_memory(context, &run)?;
    let plan = match context.device() {
        Some(device) => Plan::on_cuda(device, &run.outlines, &run.settings)?,
        None => Plan::on_cpu(&run.outlines, &run.settings)?,
    };
    say_task(context, &run, plan.mesh());
    if let Some(compression) = plan.compression() {
        context.say(format!(
            "compressed to {:.2} GiB; greatest ranks from the first halving on: {:?}",
            compression.gib, compression.ranks
        ));
    }
    summary::make_folder(&run.folder)?;
    context.check_interrupt()?;
    let condition = plan.condition()?;
    let amplification = plan.amplification()?;
    if plan.has_closed_bodies() && amplification > RESONANT {
        context.warn(format!(
            "near an interior resonance: errors of this equation are amplified by {amplification:.0} or more; use --formulation cfie"
        ));
    }
    let currents = plan.solve(&run.incidences_deg)?;
    context.check_interrupt()?;
    output::write(context, &run, &plan, &currents, [condition, amplification], start)
}

/// What the processor is going to need; a card says so only where it is too much.
fn say_memory(context: &Context, run: &Run) -> Result<()> {
    if context.device().is_some() {
        return Ok(());
    }
    let room = Room::on_host(&run.settings);
    let mesh = Mesh::new(&run.outlines, &run.settings, &room)?;
    let unknowns = mesh.nodes.len();
    context.say(format!(
        "memory: {:.2} GiB are planned for the matrix of {unknowns} unknowns and its factors, {:.1} GiB are free",
        room.needed_gib(unknowns as f64, mesh.length()),
        room.free_gib
    ));
    Ok(())
}
