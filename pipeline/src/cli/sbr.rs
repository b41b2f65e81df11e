//! `nearfield sbr`: radar cross-sections of a surface of triangles.

mod image;
mod output;
mod run;

use super::args::Sbr;
use super::exit::Interrupted;
use super::progress::Progress;
use super::{Context, summary};
use pipeline::solvers::sbr::tube::Counts;
use pipeline::solvers::sbr::{Error, Plan};
use run::Run;
use std::ops::ControlFlow;
use std::time::Instant;

/// Runs the command.
pub fn run(context: &Context, arguments: &Sbr) -> anyhow::Result<()> {
    let start = Instant::now();
    let mut run = Run::resolve(arguments)?;
    say_task(context, &run);
    let plan = Plan::new(&run.mesh, &run.materials, &run.settings)?;
    summary::make_folder(&run.folder)?;
    context.detail(format!("  {} edges diffract", plan.wedges().len()));
    let counts = scatter(context, &mut run, &plan)?;
    output::write(context, &run, &plan, counts, start)
}

/// Computes all directions.
fn scatter(context: &Context, run: &mut Run, plan: &Plan) -> anyhow::Result<Counts> {
    let directions = run.cuts.targets();
    let parts = if run.transmitter.is_some() { 1 } else { directions.len() };
    // Directions that take long have parts of their own.
    const FINE: u64 = 1000;
    let mut progress = Progress::new(context, "directions", parts as u64 * FINE);
    let mut counts = Counts::default();
    for part in 0..parts {
        let (from, to) = match run.transmitter {
            Some(from) => (from, directions.as_slice()),
            None => (directions[part], &directions[part..=part]),
        };
        let mut watch = |done: usize, total: usize| {
            let fine = FINE * done as u64 / total.max(1) as u64;
            match progress.at(part as u64 * FINE + fine) {
                Ok(()) => ControlFlow::Continue(()),
                Err(Interrupted) => ControlFlow::Break(()),
            }
        };
        let response = plan.execute(from, to, &mut watch).map_err(|error| match error {
            Error::Stopped { .. } => anyhow::Error::from(Interrupted),
            error => error.into(),
        })?;
        run.cuts.fields.extend(response.fields);
        counts = counts.plus(response.counts);
    }
    Ok(counts)
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
