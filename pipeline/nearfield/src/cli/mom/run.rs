//! The command line of `nearfield mom`, resolved and checked.

use super::super::args::Mom;
use super::super::exit::usage;
use super::super::{Context, Result};
use crate::cli::exit::refuse;
use num_complex::Complex;
use pipeline::mom::cells::{GOOD_DENSITY, Mesh};
use pipeline::mom::contour::{self, Kind};
use pipeline::mom::curve::Outline;
use pipeline::mom::dielectric::Medium;
use pipeline::mom::{Density, Method, Settings};
use pipeline::numerics::constants::SPEED_OF_LIGHT;
use std::path::PathBuf;

/// Most results: incidences times directions.
const MOST_RESULTS: usize = 20_000_000;
/// Nodes a wavelength where nothing is said; with Kress's rule fewer do.
const NODES: f64 = 40.0;
const KRESS_NODES: f64 = 24.0;

pub struct Run {
    pub folder: PathBuf,
    pub outlines: Vec<Outline>,
    pub settings: Settings,
    pub incidences_deg: Vec<f64>,
    pub phi_deg: Vec<f64>,
    /// x from, to, y from, to; metres.
    pub window: Option<[f64; 4]>,
    /// Where the bodies are no conductors.
    pub medium: Option<Medium>,
    pub warnings: Vec<String>,
}

impl Run {
    pub fn resolve(arguments: &Mom) -> Result<Self> {
        let settings = settings(arguments)?;
        settings.validate()?;
        let (incidences_deg, phi_deg) = (arguments.incidence.clone(), arguments.phi.clone());
        let results = incidences_deg.len().saturating_mul(phi_deg.len());
        if results > MOST_RESULTS {
            refuse!("{results} incidences times directions: at most {MOST_RESULTS}");
        }
        let window = arguments.window.as_deref().map(window).transpose()?;
        let (outlines, warnings) = outlines(arguments)?;
        contour::check_bodies(&outlines)?;
        let folder = arguments.out.clone();
        let permeability = arguments.permeability;
        let medium = arguments.permittivity.map(|permittivity| Medium { permittivity, permeability });
        Ok(Self { folder, outlines, settings, incidences_deg, phi_deg, window, medium, warnings })
    }
}

fn settings(arguments: &Mom) -> Result<Settings> {
    let wavelength = arguments.wavelength.or(arguments.frequency.map(|hertz| SPEED_OF_LIGHT / hertz));
    let method = arguments.method;
    let density = match (arguments.cells, arguments.per_wavelength, method) {
        (Some(cells), ..) => Density::Cells(cells),
        (_, Some(count), _) => Density::PerWavelength(count),
        (.., Method::Lcn(nodes)) => Density::PerWavelength(NODES / nodes as f64),
        (.., Method::Pulse | Method::KapurRokhlin(_)) => Density::PerWavelength(NODES),
        (.., Method::Kress) => Density::PerWavelength(KRESS_NODES),
    };
    let impedance = match arguments.impedance.as_slice() {
        [re] => Complex::new(*re, 0.0),
        [re, im] => Complex::new(*re, *im),
        _ => return Err(usage("--impedance takes a real part, or a real and an imaginary part, ohm")),
    };
    Ok(Settings {
        polarisation: arguments.polarisation,
        method,
        formulation: arguments.formulation,
        solver: arguments.solver,
        impedance,
        density,
        near: arguments.near,
        grading: arguments.grading,
        tolerance: arguments.tolerance,
        // One of both is there: the command line demands it.
        ..Settings::new(wavelength.unwrap_or(f64::NAN))
    })
}

fn outlines(arguments: &Mom) -> Result<(Vec<Outline>, Vec<String>)> {
    let (mut outlines, mut warnings) = (Vec::new(), Vec::new());
    for numbers in &arguments.circle {
        outlines.push(match numbers.as_slice() {
            [radius] => Outline::circle([0.0; 2], *radius)?,
            [radius, x, y] => Outline::circle([*x, *y], *radius)?,
            _ => return Err(usage("--circle takes a radius, or a radius and x,y of its middle")),
        });
    }
    for numbers in &arguments.ellipse {
        outlines.push(match numbers.as_slice() {
            [a, b] => Outline::ellipse([0.0; 2], [*a, *b])?,
            [a, b, x, y] => Outline::ellipse([*x, *y], [*a, *b])?,
            _ => return Err(usage("--ellipse takes two half axes, or these and x,y of its middle")),
        });
    }
    let kind = match (arguments.smooth, arguments.open) {
        (true, _) => Kind::Smooth,
        (_, true) => Kind::Open,
        _ => Kind::Polygon,
    };
    for path in &arguments.contour {
        for outline in contour::read(path, kind, arguments.scale)? {
            if let Some((gap, longest)) = contour::suspicious_gap(&outline) {
                warnings.push(format!(
                    "{}: the side from the last point to the first is {gap:.4} m, the longest other one {longest:.4} m; if the contour is not closed, say --open",
                    path.display()
                ));
            }
            outlines.push(outline);
        }
    }
    outlines.extend(arguments.strip.map(Outline::strip).transpose()?);
    Ok((outlines, warnings))
}

fn window(numbers: &[f64]) -> Result<[f64; 4]> {
    match <[f64; 4]>::try_from(numbers) {
        Ok(window) if window[0] < window[1] && window[2] < window[3] => Ok(window),
        _ => Err(usage("--window takes X0,X1,Y0,Y1 in metres, each pair rising")),
    }
}

/// Says how large the task is, and whether its cells are coarse.
pub fn say_task(context: &Context, run: &Run, mesh: &Mesh) {
    let wavelength = run.settings.wavelength;
    let (bodies, long, incidences) =
        (run.outlines.len(), mesh.length() / wavelength, run.incidences_deg.len());
    let (cells, unknowns) = (mesh.cells.len(), mesh.nodes.len());
    context.say(format!(
        "bodies: {bodies}, outlines of {long:.3} wavelengths; cells: {cells}, unknowns: {unknowns}; incidences: {incidences}"
    ));
    let (longest, density) = mesh.least_density(wavelength);
    if density < GOOD_DENSITY {
        context.warn(format!(
            "the longest cell is {longest:.4} m, {density:.2} unknowns a wavelength: fewer than {GOOD_DENSITY} are coarse"
        ));
    }
}
