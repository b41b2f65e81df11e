//! From the values of a field to the colours of its maps.

use num_complex::Complex;
use plotters::style::RGBColor;

use super::field::{FIGURE, Pixels, Reference, Values};
use crate::colour_map::{colour, cyclic, diverging};
use crate::error::fault;
use crate::grid::Grid;
use crate::level_map::{is_level, range};
use crate::raster::Scale;
use crate::{Error, Result};

/// Pixels a side up to which squares are drawn unless asked otherwise.
const MOST_SQUARES: usize = 64;

/// What a phase fades to: light, and none of the cyclic map's colours.
const FADED: RGBColor = RGBColor(240, 240, 240);
/// The part of the levels' range over which it fades.
const FADE: f64 = 1.0 / 3.0;

/// A map: what its colours mean, and what to draw.
pub(super) struct Image {
    pub scale: Scale,
    cells: Cells,
}

enum Cells {
    /// The colour of every cell; none is no data.
    Squares(Vec<Option<RGBColor>>),
    /// Places on the scale, from 0 to 1, to interpolate between; NaN is no data.
    Smooth(Vec<f64>),
}

impl Image {
    /// A map of places on a scale.
    fn new(scale: Scale, parts: Vec<f64>, grid: &Grid, pixels: Pixels) -> Self {
        let smooth = match pixels {
            Pixels::Auto => grid.rows.max(grid.cols) > MOST_SQUARES,
            Pixels::Squares => false,
            Pixels::Smooth => true,
        };
        let square = |&part: &f64| (!part.is_nan()).then(|| (scale.colour)(part));
        let cells =
            if smooth { Cells::Smooth(parts) } else { Cells::Squares(parts.iter().map(square).collect()) };
        Self { scale, cells }
    }

    /// The colour at a place from 0 to 1 across and down the grid; none for no data.
    pub fn colour(&self, grid: &Grid, place: (f64, f64)) -> Option<RGBColor> {
        match &self.cells {
            Cells::Squares(colours) => colours[grid.index(place)],
            Cells::Smooth(parts) if parts[grid.index(place)].is_nan() => None,
            Cells::Smooth(parts) => Some((self.scale.colour)(bilinear(parts, grid, place))),
        }
    }

    pub fn has_gaps(&self) -> bool {
        match &self.cells {
            Cells::Squares(colours) => colours.contains(&None),
            Cells::Smooth(parts) => parts.iter().any(|part| part.is_nan()),
        }
    }
}

/// The maps of a field, from the top.
pub(super) fn images(grid: &Grid, values: Values<'_>, range_db: f64, pixels: Pixels) -> Result<Vec<Image>> {
    let nothing = |count| Error::NothingFinite(FIGURE, count);
    match values {
        Values::Complex { values, reference } => {
            grid.check(FIGURE, values.len())?;
            let (levels, scale) =
                level_scale(values, reference, range_db)?.ok_or_else(|| nothing(values.len()))?;
            let parts: Vec<f64> = levels.iter().map(|&level| scale.part(level)).collect();
            let phase = phase_image(values, &parts);
            Ok(vec![Image::new(scale, parts, grid, pixels), phase])
        }
        Values::Signed { values, quantity, unit } => {
            grid.check(FIGURE, values.len())?;
            let scale = signed_scale(values, quantity, unit).ok_or_else(|| nothing(values.len()))?;
            let part = |&v: &f64| if v.is_finite() { scale.part(v) } else { f64::NAN };
            let parts = values.iter().map(part).collect();
            Ok(vec![Image::new(scale, parts, grid, pixels)])
        }
        Values::Decibels { values, quantity } => {
            grid.check(FIGURE, values.len())?;
            let (low, high) = range(values).ok_or_else(|| nothing(values.len()))?;
            let scale = Scale { low, high, unit: 1.0, step: None, label: format!("{quantity} (dB)"), colour };
            let part = |&v: &f64| if is_level(v) { scale.part(v) } else { f64::NAN };
            let parts = values.iter().map(part).collect();
            Ok(vec![Image::new(scale, parts, grid, pixels)])
        }
    }
}

/// The level of every pixel, NaN where there is no data, and the scale; none without any data.
fn level_scale(
    values: &[Complex<f64>],
    reference: Reference<'_>,
    range_db: f64,
) -> Result<Option<(Vec<f64>, Scale)>> {
    let modulus = |v: &Complex<f64>| if v.is_finite() { v.norm() } else { f64::NAN };
    let Some(largest) = values.iter().map(modulus).filter(|m| m.is_finite()).reduce(f64::max) else {
        return Ok(None);
    };
    let (zero, label) = match reference {
        // A silent field has a scale all the same: everything is below it.
        Reference::Maximum => (largest.max(f64::MIN_POSITIVE), "level (dB re maximum)".to_owned()),
        Reference::Effective { value, name } if value > 0.0 && value.is_finite() => {
            (value * std::f64::consts::SQRT_2, format!("level (dB re {name})"))
        }
        Reference::Effective { value, .. } => {
            return fault(FIGURE, "reference", value, 0, "it must be finite and above 0");
        }
    };
    let level = |modulus: f64| 20.0 * (modulus / zero).log10();
    let top = level(largest);
    // Whole decibels; a silent field ends at 0 dB.
    let high = if top.is_finite() { (top - 1e-9).ceil() } else { 0.0 };
    let scale = Scale { low: high - range_db, high, unit: 1.0, step: None, label, colour };
    Ok(Some((values.iter().map(|v| level(modulus(v))).collect(), scale)))
}

/// The phase in squares, faded where `parts` (places of the levels on their scale) are low.
fn phase_image(values: &[Complex<f64>], parts: &[f64]) -> Image {
    let shade = |(v, &part): (&Complex<f64>, &f64)| {
        (!part.is_nan()).then(|| mix(FADED, cyclic(v.arg() / std::f64::consts::TAU), (part / FADE).min(1.0)))
    };
    Image { scale: Scale::phase(), cells: Cells::Squares(values.iter().zip(parts).map(shade).collect()) }
}

fn mix(RGBColor(r, g, b): RGBColor, RGBColor(to_r, to_g, to_b): RGBColor, part: f64) -> RGBColor {
    let one = |from: u8, to: u8| (f64::from(from) + part * (f64::from(to) - f64::from(from))).round() as u8;
    RGBColor(one(r, to_r), one(g, to_g), one(b, to_b))
}

/// A scale from minus to plus the largest modulus, in the unit's prefix that leaves 1 to 1000.
fn signed_scale(values: &[f64], quantity: &str, unit: &str) -> Option<Scale> {
    let largest = values.iter().map(|v| v.abs()).filter(|v| v.is_finite()).reduce(f64::max)?;
    let largest = if largest > 0.0 { largest } else { 1.0 };
    let (factor, label) = if unit.is_empty() {
        (largest, format!("{quantity} / maximum"))
    } else {
        let (factor, prefix) = prefix(largest);
        (factor, format!("{quantity} ({prefix}{unit})"))
    };
    Some(Scale { low: -largest, high: largest, unit: factor, step: None, label, colour: diverging })
}

/// The largest prefix that leaves at least 1; the smallest or none beyond their ends.
fn prefix(value: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 9] = [
        (1e9, "G"),
        (1e6, "M"),
        (1e3, "k"),
        (1.0, ""),
        (1e-3, "m"),
        (1e-6, "µ"),
        (1e-9, "n"),
        (1e-12, "p"),
        (1e-15, "f"),
    ];
    PREFIXES.into_iter().find(|(factor, _)| value >= *factor).unwrap_or((1e-15, "f"))
}

/// The mean of the four nearest pixels weighted by nearness; those without data are left out.
fn bilinear(parts: &[f64], grid: &Grid, (u, v): (f64, f64)) -> f64 {
    let along = |t: f64, count: usize| {
        let at = (t * count as f64 - 0.5).clamp(0.0, (count - 1) as f64);
        let first = at as usize;
        [(first, 1.0 - at.fract()), ((first + 1).min(count - 1), at.fract())]
    };
    let (rows, cols) = (along(v, grid.rows), along(u, grid.cols));
    let (mut sum, mut weights) = (0.0, 0.0);
    for (row, down) in rows {
        for (col, across) in cols {
            let part = parts[row * grid.cols + col];
            if !part.is_nan() {
                sum += down * across * part;
                weights += down * across;
            }
        }
    }
    sum / weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_values_pass_through_the_pixels_and_skip_gaps() {
        let grid = Grid::centred(2, 2, 1.0);
        let parts = [0.0, 1.0, 0.5, f64::NAN];
        let at = |u, v| bilinear(&parts, &grid, (u, v));
        assert_eq!((at(0.25, 0.25), at(0.75, 0.25), at(0.25, 0.75)), (0.0, 1.0, 0.5));
        assert_eq!((at(0.0, 0.0), at(0.5, 0.25), at(0.5, 0.5)), (0.0, 0.5, 0.5));
        let image =
            Image { scale: signed_scale(&[1.0], "", "").unwrap(), cells: Cells::Smooth(parts.to_vec()) };
        assert_eq!(image.colour(&grid, (0.8, 0.8)), None);
        assert!(image.has_gaps());
    }

    #[test]
    fn prefixes_leave_one_to_a_thousand() {
        for (value, expected) in
            [(1.0, ""), (999.0, ""), (2.5e-6, "µ"), (1e-20, "f"), (3e12, "G"), (1e3, "k")]
        {
            assert_eq!(prefix(value).1, expected, "{value}");
        }
    }

    #[test]
    fn levels_are_of_effective_values() {
        // 1 Pa effective is 93.98 dB re 20 µPa.
        let values = [Complex::new(0.0, std::f64::consts::SQRT_2), Complex::new(1e-3, 0.0)];
        let (levels, scale) = level_scale(&values, Reference::SOUND_PRESSURE, 30.0).unwrap().unwrap();
        assert!((levels[0] - 20.0 * (1.0f64 / 20e-6).log10()).abs() < 1e-9, "{levels:?}");
        assert_eq!((scale.low, scale.high), (64.0, 94.0));
        let (levels, scale) = level_scale(&values, Reference::Maximum, 40.0).unwrap().unwrap();
        assert_eq!((levels[0], scale.low, scale.high), (0.0, -40.0, 0.0));
    }
}
