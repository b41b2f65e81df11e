//! A field and how it is shown.

use crate::grid::Grid;
use num_complex::Complex;

/// What errors call the figure.
pub const FIGURE: &str = "hologram";

/// How the pixels of a field are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pixels {
    /// Squares up to 64 pixels a side, smooth beyond.
    #[default]
    Auto,
    /// What was computed, a square a value.
    Squares,
    /// Bilinear in what the colour shows (decibels, for a level). Phases stay squares.
    Smooth,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Panel<'a> {
    /// What stands above it.
    pub title: &'a str,
    /// Where its pixels are.
    pub grid: Grid,
    /// Their values, row by row from the top left.
    pub values: Values<'a>,
}

/// The values of a field and how they are shown.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Level and phase.
    Complex {
        /// Peak amplitudes.
        values: &'a [Complex<f64>],
        /// Zero decibels.
        reference: Reference<'a>,
    },
    /// A signed quantity on a linear scale, such as active intensity.
    Signed {
        /// The numbers, in `unit`.
        values: &'a [f64],
        /// Name of the quantity.
        quantity: &'a str,
        /// Its unit without prefix, such as W/m²; with an empty one, values are shown over the largest.
        unit: &'a str,
    },
    /// Decibels as they are, such as an uncertainty.
    Decibels {
        /// Decibels; minus infinity has the lowest colour.
        values: &'a [f64],
        /// What they are.
        quantity: &'a str,
    },
}

/// Zero decibels of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference<'a> {
    /// The field's largest modulus.
    Maximum,
    /// An effective value: a sine of amplitude a has the level 20 lg(a / (sqrt 2 `value`)).
    Effective {
        /// The reference value, in the field's unit.
        value: f64,
        /// How it is written, with its unit.
        name: &'a str,
    },
}

impl Reference<'_> {
    /// Sound pressure level: decibels re 20 µPa, for fields in pascals.
    pub const SOUND_PRESSURE: Self = Self::Effective { value: 20e-6, name: "20 µPa" };
}
