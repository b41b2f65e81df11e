//! The rows of `nearfield bench mom --device cuda`: fill, factors and 361 incidences of a cylinder of many wavelengths on a card.
//!
//! Fills are timed by the card's clock. A solution is timed by the host's, from the first entry of the matrix to the far field towards 361 directions in the host's
//! memory; cells, tables and kernels are made before. Roofs are measured first: the rate of cuBLAS's products of 64-bit matrices, and that of a copy.
//! The processor does the same work beside it in the same run, up to some size: the speed-up of every step, as in the thesis's figures.

use crate::context::{Context, Result};
use crate::mom_cpu::{INCIDENCES, task};
use kernels::mom::Moments;
use kernels::{Buffer, Device};
use mom::cells::Room;
use mom::cuda::{self, Card, System};
use mom::design::Bodies;
use mom::{Method, Settings, Solver, solve};
use num_complex::Complex;
use serde_json::{Value, json};
use std::time::Instant;

type C = Complex<f64>;

/// Unknowns.
const SIZES: [usize; 5] = [1000, 2000, 5000, 10_000, 20_000];
/// Unknowns beyond which the thesis's solver is left out.
const CROUT_MOST: usize = 10_000;
/// Unknowns up to which the processor runs beside, and up to which its form of the thesis's solver does.
const BESIDE: usize = 5000;
const CROUT_BESIDE: usize = 2000;
/// Runs at least; the best counts.
const RUNS: usize = 3;
/// Rows of the matrices by which roofs are measured.
const ROOF: usize = 8192;

/// What the card can do at most.
struct Roofs {
    flops: f64,
    bytes: f64,
}

/// Seconds of the parts of a solution.
#[derive(Clone, Copy)]
struct Times {
    fill: f64,
    factor: f64,
    solve: f64,
    far: f64,
}

impl Times {
    fn total(&self) -> f64 {
        self.fill + self.factor + self.solve + self.far
    }

    /// All of them as figures, ms.
    fn to_json(self) -> Value {
        json!({
            "angles": INCIDENCES, "fill_ms": 1e3 * self.fill, "factor_ms": 1e3 * self.factor,
            "solve_ms": 1e3 * self.solve, "far_ms": 1e3 * self.far, "total_ms": 1e3 * self.total(),
        })
    }

    /// All of them in words; `more` is said of the factors.
    fn described(&self, more: &str) -> String {
        let [fill, factor, solve, far, all] =
            [self.fill, self.factor, self.solve, self.far, self.total()].map(|seconds| 1e3 * seconds);
        format!(
            "fill {fill:.2}, factors {factor:.2}{more}, {INCIDENCES} incidences {solve:.2}, far field {far:.2}, \
             all {all:.2} ms"
        )
    }
}

/// Runs all rows, each for so long.
pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    let mut card = Card::new(device)?;
    let roofs = roofs(&mut card)?;
    let (name, flops, bytes) = (context.device_name(), 1e-12 * roofs.flops, 1e-12 * roofs.bytes);
    context.say(format!("{name}: products {flops:.1} Tflop/s, copies {bytes:.2} TB/s (read and written)"));
    for size in SIZES {
        for method in [Method::Pulse, Method::Lcn(8)] {
            fills(context, &mut card, (size, method), &roofs)?;
        }
        for solver in [Solver::Lu, Solver::Refine, Solver::Crout] {
            if solver == Solver::Crout && size > CROUT_MOST {
                continue;
            }
            card = solution(context, card, (size, solver), &roofs)?;
            context.check_interrupt()?;
        }
        if size <= BESIDE {
            beside(context, size)?;
        }
    }
    Ok(())
}

fn roofs(card: &mut Card) -> Result<Roofs> {
    let Card { stream, library } = card;
    let a = Buffer::<C>::zeros(stream, "a", ROOF * ROOF)?;
    let mut b = Buffer::<C>::zeros(stream, "b", ROOF * ROOF)?;
    let (mut product, mut copy) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..RUNS {
        product = product
            .min(stream.time(|stream| library.multiply(stream, [&a, &a], &mut b, [ROOF; 3], [1.0, 0.0]))?);
        copy = copy.min(stream.time(|stream| stream.copy(&a, &mut b))?);
    }
    Ok(Roofs { flops: 8.0 * (ROOF as f64).powi(3) / product, bytes: 2.0 * a.bytes() as f64 / copy })
}

/// Fills in 64 and in 32 bits.
fn fills(
    context: &Context<'_>,
    card: &mut Card,
    (size, method): (usize, Method),
    roofs: &Roofs,
) -> Result<()> {
    let (outlines, settings) = task(size, method, Solver::Lu)?;
    let (bodies, double) = cuda::prepare(card, &outlines, &settings)?;
    let (kind, tables) = cuda::tables(&bodies.equation, &bodies.mesh, &settings);
    let stream = &mut card.stream;
    let single = Moments::<f32>::new(stream, kind, &cuda::numbers(&bodies.equation, &settings), &tables)?;
    let mut wide = Buffer::<C>::zeros(stream, "matrix", size * size)?;
    let mut narrow = Buffer::<Complex<f32>>::zeros(stream, "matrix", size * size)?;
    let (mut best, start, mut runs) = ([f64::INFINITY; 2], Instant::now(), 0);
    while runs < RUNS || start.elapsed().as_secs_f64() < 0.1 * context.seconds {
        best[0] = best[0].min(stream.time(|stream| double.fill(stream, &mut wide))?);
        best[1] = best[1].min(stream.time(|stream| single.fill(stream, &mut narrow))?);
        runs += 1;
    }
    let rate = |at: usize| (size * size) as f64 / best[at];
    let share = |at: usize, bytes: f64| 100.0 * 2.0 * bytes * rate(at) / roofs.bytes;
    let name = if method == Method::Pulse { "pulse" } else { "lcn:8" };
    let ([wide_ms, narrow_ms], [wide_e9, narrow_e9]) =
        (best.map(|s| 1e3 * s), [0, 1].map(|at| 1e-9 * rate(at)));
    let (wide_share, narrow_share) = (share(0, 16.0), share(1, 8.0));
    context.say(format!(
        "{size:>6} fill {name}: c128 {wide_ms:.3} ms, {wide_e9:.1}e9 entries/s ({wide_share:.0} % of writing alone); \
         c64 {narrow_ms:.3} ms, {narrow_e9:.1}e9 ({narrow_share:.0} %)"
    ));
    context.emit(&json!({
        "table": "fill", "device": context.device_name(), "unknowns": size, "method": name, "runs": runs,
        "c128_ms": wide_ms, "c64_ms": narrow_ms,
        "c128_write_share": 0.01 * wide_share, "c64_write_share": 0.01 * narrow_share,
    }));
    Ok(())
}

/// Fill, factors, all incidences, far field.
fn solution(
    context: &Context<'_>,
    card: Card,
    (size, solver): (usize, Solver),
    roofs: &Roofs,
) -> Result<Card> {
    let (outlines, settings) = task(size, Method::Lcn(8), solver)?;
    let mut card = card;
    let (bodies, moments) = cuda::prepare(&mut card, &outlines, &settings)?;
    let (start, mut runs, mut best) = (Instant::now(), 0, None::<Times>);
    let (mut backward_error, mut steps) = (0.0, 0);
    while runs < RUNS || start.elapsed().as_secs_f64() < context.seconds {
        let (times, solved, back) = once(card, (&bodies, &moments, &settings))?;
        card = back;
        (backward_error, steps) = solved;
        best = best.filter(|best| best.total() <= times.total()).or(Some(times));
        runs += 1;
    }
    let Some(times) = best else { return Ok(card) };
    let flops = 8.0 / 3.0 * (size as f64).powi(3) / times.factor;
    let name = format!("{solver:?}").to_lowercase();
    let rate = format!(" ({:.1} Tflop/s, {:.0} %)", 1e-12 * flops, 100.0 * flops / roofs.flops);
    let parts = times.described(&rate);
    context.say(format!("{size:>6} {name:<6}: {parts}; backward error {backward_error:.1e}, {steps} steps"));
    let mut row = times.to_json();
    (row["table"], row["device"]) = ("solution".into(), context.device_name().into());
    (row["unknowns"], row["solver"], row["runs"]) = (size.into(), name.into(), runs.into());
    (row["factor_share"], row["backward_error"]) = ((flops / roofs.flops).into(), backward_error.into());
    row["steps"] = steps.into();
    context.emit(&row);
    Ok(card)
}

/// The same on all cores.
fn beside(context: &Context<'_>, size: usize) -> Result<()> {
    let angles: Vec<f64> = (0..INCIDENCES).map(|degrees| degrees as f64).collect();
    for solver in [Solver::Lu, Solver::Crout] {
        if solver == Solver::Crout && size > CROUT_BESIDE {
            continue;
        }
        let (outlines, settings) = task(size, Method::Lcn(8), solver)?;
        let bodies = Bodies::new(&outlines, &settings, &Room::on_host(&settings))?;
        let mut lap = laps();
        let matrix = bodies.fill(&settings);
        let fill = lap();
        let system = solve::System::new(matrix, size, solver)?;
        let factor = lap();
        let solved = system.solve(&bodies.right_sides(&angles))?;
        let solve = lap();
        std::hint::black_box(bodies.amplitudes(&solved.values, &angles));
        let times = Times { fill, factor, solve, far: lap() };
        let (name, threads) = (format!("{solver:?}").to_lowercase(), rayon::current_num_threads());
        context.say(format!("{size:>6} {name:<6} on {threads} threads: {}", times.described("")));
        let mut row = times.to_json();
        (row["table"], row["threads"]) = ("processor".into(), threads.into());
        (row["unknowns"], row["solver"]) = (size.into(), name.into());
        context.emit(&row);
    }
    Ok(())
}

/// Seconds since the last call, or since now.
fn laps() -> impl FnMut() -> f64 {
    let mut clock = Instant::now();
    move || {
        let seconds = clock.elapsed().as_secs_f64();
        clock = Instant::now();
        seconds
    }
}

/// One solution: times, backward error and steps, and the card.
fn once(
    mut card: Card,
    (bodies, moments, settings): (&Bodies, &Moments<f64>, &Settings),
) -> Result<(Times, (f64, usize), Card)> {
    let angles: Vec<f64> = (0..INCIDENCES).map(|degrees| degrees as f64).collect();
    let mut lap = laps();
    let matrix = cuda::fill(&mut card, bodies, moments, settings)?;
    card.stream.wait()?;
    let fill = lap();
    let mut system = System::new(card, matrix, moments.count(), settings.solver)?;
    system.card.stream.wait()?;
    let factor = lap();
    let right = cuda::incident(&mut system.card, bodies, moments, &angles)?;
    let solved = system.solve(&right)?;
    let solve = lap();
    std::hint::black_box(cuda::radiate(&mut system.card, bodies, moments, &solved.values, &angles)?);
    let far = lap();
    Ok((Times { fill, factor, solve, far }, (solved.backward_error, solved.steps), system.card))
}
