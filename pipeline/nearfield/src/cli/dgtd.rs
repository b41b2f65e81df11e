//! `nearfield dgtd`: Maxwell's equations in time on tetrahedra.

mod far;
mod output;
mod part;
mod pictures;
mod run;
mod touchstone;

use super::args::{Dgtd, Precision};
use super::{Context, Result, print_case, summary};
use crate::cli::exit::refuse;
use pipeline::dgtd::case::{self, Case};
use pipeline::dgtd::checkpoint::Checkpoint;
use pipeline::dgtd::design::Design;
use pipeline::dgtd::mesh::quality::quality;
use run::Recorded;
use std::time::Instant;

pub fn run(context: &Context, arguments: &Dgtd) -> Result<()> {
    if arguments.print {
        return if context.ranks.is_first() { print_case(&arguments.case, &case::BUILT_IN) } else { Ok(()) };
    }
    let start = Instant::now();
    let (case, design, found) = context.ranks.agree(prepare(context, arguments))?;
    let recorded: Recorded = match context.common.precision {
        Precision::F32 => run::run::<f32>(context, arguments, &case, design, found)?,
        Precision::F64 => run::run::<f64>(context, arguments, &case, design, found)?,
    };
    if !context.ranks.is_first() {
        return Ok(());
    }
    output::write(context, &arguments.out, &case, &recorded, start)
}

/// Everything up to the plan.
fn prepare(context: &Context, arguments: &Dgtd) -> Result<(Case, Design, Option<Checkpoint>)> {
    if context.device().is_some() && context.ranks.size() > 1 {
        refuse!("several processes of `nearfield dgtd` compute on processors only: use --device cpu");
    }
    let (tables, folder) = case::load(&arguments.case)?;
    let case = tables.resolve(&folder)?;
    let design = Design::new(case.mesh.clone(), &case.settings)?;
    let (single, double) = (size_of::<f32>(), size_of::<f64>());
    let bytes = if matches!(context.common.precision, Precision::F32) { single } else { double };
    let restart = arguments.restart.as_ref();
    let found = restart.map(|path| Checkpoint::read(path, case.fingerprint(bytes))).transpose()?;
    if context.ranks.is_first() {
        summary::make_folder(&arguments.out)?;
    }
    say_task(context, &case, &design);
    Ok((case, design, found))
}

fn say_task(context: &Context, case: &Case, design: &Design) {
    let (title, cells, order) = (&case.title, design.cells.len(), design.element.order);
    context.say(format!("{title}: {cells} tetrahedra, order {order}, {} unknowns", design.unknowns()));
    let found = quality(&case.mesh, |element| design.cells[element].material.speed());
    found.to_string().lines().for_each(|line| context.detail(format!("  {line}")));
}
