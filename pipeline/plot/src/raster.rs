//! The inside of a panel as an image, hatched where there is no data, and the colour bar beside it.

use plotters::style::RGBColor;

use super::Result;
use super::canvas::{Canvas, Place, TICK};
use super::colour_map::{colour, cyclic};
use super::error::{fault, good_range};
use super::grid::places;
use super::panel::Panel;

/// Ground and lines of the hatching.
pub const NO_DATA: RGBColor = RGBColor(235, 235, 235);
pub const HATCH: RGBColor = RGBColor(150, 150, 150);

/// Least distance between the numbers of a colour bar.
const BAR_SPACING: f64 = 100.0;

/// What the colours of a map mean.
#[derive(Clone, Debug)]
pub struct Scale {
    /// Values at the first and the last colour.
    pub low: f64,
    pub high: f64,
    /// The numbers count this.
    pub unit: f64,
    /// Distance of the numbers, where it is not left to the bar.
    pub step: Option<f64>,
    pub label: String,
    /// The colour from 0 (low) to 1 (high).
    pub colour: fn(f64) -> RGBColor,
}

impl Scale {
    /// Phases in degrees on the cyclic map.
    pub fn phase() -> Self {
        // The scale starts at -180 degrees, half a turn before the map does.
        let colour = |t: f64| cyclic(t - 0.5);
        let label = "phase (degrees)".into();
        Self { low: -180.0, high: 180.0, unit: 1.0, step: Some(90.0), label, colour }
    }

    /// Levels from the highest down.
    pub fn down_from(figure: &'static str, high: f64, range_db: f64, label: &str) -> Result<Self> {
        if !high.is_finite() {
            return fault(figure, "highest level", high, 0, "it must be finite");
        }
        good_range(figure, range_db)?;
        Ok(Self { low: high - range_db, high, unit: 1.0, step: None, label: label.into(), colour })
    }

    /// Where a value lies between `low` (0) and `high` (1), limited to them.
    pub fn part(&self, value: f64) -> f64 {
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Draws the bar with its label's middle at `label_x`.
    pub fn bar(&self, canvas: &mut Canvas, bar: &Panel, label_x: i32) -> Result<()> {
        paint(canvas, bar, |(_, v)| Some((self.colour)(1.0 - v)));
        canvas.frame((bar.x, bar.y), (bar.width, bar.height));
        let axis = bar.vertical(self.high, self.low);
        let ticks = match self.step {
            Some(step) => axis.ticks_every(step),
            None => axis.ticks(BAR_SPACING, self.unit),
        };
        bar.right(canvas, &axis, &ticks, (&self.label, label_x))
    }
}

/// Gives every pixel of a panel the colour of its place (0 to 1 across and down); none is hatched.
pub fn paint(canvas: &mut Canvas, panel: &Panel, colour: impl Fn((f64, f64)) -> Option<RGBColor>) {
    for ((x, y), place) in places(panel) {
        canvas.shade(x, y, colour(place).unwrap_or_else(|| hatching(x, y)), 1.0);
    }
}

/// Grey with diagonal lines that run on from one cell to the next.
pub fn hatching(x: i32, y: i32) -> RGBColor {
    if (x + y).rem_euclid(12) < 2 { HATCH } else { NO_DATA }
}

/// What the hatching means, below a colour bar.
pub fn draw_key(canvas: &mut Canvas, bar: &Panel) -> Result<()> {
    let key = Panel { y: bar.y + bar.height + 50, height: bar.width, ..*bar };
    paint(canvas, &key, |_| None);
    canvas.frame((key.x, key.y), (key.width, key.height));
    canvas.text("no data", TICK, (key.x + key.width + TICK / 2, key.y + key.height / 2), Place::Right)
}
