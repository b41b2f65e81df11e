//! The rows of `nearfield bench mom`: fill, factors and 361 incidences of a cylinder of many wavelengths, on all cores.
//!
//! With `--peer` NumPy's solver runs beside, in a process of its own, on the same matrix and right-hand sides: rounds are ours, then theirs; the best of them counts, as the machine's noise only ever adds.

use crate::context::Context;
use crate::peer::{Peer, bytes};
use mom::curve::Outline;
use mom::lu::Lu;
use mom::solve::System;
use mom::{Density, Method, Settings, Solver, cpu};
use num_complex::Complex;
use serde_json::json;
use std::time::{Duration, Instant};

type C = Complex<f64>;

/// Unknowns.
const SIZES: [usize; 3] = [1000, 2000, 4000];
/// Unknowns beyond which the thesis's solver is left out.
const CROUT_MOST: usize = 2000;
/// Incidences, and unknowns a wavelength.
const INCIDENCES: usize = 361;
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
const NAMES: [&str; 11] = [
    "unknowns",
    "fill pulse",
    "fill lcn:8",
    "lu",
    "NumPy",
    "ratio",
    "lu sure",
    "NumPy sure",
    "ratio",
    "refine",
    "crout",
];

/// Runs all rows; the peer solves by NumPy.
pub fn run(context: &Context<'_>) -> anyhow::Result<()> {
    let threads = rayon::current_num_threads();
    let (seconds, mut peer) = (context.seconds, Peer::of(context, "NumPy")?);
    context.say(format!(
        "{threads} threads; milliseconds, best round; solvers with {INCIDENCES} right-hand sides"
    ));
    context.say(NAMES.map(|name| format!("{name:>11}")).join(" "));
    for size in SIZES {
        let (pulse, _) = fill(size, Method::Pulse)?;
        let (lcn, matrix) = fill(size, Method::Lcn(8))?;
        let right = right_sides(size);
        if let Some(peer) = &mut peer {
            let numbers = matrix.iter().chain(&right).flat_map(|value| [value.re, value.im]);
            peer.ask(&format!("matrix {size} {INCIDENCES}"), &bytes(numbers, false))?;
        }
        let times =
            measure(context, (&matrix, &right, size), Duration::from_secs_f64(seconds), peer.as_mut())?;
        let ms = |seconds: f64| Some(1e3 * seconds);
        let ratio = |at: usize| times.numpy.map(|numpy| numpy[at] / times.lu[at]);
        let numpy = |at: usize| times.numpy.and_then(|numpy| ms(numpy[at]));
        let [alone, sure] = [0, 1].map(|at| [ms(times.lu[at]), numpy(at), ratio(at)]);
        let cells = [&[ms(pulse), ms(lcn)][..], &alone, &sure, &[ms(times.refine), times.crout.and_then(ms)]];
        let cell =
            |value: &Option<f64>| value.map_or(format!("{:>11}", "-"), |value| format!("{value:>11.2}"));
        let cells: Vec<String> = cells.concat().iter().map(cell).collect();
        context.say(format!("{size:>11} {}", cells.join(" ")));
        context.emit(&json!({
            "unknowns": size, "threads": threads, "incidences": INCIDENCES,
            "fill_pulse_ms": 1e3 * pulse, "fill_lcn_ms": 1e3 * lcn, "lu_ms": 1e3 * times.lu[0], "lu_sure_ms": 1e3 * times.lu[1],
            "refine_ms": 1e3 * times.refine, "crout_ms": times.crout.map(|s| 1e3 * s),
            "numpy_ms": numpy(0), "numpy_sure_ms": numpy(1),
            "numpy_version": peer.as_ref().map(|peer| peer.version.clone()),
        }));
    }
    Ok(())
}

/// Seconds of a fill, the better of two, and the matrix.
fn fill(size: usize, method: Method) -> anyhow::Result<(f64, Vec<C>)> {
    let radius = size as f64 / DENSITY / std::f64::consts::TAU;
    let settings = Settings { method, ..Settings::new(1.0) };
    let settings = Settings { density: Density::Cells(size / settings.nodes()), ..settings };
    let outlines = [Outline::circle([0.0; 2], radius)?];
    let (mut best, mut matrix) = (f64::INFINITY, Vec::new());
    for _ in 0..2 {
        let start = Instant::now();
        matrix = cpu::fill(&outlines, &settings)?.1;
        best = best.min(start.elapsed().as_secs_f64());
    }
    Ok((best, matrix))
}

/// Waves around a circle: what they are does not matter to the time.
fn right_sides(size: usize) -> Vec<C> {
    let value = |at: usize| C::from_polar(1.0, (at % size) as f64 * (1 + at / size) as f64 * 0.01);
    (0..size * INCIDENCES).map(value).collect()
}

fn measure(
    context: &Context<'_>,
    (matrix, right, size): (&[C], &[C], usize),
    time: Duration,
    mut peer: Option<&mut Peer>,
) -> anyhow::Result<Times> {
    let solve = |solver| -> anyhow::Result<f64> {
        let matrix = matrix.to_vec();
        let start = Instant::now();
        let solved = System::new(matrix, size, solver)?.solve(right)?;
        std::hint::black_box(solved.values);
        Ok(start.elapsed().as_secs_f64())
    };
    let alone = || {
        let (matrix, mut values) = (matrix.to_vec(), right.to_vec());
        let start = Instant::now();
        Lu::new(matrix, size).solve(&mut values);
        std::hint::black_box(values);
        start.elapsed().as_secs_f64()
    };
    let mut best = Times { lu: [f64::INFINITY; 2], refine: f64::INFINITY, crout: None, numpy: None };
    let start = Instant::now();
    let mut rounds = 0;
    while rounds < 2 || start.elapsed() < time {
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
