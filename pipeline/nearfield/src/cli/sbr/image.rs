//! `--image`: where on the target the echo comes from.

use super::super::args::ImageChoice;
use super::pictures::{highest, save_curves, save_maps, short};
use super::run::Run;
use crate::cli::Result;
use num_complex::Complex;
use pipeline::files::npz::NpzFile;
use pipeline::numerics::vec3::Vec3;
use pipeline::plot::map;
use pipeline::sbr::files::{CHANNELS, Cuts};
use pipeline::sbr::image::{Profile, isar, profile};
use pipeline::sbr::{Matrix, Plan, dbsm};
use std::ops::Range;

/// Pixels along a side of an ISAR image.
const PIXELS: usize = 256;
/// Side of an ISAR image, in radii of the target.
const SIDE: f64 = 2.2;
/// Levels below the highest by more are not drawn, dB.
const RANGE_DB: f64 = 60.0;
/// Range of the colours of an ISAR image, dB: below lie side lobes of the windows.
const IMAGE_RANGE_DB: f64 = 50.0;
/// Points of a profile that are drawn on both sides of what is seen.
const MARGIN: usize = 4;

const RANGE: &str = "towards the radar from the middle (m)";

pub fn write(run: &Run, plan: &Plan, choice: ImageChoice) -> Result<()> {
    match choice {
        ImageChoice::Profile => profiles(run, plan),
        ImageChoice::Isar => image(run, plan),
    }
}

fn profiles(run: &Run, plan: &Plan) -> Result<()> {
    let cuts = &run.cuts;
    let sights: Vec<Vec3> = cuts.targets().iter().map(|direction| direction.unit()).collect();
    let mut all: Vec<Profile> = Vec::with_capacity(sights.len());
    for (sight, fields) in sights.iter().zip(cuts.fields.chunks(cuts.frequencies.len())) {
        all.push(profile(&cuts.frequencies, fields, *sight, plan.target().facets.centre)?);
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
fn first_profile(run: &Run, profile: &Profile) -> Result<()> {
    let cuts = &run.cuts;
    let (theta, phi) = (span(&cuts.theta_deg[..1], "\u{b0}"), span(&cuts.phi_deg[..1], "\u{b0}"));
    let title = format!("{}: range profile, theta {theta}, phi {phi}, {}", run.name, band(cuts));
    let echo = echo(&profile.fields, profile.range.len());
    let (range, fields) = (&profile.range[echo.clone()], &profile.fields[echo]);
    save_curves(&run.folder.join("profile.png"), &title, (RANGE, range), (fields, RANGE_DB))
}

/// The part of profiles of `points` each in which something is seen, and a little on both sides: the range in
/// which they do not repeat is often far longer than the target.
fn echo(fields: &[Matrix], points: usize) -> Range<usize> {
    let Some(highest) = highest(fields) else { return 0..points };
    let is_seen = |at: &usize| {
        let mut levels =
            fields.iter().skip(*at).step_by(points).flatten().flatten().map(|entry| dbsm(*entry));
        levels.any(|level| level > highest - RANGE_DB)
    };
    let (first, last) = ((0..points).find(is_seen), (0..points).rfind(is_seen));
    let (first, last) = (first.unwrap_or(0), last.unwrap_or(points - 1));
    let beside = MARGIN + (last - first) / 20;
    first.saturating_sub(beside)..(last + beside + 1).min(points)
}

/// First and last of an angle, for titles.
fn span(values: &[f64], unit: &str) -> String {
    let ends = values.iter().copied().map(short);
    match (ends.clone().reduce(f64::min), ends.reduce(f64::max)) {
        (Some(low), Some(high)) if low < high => format!("{low}{unit} to {high}{unit}"),
        (Some(one), _) => format!("{one}{unit}"),
        _ => String::new(),
    }
}

/// The frequencies, for titles.
fn band(cuts: &Cuts) -> String {
    let gigahertz: Vec<f64> = cuts.frequencies.iter().map(|frequency| 1e-9 * frequency).collect();
    span(&gigahertz, " GHz")
}

/// `profile_hh.png` and so on: profiles over the angle.
fn profile_maps(run: &Run, (label, angles): (&str, &[f64]), range: &[f64], fields: &[Matrix]) -> Result<()> {
    let echo = echo(fields, range.len());
    let fields: Vec<Matrix> =
        fields.chunks(range.len()).flat_map(|profile| profile[echo.clone()].iter().copied()).collect();
    let range = map::Side { label: RANGE, values: &range[echo] };
    let figure = colours(range, map::Side { label, values: angles });
    let figure = map::Figure { range_db: RANGE_DB, ..figure };
    let behind = format!(", {}", band(&run.cuts));
    save_maps(&figure, &fields, run, ("profile", &format!("{}: range profiles", run.name), &behind))
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

fn image(run: &Run, plan: &Plan) -> Result<()> {
    let cuts = &run.cuts;
    let sights: Vec<Vec3> = cuts.targets().iter().map(|direction| direction.unit()).collect();
    let facets = &plan.target().facets;
    let square = (SIDE * facets.radius, PIXELS);
    let image = isar(&cuts.frequencies, &sights, &cuts.fields, facets.centre, square)?;
    let axes = [("range_m", &image.range), ("cross_range_m", &image.cross)];
    archive(run, &axes, &[PIXELS, PIXELS], &image.fields)?;
    let x = map::Side { label: RANGE, values: &image.range };
    let y = map::Side { label: "across, as the radar moves (m)", values: &image.cross };
    let figure = map::Figure { in_proportion: true, ..colours(x, y) };
    let (theta, phi) = (span(&cuts.theta_deg, "\u{b0}"), span(&cuts.phi_deg, "\u{b0}"));
    let behind = format!(", theta {theta}, phi {phi}, {}", band(cuts));
    save_maps(&figure, &image.fields, run, ("isar", &format!("{}: ISAR image", run.name), &behind))
}

fn archive(run: &Run, axes: &[(&str, &Vec<f64>)], shape: &[usize], fields: &[Matrix]) -> Result<()> {
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
