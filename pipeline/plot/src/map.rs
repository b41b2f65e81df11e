//! Levels over two quantities: a radar cross-section over both angles, an image over range and cross-range.
//!
//! The first quantity runs to the right, the second up. Colours span [`Figure::range_db`] down from [`Figure::highest_db`], so that several maps can have one scale; levels beyond them
//! take the nearest colour, and what is no number is hatched.

use super::Result;
use super::canvas::{Canvas, LABEL};
use super::colour_map::colour;
use super::error::{fault, same_length};
use super::level_map::is_level;
use super::panel::Panel;
use super::plane::{LEFT, Plane, TOP};
use super::raster::{Scale, paint};

const FIGURE: &str = "map";

/// Sides of a map whose quantities are not of one kind.
const WIDTH: i32 = 1152;
const HEIGHT: i32 = 800;

/// One of the two quantities.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Name and unit.
    pub label: &'a str,
    /// Rising in equal steps.
    pub values: &'a [f64],
}

/// A map.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// To the right.
    pub x: Side<'a>,
    /// Up.
    pub y: Side<'a>,
    /// dB, `[y][x]`.
    pub level_db: &'a [f64],
    /// What the colours are.
    pub label: &'a str,
    /// Level of the highest colour, dB.
    pub highest_db: f64,
    /// Decibels that the colours span.
    pub range_db: f64,
    /// Both quantities are lengths or angles of one scale.
    pub in_proportion: bool,
}

impl Side<'_> {
    /// Ends of the cells around the values.
    fn ends(&self, name: &'static str) -> Result<[f64; 2]> {
        let refused = |at: usize, expected| {
            fault(FIGURE, name, self.values.get(at).copied().unwrap_or(f64::NAN), at, expected)
        };
        let [first, .., last] = *self.values else {
            return refused(0, "a map needs two values along each side");
        };
        let count = self.values.len();
        let step = (last - first) / (count - 1) as f64;
        // A step that is no number, or none, is even nowhere.
        let even =
            |at: &usize| step > 0.0 && (self.values[*at] - first - *at as f64 * step).abs() <= 1e-6 * step;
        match (0..count).find(|at| !even(at)) {
            Some(at) => refused(at, "it must rise in equal steps"),
            None => Ok([first - 0.5 * step, last + 0.5 * step]),
        }
    }
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        let (x, y) = (self.x.ends("x")?, self.y.ends("y")?);
        same_length(FIGURE, self.level_db.len(), self.x.values.len() * self.y.values.len())?;
        let scale = Scale::down_from(FIGURE, self.highest_db, self.range_db, self.label)?;
        let plane = if self.in_proportion { Plane::new(FIGURE, x, y)? } else { filled(x, y) };
        let (bar, sheet) = plane.bar();
        let mut canvas = Canvas::new(sheet, plane.sheet_height());
        let cell = |at: f64, [low, high]: [f64; 2], count: usize| {
            let place = (at - low) / (high - low) * count as f64;
            (0.0..count as f64).contains(&place).then_some(place as usize)
        };
        paint(&mut canvas, &plane.panel, |place| {
            let [at_x, at_y] = plane.point(place);
            let (column, row) = (cell(at_x, x, self.x.values.len())?, cell(at_y, y, self.y.values.len())?);
            let level = self.level_db[row * self.x.values.len() + column];
            is_level(level).then(|| colour(scale.part(level)))
        });
        plane.axes(&mut canvas, self.title, sheet, [self.x.label, self.y.label], 1.0)?;
        scale.bar(&mut canvas, &bar, sheet - LABEL)?;
        Ok(canvas)
    }
}

/// Both sides as long as a sheet has room for.
fn filled([left, right]: [f64; 2], [bottom, top]: [f64; 2]) -> Plane {
    let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
    Plane { panel, x: panel.horizontal(left, right, false), y: panel.vertical(top, bottom) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::raster::{HATCH, NO_DATA};

    const X: [f64; 4] = [0.0, 10.0, 20.0, 30.0];
    const Y: [f64; 2] = [80.0, 100.0];

    fn figure<'a>(x: &'a [f64], level_db: &'a [f64], range_db: f64, in_proportion: bool) -> Figure<'a> {
        let (x, y) = (Side { label: "phi", values: x }, Side { label: "theta", values: &Y });
        Figure { title: "test", x, y, level_db, label: "dBsm", highest_db: -1.0, range_db, in_proportion }
    }

    #[test]
    fn cells_have_the_colours_of_their_levels() {
        let mut levels = [-8.0, -7.0, -6.0, -5.0, -4.0, -3.0, -2.0, -1.0];
        levels[2] = f64::NAN;
        levels[3] = f64::NEG_INFINITY;
        for in_proportion in [false, true] {
            let figure = figure(&X, &levels, 10.0, in_proportion);
            let canvas = figure.draw().unwrap();
            let (x, y) = (figure.x.ends("x").unwrap(), figure.y.ends("y").unwrap());
            let plane = if in_proportion { Plane::new(FIGURE, x, y).unwrap() } else { filled(x, y) };
            let pixel = |x, y| {
                let (x, y) = plane.pixel([x, y]);
                canvas.pixel(x as i32, y as i32)
            };
            // Colours span -11 to -1 dB; the second row stands above.
            assert_eq!(pixel(0.0, 80.0), colour(0.3));
            assert_eq!(pixel(33.0, 105.0), colour(1.0));
            assert_eq!(pixel(30.0, 80.0), colour(0.0));
            assert!([HATCH, NO_DATA].contains(&pixel(20.0, 80.0)));
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |x: &[f64], levels: &[f64], range_db| figure(x, levels, range_db, false).draw().err();
        assert!(draw(&X, &[1.0; 8], 30.0).is_none());
        assert!(matches!(draw(&X[..1], &[1.0; 2], 30.0), Some(Error::Axis { name: "x", at: 0, .. })));
        assert!(matches!(draw(&[0.0, 0.0], &[1.0; 4], 30.0), Some(Error::Axis { name: "x", at: 0, .. })));
        assert!(matches!(
            draw(&[0.0, 1.0, 3.0], &[1.0; 6], 30.0),
            Some(Error::Axis { name: "x", at: 1, .. })
        ));
        assert!(matches!(draw(&[0.0, f64::NAN], &[1.0; 4], 30.0), Some(Error::Axis { name: "x", .. })));
        assert!(matches!(draw(&[1.0, 0.0], &[1.0; 4], 30.0), Some(Error::Axis { name: "x", .. })));
        assert!(matches!(draw(&X, &[1.0; 7], 30.0), Some(Error::Length { found: 7, expected: 8, .. })));
        assert!(draw(&X, &[f64::NAN; 8], 30.0).is_none());
        let figure = Figure { highest_db: f64::NEG_INFINITY, ..figure(&X, &[1.0; 8], 30.0, true) };
        assert!(matches!(figure.draw().err(), Some(Error::Axis { name: "highest level", .. })));
        assert!(matches!(draw(&X, &[1.0; 8], f64::NAN), Some(Error::Axis { name: "range", .. })));
    }
}
