//! A rectangle with a frame, a title, ticks and axis labels around it.

use plotters::style::BLACK;

use super::Result;
use super::axis::{Axis, Tick};
use super::canvas::{Canvas, GRID, LABEL, Place, STROKE, TICK, TITLE};

/// Length of a labelled tick in pixels; others are half as long.
const TICK_LENGTH: i32 = 14;

/// The inside of the frame, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Panel {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

/// Pixel of a tick, as the first of a stroke that is centred on it.
fn stroke_at(axis: &Axis, tick: &Tick) -> i32 {
    (axis.pixel(tick.value) - 0.5 * f64::from(STROKE)).round() as i32
}

fn length(tick: &Tick) -> i32 {
    if tick.label.is_empty() { TICK_LENGTH / 2 } else { TICK_LENGTH }
}

impl Panel {
    /// A horizontal axis over the panel's width.
    pub fn horizontal(&self, from: f64, to: f64, logarithmic: bool) -> Axis {
        let (first_pixel, last_pixel) = (f64::from(self.x), f64::from(self.x + self.width));
        Axis { from, to, first_pixel, last_pixel, logarithmic }
    }

    /// A vertical axis with `top` at the upper edge.
    pub fn vertical(&self, top: f64, bottom: f64) -> Axis {
        let (first_pixel, last_pixel) = (f64::from(self.y), f64::from(self.y + self.height));
        Axis { from: top, to: bottom, first_pixel, last_pixel, logarithmic: false }
    }

    /// The frame, with a title that is made smaller until it fits the sheet of `sheet` pixels' width.
    pub fn frame(&self, canvas: &mut Canvas, title: &str, title_y: i32, sheet: i32) -> Result<()> {
        canvas.frame((self.x, self.y), (self.width, self.height));
        let centre = self.x + self.width / 2;
        canvas.title(title, TITLE, (centre, title_y), 2 * centre.min(sheet - centre) - TITLE)
    }

    /// Grey lines at the ticks of both axes.
    pub fn grid(&self, canvas: &mut Canvas, (x, across): (&Axis, &[Tick]), (y, up): (&Axis, &[Tick])) {
        for tick in across {
            canvas.fill((x.pixel(tick.value).round() as i32, self.y), (2, self.height), GRID);
        }
        for tick in up {
            canvas.fill((self.x, y.pixel(tick.value).round() as i32), (self.width, 2), GRID);
        }
    }

    /// Ticks and label below.
    pub fn below(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[Tick], label: &str) -> Result<()> {
        let y = self.y + self.height + STROKE;
        for tick in ticks {
            let x = stroke_at(axis, tick);
            canvas.fill((x, y), (STROKE, length(tick)), BLACK);
            let middle = (x + STROKE / 2, y + TICK_LENGTH + TICK * 3 / 5);
            canvas.text(&tick.label, TICK, middle, Place::Centre)?;
        }
        let centre = self.x + self.width / 2;
        canvas.text(label, LABEL, (centre, y + TICK_LENGTH + TICK + LABEL), Place::Centre)
    }

    /// Ticks and label at the left; the label's middle is at `label_x`.
    pub fn left(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[Tick], label: (&str, i32)) -> Result<()> {
        self.beside(canvas, (axis, ticks), label, (self.x - STROKE, -1, Place::Left))
    }

    /// Ticks and label at the right; the label's middle is at `label_x`.
    pub fn right(&self, canvas: &mut Canvas, axis: &Axis, ticks: &[Tick], label: (&str, i32)) -> Result<()> {
        self.beside(canvas, (axis, ticks), label, (self.x + self.width + STROKE, 1, Place::Right))
    }

    /// Ticks from an edge on to the left (-1) or to the right (1).
    fn beside(
        &self,
        canvas: &mut Canvas,
        (axis, ticks): (&Axis, &[Tick]),
        (label, label_x): (&str, i32),
        (edge, side, place): (i32, i32, Place),
    ) -> Result<()> {
        for tick in ticks {
            let (y, length) = (stroke_at(axis, tick), length(tick));
            canvas.fill((edge.min(edge + side * length), y), (length, STROKE), BLACK);
            let x = edge + side * (TICK_LENGTH + TICK / 4);
            canvas.text(&tick.label, TICK, (x, y + STROKE / 2), place)?;
        }
        canvas.text(label, LABEL, (label_x, self.y + self.height / 2), Place::Upright)
    }
}
