//! `nearfield nufft`: Fourier sums between points anywhere and a grid, or between points and frequencies, from archive to archive.

mod problem;

use super::args::{Nufft, Precision};
use super::{Context, Result};
use num_complex::Complex;
use pipeline::files::npz::{Element, NpzFile};
use pipeline::nufft::design::Kind;
use pipeline::nufft::{self, Plan, Type, type_3};
use pipeline::numerics::real::rounded;
use problem::{Problem, Sum};
use serde_json::json;
use std::time::Instant;

pub fn run(context: &Context, arguments: &Nufft) -> Result<()> {
    let problem = Problem::read(arguments, context.common.precision)?;
    match problem.precision {
        Precision::F32 => transform::<f32>(context, arguments, &problem),
        Precision::F64 => transform::<f64>(context, arguments, &problem),
    }
}

fn transform<T: nufft::Precision>(context: &Context, arguments: &Nufft, problem: &Problem) -> Result<()>
where
    Complex<T>: Element,
{
    let start = Instant::now();
    let input: Vec<Complex<T>> = problem.values.iter().copied().map(rounded).collect();
    let shape = problem.shape();
    let mut output = vec![Complex::<T>::default(); shape.iter().product()];
    let grid = execute(context.device(), problem, &input, &mut output)?;
    let seconds = start.elapsed().as_secs_f64();
    let name = if arguments.kind == 2 { "c" } else { "f" };
    NpzFile::create(&arguments.output)?.add(name, &shape, &output)?.finish()?;
    say(context, arguments, problem, (name, &shape), &grid, seconds);
    Ok(())
}

/// Runs the sum; gives the fine grid that it took, x first.
fn execute<T: nufft::Precision>(
    device: Option<&kernels::Device>,
    problem: &Problem,
    input: &[Complex<T>],
    output: &mut [Complex<T>],
) -> Result<Vec<usize>> {
    let points: Vec<&[f64]> = problem.points.iter().map(Vec::as_slice).collect();
    let settings = &problem.settings;
    let (kind, modes) = match &problem.sum {
        Sum::One(modes) => (Type::One, modes),
        Sum::Two(modes) => (Type::Two, modes),
        Sum::Three(frequencies) => {
            let frequencies: Vec<&[f64]> = frequencies.iter().map(Vec::as_slice).collect();
            let mut plan = match device {
                Some(device) => type_3::Plan::<T>::on_cuda(device, points.len(), settings)?,
                None => type_3::Plan::on_cpu(points.len(), settings)?,
            };
            plan.set_points(&points, &frequencies)?;
            plan.execute(input, output)?;
            return Ok(plan.fine_grid());
        }
    };
    let mut plan = match (device, settings.window) {
        (Some(device), _) => Plan::<T>::on_cuda(device, modes, settings)?,
        // The paper's oversampling is a part of its window.
        (None, Kind::Kaiser(_)) => Plan::on_cpu(modes, settings)?,
        (None, Kind::Prolate | Kind::Semicircle) => {
            Plan::on_cpu(modes, &settings.tuned::<T>(modes, points[0].len())?)?
        }
    };
    plan.set_points(&points)?;
    plan.execute(kind, input, output)?;
    Ok(plan.fine_grid())
}

/// The summary line, or the object.
fn say(
    context: &Context,
    arguments: &Nufft,
    problem: &Problem,
    (name, shape): (&str, &[usize]),
    grid: &[usize],
    seconds: f64,
) {
    let (kind, path, points) = (arguments.kind, arguments.output.display(), problem.points[0].len());
    let (settings, precision, ms) = (&problem.settings, problem.precision, 1e3 * seconds);
    let (eps, window) = (settings.tolerance, settings.window);
    context.say(format!(
        "type {kind}: {points} points, {name} of shape {shape:?} in {path}; {precision}, eps {eps:e}, {window}, \
         fine grid {grid:?}, {ms:.1} ms"
    ));
    context.emit(&json!({
        "type": kind, "points": points, "array": name, "shape": shape,
        "precision": precision.to_string(), "eps": eps,
        "window": window.to_string(), "sign": if settings.sign.is_positive() { 1 } else { -1 },
        "fine_grid": grid, "output": path.to_string(), "seconds": seconds,
    }));
}
