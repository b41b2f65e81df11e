//! Options of `nearfield sbr`.

use super::words::choice;
use clap::{Args, ValueEnum};
use pipeline::sbr::settings::LEAST_TURN;
use pipeline::sbr::{Edges, Structure};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = include_str!("sbr.txt"))]
pub struct Sbr {
    /// The target: .stl, .obj, .ply or .msh, or missile, ship, airplane-a or airplane-b
    #[arg(value_name = "MESH")]
    pub mesh: PathBuf,
    /// Folder for the results
    #[arg(long, default_value = "nearfield-sbr", value_name = "DIR")]
    pub out: PathBuf,
    /// Frequencies: one, or from, to and step
    #[arg(long, value_name = "HZ[:HZ:STEP]", allow_hyphen_values = true, value_parser = sweep)]
    pub frequency: Sweep,
    /// Angles of the radar from z, degrees: one, or from, to and step
    #[arg(long, default_value = "90", value_name = "A[:B:S]", allow_hyphen_values = true)]
    #[arg(value_parser = sweep)]
    pub theta: Sweep,
    /// Angles of the radar from x towards y, degrees
    #[arg(long, default_value = "0", value_name = "A[:B:S]", allow_hyphen_values = true)]
    #[arg(value_parser = sweep)]
    pub phi: Sweep,
    /// Angles of another receiver from z, degrees; by default it is the transmitter
    #[arg(long, value_name = "A[:B:S]", allow_hyphen_values = true, requires = "bistatic_phi")]
    #[arg(value_parser = sweep)]
    pub bistatic_theta: Option<Sweep>,
    /// Angles of another receiver from x towards y, degrees
    #[arg(long, value_name = "A[:B:S]", allow_hyphen_values = true, requires = "bistatic_theta")]
    #[arg(value_parser = sweep)]
    pub bistatic_phi: Option<Sweep>,
    /// Most reflections of a ray
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub bounces: usize,
    /// Tubes along the shortest wavelength
    #[arg(long, default_value_t = 10.0, value_name = "N")]
    pub tubes_per_wavelength: f64,
    /// What rays walk through
    #[arg(long, default_value = "bvh", value_parser = choice(&STRUCTURES))]
    pub structure: Structure,
    /// What edges add
    #[arg(long, default_value = "none", value_parser = choice(&EDGES))]
    pub edges: Edges,
    /// What happens to tubes whose corners part
    #[arg(long, default_value = "footprint")]
    pub rule: RuleChoice,
    /// What groups of the mesh are made of; by default all is a perfect conductor
    #[arg(long, value_name = "FILE.toml")]
    pub material: Option<PathBuf>,
    /// Where on the target the echo comes from, as image.npz: over range for every direction, or over range and cross-range
    #[arg(long, value_name = "KIND")]
    pub image: Option<ImageChoice>,
    /// Which triangles the echo comes from: where it is highest, or at a frequency and a direction of the sweep
    #[arg(long, value_name = "HZ,THETA,PHI", num_args = 0..=1, require_equals = true, default_missing_value = "highest")]
    #[arg(value_parser = facets)]
    pub facets: Option<FacetsChoice>,
    /// Metres in a unit of the mesh: 0.001 for millimetres, 0.0254 for inches
    #[arg(long, default_value_t = 1.0, value_name = "M")]
    pub scale: f64,
}

const STRUCTURES: [(&str, &str, Structure); 2] =
    [("bvh", "Hierarchy of boxes", Structure::Bvh), ("kdtree", "kd-tree with ropes", Structure::KdTree)];

const EDGES: [(&str, &str, Edges); 2] = [
    ("none", "Nothing", Edges::None),
    ("ildc", "Incremental length diffraction", Edges::Ildc { least_turn: LEAST_TURN }),
];

/// Where the echo comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ImageChoice {
    /// Over range and cross-range: needs several frequencies and directions
    Isar,
    /// Over range: needs several frequencies
    Profile,
}

/// What happens to tubes whose corners part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleChoice {
    /// They are cut or quartered, and no area is lost
    Footprint,
    /// They are dropped, as in the paper
    Discard,
}

/// Which echo is looked at by facets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FacetsChoice {
    /// The highest of all.
    Highest,
    /// Frequency, Hz, theta and phi of the receiver, degrees.
    At([f64; 3]),
}

fn facets(text: &str) -> Result<FacetsChoice, String> {
    if text == "highest" {
        return Ok(FacetsChoice::Highest);
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let three = numbers.and_then(|numbers| <[f64; 3]>::try_from(numbers).ok());
    three
        .map(FacetsChoice::At)
        .ok_or_else(|| format!("invalid place of a sweep '{text}': expected HZ,THETA,PHI"))
}

/// Most values of a sweep.
const MOST: f64 = 1e6;

/// One value, or values at equal steps, both ends included.
pub type Sweep = Vec<f64>;

pub fn sweep(text: &str) -> Result<Sweep, String> {
    let number = |part: &str| {
        let value: Option<f64> = part.trim().parse().ok().filter(|value: &f64| value.is_finite());
        value.ok_or_else(|| format!("'{part}' is no number; use A or A:B:STEP"))
    };
    let parts: Vec<&str> = text.split(':').collect();
    match parts.as_slice() {
        [one] => Ok(vec![number(one)?]),
        [from, to, step] => {
            let (from, to, step) = (number(from)?, number(to)?, number(step)?);
            // Rounding of the step must not lose the last value.
            let steps = ((to - from) / step + 1e-9).floor();
            if !(0.0..MOST).contains(&steps) {
                return Err(format!("'{text}' has {} values; from 1 to {MOST}", steps + 1.0));
            }
            Ok((0..=steps as u32).map(|i| from + step * f64::from(i)).collect())
        }
        _ => Err(format!("invalid sweep '{text}': expected A or A:B:STEP")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_three_numbers() {
        assert_eq!(facets("highest"), Ok(FacetsChoice::Highest));
        assert_eq!(facets("3e9,90,-45"), Ok(FacetsChoice::At([3e9, 90.0, -45.0])));
        for wrong in ["", "3e9", "1,2", "1,2,3,4", "a,b,c"] {
            assert!(facets(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sweeps_have_both_ends() {
        assert_eq!(sweep("3e9").unwrap(), [3e9]);
        assert_eq!(sweep("-10:10:10").unwrap(), [-10.0, 0.0, 10.0]);
        assert_eq!(sweep("0:0.3:0.1").unwrap().len(), 4);
        assert_eq!(sweep("1:0:-0.5").unwrap(), [1.0, 0.5, 0.0]);
        for wrong in ["", "a", "1:2", "0:1:0", "0:1:-1", "0:1e9:1", "nan", "1:2:3:4"] {
            assert!(sweep(wrong).is_err(), "{wrong}");
        }
    }
}
