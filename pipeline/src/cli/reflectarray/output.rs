//! The results of a synthesis: files and pictures, each under its name only when it is complete.

use super::super::{Context, summary};
use super::run::Run;
use super::watching::History;
use pipeline::io::atomic::AtomicFile;
use pipeline::io::npz::NpzFile;
use pipeline::plot;
use pipeline::solvers::reflectarray::cpu::{Directions, Plan, Scratch};
use pipeline::solvers::reflectarray::files::{FarField, write_elements};
use pipeline::solvers::reflectarray::layout::{layout, write_dxf};
use pipeline::solvers::reflectarray::synthesis::Design;
use pipeline::solvers::reflectarray::{Elements, Model, Region, Score, score};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::time::Instant;

/// Directions of the map along each axis.
const MAP: usize = 241;
/// Relative error of the fields in files.
const TOLERANCE: f64 = 1e-9;
/// Decibels that colours span.
const RANGE_DB: f64 = 40.0;
/// Angles of the far-field file, degrees: step and end of theta, step of phi.
const THETA: [f64; 2] = [0.25, 89.5];
const PHI: f64 = 5.0;

/// Regions and samples as a picture.
pub fn masks(run: &Run) -> anyhow::Result<()> {
    let mask = &run.task.mask;
    let names: Vec<String> = mask.regions.iter().map(name).collect();
    let zones = &run.case.specification.zones;
    let mut regions: Vec<plot::regions::Region<'_>> = Vec::new();
    for (at, region) in mask.regions.iter().enumerate() {
        let outline = zones.get(at).map(|zone| zone.area.outline());
        let Region { u, v, interior, .. } = region;
        let covered = region.is_coverage();
        regions.push(plot::regions::Region { name: &names[at], outline, u, v, interior: *interior, covered });
    }
    // Coverages last: they lie over the side lobes around them.
    regions.sort_by_key(|region| region.covered);
    let title = format!("{}: regions and samples", run.case.title);
    Ok(plot::regions::Figure { title: &title, regions: &regions }.save(run.folder.join("masks.png"))?)
}

/// A region with its levels.
fn name(region: &Region) -> String {
    let least = region.lower_dbi.filter(|level| *level != 0.0).map(|level| format!("at least {level} dBi"));
    let most = region.upper_dbi.map(|level| format!("at most {level} dBi"));
    let levels: Vec<String> = least.into_iter().chain(most).collect();
    if levels.is_empty() { region.name.clone() } else { format!("{}: {}", region.name, levels.join(", ")) }
}

/// Everything about a design.
pub fn write(
    context: &Context,
    run: &Run,
    design: &Design,
    history: &History,
    start: Instant,
) -> anyhow::Result<()> {
    let Design { elements, .. } = design;
    write_elements(&run.folder.join("elements.csv"), elements)?;
    let mut bands = Vec::new();
    for (at, model) in run.case.models.iter().enumerate() {
        bands.push(band(run, model, elements, &suffix(at))?);
    }
    pictures(run, elements, history)?;
    let copper = copper(context, run, elements)?;
    say(context, run, design);
    summary::write(context, &run.folder, settings(run), figures(run, design, &bands, copper), start)
}

/// Files of the first frequency have no number.
fn suffix(at: usize) -> String {
    if at == 0 { String::new() } else { format!("-{}", at + 1) }
}

/// Files and scores of one frequency.
fn band(run: &Run, model: &Model, elements: &Elements, suffix: &str) -> anyhow::Result<Value> {
    let file = |ending: &str| run.folder.join(format!("directivity{suffix}.{ending}"));
    let (u, v) = axes(run);
    let directivity = map(model, elements, &u, &v)?;
    NpzFile::create(file("npz"))?
        .add("u", &[u.len()], &u)?
        .add("v", &[v.len()], &v)?
        .add("directivity_dbi", &[v.len(), u.len()], &directivity)?
        .finish()?;
    let (regions, all) =
        score::scores(&run.task.fine, &score::directivities(model, elements, &run.task.fine)?);
    let title = format!(
        "{}, {:.3} GHz: D_mean {:.2}, D_min {:.2} dBi",
        run.case.title,
        1e-9 * model.frequency,
        all.d_mean_db,
        all.d_min_db
    );
    let zones = &run.case.specification.zones;
    let outlines: Vec<&[[f64; 2]]> = zones.iter().map(|zone| zone.area.outline()).collect();
    plot::far_field::Figure {
        title: &title,
        u: &u,
        v: &v,
        directivity_dbi: &directivity,
        contours: &contours(all),
        outlines: &outlines,
        range_db: RANGE_DB,
    }
    .save(file("png"))?;
    far_field(model, elements)?.write_ffe(&file("ffe"), &run.case.title)?;
    Ok(json!({
        "frequency_hz": model.frequency,
        "d_mean_db": all.d_mean_db,
        "d_min_db": all.d_min_db,
        "coverages": coverages(run, &regions),
    }))
}

/// u and v of the map: the coverages and as much again on every side, within the visible.
fn axes(run: &Run) -> (Vec<f64>, Vec<f64>) {
    let bounds: Vec<[[f64; 2]; 2]> =
        run.case.specification.coverages().map(|zone| zone.area.bounds()).collect();
    let [u, v] = [0, 1].map(|axis: usize| {
        let low = bounds.iter().map(|bounds| bounds[axis][0]).fold(f64::INFINITY, f64::min);
        [low, bounds.iter().map(|bounds| bounds[axis][1]).fold(f64::NEG_INFINITY, f64::max)]
    });
    let half = 0.75 * (u[1] - u[0]).max(v[1] - v[0]);
    let axis = |[low, high]: [f64; 2]| {
        let (from, to) = ((0.5 * (low + high) - half).max(-1.0), (0.5 * (low + high) + half).min(1.0));
        (0..MAP).map(|i| from + (to - from) * i as f64 / (MAP - 1) as f64).collect()
    };
    (axis(u), axis(v))
}

/// dBi, `[v][u]`; nothing beyond the visible.
fn map(model: &Model, elements: &Elements, u: &[f64], v: &[f64]) -> anyhow::Result<Vec<f64>> {
    let all = || v.iter().flat_map(|v| u.iter().map(move |u| (*u, *v)));
    let visible = |&(u, v): &(f64, f64)| u * u + v * v < 1.0;
    let (seen_u, seen_v): (Vec<f64>, Vec<f64>) = all().filter(visible).unzip();
    let plan =
        Plan::fixed(model, Directions { u: &seen_u, v: &seen_v }, &elements.x, &elements.y, TOLERANCE)?;
    let places = plan.places(&elements.x, &elements.y)?;
    let found = plan.directivity(&places, &elements.phase, &mut Scratch::default())?;
    let mut found = found.into_iter().map(|d| 10.0 * d.log10());
    Ok(all()
        .map(|direction| if visible(&direction) { found.next().unwrap_or(f64::NAN) } else { f64::NAN })
        .collect())
}

/// Whole decibels below the mean, down to well below the least.
fn contours(all: Score) -> Vec<f64> {
    let (low, high) = ((all.d_min_db - 3.0).floor(), all.d_mean_db.ceil() + 2.0);
    let count = (high - low).clamp(0.0, 30.0) as usize;
    (0..=count).map(|i| low + i as f64).collect()
}

fn far_field(model: &Model, elements: &Elements) -> anyhow::Result<FarField> {
    let steps =
        |step: f64, end: f64| (0..=(end / step).round() as usize).map(move |i| step * i as f64).collect();
    let (theta_deg, phi_deg): (Vec<f64>, Vec<f64>) = (steps(THETA[0], THETA[1]), steps(PHI, 360.0));
    let (u, v) = FarField::directions(&theta_deg, &phi_deg);
    let plan = Plan::fixed(model, Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE)?;
    let places = plan.places(&elements.x, &elements.y)?;
    let ([co, cross], power) = plan.fields(&places, &elements.phase, &mut Scratch::default())?;
    Ok(FarField { frequency: model.frequency, theta_deg, phi_deg, co, cross, power })
}

fn pictures(run: &Run, elements: &Elements, history: &History) -> anyhow::Result<()> {
    let title = |what: &str| format!("{}: {what}", run.case.title);
    let Elements { x, y, phase } = elements;
    let pitch = run.case.spacing.map_or(run.case.pitch, |spacing| spacing.min);
    let figure = plot::elements::Figure { title: &title("element positions"), x, y, phase: None, pitch };
    figure.save(run.folder.join("positions.png"))?;
    let phases = plot::elements::Figure { title: &title("phases"), phase: Some(phase), ..figure };
    phases.save(run.folder.join("phases.png"))?;
    let iterations: Vec<f64> = (0..history.objective.len()).map(|i| i as f64).collect();
    if iterations.is_empty() {
        return Ok(());
    }
    let stages: Vec<(f64, &str)> =
        history.stages.iter().map(|(begin, name)| (*begin, name.as_str())).collect();
    let curves = [("mean", &history.mean[..]), ("least", &history.least[..])];
    let figure = plot::convergence::Figure {
        title: &title("convergence"),
        iterations: &iterations,
        objective: &history.objective,
        merit: "directivity (dBi)",
        curves: &curves,
        stages: &stages,
    };
    Ok(figure.save(run.folder.join("convergence.png"))?)
}

/// The drawing of patches; what it cost.
fn copper(context: &Context, run: &Run, elements: &Elements) -> anyhow::Result<Option<Value>> {
    let Some(case) = &run.case.layout else { return Ok(None) };
    let made = match layout(elements, &case.settings) {
        Ok(made) => made,
        // The design stands; the elements that the board cannot have are the user's to choose.
        Err(error) => {
            context.warn(format!("no layout: {error}"));
            return Ok(Some(json!({"error": error.to_string()})));
        }
    };
    let cell = run.case.spacing.map_or(run.case.pitch, |spacing| spacing.max);
    write_text(&run.folder.join("layout.dxf"), &write_dxf(&made, cell, case.mirrored))?;
    if made.outside > 0 {
        let (count, all) = (made.outside, made.patches.len());
        let degrees = made.worst_error.to_degrees();
        context.warn(format!("layout: {count} of {all} phases are not in the table; the nearest are up to {degrees:.1} degrees off"));
    }
    Ok(Some(json!({
        "patches": made.patches.len(), "outside": made.outside, "worst_error_deg": made.worst_error.to_degrees(),
    })))
}

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())
        .map_err(|source| pipeline::io::Error::Write { path: path.into(), source })?;
    Ok(file.commit()?)
}

/// Scores by region, of coverages only.
fn coverages(run: &Run, regions: &[Option<Score>]) -> Value {
    let named = run.task.fine.regions.iter().zip(regions);
    let one = |(region, score): (&Region, &Option<Score>)| {
        let score = (*score)?;
        Some(json!({"name": region.name, "d_mean_db": score.d_mean_db, "d_min_db": score.d_min_db}))
    };
    named.filter_map(one).collect()
}

fn say(context: &Context, run: &Run, design: &Design) {
    let line = |name: &str, score: Score| {
        format!("  {name:<16} D_mean {:.2} dBi, D_min {:.2} dBi", score.d_mean_db, score.d_min_db)
    };
    let named: Vec<(&str, Score)> = run
        .task
        .fine
        .regions
        .iter()
        .zip(&design.regions)
        .filter_map(|(region, score)| Some((region.name.as_str(), (*score)?)))
        .collect();
    context.say(line("all coverages", design.score));
    if named.len() > 1 {
        named.into_iter().for_each(|(name, score)| context.say(line(name, score)));
    }
    context.say(format!("  {} iterations; wrote {}", design.iterations, run.folder.display()));
}

fn settings(run: &Run) -> Value {
    let case = &run.case;
    json!({
        "precision": "f64",
        "title": case.title,
        "columns": case.columns,
        "rows": case.rows,
        "frequencies_hz": case.models.iter().map(|model| model.frequency).collect::<Vec<_>>(),
        "pitch_m": case.pitch,
        "spacing_m": case.spacing.map(|spacing| [spacing.min, spacing.max]),
        "feed_m": case.models[0].feed.position,
        "feed_exponent": case.models[0].feed.exponent,
        "step": case.step,
        "score_step": 0.5 * case.step,
        "mean": case.mean,
        "starts": case.starts,
        "stages": case.stages.iter().skip(run.first_stage).map(|stage| stage.name.as_str()).collect::<Vec<_>>(),
    })
}

fn figures(run: &Run, design: &Design, bands: &[Value], layout: Option<Value>) -> Value {
    json!({
        "d_mean_db": design.score.d_mean_db,
        "d_min_db": design.score.d_min_db,
        "coverages": coverages(run, &design.regions),
        "bands": bands,
        "bound_dbi": run.task.fine.bound_dbi(),
        "objective": design.objective,
        "iterations": design.iterations,
        "interrupted": design.stopped,
        "layout": layout,
    })
}
