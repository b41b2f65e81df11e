//! A surface of triangles as one sees it from afar, in true proportion, each triangle in the colour of its level.
//!
//! Coordinates are metres to the right, up and towards the eye; what lies nearer hides what lies behind it. Colours span [`Figure::range_db`] down from
//! [`Figure::highest_db`]; levels beyond them take the nearest colour. Triangles without a level are grey, the darker the more they are turned away. Borders are drawn between
//! triangles of different sides, and between all where there is room for that.

use numerics::real::ends;
use plotters::style::RGBColor;

use super::canvas::{Canvas, LABEL};
use super::colour_map::colour;
use super::error::{fault, same_length};
use super::panel::Panel;
use super::plane::Plane;
use super::raster::Scale;
use super::{Error, Result};

const FIGURE: &str = "surface";

/// Samples along a side of a pixel.
const FINE: i32 = 2;
/// Part of the longer side that is left free around the surface.
const BORDER: f64 = 0.06;
/// Greys of triangles without a level: seen from the front, and along the surface.
const FRONT: f64 = 222.0;
const ALONG: f64 = 120.0;
/// Normals of neighbours whose product is below this have a border between them.
const FOLD: f64 = 0.9;
/// Mean samples of a triangle that has a border all round.
const ROOM: usize = 400;
/// How dark borders are.
const LINE: f64 = 0.35;

/// A surface.
#[derive(Clone, Copy, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// To the right, up and towards the eye, m.
    pub vertices: &'a [[f64; 3]],
    /// Three vertices each.
    pub triangles: &'a [[u32; 3]],
    /// dB, one for each triangle; what is not finite is no level.
    pub level_db: &'a [f64],
    /// What the colours are.
    pub label: &'a str,
    /// What the axes are, without the unit.
    pub axes: [&'a str; 2],
    /// Level of the highest colour, dB.
    pub highest_db: f64,
    /// Decibels that the colours span.
    pub range_db: f64,
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        self.check()?;
        let scale = Scale::down_from(FIGURE, self.highest_db, self.range_db, self.label)?;
        let plane = self.plane()?;
        let mut seen = Seen::new(&plane.panel);
        for index in 0..self.triangles.len() {
            let in_samples = |[x, y, z]: [f64; 3]| {
                let ((px, py), fine) = (plane.pixel([x, y]), f64::from(FINE));
                [fine * (px - f64::from(plane.panel.x)), fine * (py - f64::from(plane.panel.y)), z]
            };
            seen.cover(self.corners(index).map(in_samples), index as u32);
        }
        let (bar, sheet) = plane.bar();
        let mut canvas = Canvas::new(sheet, plane.sheet_height());
        self.paint(&mut canvas, &plane.panel, &seen, &scale);
        let labels = self.axes.map(|axis| format!("{axis} (m)"));
        plane.axes(&mut canvas, self.title, sheet, [&labels[0], &labels[1]], 1.0)?;
        scale.bar(&mut canvas, &bar, sheet - LABEL)?;
        Ok(canvas)
    }

    fn check(&self) -> Result<()> {
        if self.triangles.is_empty() {
            return Err(Error::Empty(FIGURE));
        }
        same_length(FIGURE, self.level_db.len(), self.triangles.len())?;
        let known = |triangle: &[u32; 3]| triangle.iter().all(|v| (*v as usize) < self.vertices.len());
        if let Some(at) = self.triangles.iter().position(|triangle| !known(triangle)) {
            let (count, expected) = (self.vertices.len() as f64, "a triangle has one that is not there");
            return fault(FIGURE, "vertices", count, at, expected);
        }
        match self.vertices.iter().flatten().position(|x| !x.is_finite()) {
            Some(at) => fault(FIGURE, "coordinate", f64::NAN, at / 3, "it must be finite"),
            None => Ok(()),
        }
    }

    /// All of the surface with some room around it.
    fn plane(&self) -> Result<Plane> {
        let corners = || (0..self.triangles.len()).flat_map(|index| self.corners(index));
        let [x, y] = [0, 1].map(|axis: usize| ends(corners().map(|corner| corner[axis])));
        let room = BORDER * (x[1] - x[0]).max(y[1] - y[0]);
        let wider = |[low, high]: [f64; 2]| [low - room, high + room];
        Plane::new(FIGURE, wider(x), wider(y))
    }

    fn corners(&self, index: usize) -> [[f64; 3]; 3] {
        self.triangles[index].map(|vertex| self.vertices[vertex as usize])
    }

    /// Unit normal, on the side of the eye.
    fn normal(&self, index: u32) -> [f64; 3] {
        let [a, b, c] = self.corners(index as usize);
        let (u, v) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
        let n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let length = n.iter().map(|x| x * x).sum::<f64>().sqrt().copysign(n[2]);
        if length == 0.0 { [0.0; 3] } else { n.map(|x| x / length) }
    }

    fn paint(&self, canvas: &mut Canvas, panel: &Panel, seen: &Seen, scale: &Scale) {
        let (covered, different) = seen.counts();
        let roomy = covered >= ROOM * different;
        let fine = || (0..FINE).flat_map(|y| (0..FINE).map(move |x| (x, y)));
        for (y, x) in (0..panel.height).flat_map(|y| (0..panel.width).map(move |x| (y, x))) {
            let mut sum = [0.0; 3];
            for (dx, dy) in fine() {
                let colour = self.sample(seen, (x * FINE + dx, y * FINE + dy), roomy, scale);
                sum.iter_mut().zip(colour).for_each(|(sum, colour)| *sum += colour);
            }
            let [r, g, b] = sum.map(|sum| (sum / f64::from(FINE * FINE)).round() as u8);
            canvas.shade(panel.x + x, panel.y + y, RGBColor(r, g, b), 1.0);
        }
    }

    /// The colour of a sample, white where there is nothing.
    fn sample(&self, seen: &Seen, (x, y): (i32, i32), roomy: bool, scale: &Scale) -> [f64; 3] {
        let Some(triangle) = seen.at(x, y) else { return [255.0; 3] };
        let borders = |other: Option<u32>| match other {
            Some(other) => other != triangle && (roomy || self.folds(triangle, other)),
            None => true,
        };
        let dark = if borders(seen.at(x + 1, y)) || borders(seen.at(x, y + 1)) { LINE } else { 1.0 };
        self.shade(triangle, scale).map(|colour| colour * dark)
    }

    /// Red, green and blue of a triangle.
    fn shade(&self, triangle: u32, scale: &Scale) -> [f64; 3] {
        let level = self.level_db[triangle as usize];
        if level.is_finite() {
            let RGBColor(r, g, b) = colour(scale.part(level));
            return [r, g, b].map(f64::from);
        }
        [ALONG + (FRONT - ALONG) * self.normal(triangle)[2]; 3]
    }

    fn folds(&self, one: u32, other: u32) -> bool {
        let (a, b) = (self.normal(one), self.normal(other));
        a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < FOLD
    }
}

/// Which triangle every sample of a panel sees.
struct Seen {
    width: i32,
    height: i32,
    /// Distance towards the eye and number of a triangle.
    nearest: Vec<(f32, u32)>,
}

/// No triangle.
const NOTHING: u32 = u32::MAX;

impl Seen {
    fn new(panel: &Panel) -> Self {
        let (width, height) = (panel.width * FINE, panel.height * FINE);
        let nearest = vec![(f32::NEG_INFINITY, NOTHING); (width * height) as usize];
        Self { width, height, nearest }
    }

    fn at(&self, x: i32, y: i32) -> Option<u32> {
        let inside = (0..self.width).contains(&x) && (0..self.height).contains(&y);
        inside.then(|| self.nearest[(y * self.width + x) as usize].1).filter(|triangle| *triangle != NOTHING)
    }

    /// Offers a triangle to all samples whose middle it covers; corners in samples, and towards the eye.
    fn cover(&mut self, [a, b, c]: [[f64; 3]; 3], triangle: u32) {
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        if area == 0.0 {
            return;
        }
        let range = |axis: usize, limit: i32| {
            let [low, high] = ends([a[axis], b[axis], c[axis]]);
            let inside = |x: f64| x.clamp(0.0, f64::from(limit)) as i32;
            inside((low - 0.5).ceil())..inside((high - 0.5).floor() + 1.0)
        };
        for y in range(1, self.height) {
            for x in range(0, self.width) {
                let (px, py) = (f64::from(x) + 0.5, f64::from(y) + 0.5);
                let edge =
                    |p: [f64; 3], q: [f64; 3]| (q[0] - p[0]) * (py - p[1]) - (q[1] - p[1]) * (px - p[0]);
                let weights = [edge(b, c), edge(c, a), edge(a, b)].map(|weight| weight / area);
                if weights.iter().all(|weight| *weight >= 0.0) {
                    let depth = (weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2]) as f32;
                    let nearest = &mut self.nearest[(y * self.width + x) as usize];
                    if depth > nearest.0 {
                        *nearest = (depth, triangle);
                    }
                }
            }
        }
    }

    /// Samples that see something, and different triangles that they see.
    fn counts(&self) -> (usize, usize) {
        let mut seen: Vec<u32> =
            self.nearest.iter().map(|(_, triangle)| *triangle).filter(|t| *t != NOTHING).collect();
        let covered = seen.len();
        seen.sort_unstable();
        seen.dedup();
        (covered, seen.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square at depth 0 and a smaller triangle before its middle.
    const VERTICES: [[f64; 3]; 7] = [
        [-1.0, -1.0, 0.0],
        [1.0, -1.0, 0.0],
        [1.0, 1.0, 0.0],
        [-1.0, 1.0, 0.0],
        [-0.5, -0.5, 1.0],
        [0.5, -0.5, 1.0],
        [0.0, 0.5, 1.0],
    ];
    const TRIANGLES: [[u32; 3]; 3] = [[4, 5, 6], [0, 1, 2], [0, 2, 3]];

    fn figure<'a>(vertices: &'a [[f64; 3]], triangles: &'a [[u32; 3]], level_db: &'a [f64]) -> Figure<'a> {
        let (label, axes) = ("dBsm", ["right", "up"]);
        Figure { title: "test", vertices, triangles, level_db, label, axes, highest_db: -3.0, range_db: 40.0 }
    }

    #[test]
    fn what_is_nearer_is_seen_and_what_has_no_level_is_grey() {
        let levels = [-20.0, f64::NEG_INFINITY, -3.0];
        let figure = figure(&VERTICES, &TRIANGLES, &levels);
        let canvas = figure.draw().unwrap();
        let plane = figure.plane().unwrap();
        let pixel = |x, y| {
            let (x, y) = plane.pixel([x, y]);
            canvas.pixel(x as i32, y as i32)
        };
        // Colours span -43 to -3 dB.
        assert_eq!(pixel(0.0, 0.0), colour(23.0 / 40.0));
        assert_eq!(pixel(-0.9, 0.8), colour(1.0));
        assert_eq!(pixel(0.9, -0.8), RGBColor(FRONT as u8, FRONT as u8, FRONT as u8));
        assert_eq!(pixel(1.05, 0.0), RGBColor(255, 255, 255));
        // The border between the halves of the square is drawn: both are large.
        let dark = (0..9).any(|i| pixel(0.8 + 0.001 * f64::from(i), 0.804) != pixel(-0.9, 0.8));
        assert!(dark);
    }

    #[test]
    fn nonsense_is_refused() {
        let draw = |vertices: &[[f64; 3]], triangles: &[[u32; 3]], levels: &[f64]| {
            figure(vertices, triangles, levels).draw().err()
        };
        assert!(draw(&VERTICES, &TRIANGLES, &[1.0; 3]).is_none());
        assert!(matches!(draw(&VERTICES, &[], &[]), Some(Error::Empty { .. })));
        assert!(matches!(
            draw(&VERTICES, &TRIANGLES, &[1.0]),
            Some(Error::Length { found: 1, expected: 3, .. })
        ));
        assert!(draw(&VERTICES, &TRIANGLES, &[f64::NAN; 3]).is_none());
        assert!(matches!(
            draw(&VERTICES[..6], &TRIANGLES, &[1.0; 3]),
            Some(Error::Axis { name: "vertices", at: 0, .. })
        ));
        let mut wrong = VERTICES;
        wrong[2][1] = f64::INFINITY;
        assert!(matches!(
            draw(&wrong, &TRIANGLES, &[1.0; 3]),
            Some(Error::Axis { name: "coordinate", at: 2, .. })
        ));
        let point = [[0.0; 3]; 3];
        assert!(matches!(draw(&point, &[[0, 1, 2]], &[1.0]), Some(Error::Axis { name: "range of x", .. })));
    }
}
