//! `nearfield sbr`: radar cross-sections of a surface of triangles.

mod facets;
mod image;
mod output;
mod pictures;
mod run;
mod scatter;

use super::args::Sbr;
use super::{Context, summary};
use pipeline::sbr::Plan;
use run::Run;
use scatter::Tracer;
use std::time::Instant;

/// Runs the command.
pub fn run(context: &Context, arguments: &Sbr) -> anyhow::Result<()> {
    let start = Instant::now();
    let (mut run, plan) = context.ranks.agree(prepare(context, arguments))?;
    let mut tracer = context.ranks.agree(Tracer::new(context, &run, &plan).map_err(Into::into))?;
    context.detail(format!("  on {}", context.device_name()));
    let scattered = scatter::scatter(context, &mut run, &mut tracer)?;
    if !context.ranks.is_first() {
        return Ok(());
    }
    if scattered.stopped {
        return Err(output::write_partial(context, &run, &plan, scattered.counts, start)?);
    }
    output::write(context, &run, &plan, scattered.counts, start)
}

/// Everything up to the first ray.
fn prepare(context: &Context, arguments: &Sbr) -> anyhow::Result<(Run, Plan)> {
    let run = Run::resolve(arguments)?;
    say_task(context, &run);
    let plan = Plan::new(&run.mesh, &run.materials, &run.settings)?;
    if context.ranks.is_first() {
        summary::make_folder(&run.folder)?;
    }
    context.detail(format!("  {} edges diffract", plan.wedges().len()));
    Ok((run, plan))
}

fn say_task(context: &Context, run: &Run) {
    let (low, high) = run.mesh.bounds();
    let size = (high - low).to_array().map(|x| format!("{x:.4}")).join(" x ");
    let wavelength = run.settings.shortest_wavelength();
    context.say(format!(
        "{}: {} triangles, {size} m, {:.1} wavelengths; {} directions, {} frequencies",
        run.name,
        run.mesh.triangles.len(),
        (high - low).length() / wavelength,
        run.cuts.directions().count(),
        run.settings.frequencies.len()
    ));
    if !run.report.is_clean() {
        run.report.to_string().lines().for_each(|line| context.warn(format!("{}: {line}", run.name)));
    }
}
