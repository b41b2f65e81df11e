//! Bodies of a medium: echo widths.

use super::super::{Context, Result, summary};
use super::run::{Run, say_task};
use super::{output, pictures};
use crate::cli::exit::refuse;
use pipeline::mom::dielectric::{Medium, Plan};
use serde_json::json;
use std::time::Instant;

pub fn run(context: &Context, run: &Run, medium: Medium, start: Instant) -> Result<()> {
    if context.device().is_some() {
        refuse!("bodies of a medium are solved on the processor: use --device cpu");
    }
    let plan = Plan::new(&run.outlines, &run.settings, medium)?;
    say_task(context, run, plan.mesh());
    summary::make_folder(&run.folder)?;
    let surface = plan.solve(&run.incidences_deg)?;
    context.check_interrupt()?;
    let of = |at: usize| plan.echo_widths(&surface, at, &run.phi_deg);
    let echoes: Vec<Vec<f64>> = (0..run.incidences_deg.len()).map(of).collect();
    let rows: Vec<&[f64]> = echoes.iter().map(Vec::as_slice).collect();
    output::write_echo_widths(&run.folder.join("echo_width.csv"), run, &rows)?;
    pictures::draw_widths(run, &echoes[0], &pictures::case(run))?;
    let ahead = plan.amplitudes(&surface, 0, &run.incidences_deg[..1])[0];
    let width = -4.0 / run.settings.wavenumber() * ahead.re;
    let condition = plan.condition();
    output::say_result(context, run, condition, (surface.backward_error, ""), width, start);
    let figures = json!({
        "unknowns": 2 * plan.mesh().nodes.len(),
        "length_m": plan.mesh().length(),
        "condition": condition,
        "backward_error": surface.backward_error,
        "extinction_width_m": width,
        "sigma_highest_m": echoes[0].iter().copied().fold(0.0, f64::max),
    });
    summary::write(context, &run.folder, output::settings(run), figures, start)
}
