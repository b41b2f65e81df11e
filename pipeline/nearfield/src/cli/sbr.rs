//! `nearfield sbr`: radar cross-sections of a surface of triangles.

mod facets;
mod image;
mod output;
mod pictures;
mod run;
mod scatter;

use super::args::Sbr;
use super::{Context, Result, summary};
use pipeline::sbr::{Error, Plan, Target};
use run::Run;
use std::sync::Arc;
use std::time::Instant;

pub fn run(context: &Context, arguments: &Sbr) -> Result<()> {
    let start = Instant::now();
    let (mut run, target) = context.ranks.agree(prepare(context, arguments))?;
    let mut plan = context.ranks.agree(plan(context, target).map_err(Into::into))?;
    context.detail(format!("  on {}", context.device_name()));
    let scattered = scatter::scatter(context, &mut run, &mut plan)?;
    if !context.ranks.is_first() {
        return Ok(());
    }
    if scattered.stopped {
        return Err(output::write_partial(context, &run, &plan, scattered.counts, start)?);
    }
    output::write(context, &run, &plan, scattered.counts, start)
}

/// Everything up to the first ray.
fn prepare(context: &Context, arguments: &Sbr) -> Result<(Run, Arc<Target>)> {
    let run = Run::resolve(arguments)?;
    say_task(context, &run);
    let target = Target::new(&run.mesh, &run.materials, &run.settings)?;
    if context.ranks.is_first() {
        summary::make_folder(&run.folder)?;
    }
    context.detail(format!("  {} edges diffract", target.wedges().len()));
    Ok((run, Arc::new(target)))
}

/// The device that was asked for.
fn plan(context: &Context, target: Arc<Target>) -> Result<Plan, Error> {
    match context.device() {
        Some(device) => Plan::on_cuda(device, target),
        None => Ok(Plan::on_cpu(target)),
    }
}

fn say_task(context: &Context, run: &Run) {
    let (low, high) = run.mesh.bounds();
    let size = (high - low).to_array().map(|x| format!("{x:.4}")).join(" x ");
    let wavelength = run.settings.shortest_wavelength();
    let (triangles, waves) = (run.mesh.triangles.len(), (high - low).length() / wavelength);
    let (directions, frequencies) = (run.cuts.directions().count(), run.settings.frequencies.len());
    context.say(format!(
        "{}: {triangles} triangles, {size} m, {waves:.1} wavelengths; {directions} directions, {frequencies} frequencies",
        run.name
    ));
    if !run.report.is_clean() {
        run.report.to_string().lines().for_each(|line| context.warn(format!("{}: {line}", run.name)));
    }
}
