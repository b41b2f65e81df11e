//! `--facets`: which triangles the echo comes from.

use super::super::Context;
use super::super::exit::{Result, abandoned};
use super::super::progress::Progress;
use super::pictures::{channel_file, highest, highest_at, seen, short};
use super::run::{FacetsAt, Run};
use num_complex::Complex;
use pipeline::files::npz::NpzFile;
use pipeline::files::vtu::{Grid, Values};
use pipeline::plot::surface;
use pipeline::sbr::files::CHANNELS;
use pipeline::sbr::{Contributions, Direction, Error, Matrix, Plan};

/// Range of the colours, dB; channels that are lower all over have no picture.
const RANGE_DB: f64 = 40.0;

/// The echo that is looked at.
struct Echo {
    frequency: f64,
    theta_deg: f64,
    phi_deg: f64,
    to: Direction,
}

/// Writes `facets.vtu`, `facets.npz` and the pictures.
pub fn write(context: &Context, run: &Run, plan: &Plan, at: FacetsAt) -> Result<()> {
    let Some(echo) = echo(run, at) else {
        context.warn("--facets: nothing comes back from any direction");
        return Ok(());
    };
    let from = run.transmitter.unwrap_or(echo.to);
    let mut progress = Progress::new(context, "facets", 1000);
    let mut watch = |done: usize, total: usize| progress.flow(1000 * done as u64 / total.max(1) as u64);
    let parts =
        plan.contributions(from, echo.to, echo.frequency, &mut watch).map_err(|error| match error {
            Error::Stopped { .. } => abandoned(),
            error => error.into(),
        })?;
    drop(progress);
    let triangles = Triangles::new(run, plan, &parts);
    triangles.write_vtu(run)?;
    triangles.write_npz(run, &echo, &parts.edges)?;
    pictures(run, &echo, &triangles.fields)
}

fn echo(run: &Run, at: FacetsAt) -> Option<Echo> {
    let cuts = &run.cuts;
    let (direction, frequency) = match at {
        FacetsAt::Highest => highest_at(cuts)?,
        FacetsAt::Index { direction, frequency } => (direction, frequency),
    };
    let (theta_deg, phi_deg) = cuts.directions().nth(direction)?;
    let frequency = cuts.frequencies[frequency];
    Some(Echo { frequency, theta_deg, phi_deg, to: Direction::degrees(theta_deg, phi_deg) })
}

/// Values of all triangles of the mesh; those without area have none.
struct Triangles {
    fields: Vec<Matrix>,
    bounces: Vec<u32>,
}

impl Triangles {
    fn new(run: &Run, plan: &Plan, parts: &Contributions) -> Self {
        let count = run.mesh.triangles.len();
        let mut found = Self { fields: vec![Matrix::default(); count], bounces: vec![0; count] };
        for (facet, triangle) in parts.facets.iter().zip(&plan.target().facets.triangles) {
            found.fields[*triangle as usize] = facet.field;
            found.bounces[*triangle as usize] = facet.bounces as u32;
        }
        found
    }

    fn write_vtu(&self, run: &Run) -> Result<()> {
        let channel = |(name, p, q): (&str, usize, usize)| {
            let entries = || self.fields.iter().map(move |field| field[p][q]);
            let sigma: Vec<f64> = entries().map(|entry| entry.norm_sqr()).collect();
            let phase: Vec<f64> = entries().map(|entry| entry.arg()).collect();
            [(format!("sigma_{name}_m2"), sigma), (format!("phase_{name}_rad"), phase)]
        };
        let reals: Vec<(String, Vec<f64>)> = CHANNELS.into_iter().flat_map(channel).collect();
        let mut values: Vec<(&str, Values<'_>)> =
            reals.iter().map(|(name, values)| (name.as_str(), Values::Real(values))).collect();
        values.push(("bounces", Values::Whole(&self.bounces)));
        values.push(("group", Values::Whole(&run.mesh.groups)));
        let (points, cells) = (&run.mesh.vertices[..], &run.mesh.triangles[..]);
        Ok(Grid { points, cells, at_points: &[], at_cells: &values }.write(run.folder.join("facets.vtu"))?)
    }

    fn write_npz(&self, run: &Run, echo: &Echo, edges: &Matrix) -> Result<()> {
        let shape = [self.fields.len()];
        let mut file = NpzFile::create(run.folder.join("facets.npz"))?
            .add("frequency_hz", &[], &[echo.frequency])?
            .add("theta_deg", &[], &[echo.theta_deg])?
            .add("phi_deg", &[], &[echo.phi_deg])?
            .add("bounces", &shape, &self.bounces)?
            .add("group", &shape, &run.mesh.groups)?;
        for (name, p, q) in CHANNELS {
            let values: Vec<Complex<f64>> = self.fields.iter().map(|field| field[p][q]).collect();
            file = file.add(name, &shape, &values)?.add(&format!("edges_{name}"), &[], &[edges[p][q]])?;
        }
        Ok(file.finish()?)
    }
}

/// The target as the receiver sees it: phi-hat to the right, against theta-hat up.
fn pictures(run: &Run, echo: &Echo, fields: &[Matrix]) -> Result<()> {
    let Some(highest_db) = highest(fields).map(f64::ceil) else { return Ok(()) };
    let ([down, right], towards) = (echo.to.polarisations(), echo.to.unit());
    let seen_from =
        |point: &pipeline::numerics::vec3::Vec3| [point.dot(right), -point.dot(down), point.dot(towards)];
    let vertices: Vec<[f64; 3]> = run.mesh.vertices.iter().map(seen_from).collect();
    for (channel, level_db) in seen(fields, RANGE_DB) {
        let title = format!(
            "{}: contributions of facets, {channel}, {} GHz, theta {}\u{b0}, phi {}\u{b0}",
            run.name,
            short(1e-9 * echo.frequency),
            short(echo.theta_deg),
            short(echo.phi_deg)
        );
        let figure = surface::Figure {
            title: &title,
            vertices: &vertices,
            triangles: &run.mesh.triangles,
            level_db: &level_db,
            label: "sigma of a facet (dBsm)",
            axes: ["to the right", "up"],
            highest_db,
            range_db: RANGE_DB,
        };
        figure.save(channel_file(&run.folder, "facets", channel))?;
    }
    Ok(())
}
