//! `--image`: where on the target the echo comes from.

use super::super::args::ImageChoice;
use super::run::Run;
use num_complex::Complex;
use pipeline::io::npz::NpzFile;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use pipeline::solvers::sbr::image::{Profile, isar, profile};
use pipeline::solvers::sbr::{Matrix, Plan, dbsm};
use pipeline::vec3::Vec3;

/// Pixels along a side of an ISAR image.
const PIXELS: usize = 256;
/// Side of an ISAR image, in radii of the target.
const SIDE: f64 = 2.2;
/// Levels below the highest by more are not drawn, dB.
const RANGE_DB: f64 = 60.0;
/// Name, row and column of the channels in a matrix.
const CHANNELS: [(&str, usize, usize); 4] = [("hh", 1, 1), ("hv", 1, 0), ("vh", 0, 1), ("vv", 0, 0)];

/// Writes `image.npz`, and a picture of the first direction's profile.
pub fn write(run: &Run, plan: &Plan, choice: ImageChoice) -> anyhow::Result<()> {
    match choice {
        ImageChoice::Profile => profiles(run, plan),
        ImageChoice::Isar => image(run, plan),
    }
}

fn profiles(run: &Run, plan: &Plan) -> anyhow::Result<()> {
    let cuts = &run.cuts;
    let sights: Vec<Vec3> = cuts.targets().iter().map(|direction| direction.unit()).collect();
    let mut all: Vec<Profile> = Vec::with_capacity(sights.len());
    for (sight, fields) in sights.iter().zip(cuts.fields.chunks(cuts.frequencies.len())) {
        all.push(profile(&cuts.frequencies, fields, *sight, plan.facets().centre)?);
    }
    let range = &all[0].range;
    let fields: Vec<Matrix> = all.iter().flat_map(|profile| profile.fields.iter().copied()).collect();
    archive(run, &[("range_m", range)], &[sights.len(), range.len()], &fields)?;
    let levels = [(1, 1), (0, 0)].map(|(p, q)| levels(&all[0].fields, p, q));
    let curve = |name, y| Curve { name, x: range, y };
    let curves = vec![curve("hh", &levels[0]), curve("vv", &levels[1])];
    let title = format!("{}: range profile", run.name);
    let x = Quantity { label: "towards the radar from the middle, m", logarithmic: false };
    let y = Quantity { label: "dBsm", logarithmic: false };
    if levels.iter().flatten().all(|level| !level.is_finite()) {
        return Ok(());
    }
    Ok(Figure { title: &title, x, y, curves }.save(run.folder.join("profile.png"))?)
}

/// dBsm down to [`RANGE_DB`] below the highest.
fn levels(fields: &[Matrix], p: usize, q: usize) -> Vec<f64> {
    let levels: Vec<f64> = fields.iter().map(|field| dbsm(field[p][q])).collect();
    let highest = levels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    levels.into_iter().map(|level| if level > highest - RANGE_DB { level } else { f64::NAN }).collect()
}

fn image(run: &Run, plan: &Plan) -> anyhow::Result<()> {
    let cuts = &run.cuts;
    let sights: Vec<Vec3> = cuts.targets().iter().map(|direction| direction.unit()).collect();
    let facets = plan.facets();
    let square = (SIDE * facets.radius, PIXELS);
    let image = isar(&cuts.frequencies, &sights, &cuts.fields, facets.centre, square)?;
    let axes = [("range_m", &image.range), ("cross_range_m", &image.cross)];
    archive(run, &axes, &[PIXELS, PIXELS], &image.fields)
}

fn archive(run: &Run, axes: &[(&str, &Vec<f64>)], shape: &[usize], fields: &[Matrix]) -> anyhow::Result<()> {
    let mut file = NpzFile::create(run.folder.join("image.npz"))?;
    for (name, axis) in axes {
        file = file.add(name, &[axis.len()], axis.as_slice())?;
    }
    for (name, p, q) in CHANNELS {
        let values: Vec<Complex<f64>> = fields.iter().map(|field| field[p][q]).collect();
        file = file.add(name, shape, &values)?;
    }
    Ok(file.finish()?)
}
