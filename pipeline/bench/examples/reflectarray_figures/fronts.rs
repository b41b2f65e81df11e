//! Fronts beside those of `front_boundary.csv`: a plain L-BFGS with a p-norm, boundaries included.
//!
//! A row of the file is compared with one design of ours: of those with at least its D_mean the one with the largest D_min. That design is
//! as good in the mean and, by the margin, better in the minimum, with nothing interpolated. Below our least D_mean the design with the
//! largest D_min is taken, whose mean is higher still; above our largest there is none, and the row is not reached.

use super::Report;
use super::arrays::{Array, CONUS, EUROPE, Lattice};
use reflectarray::Design;
use serde_json::json;
use std::error::Error;
use std::path::Path;

/// mu of the designs along a front: from the first one towards the mean, then back and on to the minimum.
const MEANS: [f64; 16] =
    [0.3, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.3, 0.15, 0.05, 0.0];

/// The cases of the file, and what D_min must be above it, dB.
const CASES: [(&str, Array, f64); 4] = [
    ("europe", array(EUROPE, 71, Lattice::Periodic(0.5), "europe"), 0.2),
    ("europewide", array(EUROPE, 71, Lattice::Periodic(0.5), "europewide"), 0.0),
    ("conus44_periodic", array(CONUS, 44, Lattice::Periodic(0.5), "conus_canada"), 0.0),
    ("conus44_aper", array(CONUS, 44, Lattice::Aperiodic, "conus_canada"), 0.2),
];

const fn array(feed: reflectarray::Feed, side: usize, lattice: Lattice, coverage: &'static str) -> Array {
    Array { feed, side, lattice, coverage }
}

/// A row of the file.
struct Row {
    case: String,
    p: f64,
    mean: f64,
    min: f64,
}

/// All cases.
pub fn run(report: &Report, folder: &Path) -> Result<(), Box<dyn Error>> {
    let rows = rows(&folder.join("front_boundary.csv"))?;
    for (name, array, asked) in CASES {
        let begin = std::time::Instant::now();
        let designs = array.designs(folder, &MEANS)?;
        let seconds = begin.elapsed().as_secs_f64();
        let front = front(&designs);
        let points: Vec<String> = front.iter().map(|[mean, min]| format!("{mean:.3}/{min:.3}")).collect();
        let text = format!(
            "{name}: {} of {} designs, {seconds:.0} s: {}",
            front.len(),
            designs.len(),
            points.join(" ")
        );
        report.row(
            &text,
            &json!({
                "case": name, "designs": designs.len(), "front": front, "seconds": seconds, "asked_db": asked,
            }),
        );
        for row in rows.iter().filter(|row| row.case == name) {
            compare(report, row, &front);
        }
    }
    Ok(())
}

fn compare(report: &Report, row: &Row, front: &[[f64; 2]]) {
    let Row { case, p, mean, min } = row;
    // Rising mean, falling minimum: the first one.
    let ours = front.iter().find(|[own, _]| own >= mean);
    let found = ours.map_or("not reached".into(), |[own_mean, own_min]| {
        format!("ours {own_mean:.3} {own_min:.3}, {:+.3} dB", own_min - min)
    });
    report.row(
        &format!("  p = {p:<3} {mean:.3} {min:.3}   {found}"),
        &json!({
            "case": case, "p": p, "d_mean_db": mean, "d_min_db": min, "ours": ours,
            "margin_db": ours.map(|[_, own]| own - min),
        }),
    );
}

/// Designs that no other one betters in both, by rising mean.
fn front(designs: &[Design]) -> Vec<[f64; 2]> {
    let mut points: Vec<[f64; 2]> =
        designs.iter().map(|design| [design.score.d_mean_db, design.score.d_min_db]).collect();
    points.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut front: Vec<[f64; 2]> = Vec::new();
    for point in points {
        front.retain(|[_, min]| *min > point[1]);
        front.push(point);
    }
    front
}

fn rows(path: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |i: usize| fields.get(i).and_then(|field: &&str| field.parse().ok());
        let row =
            (|| Some(Row { case: fields[0].into(), p: number(1)?, mean: number(4)?, min: number(6)? }))();
        row.ok_or_else(|| format!("{}: {line:?} is no row", path.display()).into())
    };
    text.lines().skip(1).map(row).collect()
}
