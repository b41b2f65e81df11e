//! The rows of `nearfield bench nufft --device cuda`: two axes, types 1 and 2, `f32` at 1e-6 and `f64` at 1e-12, points and values in device
//! memory, by the card's events; the stages of each beside it, and the readable rungs.
//!
//! Flops and bytes are those that the tops of the sources count. The processor's plan, with one thread, runs in the same run where the paper
//! compares the two.

use crate::context::Context;
use crate::nufft_data::{Data, error, widened};
use kernels::nufft::{Nufft, Order, Points, Rungs, Shape};
use kernels::{Buffer, Device, Fft, Stream};
use nufft::design::Window;
use nufft::{Precision, Settings, Sign, Type, cpu, cuda};
use num_complex::Complex;
use serde_json::json;
use std::time::Instant;

/// Points, and modes along each axis.
const SIZES: [(usize, usize); 4] = [(10_000, 100), (100_000, 316), (1_000_000, 1000), (10_000_000, 3162)];
/// Modes or points at which the error is measured.
const SAMPLES: usize = 32;
/// Points up to which the rungs and the processor run beside.
const BESIDE: usize = 1_000_000;
/// Runs at least; the best counts.
const RUNS: usize = 20;

/// Runs all rows, each for about `seconds`.
pub fn run(context: &Context<'_>, device: &Device) -> anyhow::Result<()> {
    let seconds = context.seconds;
    context.say(format!("{:<34} {:>10} {:>10} {:>10}", "", "best us", "median us", "error"));
    for size in SIZES {
        rows::<f32>(context, device, size, 1e-6, seconds)?;
        rows::<f64>(context, device, size, 1e-12, seconds)?;
    }
    Ok(())
}

/// Times of `work` by the card's clock, shortest first, s.
fn times(
    stream: &mut Stream,
    seconds: f64,
    mut work: impl FnMut(&mut Stream) -> Result<(), kernels::Error>,
) -> anyhow::Result<Vec<f64>> {
    let (start, mut times) = (Instant::now(), Vec::new());
    while times.len() < RUNS || start.elapsed().as_secs_f64() < seconds {
        times.push(stream.time(&mut work)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// One row, and the line that shows it.
struct Row<'a> {
    context: &'a Context<'a>,
    points: usize,
    modes: usize,
    precision: &'static str,
}

impl Row<'_> {
    fn print(&self, what: &str, times_s: &[f64], error: Option<f64>) {
        let (best, median) = (1e6 * times_s[0], 1e6 * times_s[times_s.len() / 2]);
        let name = format!("M {}, {}, {what}", self.points, self.precision);
        let shown = error.map_or(String::new(), |error| format!("{error:>10.1e}"));
        self.context.say(format!("{name:<34} {best:>10.1} {median:>10.1} {shown}"));
        self.context.emit(&json!({
            "points": self.points, "modes": self.modes, "precision": self.precision, "what": what,
            "best_us": best, "median_us": median, "error": error, "runs": times_s.len(),
        }));
    }
}

fn rows<T: Precision>(
    context: &Context<'_>,
    device: &Device,
    (points, modes): (usize, usize),
    eps: f64,
    seconds: f64,
) -> anyhow::Result<()> {
    let data = Data::<T>::new(points, modes);
    let precision = if size_of::<T>() == 4 { "f32" } else { "f64" };
    let row = Row { context, points, modes, precision };
    let settings = Settings::new(eps, Sign::Negative);
    let mut plan = cuda::Plan::<T>::new(device, &[modes; 2], &settings)?;
    let coordinates = [
        Buffer::from_slice(plan.stream(), "x", &data.points[0])?,
        Buffer::from_slice(plan.stream(), "y", &data.points[1])?,
    ];
    let coordinates = [&coordinates[0], &coordinates[1]];
    plan.set_points_on_card(&coordinates)?;
    let c = Buffer::from_slice(plan.stream(), "strengths", &data.strengths)?;
    let f = Buffer::from_slice(plan.stream(), "modes", &data.f)?;
    for kind in [Type::One, Type::Two] {
        context.check_interrupt()?;
        let (what, input) = if kind == Type::One { ("type 1", &c) } else { ("type 2", &f) };
        let mut output = Buffer::<Complex<T>>::poisoned(plan.stream(), "result", data.output(kind))?;
        let times = whole(&mut plan, kind, input, &mut output, seconds)?;
        let found = plan.stream().values(&output)?;
        let (indices, exact) = data.exact(kind, SAMPLES);
        let found: Vec<_> = indices.iter().map(|&i| widened(&found[i])).collect();
        row.print(what, &times, Some(error(&found, &exact)));
        if points <= BESIDE {
            row.print(
                &format!("{what}, one thread of the processor"),
                &processor(&data, kind, &settings)?,
                None,
            );
        }
    }
    stages(&row, &mut plan, &coordinates, (&c, &f), seconds)
}

/// A whole transform of the plan, as a user runs it: launched, or as a graph.
fn whole<T: Precision>(
    plan: &mut cuda::Plan<T>,
    kind: Type,
    input: &Buffer<Complex<T>>,
    output: &mut Buffer<Complex<T>>,
    seconds: f64,
) -> anyhow::Result<Vec<f64>> {
    let (start, mut times) = (Instant::now(), Vec::new());
    for _ in 0..3 {
        plan.execute(kind, input, output)?;
    }
    while times.len() < RUNS || start.elapsed().as_secs_f64() < seconds {
        times.push(plan.time(kind, input, output)?);
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// The processor's sum, some runs, with one thread.
fn processor<T: Precision>(data: &Data<T>, kind: Type, settings: &Settings) -> anyhow::Result<Vec<f64>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| {
        let mut plan = cpu::Plan::<T>::new(&[data.modes; 2], settings)?;
        plan.set_points(&[&data.points[0], &data.points[1]])?;
        let mut scratch = plan.scratch();
        let input = if kind == Type::One { &data.strengths } else { &data.f };
        let mut output = vec![Complex::default(); data.output(kind)];
        let mut times = Vec::new();
        for _ in 0..5 {
            let start = Instant::now();
            plan.execute(kind, input, &mut output, &mut scratch)?;
            times.push(start.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        Ok(times)
    })
}

/// What a plan is made of, one by one.
fn stages<T: Precision>(
    row: &Row<'_>,
    plan: &mut cuda::Plan<T>,
    coordinates: &[&Buffer<f64>],
    (c, f): (&Buffer<Complex<T>>, &Buffer<Complex<T>>),
    seconds: f64,
) -> anyhow::Result<()> {
    let (window, n, modes) = (plan.window().clone(), plan.fine_grid().to_vec(), row.modes);
    let stream = plan.stream();
    let kernels: Nufft<T> = kernels(stream, &window, &n, modes)?;
    let mut points: Points<T> = kernels.points(stream, row.points)?;
    kernels.sort(stream, coordinates, &mut points)?;
    let sort = times(stream, seconds, |s| kernels.sort(s, coordinates, &mut points).map(drop))?;
    row.print("points", &sort, None);
    let mut grid = Buffer::zeros(stream, "grid", kernels.fine_points())?;
    let spread = times(stream, seconds, |s| kernels.spread(s, &mut points, c, 0, &mut grid))?;
    row.print("spread", &spread, None);
    let fft = Fft::new(stream, &[n[1], n[0]], 1)?;
    let transform = times(stream, seconds, |s| fft.execute(s, &mut grid, false))?;
    row.print("FFT", &transform, None);
    let mut out = Buffer::zeros(stream, "modes", modes * modes)?;
    let order = Order::default();
    let deconvolve = times(stream, seconds, |s| kernels.modes_from_grid(s, &grid, order, &mut out))?;
    row.print("modes from grid", &deconvolve, None);
    let pad = times(stream, seconds, |s| kernels.grid_from_modes(s, f, order, &mut grid))?;
    row.print("grid from modes", &pad, None);
    let mut values = Buffer::zeros(stream, "values", row.points)?;
    let gather = times(stream, seconds, |s| kernels.interpolate(s, &points, &grid, 0, &mut values))?;
    row.print("interpolate", &gather, None);
    if row.points > BESIDE {
        return Ok(());
    }
    let rungs = Rungs::new(stream, &kernels, &points)?;
    for (nested, what) in
        [(false, "spread, a thread for each point"), (true, "spread, a block for each point")]
    {
        let times = times(stream, 0.0, |s| rungs.spread(s, &kernels, &points, c, nested, &mut grid))?;
        row.print(what, &times, None);
    }
    let by_points = times(stream, 0.0, |s| rungs.interpolate(s, &kernels, &points, &grid, &mut values))?;
    row.print("interpolate, a thread for each point", &by_points, None);
    Ok(())
}

/// The plan's kernels by themselves.
fn kernels<T: Precision>(
    stream: &mut Stream,
    window: &Window,
    n: &[usize],
    modes: usize,
) -> Result<Nufft<T>, kernels::Error> {
    let numbers = |numbers: &[f64]| numbers.iter().map(|x| T::of(*x)).collect::<Vec<T>>();
    let factors: Vec<T> = n.iter().flat_map(|&n| numbers(&window.factors(modes, n))).collect();
    let shape = Shape { n: n.to_vec(), modes: vec![modes; 2], width: window.width, degree: window.degree };
    Nufft::new(stream, &shape, &numbers(&window.polynomials), &factors)
}
