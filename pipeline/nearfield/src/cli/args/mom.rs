//! Options of `nearfield mom`.

use super::sbr::{Sweep, sweep};
use super::words::choice;
use clap::Args;
use pipeline::mom::{Formulation, Method, Polarisation, Solver};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("mom.txt"))]
#[command(group = clap::ArgGroup::new("body").required(true).multiple(true))]
#[command(group = clap::ArgGroup::new("wave").required(true))]
pub struct Mom {
    /// Folder for the results
    #[arg(long, default_value = "nearfield-mom", value_name = "DIR")]
    pub out: PathBuf,
    /// A circle: radius, and its middle where it is not the origin, metres
    #[arg(long, value_name = "R[,X,Y]", group = "body", allow_hyphen_values = true, value_parser = numbers)]
    pub circle: Vec<Numbers>,
    /// An ellipse: half axes along x and y, and its middle, metres
    #[arg(long, value_name = "A,B[,X,Y]", group = "body", allow_hyphen_values = true, value_parser = numbers)]
    pub ellipse: Vec<Numbers>,
    /// Closed contours: points x,y in metres, one a line, or a drawing (.svg), or lines of a mesh (.msh)
    #[arg(long, value_name = "FILE", group = "body")]
    pub contour: Vec<PathBuf>,
    /// A flat strip along x in the middle of the plane: its width, metres
    #[arg(long, value_name = "W", group = "body", allow_hyphen_values = true)]
    pub strip: Option<f64>,
    /// The contours are smooth curves through their points, which lie at equal steps of a parameter
    #[arg(long, requires = "contour", conflicts_with = "open")]
    pub smooth: bool,
    /// Metres in a unit of the contours: 0.001 for millimetres
    #[arg(long, default_value_t = 1.0, value_name = "M", requires = "contour", allow_hyphen_values = true)]
    pub scale: f64,
    /// The contours are thin sheets: their last point is not joined to the first, unless a drawing or a mesh closes them
    #[arg(long, requires = "contour")]
    pub open: bool,
    /// Metres
    #[arg(long, value_name = "M", group = "wave", allow_hyphen_values = true)]
    pub wavelength: Option<f64>,
    /// Hertz, in vacuum
    #[arg(long, value_name = "HZ", group = "wave", allow_hyphen_values = true)]
    pub frequency: Option<f64>,
    /// Which field lies along the bodies: tm the electric, te the magnetic
    #[arg(long, alias = "polarization", default_value = "tm", value_parser = choice(&POLARISATIONS))]
    pub polarisation: Polarisation,
    /// From equation to matrix: pulse, lcn:P, kress or kr:P
    #[arg(long, default_value = "lcn:8", value_name = "METHOD", value_parser = method)]
    pub method: Method,
    /// The equation: efie, mfie or cfie, cfie:PART
    #[arg(long, default_value = "efie", value_name = "EQUATION", value_parser = formulation)]
    pub formulation: Formulation,
    /// Surface impedance of closed bodies, ohm: real and imaginary part; 0 is a perfect conductor
    #[arg(long, default_value = "0", value_name = "R[,X]", allow_hyphen_values = true)]
    #[arg(value_parser = numbers)]
    pub impedance: Numbers,
    /// Cells of all bodies together
    #[arg(long, value_name = "N", conflicts_with = "per_wavelength")]
    pub cells: Option<usize>,
    /// Cells along a wavelength, beside those of grading; by default 40 nodes (kress: 24)
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub per_wavelength: Option<f64>,
    /// Cells nearer to a node than this, or than their length, are integrated exactly; wavelengths
    #[arg(long, default_value_t = 0.25, value_name = "X", allow_hyphen_values = true)]
    pub near: f64,
    /// Halvings of cells towards corners and open ends (lcn)
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub grading: usize,
    /// Directions the wave travels towards, degrees: one, or from, to and step
    #[arg(long, default_value = "0", value_name = "DEG[:DEG:STEP]", allow_hyphen_values = true)]
    #[arg(value_parser = sweep)]
    pub incidence: Sweep,
    /// Directions of the echo width, degrees
    #[arg(long, default_value = "0:359:1", value_name = "DEG[:DEG:STEP]", allow_hyphen_values = true)]
    #[arg(value_parser = sweep)]
    pub phi: Sweep,
    /// The bodies are of a medium with this permittivity, relative to vacuum; needs --method kress
    #[arg(long, value_name = "EPS", allow_hyphen_values = true, conflicts_with_all = ["impedance", "formulation", "window"])]
    pub permittivity: Option<f64>,
    /// And with this permeability
    #[arg(
        long,
        value_name = "MU",
        default_value_t = 1.0,
        allow_hyphen_values = true,
        requires = "permittivity"
    )]
    pub permeability: f64,
    /// From matrix to currents
    #[arg(long, default_value = "lu", value_parser = choice(&SOLVERS))]
    pub solver: Solver,
    /// Of the blocks of hodlr, in parts of their norms
    #[arg(long, default_value_t = 1e-10, value_name = "X", allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Window of the near field, metres; by default twice the bodies
    #[arg(long, value_name = "X0,X1,Y0,Y1", allow_hyphen_values = true, value_parser = numbers)]
    pub window: Option<Numbers>,
}

const POLARISATIONS: [(&str, &str, Polarisation); 2] =
    [("tm", "The electric field", Polarisation::Tm), ("te", "The magnetic field", Polarisation::Te)];

const SOLVERS: [(&str, &str, Solver); 4] = [
    ("lu", "LU with partial pivoting", Solver::Lu),
    ("crout", "The thesis's: Crout's LU with partial updates, and inverses of the triangles", Solver::Crout),
    ("refine", "LU in 32 bits, refined to 64", Solver::Refine),
    (
        "hodlr",
        "Blocks of low rank to --tolerance, never the whole matrix: for 1e5 unknowns and more on outlines of few wavelengths",
        Solver::Hodlr,
    ),
];

/// Numbers with commas between them.
pub type Numbers = Vec<f64>;

fn numbers(text: &str) -> Result<Numbers, String> {
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|value| value.is_finite());
    let numbers: Option<Numbers> = text.split(',').map(number).collect();
    numbers.ok_or_else(|| format!("'{text}' is no list of numbers with commas between them"))
}

fn method(text: &str) -> Result<Method, String> {
    match text.split_once(':').map(|(name, number)| (name, number.parse())) {
        None if text == "pulse" => Ok(Method::Pulse),
        None if text == "kress" => Ok(Method::Kress),
        Some(("lcn", Ok(nodes @ 1..))) => Ok(Method::Lcn(nodes)),
        Some(("kr", Ok(order))) => Ok(Method::KapurRokhlin(order)),
        _ => Err(format!(
            "'{text}' is no method: use pulse, lcn:P with P from 1 to 16, kress, or kr:P with P of 2, 6 or 10"
        )),
    }
}

fn formulation(text: &str) -> Result<Formulation, String> {
    match text.split_once(':') {
        None if text == "efie" => Ok(Formulation::Efie),
        None if text == "mfie" => Ok(Formulation::Mfie),
        None if text == "cfie" => Ok(Formulation::Cfie(0.5)),
        Some(("cfie", part)) => {
            part.parse().map(Formulation::Cfie).map_err(|_| format!("'{part}' is no number"))
        }
        _ => Err(format!("'{text}' is no formulation: use efie, mfie or cfie[:PART]")),
    }
}
