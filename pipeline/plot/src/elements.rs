//! The elements of an array: where they are, and their phases, in true proportion.
//!
//! x to the right and y up, in metres. Phases are squares on a cyclic map; positions without phases are dots. Where distances of neighbours have limits, lines between neighbours
//! have the colour of their length, from the least to the greatest allowed.

use super::canvas::{Canvas, LABEL};
use super::colour_map::{colour, cyclic};
use super::error::{all_finite, ends, fault, same_length};
use super::plane::Plane;
use super::raster::Scale;
use super::{Error, Result};
use plotters::style::RGBColor;

const FIGURE: &str = "elements";

/// Most elements.
const MOST: usize = 1 << 20;
const DOT: RGBColor = RGBColor(30, 80, 160);

/// Elements with or without phases.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// m.
    pub x: &'a [f64],
    /// m.
    pub y: &'a [f64],
    /// rad; whole turns do not count.
    pub phase: Option<&'a [f64]>,
    /// Distance of neighbours, about, m.
    pub pitch: f64,
    /// Lines between neighbours.
    pub links: Option<Links>,
}

/// What lines between neighbours mean.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    /// Elements of a row.
    pub columns: usize,
    /// Least and greatest distance, m.
    pub limits: [f64; 2],
    /// Numbers count this, m.
    pub wavelength: f64,
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        self.check()?;
        let sides = |values: &[f64]| -> Result<[f64; 2]> {
            let [low, high] = ends(FIGURE, values.iter().copied())?;
            Ok([low - self.pitch, high + self.pitch])
        };
        let plane = Plane::new(FIGURE, sides(self.x)?, sides(self.y)?)?;
        let cell = plane.length(self.pitch);
        let (bar, with_bar) = plane.bar();
        let barred = self.phase.is_some() || self.links.is_some();
        let sheet = if barred { with_bar } else { plane.right() + LABEL };
        let mut canvas = Canvas::new(sheet, plane.sheet_height());
        let places = || self.x.iter().zip(self.y).map(|(x, y)| [*x, *y]);
        match self.phase {
            Some(phases) => {
                for (place, phase) in places().zip(phases) {
                    plane.square(&mut canvas, place, 0.92 * cell, cyclic(phase / std::f64::consts::TAU));
                }
                Scale::phase().bar(&mut canvas, &bar, sheet - LABEL)?;
            }
            None => {
                if let Some(links) = &self.links {
                    self.lines(&mut canvas, &plane, links);
                    links.scale().bar(&mut canvas, &bar, sheet - LABEL)?;
                }
                places().for_each(|place| plane.disc(&mut canvas, place, (0.22 * cell).clamp(1.0, 12.0), DOT))
            }
        }
        plane.axes(&mut canvas, self.title, sheet, ["x (m)", "y (m)"], 1.0)?;
        Ok(canvas)
    }

    /// Lines to the right and upwards of every element.
    fn lines(&self, canvas: &mut Canvas, plane: &Plane, links: &Links) {
        let scale = links.scale();
        let width = (0.09 * plane.length(self.pitch)).clamp(1.0, 4.0);
        let place = |at: usize| [self.x[at], self.y[at]];
        for at in 0..self.x.len() {
            let right = ((at + 1) % links.columns != 0).then_some(at + 1);
            for to in right.into_iter().chain([at + links.columns]).filter(|to| *to < self.x.len()) {
                let (a, b) = (place(at), place(to));
                let length = (a[0] - b[0]).hypot(a[1] - b[1]);
                plane.stroke(canvas, a, b, width, colour(scale.part(length)));
            }
        }
    }

    fn check(&self) -> Result<()> {
        let count = self.x.len();
        if count == 0 {
            return Err(Error::Empty(FIGURE));
        }
        if count > MOST {
            return fault(FIGURE, "number of elements", count as f64, 0, "at most 1048576 are drawn");
        }
        for (name, values) in [("x", Some(self.x)), ("y", Some(self.y)), ("phase", self.phase)] {
            let Some(values) = values else { continue };
            same_length(FIGURE, values.len(), count)?;
            all_finite(FIGURE, name, values)?;
        }
        if let Some(Links { columns, limits: [least, greatest], wavelength }) = self.links {
            if columns == 0 {
                return fault(FIGURE, "elements of a row", 0.0, 0, "there must be one at least");
            }
            if !(least < greatest && greatest.is_finite() && wavelength > 0.0 && wavelength.is_finite()) {
                let expected = "limits must rise, and the wavelength be above 0 m";
                return fault(FIGURE, "limit of distances", least, 0, expected);
            }
        }
        if self.pitch > 0.0 && self.pitch.is_finite() {
            Ok(())
        } else {
            fault(FIGURE, "pitch", self.pitch, 0, "it must be finite and above 0 m")
        }
    }
}

impl Links {
    fn scale(&self) -> Scale {
        let (label, [low, high]) = ("distance of neighbours (wavelengths)".into(), self.limits);
        Scale { low, high, unit: self.wavelength, step: None, label, colour }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::style::WHITE;

    const X: [f64; 4] = [-0.1, 0.1, -0.1, 0.1];
    const Y: [f64; 4] = [-0.1, -0.1, 0.1, 0.1];

    #[test]
    fn phases_have_their_colours_with_y_up() {
        let phase = [0.0, 1.0, 2.0, 3.0 + std::f64::consts::TAU];
        let figure = Figure { title: "test", x: &X, y: &Y, phase: Some(&phase), pitch: 0.2, links: None };
        let canvas = figure.draw().unwrap();
        let plane = Plane::new(FIGURE, [-0.3, 0.3], [-0.3, 0.3]).unwrap();
        for at in 0..4 {
            let (x, y) = plane.pixel([X[at], Y[at]]);
            assert_eq!(canvas.pixel(x as i32, y as i32), cyclic(phase[at] / std::f64::consts::TAU), "{at}");
        }
        let dots = Figure { phase: None, ..figure }.draw().unwrap();
        let (x, y) = plane.pixel([0.1, 0.1]);
        assert_eq!(dots.pixel(x as i32, y as i32), DOT);
        assert!(y < plane.pixel([0.1, -0.1]).1);
        let links = Links { columns: 2, limits: [0.1, 0.3], wavelength: 0.4 };
        let linked = Figure { phase: None, links: Some(links), ..figure }.draw().unwrap();
        // All neighbours are half way between the limits, and the middle has none.
        for (point, expected) in [([0.0, 0.1], colour(0.5)), ([-0.1, 0.0], colour(0.5)), ([0.0, 0.0], WHITE)]
        {
            let (x, y) = plane.pixel(point);
            assert_eq!(linked.pixel(x as i32, y as i32), expected, "{point:?}");
        }
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |x: &[f64], y: &[f64], phase: Option<&[f64]>, pitch| {
            Figure { title: "", x, y, phase, pitch, links: None }.draw().err()
        };
        assert!(matches!(draw(&[], &[], None, 1.0), Some(Error::Empty { .. })));
        assert!(matches!(draw(&X, &Y[1..], None, 1.0), Some(Error::Length { found: 3, expected: 4, .. })));
        assert!(matches!(draw(&X, &Y, Some(&[f64::NAN; 4]), 1.0), Some(Error::Axis { name: "phase", .. })));
        assert!(matches!(draw(&[f64::INFINITY; 4], &Y, None, 1.0), Some(Error::Axis { name: "x", .. })));
        assert!(matches!(draw(&X, &Y, None, 0.0), Some(Error::Axis { name: "pitch", .. })));
        assert!(draw(&[0.0], &[0.0], Some(&[1.0]), 0.01).is_none());
        let linked = |columns, limits, wavelength| {
            let links = Some(Links { columns, limits, wavelength });
            Figure { title: "", x: &X, y: &Y, phase: None, pitch: 0.2, links }.draw().err()
        };
        assert!(linked(2, [0.1, 0.3], 0.4).is_none());
        assert!(matches!(linked(0, [0.1, 0.3], 0.4), Some(Error::Axis { name: "elements of a row", .. })));
        for (limits, wavelength) in [([0.3, 0.1], 0.4), ([0.1, f64::NAN], 0.4), ([0.1, 0.3], 0.0)] {
            assert!(matches!(
                linked(2, limits, wavelength),
                Some(Error::Axis { name: "limit of distances", .. })
            ));
        }
    }
}
