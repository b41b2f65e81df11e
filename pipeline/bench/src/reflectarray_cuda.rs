//! The rows of `nearfield bench reflectarray --device cuda`: what `reflectarray_cpu` measures, on a card, with the processor's rows
//! beside it.
//!
//! Evaluations follow each other as graphs and are timed by the card's clock; designs and positions lie in its memory. Elements that move are the
//! processor's.

use crate::context::{Context, Result};
use crate::meter::{Meter, Unit, repeated};
use crate::reflectarray_cases::{self as cases, BATCH, Case, SINGLE, TOLERANCE, batch};
use crate::reflectarray_cpu::{design, gradients};
use kernels::Device;
use reflectarray::problem::Phases;
use reflectarray::score::samples;
use reflectarray::{Elements, cuda};

/// Designs that fill the card.
const MANY: usize = 256;
/// Evaluations between two looks at the clock.
const ROUNDS: usize = 50;

pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    let threads = rayon::current_num_threads();
    let (meter, pool) = Meter::run(context, threads, |meter| rows(meter, device))?;
    pool.install(|| design(&meter, threads, None))?;
    pool.install(|| design(&meter, threads, Some(device)))
}

fn rows(meter: &mut Meter<'_>, device: &Device) -> Result<()> {
    for case in cases::cases()?.into_iter().filter(|case| case.spacing.is_none()) {
        let many = format!("objective and gradient, {MANY} starts in lock step");
        for (starts, what) in [(1, SINGLE.into()), (BATCH, batch()), (MANY, many)] {
            on_card(meter, device, &case, starts, format!("{}: card, {what}", case.name))?;
        }
        gradients(meter, &case, 1, &format!("{}: processor, {SINGLE}", case.name))?;
        gradients(meter, &case, BATCH, &format!("{}: processor, {}", case.name, batch()))?;
    }
    Ok(())
}

fn on_card(meter: &mut Meter<'_>, device: &Device, case: &Case, starts: usize, name: String) -> Result<()> {
    let Elements { x, y, .. } = case.elements(0);
    let ((u, v), bands) = (samples(&case.mask), [(case.model.clone(), 1.0)]);
    let scene = cuda::Scene { bands: &bands, places: [&x, &y], directions: [&u, &v], tolerance: TOLERANCE };
    let mut problem = cuda::Problem::new(device, &scene, &Phases::Each, &case.objective(), starts)?;
    let points: Vec<f64> = (0..starts).flat_map(|start| case.unknowns(start)).collect();
    let (mut values, mut gradients) = (vec![f64::NAN; starts], vec![f64::NAN; points.len()]);
    problem.evaluate(&points, &mut values, &mut gradients)?;
    let once = || Ok(problem.time(ROUNDS)? / starts as f64);
    let times = repeated(meter.context, meter.context.seconds, 3, once)?;
    meter.record(name, Unit::Evaluations, times);
    Ok(())
}
