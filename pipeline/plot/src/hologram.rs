//! Fields at one frequency side by side: measured, at the source, velocity, intensity, uncertainty.
//!
//! A column a field. A complex field is drawn twice: its level above and its phase below. Everything else
//! is one map in the upper row. Maps are in true proportion, x to the right and y down in centimetres.
//!
//! - **Level**: decibels re the field's maximum or a reference value, over [`Figure::range_db`] down from the
//!   highest.
//! - **Phase**: -180 to 180 degrees on a cyclic map. Over the lowest third of the level's range it fades to
//!   grey, and below that it is not shown: the phase of what is 30 dB down is noise.
//! - **Signed**: linear on a diverging map with zero at its middle.
//!
//! NaN and infinite values are hatched as "no data". Zeros have the lowest colour.

mod field;
mod image;

pub use field::{Panel, Pixels, Reference, Values};

use self::field::FIGURE;
use self::image::Image;
use super::canvas::{Canvas, LABEL, TICK, TITLE};
use super::error::fault;
use super::grid::Grid;
use super::panel::Panel as Frame;
use super::raster::{draw_key, paint};
use super::{Error, Result};

/// Most columns.
const MOST_PANELS: usize = 8;

/// Pixels of the longer side of a map: a multiple of 8, 16, 32, 48, 64 and 96.
const SIDE: i32 = 576;
/// Least height of a map that is one row.
const LEAST: i32 = 6;
/// Least height of a row: room for the colour bar's label.
const LEAST_ROW: i32 = 420;

/// Across a column: numbers and label of y, the map, the bar, its numbers and label.
const LEFT: i32 = 170;
const BAR_GAP: i32 = 44;
const BAR_WIDTH: i32 = 40;
const RIGHT: i32 = 190;
const COLUMN: i32 = LEFT + SIDE + BAR_GAP + BAR_WIDTH + RIGHT;

/// Down the sheet: the title, the columns' titles, under a row its numbers, under the last one a label, too.
const TOP: i32 = 100;
const HEAD: i32 = 70;
const NUMBERS: i32 = 90;
const BOTTOM: i32 = 150;
/// The note on faded phases.
const NOTE: i32 = 70;

/// Least distance between numbers along a map.
const TICK_SPACING: f64 = 110.0;

/// The highest decibel range accepted.
const MOST_DB: f64 = 200.0;

/// One figure; [`Figure::new`] has the usual settings.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above: frequency, method, filter.
    pub title: &'a str,
    /// Decibels that the levels' colours span.
    pub range_db: f64,
    /// How pixels are drawn.
    pub pixels: Pixels,
    /// The fields, from left to right.
    pub panels: Vec<Panel<'a>>,
}

saved!(Figure<'_>);

impl<'a> Figure<'a> {
    /// A figure over 30 dB with the default pixels.
    pub fn new(title: &'a str, panels: Vec<Panel<'a>>) -> Self {
        Self { title, range_db: 30.0, pixels: Pixels::Auto, panels }
    }

    fn draw(&self) -> Result<Canvas> {
        self.check()?;
        let columns = self.panels.iter().map(|panel| Column::new(panel, self.range_db, self.pixels));
        let columns: Vec<Column<'_>> = columns.collect::<Result<_, _>>()?;
        let body = columns.iter().map(|column| column.size.1).max().unwrap_or(0).max(LEAST_ROW);
        let rows = columns.iter().map(|column| column.images.len()).max().unwrap_or(0) as i32;
        let note = if rows > 1 { NOTE } else { 0 };
        let height = TOP + HEAD + rows * body + (rows - 1) * NUMBERS + BOTTOM + note;
        let width = COLUMN * columns.len() as i32;
        let mut canvas = Canvas::new(width, height);
        canvas.title(self.title, TITLE, (width / 2, TOP / 2), width - 2 * TITLE)?;
        for (at, column) in (0..).zip(&columns) {
            column.draw(&mut canvas, at * COLUMN, body)?;
        }
        if note > 0 {
            let (fade, range) = (2.0 / 3.0 * self.range_db, self.range_db);
            let text = format!(
                "phase fades to grey from {fade:.0} to {range:.0} dB below the highest level of its field"
            );
            canvas.title(&text, TICK, (width / 2, height - NOTE / 2), width - 2 * TITLE)?;
        }
        Ok(canvas)
    }

    fn check(&self) -> Result<()> {
        if self.panels.is_empty() {
            return Err(Error::Empty(FIGURE));
        }
        if self.panels.len() > MOST_PANELS {
            return fault(FIGURE, "number of fields", self.panels.len() as f64, 0, "at most 8 are drawn");
        }
        if !(1.0..=MOST_DB).contains(&self.range_db) {
            return fault(FIGURE, "range", self.range_db, 0, "it must be 1 to 200 dB");
        }
        Ok(())
    }
}

/// A field as it is drawn.
struct Column<'a> {
    title: &'a str,
    grid: Grid,
    /// Width and height of its maps.
    size: (i32, i32),
    /// The maps, from the top.
    images: Vec<Image>,
}

impl<'a> Column<'a> {
    fn new(panel: &Panel<'a>, range_db: f64, pixels: Pixels) -> Result<Self> {
        let images = image::images(&panel.grid, panel.values, range_db, pixels)?;
        let Panel { title, grid, .. } = *panel;
        Ok(Self { title, grid, size: grid.fit(SIDE, LEAST), images })
    }

    fn draw(&self, canvas: &mut Canvas, x: i32, body: i32) -> Result<()> {
        let centre = x + LEFT + SIDE / 2;
        canvas.title(self.title, LABEL, (centre, TOP + HEAD / 2), COLUMN - LABEL)?;
        let last = self.images.len() - 1;
        for (row, image) in self.images.iter().enumerate() {
            let (width, height) = self.size;
            let y = TOP + HEAD + row as i32 * (body + NUMBERS);
            let map = Frame { x: centre - width / 2, y: y + (body - height) / 2, width, height };
            let bar = Frame { x: x + LEFT + SIDE + BAR_GAP, y, width: BAR_WIDTH, height: body };
            paint(canvas, &map, |place| image.colour(&self.grid, place));
            canvas.frame((map.x, map.y), (width, height));
            self.axes(canvas, &map, row == last)?;
            image.scale.bar(canvas, &bar, bar.x + bar.width + RIGHT - LABEL)?;
            if image.has_gaps() && row == last {
                draw_key(canvas, &bar)?;
            }
        }
        Ok(())
    }

    fn axes(&self, canvas: &mut Canvas, map: &Frame, labelled: bool) -> Result<()> {
        const CENTIMETRE: f64 = 0.01;
        let ((left, right), (top, bottom)) = (self.grid.x_m(), self.grid.y_m());
        let label = if labelled { "x (cm)" } else { "" };
        let x = map.horizontal(left, right, false);
        let spacing = |length: i32| TICK_SPACING.min(f64::from(length) / 2.0).max(1.2 * f64::from(TICK));
        // Numbers are wider than high.
        map.below(canvas, &x, &x.ticks(spacing(map.width).max(1.5 * f64::from(TICK)), CENTIMETRE), label)?;
        let y = map.vertical(top, bottom);
        let label_x = map.x - LEFT + LABEL;
        map.left(canvas, &y, &y.ticks(spacing(map.height), CENTIMETRE), ("y (cm)", label_x))
    }
}

#[cfg(test)]
mod tests;
