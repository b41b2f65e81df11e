//! Levels over direction, as a polar diagram: 0 degrees to the right, angles counter-clockwise.
//!
//! The rim is the highest level, rounded up to whole tens of decibels; the middle lies [`Figure::range_db`] below it, and lower levels end there.

use plotters::style::RGBColor;

use super::canvas::{Canvas, GRID, Place, TICK};
use super::error::{all_finite, ends, good_range, same_length};
use super::plane::{Plane, TOP};
use super::{Error, Result};

const FIGURE: &str = "polar diagram";
const CURVE: RGBColor = RGBColor(30, 80, 160);
/// Radius of the names of directions, that of the rim being 1.
const NAMES: f64 = 1.09;
/// Half of the plane's side.
const HALF: f64 = 1.18;
const RIGHT: i32 = 80;
const BOTTOM: i32 = 60;

/// A diagram.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// Directions, degrees.
    pub degrees: &'a [f64],
    /// One for each, dB; what is not finite ends in the middle.
    pub level_db: &'a [f64],
    /// Decibels from the middle to the rim.
    pub range_db: f64,
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        let high = self.check()?;
        let plane = Plane::new(FIGURE, [-HALF, HALF], [-HALF, HALF])?;
        let sheet = plane.right() + RIGHT;
        let mut canvas = Canvas::new(sheet, TOP + plane.panel.height + BOTTOM);
        canvas.title(self.title, super::canvas::TITLE, (sheet / 2, TOP / 2), sheet)?;
        let step = if self.range_db > 40.0 { 20.0 } else { 10.0 };
        for degrees in (0..360).step_by(30) {
            plane.stroke(&mut canvas, [0.0; 2], place(f64::from(degrees), 1.0), 1.0, GRID);
            let (x, y) = plane.pixel(place(f64::from(degrees), NAMES));
            canvas.text(&format!("{degrees}\u{b0}"), TICK, (x as i32, y as i32), Place::Centre)?;
        }
        let rings = (self.range_db / step) as i32;
        for ring in 0..rings {
            let radius = 1.0 - f64::from(ring) * step / self.range_db;
            let circle: Vec<[f64; 2]> = (0..360).map(|degrees| place(f64::from(degrees), radius)).collect();
            plane.ring(&mut canvas, &circle, 1.0, GRID);
        }
        let radius = |level: f64| {
            if level.is_finite() { ((level - high) / self.range_db + 1.0).clamp(0.0, 1.0) } else { 0.0 }
        };
        let levels = self.degrees.iter().zip(self.level_db);
        let points: Vec<[f64; 2]> = levels.map(|(degrees, level)| place(*degrees, radius(*level))).collect();
        for pair in points.windows(2) {
            plane.stroke(&mut canvas, pair[0], pair[1], 1.5, CURVE);
        }
        if self.is_round() {
            plane.stroke(&mut canvas, points[points.len() - 1], points[0], 1.5, CURVE);
        }
        for ring in 0..rings {
            let (x, y) = plane.pixel(place(75.0, 1.0 - f64::from(ring) * step / self.range_db));
            let level = format!("{} dB", high - f64::from(ring) * step);
            canvas.text(&level, TICK, (x as i32, y as i32), Place::Centre)?;
        }
        Ok(canvas)
    }

    /// Whether the last direction is one step before the first.
    fn is_round(&self) -> bool {
        let [first, second, .., last] = *self.degrees else { return false };
        (first + 360.0 - last - (second - first)).abs() < 1e-6
    }

    /// The highest level, rounded up.
    fn check(&self) -> Result<f64> {
        same_length(FIGURE, self.level_db.len(), self.degrees.len())?;
        if self.degrees.len() < 2 {
            return Err(Error::Empty(FIGURE));
        }
        good_range(FIGURE, self.range_db)?;
        all_finite(FIGURE, "direction", self.degrees)?;
        let [_, high] = ends(FIGURE, self.level_db.iter().copied())?;
        Ok((0.1 * high).ceil() * 10.0)
    }
}

/// A point of the unit disc.
fn place(degrees: f64, radius: f64) -> [f64; 2] {
    let (sin, cos) = degrees.to_radians().sin_cos();
    [radius * cos, radius * sin]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_lies_at_its_levels() {
        let degrees: Vec<f64> = (0..360).map(f64::from).collect();
        let level_db = vec![-15.0; 360];
        let figure = Figure { title: "test", degrees: &degrees, level_db: &level_db, range_db: 40.0 };
        let canvas = figure.draw().unwrap();
        // Rim at -10 dB; -15 dB lies at 7/8 of the radius.
        let plane = Plane::new(FIGURE, [-HALF, HALF], [-HALF, HALF]).unwrap();
        for angle in [10.0, 100.0, 200.0, 359.5] {
            let (x, y) = plane.pixel(place(angle, 0.875));
            assert_eq!(canvas.pixel(x as i32, y as i32), CURVE, "{angle}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let figure = Figure { title: "", degrees: &[0.0, 1.0], level_db: &[0.0, 0.0], range_db: 40.0 };
        assert!(figure.draw().is_ok());
        assert!(matches!(Figure { degrees: &[0.0], ..figure }.draw(), Err(Error::Length { .. })));
        assert!(matches!(
            Figure { level_db: &[f64::NAN; 2], ..figure }.draw(),
            Err(Error::NothingFinite { .. })
        ));
        assert!(matches!(Figure { range_db: 0.0, ..figure }.draw(), Err(Error::Axis { .. })));
    }
}
