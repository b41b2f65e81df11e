//! The rows of `nearfield bench dgtd`: unknowns times stages a second of a cavity at orders 2 to 5, both precisions, on all threads of the pool, beside two roofs from the same run: multiply-adds in registers, and a
//! stage's traffic with memory without its arithmetic. Multiply-adds that count are those of products of matrices, two operations each.

use crate::context::{Context, Result};
use crate::dgtd_roof;
use crate::meter::{repeated, timed};
use dgtd::cpu::{LANES, Plan};
use dgtd::design::Design;
use dgtd::lsrk::STAGES;
use dgtd::mesh::{Mesh, kuhn};
use dgtd::{Mode, Settings, time_step};
use numerics::real::Real;
use numerics::vec3::Vec3;
use serde_json::json;

/// Cells of an edge of the cavity at orders 2 to 5: some 10 MB and more of fields, beyond the second level of caches.
pub const CASES: [(usize, usize); 4] = [(2, 28), (3, 22), (4, 18), (5, 16)];

/// Runs all rows, of so many seconds each.
pub fn run(context: &Context<'_>) -> Result<()> {
    for (order, cells) in CASES {
        row::<f32>(context, order, cells)?;
        row::<f64>(context, order, cells)?;
    }
    Ok(())
}

/// Side of the cavity, m, as the paper has it.
pub const SIDE: f64 = 2.0;

/// A cube of so many cells along an edge between conductors.
pub fn cavity(order: usize, cells: usize) -> Result<Design> {
    let mesh = Mesh::new(kuhn::cuboid(Vec3::ZERO, Vec3::splat(SIDE), [cells; 3]))?;
    Ok(Design::new(mesh, &Settings::new(order))?)
}

pub fn row<T: Real>(context: &Context<'_>, order: usize, cells: usize) -> Result<()> {
    let side = Vec3::splat(SIDE);
    let design = cavity(order, cells)?;
    let mode = Mode::new([1, 1, 1], side, Vec3::new(1.0, 1.0, -2.0))?;
    let (unknowns, dt) = (design.unknowns(), time_step::limit(&design));
    let plan = Plan::<T>::new(design);
    let mut fields = plan.load(&plan.design().sampled(|x| mode.at(x, 0.0)), 0.0)?;
    // Best seconds of some work, for a part of the row's time.
    let best = |part: f64, work: &mut dyn FnMut()| -> Result<f64> {
        Ok(repeated(context, part * context.seconds, 1, || Ok(timed(&mut *work).0))?[0])
    };
    let stage = best(1.0, &mut || plan.step(&mut fields, dt))? / STAGES as f64;
    let mut operations = 0.0;
    let peak = best(0.2, &mut || operations = 2.0 * dgtd_roof::multiply_adds::<T>())?;
    let lanes = unknowns.div_ceil(LANES);
    let (now, mut next, mut residual) =
        (vec![[T::zero(); LANES]; lanes], vec![[T::zero(); LANES]; lanes], vec![[T::zero(); LANES]; lanes]);
    let mut bytes = 0.0;
    let memory = best(0.2, &mut || bytes = dgtd_roof::traffic(&now, &mut next, &mut residual))?;
    let rate = unknowns as f64 / stage;
    let flops = [2.0 * plan.design().multiply_adds() as f64 / stage, operations / peak];
    let traffic = [bytes / stage, bytes / memory];
    let precision = std::any::type_name::<T>();
    context.say(format!(
        "order {order} {precision} {unknowns:>8} unknowns: {rate:.3e} unknowns x stages/s; {:.1} of {:.1} GFLOP/s ({:.0} %), {:.1} of {:.1} GB/s ({:.0} %)",
        1e-9 * flops[0], 1e-9 * flops[1], 100.0 * flops[0] / flops[1],
        1e-9 * traffic[0], 1e-9 * traffic[1], 100.0 * traffic[0] / traffic[1]
    ));
    context.emit(&json!({
        "table": "processor", "order": order, "precision": precision, "elements": plan.design().cells.len(), "unknowns": unknowns,
        "threads": rayon::current_num_threads(), "unknown_stages_per_s": rate,
        "gflops": 1e-9 * flops[0], "roof_gflops": 1e-9 * flops[1],
        "gbytes_per_s": 1e-9 * traffic[0], "roof_gbytes_per_s": 1e-9 * traffic[1],
    }));
    Ok(())
}
