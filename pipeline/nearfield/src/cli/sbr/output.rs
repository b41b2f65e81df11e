//! The results of `nearfield sbr`, each under its name only when it is complete.

use super::super::exit::{Failed, Result, abandoned, interrupted};
use super::super::{Context, summary};
use super::pictures::{self, highest};
use super::run::Run;
use super::{facets, image};
use pipeline::mesh::obj;
use pipeline::sbr::{Counts, Plan, Rule};
use serde_json::{Map, Value, json};
use std::time::Instant;

/// What is written after Ctrl-C.
const PARTIAL: [&str; 2] = ["rcs.partial.csv", "fields.partial.npz"];

/// The directions that were finished, under other names, and the error that says so.
pub fn write_partial(
    context: &Context,
    run: &Run,
    plan: &Plan,
    counts: Counts,
    start: Instant,
) -> Result<Failed> {
    let (cuts, folder) = (&run.cuts, &run.folder);
    let (done, total) = (cuts.fields.len() / cuts.frequencies.len(), cuts.directions().count());
    if done == 0 {
        return Ok(abandoned());
    }
    cuts.write_csv(&folder.join(PARTIAL[0]))?;
    cuts.write_npz(&folder.join(PARTIAL[1]))?;
    let mut figures = figures(run, plan, counts);
    figures["interrupted"] = true.into();
    figures["directions_finished"] = done.into();
    summary::write(context, folder, settings(run), figures, start)?;
    let file = folder.join(PARTIAL[0]);
    let file = file.display();
    Ok(interrupted(format!(
        "; {done} of {total} directions were finished and are in {file}, the others are lost"
    )))
}

pub fn write(context: &Context, run: &Run, plan: &Plan, counts: Counts, start: Instant) -> Result<()> {
    let (cuts, folder) = (&run.cuts, &run.folder);
    cuts.write_csv(&folder.join("rcs.csv"))?;
    cuts.write_npz(&folder.join("fields.npz"))?;
    cuts.write_ffe(&folder.join("v.ffe"), 0)?;
    cuts.write_ffe(&folder.join("h.ffe"), 1)?;
    if run.built_in {
        obj::write(&run.mesh, &folder.join("mesh.obj"))?;
    }
    // What an earlier run left behind is all in these.
    PARTIAL.iter().for_each(|name| drop(std::fs::remove_file(folder.join(name))));
    pictures::write(run)?;
    if let Some(choice) = run.image {
        image::write(run, plan, choice)?;
    }
    if let Some(at) = run.facets {
        facets::write(context, run, plan, at)?;
    }
    let (seconds, file) = (start.elapsed().as_secs_f64(), folder.join("rcs.csv"));
    let (Counts { tubes, segments, .. }, highest) =
        (counts, highest(&cuts.fields).unwrap_or(f64::NEG_INFINITY));
    context.say(format!(
        "{tubes} tubes, {segments} segments of rays, {seconds:.2} s; sigma at most {highest:.2} dBsm; {}",
        file.display()
    ));
    if counts.cut > 0 {
        let (cut, bounces) = (counts.cut, run.settings.bounces);
        context.detail(format!("  {cut} tubes had more than {bounces} bounces and radiate from the last"));
    }
    summary::write(context, folder, settings(run), figures(run, plan, counts), start)
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
    let tree: Map<String, Value> =
        plan.tree().into_iter().map(|(name, number)| (name.into(), number.into())).collect();
    json!({
        "sigma_highest_dbsm": highest(&run.cuts.fields),
        "directions": run.cuts.directions().count(),
        "interrupted": false,
        "triangles": run.mesh.triangles.len(),
        "edges": plan.target().wedges().len(),
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
