//! What `nufft` is asked: options and arrays together, checked.

use super::super::args::{Nufft, Precision};
use super::super::exit::usage;
use crate::cli::Result;
use crate::cli::exit::refuse;
use num_complex::Complex;
use pipeline::files::npz::{self, Numbers};
use pipeline::nufft::{self, Error, Settings};
use std::path::Path;

/// Names of the coordinates of points and of frequencies.
const POINTS: [&str; 3] = ["x", "y", "z"];
const FREQUENCIES: [&str; 3] = ["s", "t", "u"];
/// Tolerances where none is given.
const USUAL: f64 = 1e-9;
const USUAL_SINGLE: f64 = 1e-6;

/// What is summed.
pub enum Sum {
    /// From points to these modes, x first.
    One(Vec<usize>),
    /// From these modes to points.
    Two(Vec<usize>),
    /// From points to these frequencies, an array for each axis.
    Three(Vec<Vec<f64>>),
}

pub struct Problem {
    pub sum: Sum,
    /// Radians, an array for each axis.
    pub points: Vec<Vec<f64>>,
    /// c or f, one right-hand side after the other.
    pub values: Vec<Complex<f64>>,
    /// Right-hand sides, where the input has an axis for them.
    pub stacked: Option<usize>,
    pub precision: Precision,
    pub settings: Settings,
}

impl Problem {
    /// Reads and checks; `least` is the precision that was asked for.
    pub fn read(arguments: &Nufft, least: Precision) -> Result<Self> {
        let path = &arguments.input;
        let names = npz::names(path)?;
        let points = coordinates(path, &names, &POINTS)?;
        let name = if arguments.kind == 2 { "f" } else { "c" };
        if !names.iter().any(|n| n == name) {
            let (kind, found) = (arguments.kind, names.join(", "));
            let path = path.display();
            refuse!("{path}: type {kind} needs the array {name}; it holds: {found}");
        }
        let numbers = npz::read_numbers(path, name)?;
        if let Some(at) = numbers.values.iter().position(|value| !value.is_finite()) {
            refuse!("{}: value {at} of {name} is not a finite number", path.display());
        }
        let (sum, stacked) = match arguments.kind {
            1 => (Sum::One(modes(arguments, points.len())?), stack_of_points(&numbers, &points)?),
            2 => {
                let (modes, stacked) = stack_of_modes(arguments, &numbers, points.len())?;
                (Sum::Two(modes), stacked)
            }
            _ => (
                Sum::Three(frequencies(arguments, &names, points.len())?),
                stack_of_points(&numbers, &points)?,
            ),
        };
        if let Sum::One(modes) | Sum::Two(modes) = &sum
            && let Some(axis) = modes.iter().position(|&n| n == 0)
        {
            return Err(Error::Modes(axis).into());
        }
        let eps = arguments.eps.unwrap_or(if numbers.single { USUAL_SINGLE } else { USUAL });
        if !(eps > 0.0 && eps < 1.0) {
            refuse!("--eps {eps}: it must be above 0 and below 1");
        }
        let single = numbers.single && eps >= <f32 as nufft::Precision>::REACH && least == Precision::F32;
        let precision = if single { Precision::F32 } else { Precision::F64 };
        let settings = Settings { window: arguments.window, ..Settings::new(eps, arguments.sign) };
        let problem = Self { sum, points, values: numbers.values, stacked, precision, settings };
        problem.check_results()?;
        Ok(problem)
    }

    /// Shape of the results, slowest axis first.
    pub fn shape(&self) -> Vec<usize> {
        let inner = match &self.sum {
            Sum::One(modes) => modes.iter().rev().copied().collect(),
            Sum::Two(_) => vec![self.points[0].len()],
            Sum::Three(frequencies) => vec![frequencies[0].len()],
        };
        self.stacked.into_iter().chain(inner).collect()
    }

    /// Refuses results that are too large, before they are allocated.
    fn check_results(&self) -> Result<()> {
        let shape = self.shape();
        let bytes = shape.iter().fold(16u128, |bytes, &n| bytes.saturating_mul(n as u128));
        if bytes > self.settings.memory {
            refuse!(
                "results of shape {shape:?} take {bytes} bytes, and {} are allowed: give fewer modes or right-hand sides",
                self.settings.memory
            );
        }
        Ok(())
    }
}

/// The arrays of coordinates that are there: the first name at least, and none after a gap.
fn coordinates(path: &Path, names: &[String], wanted: &[&str; 3]) -> Result<Vec<Vec<f64>>> {
    let there = |name: &&&str| names.iter().any(|n| n == **name);
    let axes = wanted.iter().take_while(there).count();
    let path_name = path.display();
    if axes == 0 {
        let (found, first) = (names.join(", "), wanted[0]);
        refuse!("{path_name}: no array {first} of coordinates; it holds: {found}");
    }
    if let Some(odd) = wanted[axes..].iter().find(there) {
        refuse!("{path_name}: has the array {odd}, but not {}", wanted[axes]);
    }
    let mut arrays: Vec<Vec<f64>> = Vec::new();
    for name in &wanted[..axes] {
        let (values, shape) = npz::read_real(path, name)?;
        if shape.len() != 1 {
            refuse!("{path_name}: {name} has the shape {shape:?}; it must have one axis");
        }
        if let Some(first) = arrays.first().filter(|first| first.len() != values.len()) {
            let (length, expected) = (values.len(), first.len());
            refuse!("{path_name}: {name} has {length} values, {} has {expected}", wanted[0]);
        }
        arrays.push(values);
    }
    Ok(arrays)
}

/// Modes of type 1.
fn modes(arguments: &Nufft, axes: usize) -> Result<Vec<usize>> {
    let modes = &arguments.modes;
    let form = &["N1", "N1,N2", "N1,N2,N3"][axes - 1];
    if modes.is_empty() {
        refuse!("--modes {form}: type 1 needs the numbers of modes along {}", along(axes));
    }
    if modes.len() != axes {
        let given = modes.len();
        refuse!("--modes: {given} numbers for points along {}; give --modes {form}", along(axes));
    }
    Ok(modes.clone())
}

fn along(axes: usize) -> &'static str {
    ["x", "x and y", "x, y and z"][axes - 1]
}

/// Right-hand sides of an array M or n x M.
fn stack_of_points(numbers: &Numbers, points: &[Vec<f64>]) -> Result<Option<usize>> {
    let count = points[0].len();
    match numbers.shape[..] {
        [m] if m == count => Ok(None),
        [n, m] if m == count && n > 0 => Ok(Some(n)),
        _ => Err(usage(format!(
            "c has the shape {:?}; for the {count} points it must be [{count}], or [n, {count}] for n right-hand sides",
            numbers.shape
        ))),
    }
}

/// Modes, x first, and right-hand sides of an array of modes.
fn stack_of_modes(arguments: &Nufft, numbers: &Numbers, axes: usize) -> Result<(Vec<usize>, Option<usize>)> {
    let shape = &numbers.shape;
    let stacked = shape.len() == axes + 1 && shape[0] > 0;
    if shape.len() != axes && !stacked {
        let form = ["[N1]", "[N2, N1]", "[N3, N2, N1]"][axes - 1];
        refuse!(
            "f has the shape {shape:?}; for points along {} it must be {form}, or with the number of right-hand sides in front",
            along(axes)
        );
    }
    let modes: Vec<usize> = shape[shape.len() - axes..].iter().rev().copied().collect();
    if !arguments.modes.is_empty() && arguments.modes != modes {
        refuse!("--modes {:?}: f has {modes:?} modes, x first; leave --modes out", arguments.modes);
    }
    Ok((modes, stacked.then(|| shape[0])))
}

/// Frequencies of type 3, along as many axes as the points.
fn frequencies(arguments: &Nufft, names: &[String], axes: usize) -> Result<Vec<Vec<f64>>> {
    if !arguments.modes.is_empty() {
        refuse!("--modes: type 3 has frequencies (s, t, u in the archive) instead; leave it out");
    }
    let arrays = coordinates(&arguments.input, names, &FREQUENCIES)?;
    if arrays.len() != axes {
        let wanted = FREQUENCIES[..axes].join(", ");
        refuse!("{}: points along {} need the frequencies {wanted}", arguments.input.display(), along(axes));
    }
    Ok(arrays)
}
