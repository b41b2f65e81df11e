//! The rows of `nearfield bench nufft --device cuda`: two axes, types 1 and 2, `f32` at 1e-6 and `f64` at 1e-12, points and values in device
//! memory, by the card's events; the stages of each beside it, and the readable rungs.
//!
//! Flops and bytes are those that the tops of the sources count. The processor's plan, with one thread, runs in the same run where the paper
//! compares the two.

use crate::context::{Context, Result};
use crate::meter::{best_and_median, pool, repeated, timed};
use crate::nufft_data::{Data, error};
use kernels::nufft::{Nufft, Order, Points, Rungs, Shape};
use kernels::{Buffer, Device, Fft, Stream};
use nufft::design::Window;
use nufft::{Precision, Settings, Sign, Type, cpu, cuda};
use num_complex::Complex;
use numerics::real::widened;
use serde_json::json;

/// Points, and modes along each axis.
const SIZES: [(usize, usize); 4] = [(10_000, 100), (100_000, 316), (1_000_000, 1000), (10_000_000, 3162)];
/// Modes or points at which the error is measured.
const SAMPLES: usize = 32;
/// Points up to which the rungs and the processor run beside.
const BESIDE: usize = 1_000_000;
/// Runs at least; the best counts.
const RUNS: usize = 20;

/// Runs all rows, each for about `seconds`.
pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    context.say(format!("{:<34} {:>10} {:>10} {:>10}", "", "best us", "median us", "error"));
    for size in SIZES {
        rows::<f32>(context, device, size, 1e-6)?;
        rows::<f64>(context, device, size, 1e-12)?;
    }
    Ok(())
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
        let [best, median] = best_and_median(times_s).map(|seconds| 1e6 * seconds);
        let name = format!("M {}, {}, {what}", self.points, self.precision);
        let shown = error.map_or(String::new(), |error| format!("{error:>10.1e}"));
        self.context.say(format!("{name:<34} {best:>10.1} {median:>10.1} {shown}"));
        self.context.emit(&json!({
            "points": self.points, "modes": self.modes, "precision": self.precision, "what": what,
            "best_us": best, "median_us": median, "error": error, "runs": times_s.len(),
        }));
    }

    /// Times `work` by the card's clock, for so many seconds, and prints it.
    fn stage(
        &self,
        what: &str,
        stream: &mut Stream,
        seconds: f64,
        work: &mut dyn FnMut(&mut Stream) -> Result<(), kernels::Error>,
    ) -> Result<()> {
        let times = repeated(self.context, seconds, RUNS, || Ok(stream.time(&mut *work)?))?;
        self.print(what, &times, None);
        Ok(())
    }
}

fn rows<T: Precision>(
    context: &Context<'_>,
    device: &Device,
    (points, modes): (usize, usize),
    eps: f64,
) -> Result<()> {
    let data = Data::<T>::new(points, modes);
    let row = Row { context, points, modes, precision: std::any::type_name::<T>() };
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
        let (what, input) = if kind == Type::One { ("type 1", &c) } else { ("type 2", &f) };
        let mut output = Buffer::<Complex<T>>::poisoned(plan.stream(), "result", data.output(kind))?;
        // As a user runs it: launched, or as a graph.
        (0..3).try_for_each(|_| plan.execute(kind, input, &mut output))?;
        let times = repeated(context, context.seconds, RUNS, || Ok(plan.time(kind, input, &mut output)?))?;
        let found = plan.stream().values(&output)?;
        let (indices, exact) = data.exact(kind, SAMPLES);
        let found: Vec<_> = indices.iter().map(|&i| widened(&found[i])).collect();
        row.print(what, &times, Some(error(&found, &exact)));
        if points <= BESIDE {
            let times = processor(context, &data, kind, &settings)?;
            row.print(&format!("{what}, one thread of the processor"), &times, None);
        }
    }
    stages(&row, &mut plan, &coordinates, (&c, &f))
}

/// The processor's sum, some runs, with one thread.
fn processor<T: Precision>(
    context: &Context<'_>,
    data: &Data<T>,
    kind: Type,
    settings: &Settings,
) -> Result<Vec<f64>> {
    pool(1)?.install(|| {
        let mut plan = cpu::Plan::<T>::new(&[data.modes; 2], settings)?;
        plan.set_points(&[&data.points[0], &data.points[1]])?;
        let mut scratch = plan.scratch();
        let mut output = vec![Complex::default(); data.output(kind)];
        repeated(context, 0.0, 5, || {
            let (seconds, outcome) =
                timed(|| plan.execute(kind, data.input(kind), &mut output, &mut scratch));
            Ok(outcome.map(|()| seconds)?)
        })
    })
}

/// What a plan is made of, one by one.
fn stages<T: Precision>(
    row: &Row<'_>,
    plan: &mut cuda::Plan<T>,
    coordinates: &[&Buffer<f64>],
    (c, f): (&Buffer<Complex<T>>, &Buffer<Complex<T>>),
) -> Result<()> {
    let seconds = row.context.seconds;
    let (window, n, modes) = (plan.window().clone(), plan.fine_grid().to_vec(), row.modes);
    let stream = plan.stream();
    let kernels: Nufft<T> = kernels(stream, &window, &n, modes)?;
    let mut points: Points<T> = kernels.points(stream, row.points)?;
    kernels.sort(stream, coordinates, &mut points)?;
    row.stage("points", stream, seconds, &mut |s| kernels.sort(s, coordinates, &mut points).map(drop))?;
    let mut grid = Buffer::zeros(stream, "grid", kernels.fine_points())?;
    row.stage("spread", stream, seconds, &mut |s| kernels.spread(s, &mut points, c, 0, &mut grid))?;
    let fft = Fft::new(stream, &[n[1], n[0]], 1)?;
    row.stage("FFT", stream, seconds, &mut |s| fft.execute(s, &mut grid, false))?;
    let mut out = Buffer::zeros(stream, "modes", modes * modes)?;
    let order = Order::default();
    let mut modes_from_grid = |s: &mut Stream| kernels.modes_from_grid(s, &grid, order, &mut out);
    row.stage("modes from grid", stream, seconds, &mut modes_from_grid)?;
    let mut grid_from_modes = |s: &mut Stream| kernels.grid_from_modes(s, f, order, &mut grid);
    row.stage("grid from modes", stream, seconds, &mut grid_from_modes)?;
    let mut values = Buffer::zeros(stream, "values", row.points)?;
    let mut interpolate = |s: &mut Stream| kernels.interpolate(s, &points, &grid, 0, &mut values);
    row.stage("interpolate", stream, seconds, &mut interpolate)?;
    if row.points > BESIDE {
        return Ok(());
    }
    let rungs = Rungs::new(stream, &kernels, &points)?;
    for (nested, what) in
        [(false, "spread, a thread for each point"), (true, "spread, a block for each point")]
    {
        let mut spread = |s: &mut Stream| rungs.spread(s, &kernels, &points, c, nested, &mut grid);
        row.stage(what, stream, 0.0, &mut spread)?;
    }
    let mut interpolate = |s: &mut Stream| rungs.interpolate(s, &kernels, &points, &grid, &mut values);
    row.stage("interpolate, a thread for each point", stream, 0.0, &mut interpolate)
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
