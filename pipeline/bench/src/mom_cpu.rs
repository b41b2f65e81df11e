//! The rows of `nearfield bench mom`: fill, factors and 361 incidences of a cylinder of many wavelengths, on all cores.
//!
//! With `--peer` NumPy's solver runs beside, in a process of its own, on the same matrix and right-hand sides: rounds are ours, then theirs; the best of them counts, as the machine's noise only ever adds.

use crate::context::{Context, Result};
use crate::meter::timed;
use crate::peer::{Peer, bytes};
use mom::curve::Outline;
use mom::lu::Lu;
use mom::solve::System;
use mom::{Density, Method, Settings, Solver, cpu};
use num_complex::Complex;
use serde_json::json;
use std::time::Instant;

type C = Complex<f64>;

/// Unknowns.
const SIZES: [usize; 3] = [1000, 2000, 4000];
/// Unknowns beyond which the thesis's solver is left out.
const CROUT_MOST: usize = 2000;
/// Incidences, and unknowns a wavelength.
pub const INCIDENCES: usize = 361;
const DENSITY: f64 = 20.0;

/// Best times of a size, seconds.
struct Times {
    /// Factors and solutions alone, and with residuals and backward errors.
    lu: [f64; 2],
    refine: f64,
    crout: Option<f64>,
    /// As `lu`.
    numpy: Option<[f64; 2]>,
}

/// Columns; the second of each solver is with residuals and backward errors.
const NAMES: &str = "unknowns|fill pulse|fill lcn:8|lu|NumPy|ratio|lu sure|NumPy sure|ratio|refine|crout";

/// Runs all rows; the peer solves by NumPy.
pub fn run(context: &Context<'_>) -> Result<()> {
    let threads = rayon::current_num_threads();
    let mut peer = Peer::of(context, "NumPy")?;
    context.say(format!(
        "{threads} threads; milliseconds, best round; solvers with {INCIDENCES} right-hand sides"
    ));
    context.say(NAMES.split('|').map(|name| format!("{name:>11}")).collect::<Vec<_>>().join(" "));
    for size in SIZES {
        let (pulse, _) = fill(size, Method::Pulse)?;
        let (lcn, matrix) = fill(size, Method::Lcn(8))?;
        let right = right_sides(size);
        if let Some(peer) = &mut peer {
            let numbers = matrix.iter().chain(&right).flat_map(|value| [value.re, value.im]);
            peer.ask(&format!("matrix {size} {INCIDENCES}"), &bytes(numbers, false))?;
        }
        let times = measure(context, (&matrix, &right, size), peer.as_mut())?;
        let ms = |seconds: f64| Some(1e3 * seconds);
        let ratio = |at: usize| times.numpy.map(|numpy| numpy[at] / times.lu[at]);
        let numpy = |at: usize| times.numpy.and_then(|numpy| ms(numpy[at]));
        let [alone, sure] = [0, 1].map(|at| [ms(times.lu[at]), numpy(at), ratio(at)]);
        let cells = [&[ms(pulse), ms(lcn)][..], &alone, &sure, &[ms(times.refine), times.crout.and_then(ms)]];
        let cell = |value: &Option<f64>| value.map_or("-".into(), |value| format!("{value:.2}"));
        let cells: String = cells.concat().iter().map(|value| format!(" {:>11}", cell(value))).collect();
        context.say(format!("{size:>11}{cells}"));
        context.emit(&json!({
            "unknowns": size, "threads": threads, "incidences": INCIDENCES,
            "fill_pulse_ms": ms(pulse), "fill_lcn_ms": ms(lcn), "lu_ms": ms(times.lu[0]),
            "lu_sure_ms": ms(times.lu[1]), "refine_ms": ms(times.refine), "crout_ms": times.crout.and_then(ms),
            "numpy_ms": numpy(0), "numpy_sure_ms": numpy(1),
            "numpy_version": peer.as_ref().map(|peer| peer.version.clone()),
        }));
    }
    Ok(())
}

/// A cylinder of so many unknowns.
pub fn task(size: usize, method: Method, solver: Solver) -> Result<([Outline; 1], Settings)> {
    let radius = size as f64 / DENSITY / std::f64::consts::TAU;
    let settings = Settings { method, solver, ..Settings::new(1.0) };
    let settings = Settings { density: Density::Cells(size / settings.nodes()), ..settings };
    Ok(([Outline::circle([0.0; 2], radius)?], settings))
}

/// Seconds of a fill, the better of two, and the matrix.
fn fill(size: usize, method: Method) -> Result<(f64, Vec<C>)> {
    let (outlines, settings) = task(size, method, Solver::Lu)?;
    let [(first, _), (second, filled)] = [(); 2].map(|()| timed(|| cpu::fill(&outlines, &settings)));
    Ok((first.min(second), filled?.1))
}

/// Waves around a circle: what they are does not matter to the time.
fn right_sides(size: usize) -> Vec<C> {
    let value = |at: usize| C::from_polar(1.0, (at % size) as f64 * (1 + at / size) as f64 * 0.01);
    (0..size * INCIDENCES).map(value).collect()
}

fn measure(
    context: &Context<'_>,
    (matrix, right, size): (&[C], &[C], usize),
    mut peer: Option<&mut Peer>,
) -> Result<Times> {
    let solve = |solver| -> Result<f64> {
        let matrix = matrix.to_vec();
        let (seconds, solved) = timed(|| System::new(matrix, size, solver)?.solve(right));
        std::hint::black_box(solved?.values);
        Ok(seconds)
    };
    let alone = || {
        let (matrix, mut values) = (matrix.to_vec(), right.to_vec());
        let (seconds, ()) = timed(|| Lu::new(matrix, size).solve(&mut values));
        std::hint::black_box(values);
        seconds
    };
    let mut best = Times { lu: [f64::INFINITY; 2], refine: f64::INFINITY, crout: None, numpy: None };
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 2 || start.elapsed().as_secs_f64() < context.seconds {
        best.lu = [best.lu[0].min(alone()), best.lu[1].min(solve(Solver::Lu)?)];
        if let Some(peer) = &mut peer {
            let ([before, before_sure], [solved, vouched]) =
                (best.numpy.unwrap_or([f64::INFINITY; 2]), peer.numbers::<2>("solve", &[])?);
            best.numpy = Some([before.min(solved), before_sure.min(solved + vouched)]);
        }
        best.refine = best.refine.min(solve(Solver::Refine)?);
        context.check_interrupt()?;
        rounds += 1;
    }
    if size <= CROUT_MOST {
        best.crout = Some(solve(Solver::Crout)?);
    }
    Ok(best)
}
