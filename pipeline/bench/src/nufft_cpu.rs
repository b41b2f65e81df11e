//! The rows of `nearfield bench nufft`: two axes, types 1 and 2, `f32` at 1e-6 and `f64` at 1e-12, one thread and all.
//!
//! With `--peer` FINUFFT runs beside, in a process of its own, on the same numbers: plans are made in turn, then a round is our points and sum, then
//! theirs; the best of many rounds counts, as the machine's noise only ever adds. Errors are relative (l2), against direct sums at the same few
//! modes or points for both. Coordinates are rounded to the precision of the row first, so that both are given the same points.

use crate::context::{Context, Result};
use crate::meter;
use crate::nufft_data::{Data, error};
use crate::peer::{self, Peer, bytes};
use nufft::{Precision, Settings, Sign, Type, cpu};
use num_complex::Complex;
use numerics::real::widened;
use serde_json::{Value, json};
use std::time::Instant;

/// Points, and modes along each axis.
const SIZES: [(usize, usize); 3] = [(10_000, 100), (100_000, 316), (1_000_000, 1000)];
/// Modes or points at which the error is measured.
const SAMPLES: usize = 48;
/// Plans, and rounds at least.
const PLANS: usize = 3;
const ROUNDS: usize = 3;

/// Best times, seconds, and the error.
#[derive(Clone, Copy)]
struct Figures {
    plan: f64,
    points: f64,
    execute: f64,
    error: f64,
}

/// One sum to measure.
#[derive(Clone, Copy)]
struct Case {
    kind: Type,
    eps: f64,
    threads: usize,
}

impl Case {
    /// Of its type.
    fn number(self) -> u32 {
        if self.kind == Type::One { 1 } else { 2 }
    }
}

/// Runs all rows; the peer sums by FINUFFT.
pub fn run(context: &Context<'_>) -> Result<()> {
    let mut peer = Peer::of(context, "FINUFFT")?;
    context.say(format!(
        "{:<38} {:>9} {:>9} {:>9} {:>9} | FINUFFT: the same, and its execute over ours",
        "", "plan ms", "points", "execute", "error"
    ));
    let all = rayon::current_num_threads();
    let counts = if all > 1 { vec![1, all] } else { vec![1] };
    for threads in counts {
        let pool = meter::pool(threads)?;
        for size in SIZES {
            rows::<f32>(context, &pool, size, (1e-6, threads), peer.as_mut())?;
            rows::<f64>(context, &pool, size, (1e-12, threads), peer.as_mut())?;
        }
    }
    Ok(())
}

/// Both types of one size and precision.
fn rows<T: Precision>(
    context: &Context<'_>,
    pool: &rayon::ThreadPool,
    (points, modes): (usize, usize),
    (eps, threads): (f64, usize),
    mut peer: Option<&mut Peer>,
) -> Result<()> {
    let data = Data::<T>::new(points, modes);
    if let Some(peer) = &mut peer {
        load(peer, &data)?;
    }
    for kind in [Type::One, Type::Two] {
        let case = Case { kind, eps, threads };
        let (ours, theirs, rounds) = pool.install(|| measure(context, &data, case, peer.as_deref_mut()))?;
        let (number, precision) = (case.number(), std::any::type_name::<T>());
        let name = format!("type {number}, M {points}, N {modes}, {precision} {eps:e}, {threads} thr");
        let beside = theirs.map_or(String::new(), |theirs| {
            format!(" | {} {:>6.2}", theirs.columns(), theirs.execute / ours.execute)
        });
        context.say(format!("{name:<38} {}{beside}", ours.columns()));
        context.emit(&json!({
            "type": number, "points": points, "modes": modes, "precision": precision, "eps": eps,
            "threads": threads, "rounds": rounds, "nearfield": ours.to_json(),
            "finufft": theirs.map(Figures::to_json), "finufft_version": peer.as_ref().map(|p| p.version.clone()),
        }));
    }
    Ok(())
}

/// Plans of ours and theirs in turn, then rounds of points and sum, until the time is over.
fn measure<T: Precision>(
    context: &Context<'_>,
    data: &Data<T>,
    case: Case,
    mut peer: Option<&mut Peer>,
) -> Result<(Figures, Option<Figures>, usize)> {
    let (mut ours, mut theirs, mut rounds) = (Figures::NONE, Figures::NONE, 0);
    let request = format!("plan {} {:e} {}", case.number(), case.eps, case.threads);
    for _ in 0..PLANS {
        ours.plan = ours.plan.min(planned(data, case)?.2);
        if let Some(peer) = &mut peer {
            theirs.plan = theirs.plan.min(peer.numbers::<1>(&request, &[])?[0]);
        }
    }
    let (mut plan, mut scratch, _) = planned(data, case)?;
    let input = data.input(case.kind);
    let mut output = vec![Complex::<T>::default(); data.output(case.kind)];
    let start = Instant::now();
    while rounds < ROUNDS || start.elapsed().as_secs_f64() < context.seconds {
        context.check_interrupt()?;
        let begin = Instant::now();
        plan.set_points(&[&data.points[0], &data.points[1]])?;
        let sorted = begin.elapsed();
        plan.execute(case.kind, input, &mut output, &mut scratch)?;
        ours.keep(sorted.as_secs_f64(), (begin.elapsed() - sorted).as_secs_f64());
        if let Some(peer) = &mut peer {
            let ([points], [execute]) = (peer.numbers("points", &[])?, peer.numbers("execute", &[])?);
            theirs.keep(points, execute);
        }
        rounds += 1;
    }
    let (indices, exact) = data.exact(case.kind, SAMPLES);
    let found: Vec<Complex<f64>> = indices.iter().map(|&i| widened(&output[i])).collect();
    ours.error = error(&found, &exact);
    let sampled = peer.map(|peer| sample(peer, &indices)).transpose()?;
    let theirs = sampled.map(|found| Figures { error: error(&found, &exact), ..theirs });
    Ok((ours, theirs, rounds))
}

/// Hands over what is transformed.
fn load<T: Precision>(peer: &mut Peer, data: &Data<T>) -> Result<()> {
    let is_single = size_of::<T>() == 4;
    let size = if is_single { "single" } else { "double" };
    let coordinates = data.points.iter().rev().flatten().copied();
    let complex = data.strengths.iter().chain(&data.f).flat_map(|v| [v.re.to_f64(), v.im.to_f64()]);
    let request = format!("data {size} {} {}", data.points[0].len(), data.modes);
    peer.ask(&request, &bytes(coordinates.chain(complex), is_single)).map(drop)
}

/// Some values of the peer's last result.
fn sample(peer: &mut Peer, indices: &[usize]) -> Result<Vec<Complex<f64>>> {
    let text: Vec<String> = indices.iter().map(usize::to_string).collect();
    let numbers = peer::numbers(&peer.ask(&format!("sample {}", text.join(" ")), &[])?)?;
    Ok(numbers.chunks_exact(2).map(|pair| Complex::new(pair[0], pair[1])).collect())
}

/// Our plan and its memory, and the seconds that they took.
fn planned<T: Precision>(data: &Data<T>, case: Case) -> Result<(cpu::Plan<T>, cpu::Scratch<T>, f64)> {
    let start = Instant::now();
    let modes = [data.modes; 2];
    let settings = Settings::new(case.eps, Sign::Negative).tuned::<T>(&modes, data.strengths.len())?;
    let plan = cpu::Plan::<T>::new(&modes, &settings)?;
    let scratch = plan.scratch();
    Ok((plan, scratch, start.elapsed().as_secs_f64()))
}

impl Figures {
    const NONE: Self =
        Self { plan: f64::INFINITY, points: f64::INFINITY, execute: f64::INFINITY, error: f64::INFINITY };

    /// The better of each.
    fn keep(&mut self, points: f64, execute: f64) {
        self.points = self.points.min(points);
        self.execute = self.execute.min(execute);
    }

    fn ms(&self) -> [f64; 3] {
        [self.plan, self.points, self.execute].map(|seconds| 1e3 * seconds)
    }

    fn columns(&self) -> String {
        let [plan, points, execute] = self.ms();
        format!("{plan:>9.3} {points:>9.3} {execute:>9.3} {:>9.1e}", self.error)
    }

    fn to_json(self) -> Value {
        let [plan, points, execute] = self.ms();
        json!({ "plan_ms": plan, "points_ms": points, "execute_ms": execute, "error": self.error })
    }
}
