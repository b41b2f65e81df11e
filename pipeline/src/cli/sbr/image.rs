//! `--image`: where on the target the echo comes from.

use super::super::args::ImageChoice;
use super::pictures::{highest, save_maps, seen, short};
use super::run::Run;
use num_complex::Complex;
use pipeline::io::npz::NpzFile;
use pipeline::plot::lines::{Curve, Figure, Quantity};
use pipeline::plot::map;
use pipeline::solvers::sbr::files::CHANNELS;
use pipeline::solvers::sbr::image::{Profile, isar, profile};
use pipeline::solvers::sbr::{Matrix, Plan};
use pipeline::vec3::Vec3;

/// Pixels along a side of an ISAR image.
const PIXELS: usize = 256;
/// Side of an ISAR image, in radii of the target.
const SIDE: f64 = 2.2;
/// Levels below the highest by more are not drawn, dB.
const RANGE_DB: f64 = 60.0;
/// Range of the colours of an ISAR image, dB: below lie side lobes of the windows.
const IMAGE_RANGE_DB: f64 = 50.0;

const RANGE: &str = "towards the radar from the middle (m)";

/// Writes `image.npz` and pictures.
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
    first_profile(run, &all[0])?;
    let rising = |values: &[f64]| values.windows(2).all(|pair| pair[0] < pair[1]);
    match (cuts.theta_deg.as_slice(), cuts.phi_deg.as_slice()) {
        ([_], phi @ [_, _, ..]) if rising(phi) => profile_maps(run, ("phi (degrees)", phi), range, &fields),
        (theta @ [_, _, ..], [_]) if rising(theta) => {
            profile_maps(run, ("theta (degrees)", theta), range, &fields)
        }
        _ => Ok(()),
    }
}

/// `profile.png`: the channels of the first direction.
fn first_profile(run: &Run, profile: &Profile) -> anyhow::Result<()> {
    let mut channels = seen(&profile.fields, RANGE_DB);
    let floor = highest(&profile.fields).unwrap_or_default() - RANGE_DB;
    let low = channels.iter_mut().flat_map(|(_, levels)| levels).filter(|level| **level < floor);
    low.for_each(|level| *level = f64::NAN);
    let curve = |(name, y)| Curve { name, x: &profile.range, y };
    let curves: Vec<Curve<'_>> = channels.iter().map(|(name, y)| curve((*name, y.as_slice()))).collect();
    if curves.is_empty() {
        return Ok(());
    }
    let (theta, phi) = (short(run.cuts.theta_deg[0]), short(run.cuts.phi_deg[0]));
    let title = format!("{}: range profile, theta {theta}\u{b0}, phi {phi}\u{b0}", run.name);
    let quantity = |label| Quantity { label, logarithmic: false };
    let figure = Figure { title: &title, x: quantity(RANGE), y: quantity("sigma (dBsm)"), curves };
    Ok(figure.save(run.folder.join("profile.png"))?)
}

/// `profile_hh.png` and so on: profiles over the angle.
fn profile_maps(
    run: &Run,
    (label, angles): (&str, &[f64]),
    range: &[f64],
    fields: &[Matrix],
) -> anyhow::Result<()> {
    let figure = colours(map::Side { label: RANGE, values: range }, map::Side { label, values: angles });
    let figure = map::Figure { range_db: RANGE_DB, ..figure };
    save_maps(&figure, fields, run, ("profile", &format!("{}: range profiles", run.name), ""))
}

fn colours<'a>(x: map::Side<'a>, y: map::Side<'a>) -> map::Figure<'a> {
    map::Figure {
        title: "",
        x,
        y,
        level_db: &[],
        label: "sigma (dBsm)",
        highest_db: 0.0,
        range_db: IMAGE_RANGE_DB,
        in_proportion: false,
    }
}

fn image(run: &Run, plan: &Plan) -> anyhow::Result<()> {
    let cuts = &run.cuts;
    let sights: Vec<Vec3> = cuts.targets().iter().map(|direction| direction.unit()).collect();
    let facets = plan.facets();
    let square = (SIDE * facets.radius, PIXELS);
    let image = isar(&cuts.frequencies, &sights, &cuts.fields, facets.centre, square)?;
    let axes = [("range_m", &image.range), ("cross_range_m", &image.cross)];
    archive(run, &axes, &[PIXELS, PIXELS], &image.fields)?;
    let x = map::Side { label: RANGE, values: &image.range };
    let y = map::Side { label: "across, as the radar moves (m)", values: &image.cross };
    let figure = map::Figure { in_proportion: true, ..colours(x, y) };
    save_maps(&figure, &image.fields, run, ("isar", &format!("{}: ISAR image", run.name), ""))
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
