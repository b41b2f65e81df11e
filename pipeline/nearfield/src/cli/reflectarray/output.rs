//! The results of a synthesis: files, each under its name only when it is complete.

use super::super::{Context, Result, summary};
use super::pictures::{self, TOLERANCE};
use super::run::Run;
use super::watching::History;
use pipeline::files::{atomic, npz::NpzFile};
use pipeline::reflectarray::budget::Budget;
use pipeline::reflectarray::cpu::{Directions, Plan, Scratch};
use pipeline::reflectarray::dxf::write_dxf;
use pipeline::reflectarray::files::{FarField, write_elements};
use pipeline::reflectarray::layout::{self, layout};
use pipeline::reflectarray::synthesis::Design;
use pipeline::reflectarray::{self, Elements, Model, Score, score};
use serde_json::{Value, json};
use std::io::Write;
use std::time::Instant;

/// Angles of the far-field file, degrees: step and end of theta, step of phi.
const THETA: [f64; 2] = [0.25, 89.5];
const PHI: f64 = 5.0;

pub fn write(context: &Context, run: &Run, design: &Design, history: &History, start: Instant) -> Result<()> {
    let Design { elements, .. } = design;
    write_elements(&run.folder.join("elements.csv"), elements)?;
    let mut bands = Vec::new();
    for (at, model) in run.case.models.iter().enumerate() {
        bands.push(band(run, model, elements, &suffix(at))?);
    }
    let budget = budget(run, &run.case.models[0], elements)?;
    pictures::design(run, elements, history)?;
    let copper = copper(context, run, elements)?;
    say(context, run, design, &budget);
    summary::write(context, &run.folder, settings(run), figures(run, design, &bands, copper), start)
}

fn budget(run: &Run, model: &Model, elements: &Elements) -> Result<Budget, reflectarray::Error> {
    Budget::new(model, elements, run.plan.task().shape, run.case.pitch)
}

/// Files of the first frequency have no number.
fn suffix(at: usize) -> String {
    if at == 0 { String::new() } else { format!("-{}", at + 1) }
}

/// Files and scores of one frequency.
fn band(run: &Run, model: &Model, elements: &Elements, suffix: &str) -> Result<Value> {
    let file = |ending: &str| run.folder.join(format!("directivity{suffix}.{ending}"));
    let map = pictures::Map::around(run, model, elements)?;
    NpzFile::create(file("npz"))?
        .add("u", &[map.u.len()], &map.u)?
        .add("v", &[map.v.len()], &map.v)?
        .add("directivity_dbi", &[map.v.len(), map.u.len()], &map.dbi)?
        .finish()?;
    let (regions, all) =
        score::scores(&run.plan.task().fine, &score::directivities(model, elements, &run.plan.task().fine)?);
    pictures::band(run, model, elements, &map, all, suffix)?;
    far_field(model, elements)?.write_ffe(&file("ffe"), &run.case.title)?;
    let budget = budget(run, model, elements)?;
    let gain_db = budget.gain_db();
    Ok(json!({
        "frequency_hz": model.frequency,
        "d_mean_db": all.d_mean_db,
        "d_min_db": all.d_min_db,
        "gain_mean_db": all.d_mean_db + gain_db,
        "gain_min_db": all.d_min_db + gain_db,
        "visible_part": budget.visible,
        "captured_part": budget.captured,
        "coverages": coverages(run, &regions),
    }))
}

fn far_field(model: &Model, elements: &Elements) -> Result<FarField> {
    let steps =
        |step: f64, end: f64| (0..=(end / step).round() as usize).map(move |i| step * i as f64).collect();
    let (theta_deg, phi_deg): (Vec<f64>, Vec<f64>) = (steps(THETA[0], THETA[1]), steps(PHI, 360.0));
    let (u, v) = FarField::directions(&theta_deg, &phi_deg);
    let plan = Plan::fixed(model, Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE)?;
    let places = plan.places(&elements.x, &elements.y)?;
    let ([co, cross], power) = plan.fields(&places, &elements.phase, &mut Scratch::default())?;
    Ok(FarField { frequency: model.frequency, theta_deg, phi_deg, co, cross, power })
}

/// The drawing of patches; what it cost.
fn copper(context: &Context, run: &Run, elements: &Elements) -> Result<Option<Value>> {
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
    let drawing = write_dxf(&made, cell, case.mirrored);
    atomic::write(run.folder.join("layout.dxf"), |file| file.write_all(drawing.as_bytes()))?;
    let layout::Layout { outside, narrowed, .. } = made;
    let (all, degrees) = (made.patches.len(), made.worst_error.to_degrees());
    if outside + narrowed > 0 {
        context.warn(format!("layout: of {all} patches {outside} have phases that the table has not, and {narrowed} are smaller to leave the gap; phases are up to {degrees:.1} degrees off"));
    }
    Ok(Some(json!({
        "patches": all, "outside": outside, "narrowed": narrowed, "worst_error_deg": degrees,
    })))
}

/// Scores by region, of coverages only.
fn coverages(run: &Run, regions: &[Option<Score>]) -> Value {
    scored(run, regions)
        .map(|(name, score)| json!({"name": name, "d_mean_db": score.d_mean_db, "d_min_db": score.d_min_db}))
        .collect()
}

/// Coverages with their names.
fn scored<'a>(run: &'a Run, regions: &'a [Option<Score>]) -> impl Iterator<Item = (&'a str, Score)> {
    let all = run.plan.task().fine.regions.iter().zip(regions);
    all.filter_map(|(region, score)| Some((region.name.as_str(), (*score)?)))
}

fn say(context: &Context, run: &Run, design: &Design, budget: &Budget) {
    let line = |name: &str, score: Score| {
        format!("  {name:<16} D_mean {:.2} dBi, D_min {:.2} dBi", score.d_mean_db, score.d_min_db)
    };
    let named: Vec<(&str, Score)> = scored(run, &design.regions).collect();
    context.say(line("all coverages", design.score));
    if named.len() > 1 {
        named.into_iter().for_each(|(name, score)| context.say(line(name, score)));
    }
    // At wide spacings elements of the model radiate more than they get.
    let more = if budget.visible > 1.0 { " (grating lobes)" } else { "" };
    let [mean, least] = [design.score.d_mean_db, design.score.d_min_db].map(|score| score + budget.gain_db());
    let [visible, captured] = [budget.visible, budget.captured].map(|part| 100.0 * part);
    context.say(format!(
        "  over the power on the elements: mean {mean:.2} dB, least {least:.2} dB; {visible:.1} % of it is visible{more}; \
         they take {captured:.1} % of the feed's"
    ));
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
        "method": case.method,
        "power": case.power,
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
        "bound_dbi": run.plan.task().fine.bound_dbi(),
        "objective": design.objective,
        "iterations": design.iterations,
        "interrupted": design.stopped,
        "layout": layout,
    })
}
