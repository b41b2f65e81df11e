//! Tables 2, 4, 5 and 6 of the paper, with its figures beside ours.

use super::Report;
use super::arrays::{Array, CONUS, EUROPE, Lattice};
use reflectarray::projections::Iterated;
use reflectarray::score::{directivities, scores};
use reflectarray::{Design, Elements, Score, Task, presynthesis};
use serde_json::{Value, json};
use std::error::Error;
use std::path::Path;

/// mu: as `[synthesis]` has it, and one that gives the mean its due, as the paper's designs seem to.
const MEANS: [f64; 2] = [0.1, 0.7];
/// Iterated projections: steps, and levels asked for, dB below the mean directivity of our design.
const STEPS: usize = 500;
const BELOW: [f64; 4] = [0.0, 0.5, 1.0, 2.0];

/// D_mean and D_min.
type Pair = [f64; 2];

/// All tables.
pub fn run(report: &Report, folder: &Path) -> Result<(), Box<dyn Error>> {
    for coverage in ["europe", "europewide"] {
        europe(report, folder, coverage)?;
    }
    let america = |side, lattice| Array { feed: CONUS, side, lattice, coverage: "conus_canada" };
    let paper: [Pair; 3] = [[31.06, 27.98], [31.32, 28.34], [29.92, 27.98]];
    let full = america(44, Lattice::Aperiodic).designs(folder, &MEANS)?;
    regions(report, 4, "44 x 44 aperiodic", &full, Some(paper));
    let paper: [Pair; 3] = [[29.71, 27.66], [29.91, 28.31], [29.05, 27.66]];
    let half = america(44, Lattice::Periodic(0.5)).designs(folder, &MEANS)?;
    regions(report, 5, "44 x 44 periodic, 0.5 wavelengths", &half, Some(paper));
    let uniform = america(44, Lattice::Periodic(0.7)).designs(folder, &MEANS)?;
    regions(report, 5, "44 x 44 periodic, 0.7 wavelengths", &uniform, None);
    whole(report, 6, "44 x 44 aperiodic", &full, Some([31.06, 27.98]));
    for (side, paper) in [(42, [31.21, 27.60]), (40, [31.31, 27.80])] {
        let designs = america(side, Lattice::Aperiodic).designs(folder, &MEANS)?;
        whole(report, 6, &format!("{side} x {side} aperiodic"), &designs, Some(paper));
    }
    Ok(())
}

/// Table 2, over one of our coverages.
fn europe(report: &Report, folder: &Path, coverage: &'static str) -> Result<(), Box<dyn Error>> {
    let array = Array { feed: EUROPE, side: 71, lattice: Lattice::Periodic(0.5), coverage };
    let designs = array.designs(folder, &MEANS)?;
    whole(report, 2, &format!("{coverage}: ours, for the paper's approach"), &designs, Some([30.86, 29.88]));
    let task = array.task(folder, MEANS[0])?;
    let level = designs.first().map_or(0.0, |design| design.score.d_mean_db);
    let lattice = Elements::grid(array.side, array.side, array.pitch());
    let flat = vec![vec![0.0; lattice.len()]];
    let rays = presynthesis::starts(&task.bands[0].0, &lattice, &task.mask, task.starts);
    let ways = [("from a plane wave", flat, Some([25.38, 20.72])), ("from our pre-synthesis", rays, None)];
    for (way, starts, paper) in ways {
        let found = projections(&task, &starts, level)?;
        let name = format!("{coverage}: iterated projections, {way}");
        line(report, 2, &name, "whole", None, [found.d_mean_db, found.d_min_db], paper);
    }
    Ok(())
}

/// Iterated projections from all starts at all levels; the one with the largest D_min.
fn projections(task: &Task, starts: &[Vec<f64>], level: f64) -> Result<Score, Box<dyn Error>> {
    let (model, _) = &task.bands[0];
    let beta = model.wavenumber();
    let mut best: Option<Score> = None;
    for below in BELOW {
        let mut mask = task.mask.clone();
        mask.regions.iter_mut().for_each(|region| region.lower_dbi = Some(level - below));
        for phi in starts {
            let mut elements = Elements::grid(task.shape.columns, task.shape.rows, task.pitch);
            let places = elements.x.iter().zip(&elements.y).zip(phi);
            elements.phase = places.map(|((x, y), phi)| phi + model.feed.light(beta, *x, *y).path).collect();
            let mut iterated = Iterated::new(model, &elements, &mask, task.pitch * task.pitch)?;
            for _ in 0..STEPS {
                iterated.step(&mut elements.phase)?;
            }
            let score = scores(&task.fine, &directivities(model, &elements, &task.fine)?).1;
            if best.is_none_or(|best| score.d_min_db > best.d_min_db) {
                best = Some(score);
            }
        }
    }
    Ok(best.ok_or("no start")?)
}

/// The whole coverage, for every mu.
fn whole(report: &Report, table: u32, name: &str, designs: &[Design], paper: Option<Pair>) {
    for (design, mean) in designs.iter().zip(MEANS) {
        let Score { d_mean_db, d_min_db } = design.score;
        line(report, table, name, "whole", Some(mean), [d_mean_db, d_min_db], paper);
    }
}

/// The whole coverage, ConUS and Canada.
fn regions(report: &Report, table: u32, name: &str, designs: &[Design], paper: Option<[Pair; 3]>) {
    for (design, mean) in designs.iter().zip(MEANS) {
        let all = std::iter::once(Some(design.score)).chain(design.regions.iter().copied());
        for (i, (score, part)) in all.zip(["whole", "ConUS", "Canada"]).enumerate() {
            let Some(Score { d_mean_db, d_min_db }) = score else { continue };
            line(report, table, name, part, Some(mean), [d_mean_db, d_min_db], paper.map(|paper| paper[i]));
        }
    }
}

fn line(
    report: &Report,
    table: u32,
    name: &str,
    part: &str,
    mean: Option<f64>,
    ours: Pair,
    paper: Option<Pair>,
) {
    let pair = |[mean, min]: Pair| format!("{mean:.2}/{min:.2}");
    let trade = mean.map_or(String::new(), |mean| format!(", mu = {mean}"));
    let beside = paper.map_or(String::new(), |paper| format!(" (paper, its mask: {})", pair(paper)));
    let text = format!("table {table}: {name}, {part}{trade}: {}{beside}", pair(ours));
    let row: Value = json!({
        "table": table, "name": name, "part": part, "mean": mean, "ours": ours, "paper": paper,
    });
    report.row(&text, &row);
}
