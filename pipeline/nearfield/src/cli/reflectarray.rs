//! `nearfield reflectarray`: from a coverage to the elements of a reflectarray.

mod output;
mod pictures;
mod resume;
mod run;
mod watching;

use super::args::Reflectarray;
use super::{Context, Result, print_case, summary};
use pipeline::reflectarray::case;
use run::Run;
use std::time::Instant;
use watching::Watching;

pub fn run(context: &Context, arguments: &Reflectarray) -> Result<()> {
    if arguments.print {
        return print_case(&arguments.case, &case::BUILT_IN);
    }
    let start = Instant::now();
    let run = Run::resolve(context, arguments)?;
    summary::make_folder(&run.folder)?;
    pictures::masks(&run)?;
    say_task(context, &run);
    if arguments.masks {
        return Ok(());
    }
    context.check_interrupt()?;
    let mut watching = Watching::new(context);
    let stages = &run.case.stages[run.first_stage..];
    let design = match &run.from {
        Some(elements) => run.plan.refine(elements, stages, &mut |progress| watching.see(progress))?,
        None => run.plan.synthesise(stages, &mut |progress| watching.see(progress))?,
    };
    let history = watching.finish();
    output::write(context, &run, &design, &history, start)?;
    if design.stopped {
        let stage = run.stage_of(history.last_stage());
        return Err(resume::leave(&run.folder, &run.case, stage)?);
    }
    resume::forget(&run.folder);
    Ok(())
}

fn say_task(context: &Context, run: &Run) {
    let (case, mask) = (&run.case, &run.plan.task().mask);
    let (title, columns, rows) = (&case.title, case.columns, case.rows);
    let (samples, bound) = (mask.len(), mask.bound_dbi());
    context.say(format!(
        "{title}: {columns} x {rows} elements, {samples} samples; all power over the coverages alone would give {bound:.2} dBi"
    ));
    context.detail(format!("  regions and samples: {}", run.folder.join("masks.png").display()));
}
