//! The command line of `nearfield sbr`, resolved and checked.

use super::super::args::{FacetsChoice, ImageChoice, RuleChoice, Sbr};
use super::super::exit::usage;
use crate::cli::Result;
use crate::cli::exit::refuse;
use pipeline::mesh::{self, Mesh, Report, shapes};
use pipeline::sbr::files::Cuts;
use pipeline::sbr::{Direction, Material, Rule, Settings, material_file};
use std::path::{Path, PathBuf};

/// Most results: directions times frequencies.
const MOST_RESULTS: usize = 50_000_000;

pub struct Run {
    /// Of the mesh's file, or of a target that has none.
    pub name: String,
    /// Whether it has none.
    pub built_in: bool,
    pub folder: PathBuf,
    /// In metres.
    pub mesh: Mesh,
    pub report: Report,
    pub materials: Vec<Material>,
    pub settings: Settings,
    pub image: Option<ImageChoice>,
    pub facets: Option<FacetsAt>,
    /// Where the transmitter is, if it is not the receiver.
    pub transmitter: Option<Direction>,
    /// Directions of receivers; fields come in later.
    pub cuts: Cuts,
}

/// The echo that is looked at by facets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacetsAt {
    /// The highest of all.
    Highest,
    /// That of this direction and frequency of the cuts.
    Index { direction: usize, frequency: usize },
}

impl Run {
    pub fn resolve(arguments: &Sbr) -> Result<Self> {
        if !(arguments.scale > 0.0 && arguments.scale.is_finite()) {
            refuse!("--scale {}: it must be positive", arguments.scale);
        }
        let settings = settings(arguments);
        settings.validate()?;
        let (transmitter, theta_deg, phi_deg) = directions(arguments)?;
        let directions = theta_deg.len().saturating_mul(phi_deg.len());
        let results = directions.saturating_mul(settings.frequencies.len());
        if results > MOST_RESULTS {
            refuse!("{results} directions times frequencies: at most {MOST_RESULTS}");
        }
        check_image(arguments, directions)?;
        let facets = facets(arguments, &settings.frequencies, &theta_deg, &phi_deg)?;
        let (mesh, built_in) = load(&arguments.mesh)?;
        let mesh = mesh.scaled(arguments.scale);
        let materials = match &arguments.material {
            Some(file) => material_file::read(file, &mesh.names)?,
            None => vec![Material::conductor(); mesh.names.len()],
        };
        let name = arguments.mesh.file_name().unwrap_or(arguments.mesh.as_os_str());
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            built_in,
            folder: arguments.out.clone(),
            report: mesh::check(&mesh),
            mesh,
            materials,
            image: arguments.image,
            facets,
            transmitter,
            cuts: Cuts { frequencies: settings.frequencies.clone(), theta_deg, phi_deg, fields: Vec::new() },
            settings,
        })
    }
}

/// A target that needs no file, or the mesh of one; and whether it is the first.
fn load(mesh: &Path) -> Result<(Mesh, bool)> {
    if let Some(target) = mesh.to_str().and_then(shapes::target) {
        return Ok((target, true));
    }
    match mesh::read(mesh) {
        Ok(mesh) => Ok((mesh, false)),
        Err(error @ mesh::Error::Ending(_)) => {
            Err(usage(format!("{error}; targets without a file are {}", shapes::TARGETS.join(", "))))
        }
        Err(error) => Err(error.into()),
    }
}

/// Refuses an image that cannot be made, before hours of work for it.
fn check_image(arguments: &Sbr, directions: usize) -> Result<()> {
    let Some(choice) = arguments.image else { return Ok(()) };
    if arguments.bistatic_theta.is_some() {
        refuse!("--image needs one radar: leave out --bistatic-theta and --bistatic-phi");
    }
    if arguments.frequency.len() < 2 {
        refuse!("--image needs several frequencies: --frequency HZ:HZ:STEP");
    }
    if choice == ImageChoice::Isar && directions < 2 {
        refuse!("--image isar needs several directions: --phi A:B:STEP");
    }
    Ok(())
}

/// Where in the sweep the echo lies that is looked at by facets.
fn facets(
    arguments: &Sbr,
    frequencies: &[f64],
    theta_deg: &[f64],
    phi_deg: &[f64],
) -> Result<Option<FacetsAt>> {
    let at = match arguments.facets {
        None => return Ok(None),
        Some(FacetsChoice::Highest) => return Ok(Some(FacetsAt::Highest)),
        Some(FacetsChoice::At(at)) => at,
    };
    let find = |at: f64, what: &str, values: &[f64]| {
        // Rounding of steps, and of what people write of it.
        let found = values.iter().position(|value| (value - at).abs() <= 1e-9 * (value.abs() + at.abs()));
        found.ok_or_else(|| usage(format!("--facets: {at} is no {what} of the sweep")))
    };
    let frequency = find(at[0], "frequency", frequencies)?;
    let (theta, phi) = (find(at[1], "theta", theta_deg)?, find(at[2], "phi", phi_deg)?);
    Ok(Some(FacetsAt::Index { direction: theta * phi_deg.len() + phi, frequency }))
}

fn settings(arguments: &Sbr) -> Settings {
    let standard = Settings::new(arguments.frequency.clone());
    Settings {
        bounces: arguments.bounces,
        tubes_per_wavelength: arguments.tubes_per_wavelength,
        structure: arguments.structure,
        edges: arguments.edges,
        rule: match arguments.rule {
            RuleChoice::Footprint => standard.rule,
            RuleChoice::Discard => Rule::Discard,
        },
        ..standard
    }
}

/// The transmitter, if it is elsewhere, and angles of the receivers, degrees.
fn directions(arguments: &Sbr) -> Result<(Option<Direction>, Vec<f64>, Vec<f64>)> {
    let (theta, phi) = (&arguments.theta, &arguments.phi);
    match (&arguments.bistatic_theta, &arguments.bistatic_phi) {
        (Some(to_theta), Some(to_phi)) => {
            let (&[theta], &[phi]) = (theta.as_slice(), phi.as_slice()) else {
                refuse!(
                    "--bistatic-theta and --bistatic-phi need one --theta and one --phi, those of the transmitter"
                );
            };
            Ok((Some(Direction::degrees(theta, phi)), to_theta.clone(), to_phi.clone()))
        }
        _ => Ok((None, theta.clone(), phi.clone())),
    }
}
