//! The results of `nearfield sbr`, each under its name only when it is complete.

use super::super::{Context, summary};
use super::image;
use super::run::Run;
use pipeline::mesh::obj;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use pipeline::solvers::sbr::files::Cuts;
use pipeline::solvers::sbr::tube::{Counts, Tree};
use pipeline::solvers::sbr::{Plan, Rule};
use serde_json::{Value, json};
use std::time::Instant;

/// Levels below the highest by more are not drawn, dB.
const RANGE_DB: f64 = 80.0;

/// Everything.
pub fn write(
    context: &Context,
    run: &Run,
    plan: &Plan,
    counts: Counts,
    start: Instant,
) -> anyhow::Result<()> {
    let (cuts, folder) = (&run.cuts, &run.folder);
    cuts.write_csv(&folder.join("rcs.csv"))?;
    cuts.write_npz(&folder.join("fields.npz"))?;
    cuts.write_ffe(&folder.join("v.ffe"), 0)?;
    cuts.write_ffe(&folder.join("h.ffe"), 1)?;
    if run.built_in {
        obj::write(&run.mesh, &folder.join("mesh.obj"))?;
    }
    picture(run)?;
    if let Some(choice) = run.image {
        image::write(run, plan, choice)?;
    }
    let seconds = start.elapsed().as_secs_f64();
    context.say(format!(
        "{} tubes, {} segments of rays, {seconds:.2} s; sigma at most {:.2} dBsm; {}",
        counts.tubes,
        counts.segments,
        highest(cuts),
        folder.join("rcs.csv").display()
    ));
    if counts.cut > 0 {
        let (cut, bounces) = (counts.cut, run.settings.bounces);
        context.detail(format!("  {cut} tubes had more than {bounces} bounces and radiate from the last"));
    }
    summary::write(context, folder, settings(run), figures(run, plan, counts), start)
}

fn highest(cuts: &Cuts) -> f64 {
    let all = [0, 1].into_iter().flat_map(|p| [0, 1].map(|q| cuts.level(p, q))).flatten();
    all.fold(f64::NEG_INFINITY, f64::max)
}

/// The four channels over what varies, if only one thing does.
fn picture(run: &Run) -> anyhow::Result<()> {
    let cuts = &run.cuts;
    let gigahertz: Vec<f64> = cuts.frequencies.iter().map(|frequency| 1e-9 * frequency).collect();
    let axes = [
        ("theta, degrees", &cuts.theta_deg),
        ("phi, degrees", &cuts.phi_deg),
        ("frequency, GHz", &gigahertz),
    ];
    let mut varying = axes.iter().filter(|(_, values)| values.len() > 1);
    let (Some((label, x)), None) = (varying.next(), varying.next()) else { return Ok(()) };
    // Curves need rising values.
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let x: Vec<f64> = order.iter().map(|at| x[*at]).collect();
    let floor = highest(cuts) - RANGE_DB;
    let level = |p: usize, q: usize| {
        let levels = cuts.level(p, q);
        order.iter().map(|at| Some(levels[*at]).filter(|level| *level > floor).unwrap_or(f64::NAN)).collect()
    };
    let channels: [(&str, Vec<f64>); 4] =
        [("hh", level(1, 1)), ("hv", level(1, 0)), ("vh", level(0, 1)), ("vv", level(0, 0))];
    let drawn = channels.iter().filter(|(_, y)| y.iter().any(|level| level.is_finite()));
    let curves: Vec<Curve<'_>> = drawn.map(|(name, y)| Curve { name, x: &x, y }).collect();
    if curves.is_empty() {
        return Ok(());
    }
    let title = format!("{}: radar cross-section", run.name);
    let (x, y) = (Quantity { label, logarithmic: false }, Quantity { label: "dBsm", logarithmic: false });
    Ok(Figure { title: &title, x, y, curves }.save(run.folder.join("rcs.png"))?)
}

fn settings(run: &Run) -> Value {
    let settings = &run.settings;
    json!({
        "mesh": run.name,
        "bounces": settings.bounces,
        "tubes_per_wavelength": settings.tubes_per_wavelength,
        "tube_m": settings.cell(),
        "structure": format!("{:?}", settings.structure).to_lowercase(),
        "rule": match settings.rule { Rule::Footprint { .. } => "footprint", Rule::Discard => "discard" },
        "edges": format!("{:?}", settings.edges),
        "frequencies": settings.frequencies.len(),
        "theta_deg": ends(&run.cuts.theta_deg),
        "phi_deg": ends(&run.cuts.phi_deg),
        "frequency_hz": ends(&settings.frequencies),
    })
}

/// First and last.
fn ends(values: &[f64]) -> Value {
    json!([values.first(), values.last()])
}

fn figures(run: &Run, plan: &Plan, counts: Counts) -> Value {
    let report = &run.report;
    let tree = match plan.tree() {
        Tree::Bvh(tree) => json!({"nodes": tree.nodes.len(), "bytes": tree.bytes()}),
        Tree::KdTree(tree) => {
            let found = tree.statistics(plan.facets());
            json!({
                "leaves": found.leaves, "basic_bytes": found.basic_bytes, "rope_bytes": found.rope_bytes,
                "facet_bytes": found.facet_bytes,
            })
        }
    };
    json!({
        "sigma_highest_dbsm": highest(&run.cuts),
        "directions": run.cuts.directions().count(),
        "triangles": run.mesh.triangles.len(),
        "edges": plan.wedges().len(),
        "tree": tree,
        "rays": counts.rays, "segments": counts.segments, "tubes": counts.tubes,
        "tubes_split": counts.split, "tubes_dropped": counts.dropped, "tubes_cut": counts.cut,
        "mesh": {
            "degenerate": report.degenerate, "duplicate": report.duplicate, "open_edges": report.open_edges,
            "inconsistent_edges": report.inconsistent_edges, "crowded_edges": report.crowded_edges,
            "inverted": report.inverted,
        },
    })
}
