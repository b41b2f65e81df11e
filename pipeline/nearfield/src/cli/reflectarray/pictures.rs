//! The pictures of a synthesis.

use super::run::Run;
use super::watching::History;
use crate::cli::Result;
use pipeline::plot;
use pipeline::plot::cuts::Cut;
use pipeline::reflectarray::cpu::{Directions, Plan, Scratch};
use pipeline::reflectarray::{Elements, Model, Region, Score};
use std::path::Path;

/// Relative error of the fields in files.
pub const TOLERANCE: f64 = 1e-9;
/// Directions of a map along each axis, and of a cut.
const MAP: usize = 241;
const CUT: usize = 2001;
/// Decibels that the colours of the map span, those of the coverages alone, and cuts.
const RANGE_DB: f64 = 40.0;
const COVERAGE_RANGE_DB: f64 = 12.0;
const CUT_RANGE_DB: f64 = 80.0;

/// Regions and samples as a picture.
pub fn masks(run: &Run) -> Result<()> {
    let mask = &run.plan.task().mask;
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

/// Directivity over a rectangle of directions.
pub struct Map {
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    /// dBi, `[v][u]`; nothing beyond the visible.
    pub dbi: Vec<f64>,
}

impl Map {
    /// A square about the coverages, with half of it around them.
    pub fn around(run: &Run, model: &Model, elements: &Elements) -> Result<Self> {
        let [u, v] = run.case.specification.bounds();
        let half = 0.75 * (u[1] - u[0]).max(v[1] - v[0]);
        Self::new(model, elements, [u, v].map(|ends| (middle(ends), half)))
    }

    /// The coverages and a tenth more.
    fn close(run: &Run, model: &Model, elements: &Elements) -> Result<Self> {
        let bounds = run.case.specification.bounds();
        Self::new(model, elements, bounds.map(|ends| (middle(ends), 0.55 * (ends[1] - ends[0]))))
    }

    /// About a middle, so far either way, within the visible.
    fn new(model: &Model, elements: &Elements, [u, v]: [(f64, f64); 2]) -> Result<Self> {
        let axis =
            |(middle, half): (f64, f64)| line((middle - half).max(-1.0), (middle + half).min(1.0), MAP);
        let (u, v) = (axis(u), axis(v));
        let (all_u, all_v): (Vec<f64>, Vec<f64>) =
            v.iter().flat_map(|v| u.iter().map(move |u| (*u, *v))).unzip();
        let dbi = directivity(model, elements, &all_u, &all_v)?;
        Ok(Self { u, v, dbi })
    }
}

fn middle([low, high]: [f64; 2]) -> f64 {
    0.5 * (low + high)
}

fn line(from: f64, to: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| from + (to - from) * i as f64 / (count - 1) as f64).collect()
}

/// dBi; nothing beyond the visible.
fn directivity(model: &Model, elements: &Elements, u: &[f64], v: &[f64]) -> Result<Vec<f64>> {
    let all = || u.iter().zip(v).map(|(u, v)| (*u, *v));
    let visible = |&(u, v): &(f64, f64)| u.hypot(v) < 1.0;
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

/// The far field at one frequency: around the coverages, over them, and cuts through their middle.
pub fn band(
    run: &Run,
    model: &Model,
    elements: &Elements,
    map: &Map,
    all: Score,
    suffix: &str,
) -> Result<()> {
    let Score { d_mean_db, d_min_db } = all;
    let (title, gigahertz) = (&run.case.title, 1e-9 * model.frequency);
    let title = format!("{title}, {gigahertz:.3} GHz: D_mean {d_mean_db:.2}, D_min {d_min_db:.2} dBi");
    let file = |name: &str| run.folder.join(format!("{name}{suffix}.png"));
    let zones = &run.case.specification.zones;
    let outlines: Vec<&[[f64; 2]]> = zones.iter().map(|zone| zone.area.outline()).collect();
    let figure = |map: &Map, contours: &[f64], range_db: f64, name: &str| {
        let Map { u, v, dbi } = map;
        let (title, outlines) = (&title, &outlines);
        plot::far_field::Figure { title, u, v, directivity_dbi: dbi, contours, outlines, range_db }
            .save(file(name))
    };
    let levels = |from: f64, to: f64, step: f64| -> Vec<f64> {
        let count = ((to - from) / step).clamp(0.0, 30.0) as usize;
        (0..=count).map(|i| from + step * i as f64).collect()
    };
    let low = (d_min_db - 3.0).floor();
    figure(map, &levels(low, d_mean_db.ceil() + 2.0, 1.0), RANGE_DB, "directivity")?;
    let close = Map::close(run, model, elements)?;
    let low = d_min_db.floor() - 1.0;
    figure(&close, &levels(low, d_mean_db.ceil() + 2.0, 0.5), COVERAGE_RANGE_DB, "coverage")?;
    cuts(run, model, elements, &title, &file("cuts"))
}

/// Along u and along v through the middle of the coverages.
fn cuts(run: &Run, model: &Model, elements: &Elements, title: &str, path: &Path) -> Result<()> {
    let at = line(-1.0, 1.0, CUT);
    let [u, v] = run.case.specification.bounds().map(middle);
    let (us, vs) = (vec![u; CUT], vec![v; CUT]);
    let along_u = directivity(model, elements, &at, &vs)?;
    let along_v = directivity(model, elements, &us, &at)?;
    let [covered_u, covered_v] = [covered(run, &at, |at| [at, v]), covered(run, &at, |at| [u, at])];
    let [label_u, label_v] = [("u", "v", v), ("v", "u", u)].map(|(along, other, at)| {
        // Without the sign of a rounded zero; U+2212: a hyphen is too short for a sign.
        let at = format!("{:.3}", 1e-3 * (1e3 * at).round() + 0.0).replace('-', "\u{2212}");
        format!("{along} at {other} = {at}")
    });
    let cuts = [
        Cut { label: &label_u, at: &at, directivity_dbi: &along_u, covered: &covered_u },
        Cut { label: &label_v, at: &at, directivity_dbi: &along_v, covered: &covered_v },
    ];
    Ok(plot::cuts::Figure { title, cuts: &cuts, range_db: CUT_RANGE_DB }.save(path)?)
}

/// Parts of a line of directions inside coverages.
fn covered(run: &Run, at: &[f64], point: impl Fn(f64) -> [f64; 2]) -> Vec<[f64; 2]> {
    let inside = |at: f64| run.case.specification.coverages().any(|zone| zone.area.contains(point(at)));
    let mut parts: Vec<[f64; 2]> = Vec::new();
    for pair in at.windows(2).filter(|pair| inside(middle([pair[0], pair[1]]))) {
        match parts.last_mut().filter(|part| part[1] == pair[0]) {
            Some(part) => part[1] = pair[1],
            None => parts.push([pair[0], pair[1]]),
        }
    }
    parts
}

pub fn design(run: &Run, elements: &Elements, history: &History) -> Result<()> {
    let title = |what: &str| format!("{}: {what}", run.case.title);
    let Elements { x, y, phase } = elements;
    let pitch = run.case.spacing.map_or(run.case.pitch, |spacing| spacing.min);
    let links = run.case.spacing.map(|spacing| plot::elements::Links {
        columns: run.case.columns,
        limits: [spacing.min, spacing.max],
        wavelength: run.case.models[0].wavelength(),
    });
    let figure =
        plot::elements::Figure { title: &title("element positions"), x, y, phase: None, pitch, links };
    figure.save(run.folder.join("positions.png"))?;
    let phases =
        plot::elements::Figure { title: &title("phases"), phase: Some(phase), links: None, ..figure };
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
