//! The rows of `nearfield bench sbr --device cuda`: the paper's Table III on a card, all 361 directions at 10 GHz, 5 bounces, 10 tubes a wavelength, all four channels; at one frequency and at 101, with one ray a tube, as where tubes are neither cut nor quartered, and with edges.
//!
//! Times are those of a call, with everything that the host does and with all results back in its memory; building the plan is apart. The first run is not counted.

use crate::context::{Context, Result};
use crate::meter::{best_and_median, repeated, timed};
use crate::sbr_targets::{FREQUENCY, target};
use kernels::Device;
use mesh::shapes;
use sbr::settings::LEAST_TURN;
use sbr::{Direction, Edges, Rule, Settings, Target, cuda};
use serde_json::json;
use std::ops::ControlFlow;

/// Directions of the paper's cuts.
const DIRECTIONS: usize = 361;
/// Frequencies of a range profile, 10 MHz apart, the highest that of the others.
const MANY: u32 = 101;
const APART: f64 = 10e6;

/// Runs all rows, each for so long, and three times at least.
pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    for name in shapes::TARGETS {
        let settings =
            |frequencies| Settings::new((0..frequencies).map(|i| FREQUENCY - APART * f64::from(i)).collect());
        let one = row(context, device, name, &settings(1), None)?;
        row(context, device, name, &settings(MANY), Some(one))?;
        let whole = Settings { rule: Rule::Footprint { splits: 0 }, ..settings(1) };
        row(context, device, name, &whole, None)?;
        let edges = Settings { edges: Edges::Ildc { least_turn: LEAST_TURN }, ..settings(1) };
        row(context, device, name, &edges, None)?;
    }
    Ok(())
}

/// One target; gives its best seconds.
fn row(
    context: &Context<'_>,
    device: &Device,
    name: &str,
    settings: &Settings,
    one: Option<f64>,
) -> Result<f64> {
    let mesh = target(name)?;
    let frequencies = settings.frequencies.len();
    let kind = match settings {
        Settings { rule: Rule::Footprint { splits: 0 }, .. } => "one ray a tube",
        Settings { edges: Edges::Ildc { .. }, .. } => "edges",
        _ => "cut",
    };
    let directions: Vec<Direction> =
        (0..DIRECTIONS).map(|degree| Direction::degrees(90.0, degree as f64)).collect();
    let (plan_s, plan) = timed(|| cuda::Plan::new(device, Target::conductor(&mesh, settings)?));
    let mut plan = plan?;
    let mut watch = |_, _| match context.check_interrupt() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let counts = plan.monostatic(&directions, &mut watch)?[0].counts;
    let times = repeated(context, context.seconds, 3, || {
        let (seconds, outcome) = timed(|| plan.monostatic(&directions, &mut watch));
        Ok(outcome.map(|_| seconds)?)
    })?;
    let [best, median] = best_and_median(&times);
    let rate = counts.segments as f64 / best;
    let more = one.map_or(String::new(), |one| format!(", {:+.0} % for {MANY}", 100.0 * (best / one - 1.0)));
    context.say(format!(
        "{name:<12} {frequencies:>3} frequencies, {kind}: {:.1} ms best, {:.1} median of {}, {:.2}e9 segments/s{more}",
        1e3 * best, 1e3 * median, times.len(), 1e-9 * rate
    ));
    context.emit(&json!({
        "device": context.device_name(), "target": name, "triangles": mesh.triangles.len(), "frequencies": frequencies, "directions": DIRECTIONS, "kind": kind,
        "best_s": best, "median_s": median, "runs": times.len(), "plan_s": plan_s, "segments": counts.segments,
        "segments_per_s": rate, "rays": counts.rays, "tubes": counts.tubes, "quartered": counts.split,
        "past_last_bounce": counts.cut, "more_than_one": one.map(|one| best / one - 1.0),
    }));
    Ok(best)
}
