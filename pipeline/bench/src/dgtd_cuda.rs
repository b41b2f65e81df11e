//! The rows of `nearfield bench dgtd --device cuda`: stages of a cavity at all orders and in both precisions beside the card's roofs; the same with matched layers; the paper's sphere; and the processor, one core and all,
//! from the same run.
//!
//! Times are the host's, of as many steps as fill some milliseconds, with the wait for their end; the best counts. Operations are those of products of matrices, two a multiply-add; bytes are those that a stage reads and
//! writes at least, each once: fields, residuals, geometry and what layers remember. The roofs are measured in the same run: multiply-adds in registers, and arrays that are read and written alike.

use crate::context::{Context, Result};
use crate::dgtd_cpu::{self, SIDE, cavity};
use crate::meter::{pool, repeated};
use dgtd::cuda::{Number, Plan};
use dgtd::design::Design;
use dgtd::lsrk::STAGES;
use dgtd::mesh::Mesh;
use dgtd::mesh::sphere::Sphere;
use dgtd::pml::Absorber;
use dgtd::{Boundary, Layers, Material, Mode, PlaneWave, Pulse, Settings, Spectrum, State, time_step};
use kernels::{Device, roof};
use numerics::constants::SPEED_OF_LIGHT;
use numerics::vec3::Vec3;
use serde_json::json;
use std::f64::consts::TAU;
use std::time::Instant;

/// Orders, and cells of an edge of the cavity: 2e7 to 3e7 unknowns, beyond the card's cache.
const CASES: [(usize, usize); 8] = [(1, 48), (2, 44), (3, 34), (4, 28), (5, 24), (6, 21), (7, 19), (8, 17)];
/// Orders that are also measured with layers.
const WITH_LAYERS: std::ops::RangeInclusive<usize> = 2..=5;
/// Cells of the layers on each side, as the paper has them.
const LAYERS: usize = 4;
/// Runs of a roof.
const RUNS: usize = 10;
/// Steps of the paper's sphere.
const PAPER_STEPS: u64 = 17_647;
/// The paper's order there: 1 115 thousand nodes in 111 thousand elements.
const PAPER_ORDER: usize = 2;

/// What the card does at most in numbers of a kind.
#[derive(Clone, Copy)]
struct Roof {
    /// Operations a second, two a multiply-add.
    flops: f64,
    /// Bytes a second.
    bytes: f64,
}

impl Roof {
    fn of<T: Number>(device: &Device) -> Result<Self> {
        let mut stream = device.stream()?;
        let flops = 2.0 * roof::multiply_adds::<T>(&mut stream, RUNS)?;
        Ok(Self { flops, bytes: roof::traffic::<T>(&mut stream, RUNS)? })
    }
}

/// Runs all rows, each for about `seconds`.
pub fn run(context: &Context<'_>, device: &Device) -> Result<()> {
    let roofs = (Roof::of::<f32>(device)?, Roof::of::<f64>(device)?);
    for (name, roof) in [("f32", roofs.0), ("f64", roofs.1)] {
        let (tera_flops, tera_bytes) = (1e-12 * roof.flops, 1e-12 * roof.bytes);
        context.say(format!("{name}: at most {tera_flops:.1} TFLOP/s, {tera_bytes:.2} TB/s"));
    }
    for (order, cells) in CASES {
        let design = cavity(order, cells)?;
        let single = row::<f32>(context, device, &design, roofs.0, None)?;
        let double = row::<f64>(context, device, &design, roofs.1, None)?;
        if WITH_LAYERS.contains(&order) {
            let layered = layered(design, cells)?;
            row::<f32>(context, device, &layered, roofs.0, Some(single))?;
            row::<f64>(context, device, &layered, roofs.1, Some(double))?;
        }
    }
    sphere(context, device)?;
    let one = pool(1)?;
    for (order, cells) in dgtd_cpu::CASES {
        one.install(|| dgtd_cpu::row::<f32>(context, order, cells))?;
        dgtd_cpu::row::<f32>(context, order, cells)?;
    }
    Ok(())
}

/// The same elements with layers on all sides.
fn layered(mut design: Design, cells: usize) -> Result<Design> {
    let thickness = SIDE * LAYERS as f64 / cells as f64;
    let layers = Layers::new(Vec3::splat(thickness), Vec3::splat(SIDE - thickness));
    design.absorber = Some(Absorber::new(&layers, &design.mesh, &Material::VACUUM)?);
    Ok(design)
}

/// Part of the elements that are in layers.
fn share(design: &Design) -> f64 {
    design.absorber.as_ref().map_or(0.0, |it| it.elements.len() as f64 / design.cells.len() as f64)
}

/// Shortest seconds of a stage, and bytes that it moves.
fn stage<T: Number>(context: &Context<'_>, device: &Device, design: &Design) -> Result<(f64, f64)> {
    let mode = Mode::new([1, 1, 1], Vec3::splat(SIDE), Vec3::new(1.0, 1.0, -2.0))?;
    let start: Vec<State> = design.sampled(|x| mode.at(x, 0.0));
    let dt = time_step::limit(design);
    let mut plan = Plan::<T>::new(device, design.clone())?;
    let mut fields = plan.load(&start, 0.0)?;
    let mut step_s = |steps: u32| -> Result<f64> {
        let before = Instant::now();
        (0..steps).try_for_each(|_| plan.step(&mut fields, dt))?;
        plan.wait()?;
        Ok(before.elapsed().as_secs_f64() / f64::from(steps))
    };
    step_s(2)?;
    // Ten milliseconds at least.
    let steps = (0.01 / step_s(2)?).ceil().max(1.0) as u32;
    let least = repeated(context, context.seconds, 1, || step_s(steps))?[0];
    Ok((least / STAGES as f64, plan.traffic(&fields) as f64))
}

/// One row; gives the seconds of a stage. `without` are those of the same elements without layers.
fn row<T: Number>(
    context: &Context<'_>,
    device: &Device,
    design: &Design,
    roof: Roof,
    without: Option<f64>,
) -> Result<f64> {
    let (stage, bytes) = stage::<T>(context, device, design)?;
    let (order, unknowns) = (design.element.order, design.unknowns() as f64);
    let (rate, traffic, precision) = (unknowns / stage, bytes / stage, std::any::type_name::<T>());
    let flops = 2.0 * design.multiply_adds() as f64 / stage;
    let penalty = without.map(|without| stage / without - 1.0);
    let layers = penalty.map_or(String::new(), |it| {
        format!("; {:.0} % in layers: {:+.1} %", 100.0 * share(design), 100.0 * it)
    });
    let (tera_flops, flops_share) = (1e-12 * flops, 100.0 * flops / roof.flops);
    let (tera_bytes, bytes_share) = (1e-12 * traffic, 100.0 * traffic / roof.bytes);
    context.say(format!(
        "order {order} {precision}: {rate:.3e} unknowns x stages/s; {tera_flops:.1} TFLOP/s ({flops_share:.0} %), \
         {tera_bytes:.2} TB/s ({bytes_share:.0} %){layers}"
    ));
    context.emit(&json!({
        "table": "card", "order": order, "precision": precision, "elements": design.cells.len(), "unknowns": unknowns,
        "unknown_stages_per_s": rate, "stage_us": 1e6 * stage, "bytes_per_unknown": bytes / unknowns,
        "gflops": 1e-9 * flops, "roof_gflops": 1e-9 * roof.flops,
        "gbytes_per_s": 1e-9 * traffic, "roof_gbytes_per_s": 1e-9 * roof.bytes,
        "in_layers": share(design), "penalty": penalty, "device": context.device_name(),
    }));
    Ok(stage)
}

/// The paper's dielectric sphere, 111 thousand elements, half of them in layers, in a pulse of 900 MHz.
fn paper() -> Result<Design> {
    let sphere = Sphere {
        radius: 0.3,
        half_side: 0.35,
        cells: 14,
        shells: 1,
        inside: Some(3),
        outside: 1 + LAYERS,
        quarter: false,
    };
    let k = TAU * 900e6 / SPEED_OF_LIGHT;
    let pulse = Pulse::Gauss { centre: 4.0, width: 1.0, wavenumber: k };
    let (z, x) = (Vec3::new(0.0, 0.0, 1.0), Vec3::new(1.0, 0.0, 0.0));
    let mut settings = Settings::new(PAPER_ORDER);
    settings.materials =
        vec![("sphere".into(), Material { permittivity: 4.0, permeability: 1.0, conductivity: 0.0 })];
    settings.outer = Some(Boundary::Pec);
    settings.wave = Some(PlaneWave::new(z, x, pulse, &Material::VACUUM)?);
    settings.total_field = vec!["total".into(), "sphere".into()];
    let edge = sphere.half_side * (sphere.cells + 2) as f64 / sphere.cells as f64;
    settings.layers = Some(Layers::new(Vec3::splat(-edge), Vec3::splat(edge)));
    Ok(Design::new(Mesh::new(sphere.volume()?)?, &settings)?)
}

/// All steps of the paper's sphere in single precision with the sums of its far field, and what layers cost there.
fn sphere(context: &Context<'_>, device: &Device) -> Result<()> {
    let design = paper()?;
    let mut bare = design.clone();
    bare.absorber = None;
    let (layered_s, bare_s) =
        (stage::<f32>(context, device, &design)?.0, stage::<f32>(context, device, &bare)?.0);
    let dt = time_step::limit(&design);
    let k = TAU * 900e6 / SPEED_OF_LIGHT;
    let mut spectrum = Spectrum::new(&design, &[k]);
    let begin = Instant::now();
    let mut plan = Plan::<f32>::new(device, design)?;
    let mut fields = plan.load(&vec![State::default(); plan.design().states()], 0.0)?;
    let mut running = plan.spectrum(&spectrum)?;
    let plan_s = begin.elapsed().as_secs_f64();
    let begin = Instant::now();
    for step in 0..PAPER_STEPS {
        plan.step(&mut fields, dt)?;
        plan.add(&mut running, &fields, dt)?;
        if step.is_multiple_of(500) {
            plan.wait()?;
            context.check_interrupt()?;
        }
    }
    plan.finish(&running, &mut spectrum)?;
    let steps_s = begin.elapsed().as_secs_f64();
    let energy = plan.energy(&fields)?;
    let (elements, layers) = (plan.design().cells.len(), share(plan.design()));
    let penalty = layered_s / bare_s - 1.0;
    context.say(format!(
        "the paper's sphere: {elements} elements, order {PAPER_ORDER}, {PAPER_STEPS} steps in {steps_s:.2} s (plan {plan_s:.2} s); {:.0} % in layers: {:+.1} %",
        100.0 * layers, 100.0 * penalty
    ));
    context.emit(&json!({
        "table": "sphere", "elements": elements, "order": PAPER_ORDER, "precision": "f32", "steps": PAPER_STEPS, "steps_s": steps_s, "plan_s": plan_s,
        "surface_nodes": spectrum.points.len(), "energy": energy, "in_layers": layers, "penalty": penalty,
        "unknown_stages_per_s": plan.design().unknowns() as f64 * (PAPER_STEPS * STAGES as u64) as f64 / steps_s,
    }));
    Ok(())
}
