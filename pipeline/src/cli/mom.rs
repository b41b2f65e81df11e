//! `nearfield mom`: two-dimensional scattering by moments and Nystrom methods.

mod output;
mod pictures;
mod run;

use super::args::Mom;
use super::{Context, summary};
use pipeline::solvers::mom::cells::GOOD_DENSITY;
use pipeline::solvers::mom::{Formulation, Plan};
use run::Run;
use std::time::Instant;

/// Closed bodies with the electric or the magnetic equation are said to be near an interior resonance from this condition on.
///
/// Far from one it is below a thousand even for bodies of tens of wavelengths with forty nodes a wavelength; it grows with 1/distance to the resonance.
const RESONANT: f64 = 1e4;

/// Runs the command.
pub fn run(context: &Context, arguments: &Mom) -> anyhow::Result<()> {
    let start = Instant::now();
    let run = Run::resolve(arguments)?;
    run.warnings.iter().for_each(|warning| context.warn(warning));
    let plan = Plan::on_cpu(&run.outlines, &run.settings)?;
    say_task(context, &run, &plan);
    summary::make_folder(&run.folder)?;
    context.check_interrupt()?;
    let condition = plan.condition();
    if plan.has_closed_bodies()
        && !matches!(run.settings.formulation, Formulation::Cfie(_))
        && condition > RESONANT
    {
        context.warn(format!(
            "the condition is about {condition:.1e}: near an interior resonance currents of this equation are wrong; use --formulation cfie"
        ));
    }
    let currents = plan.solve(&run.incidences_deg)?;
    context.check_interrupt()?;
    output::write(context, &run, &plan, &currents, condition, start)
}

fn say_task(context: &Context, run: &Run, plan: &Plan) {
    let mesh = plan.mesh();
    let wavelength = run.settings.wavelength;
    context.say(format!(
        "{} bodies, {:.3} wavelengths around; {} cells, {} unknowns, {} incidences",
        run.outlines.len(),
        mesh.length() / wavelength,
        mesh.cells.len(),
        mesh.nodes.len(),
        run.incidences_deg.len()
    ));
    let (longest, density) = mesh.least_density(wavelength);
    if density < GOOD_DENSITY {
        context.warn(format!(
            "the longest cell is {longest:.4} m, {density:.2} unknowns a wavelength: fewer than {GOOD_DENSITY} are coarse"
        ));
    }
}
