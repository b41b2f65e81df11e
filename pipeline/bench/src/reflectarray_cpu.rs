//! The rows of `nearfield bench reflectarray`: evaluations a second of objective and gradient, beside what they replace, and the time that a
//! design takes. Its twin for a card has the same cases (`cases.rs`).
//!
//! - Objective and gradient as the optimiser has them, with everything that an iteration needs but the optimiser's own sums: one start, which
//!   is one thread, and many in lock step over all threads.
//! - A gradient by differences is one objective more than there are unknowns; the row is that many times the time of one.
//! - Direct sums are `reference.rs`: directivities at all directions, without a gradient, one run.

use crate::context::{Context, Result};
use crate::meter::{Meter, Unit, best_and_median, repeated, timed};
use crate::reflectarray_cases::{self as cases, BATCH, Case, SINGLE, TOLERANCE, batch, built_in};
use kernels::Device;
use reflectarray::cpu::Scratch;
use reflectarray::lbfgs::Functions;
use reflectarray::synthesis::periodic;
use reflectarray::{Elements, Plan, reference};
use serde_json::json;
use std::hint::black_box;
use std::ops::ControlFlow;

/// Designs from start to end.
const DESIGNS: usize = 5;

pub fn run(context: &Context<'_>) -> Result<()> {
    let threads = rayon::current_num_threads();
    let (meter, pool) = Meter::run(context, threads, rows)?;
    pool.install(|| design(&meter, threads, None))
}

fn rows(meter: &mut Meter<'_>) -> Result<()> {
    for case in cases::cases()? {
        gradients(meter, &case, 1, &format!("{}: {SINGLE}", case.name))?;
        gradients(meter, &case, BATCH, &format!("{}: {}", case.name, batch()))?;
        differences(meter, &case)?;
        direct(meter, &case)?;
    }
    Ok(())
}

/// Objective and gradient of so many starts.
pub fn gradients(meter: &mut Meter<'_>, case: &Case, starts: usize, name: &str) -> Result<()> {
    let objective = case.objective();
    let mut problem = case.problem(&objective, starts)?;
    let rows: Vec<usize> = (0..starts).collect();
    let points: Vec<f64> = rows.iter().flat_map(|&start| case.unknowns(start)).collect();
    let (mut values, mut gradients) = (vec![f64::NAN; starts], vec![f64::NAN; points.len()]);
    meter.measure(name, Unit::Evaluations, starts, || {
        Ok(problem.evaluate(&rows, &points, &mut values, &mut gradients)?)
    })
}

/// The objective alone, with the tables of positions where elements move, and a gradient from as many of it as it takes.
fn differences(meter: &mut Meter<'_>, case: &Case) -> Result<()> {
    let (plan, objective, mut scratch) = (case.plan()?, case.objective(), Scratch::default());
    let Elements { x, y, phase } = case.elements(0);
    let fixed = plan.places(&x, &y)?;
    meter.measure(format!("{}: objective alone", case.name), Unit::Evaluations, 1, || {
        let moved = case.spacing.map(|_| plan.places(&x, &y)).transpose()?;
        let places = moved.as_ref().unwrap_or(&fixed);
        black_box(plan.evaluate(places, &phase, &objective, None, &mut scratch)?);
        Ok(())
    })?;
    let needed = case.unknowns(0).len() + 1;
    let times = meter.rows.last().map(|row| row.times_s.iter().map(|s| s * needed as f64).collect());
    let name = format!("{}: gradient by differences, {needed} times one objective", case.name);
    meter.record(name, Unit::Evaluations, times.unwrap_or_default());
    Ok(())
}

/// The definition, once.
fn direct(meter: &mut Meter<'_>, case: &Case) -> Result<()> {
    let (elements, region) = (case.elements(0), &case.mask.regions);
    let all = || region.iter().map(|r| reference::directivity(&case.model, &elements, &r.u, &r.v));
    let (seconds, _) = timed(|| all().for_each(|found| drop(black_box(found))));
    meter.record(format!("{}: directivities by direct sums", case.name), Unit::Evaluations, vec![seconds]);
    meter.context.check_interrupt()
}

/// Europe's 71 x 71 elements from nothing to the end of all stages.
pub fn design(meter: &Meter<'_>, threads: usize, device: Option<&Device>) -> Result<()> {
    let task = built_in("europe-71")?;
    let plan = match device {
        None => Plan::on_cpu(task)?,
        Some(device) => Plan::on_cuda(device, task)?,
    };
    let one = || timed(|| plan.synthesise(&periodic(), &mut |_| ControlFlow::Continue(())));
    // The first one compiles the card's kernels, or finds them on disk.
    let (first, design) = one();
    let (mut design, mut times) = (design?, vec![first]);
    times.extend(repeated(meter.context, 0.0, DESIGNS - 1, || {
        let (seconds, made) = one();
        design = made?;
        Ok(seconds)
    })?);
    times.sort_by(f64::total_cmp);
    let ([best, median], task) = (best_and_median(&times), plan.task());
    let place = if device.is_some() { ", card" } else { "" };
    let name = format!("Europe 71 x 71: design, all stages{place}");
    let score = design.score;
    meter.context.say(format!(
        "{name}: best {best:.2} s, median {median:.2} s of {DESIGNS}, first {first:.2} s; D_mean {:.3} dBi, D_min {:.3} dBi at half the step, {} iterations of the best of {} starts",
        score.d_mean_db, score.d_min_db, design.iterations, task.starts
    ));
    meter.context.emit(&json!({
        "name": name, "unit": "s", "best": best, "median": median, "first": first, "runs": DESIGNS, "threads": threads,
        "d_mean_db": score.d_mean_db, "d_min_db": score.d_min_db, "iterations": design.iterations,
        "starts": task.starts, "mean": task.mean, "tolerance": TOLERANCE,
    }));
    Ok(())
}
