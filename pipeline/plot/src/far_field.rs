//! The directivity over directions, with contours and the outlines of coverages, in true proportion.
//!
//! u to the right and v up. Colours span [`Figure::range_db`] down from the highest value, rounded up to a whole decibel; contours are black lines with their levels on them, marked on the
//! colour bar; outlines are red with a white rim.

use plotters::style::{BLACK, RGBColor, WHITE};

use super::canvas::{Canvas, LABEL, Place, text_width};
use super::colour_map::colour;
use super::contour::Field;
use super::error::{ends, fault, same_length};
use super::plane::Plane;
use super::raster::{Scale, paint};
use super::{Error, Result};

const FIGURE: &str = "far field";

/// Most directions along a side.
const MOST: usize = 4096;
const OUTLINE: RGBColor = RGBColor(225, 30, 30);
/// Type of the numbers on contours, and pixels between them that are far enough.
const NUMBER: i32 = 26;
const FAR_LABEL: f64 = 200.0;

/// A map of directivity.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// u of the columns; rising in equal steps.
    pub u: &'a [f64],
    /// v of the rows; rising in equal steps.
    pub v: &'a [f64],
    /// dBi, `[v][u]`; what is no number is hatched.
    pub directivity_dbi: &'a [f64],
    /// Levels of the contours, dBi.
    pub contours: &'a [f64],
    /// Coverages: closed outlines in u and v.
    pub outlines: &'a [&'a [[f64; 2]]],
    /// Decibels that the colours span.
    pub range_db: f64,
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        let field = self.field()?;
        let sides = |axis: &[f64], step: f64| [axis[0] - 0.5 * step, axis[axis.len() - 1] + 0.5 * step];
        let plane = Plane::new(FIGURE, sides(self.u, field.x[1]), sides(self.v, field.y[1]))?;
        let [_, highest] = ends(FIGURE, self.directivity_dbi.iter().copied())?;
        let scale = Scale::down_from(FIGURE, highest.ceil(), self.range_db, "directivity (dBi)")?;
        let (bar, sheet) = plane.bar();
        let mut canvas = Canvas::new(sheet, plane.sheet_height());
        paint(&mut canvas, &plane.panel, |place| {
            let value = bilinear(&field, plane.point(place))?;
            Some(colour(scale.part(value)))
        });
        for &level in self.contours {
            for [a, b] in field.contour(level) {
                plane.stroke(&mut canvas, a, b, 1.2, BLACK);
            }
        }
        for outline in self.outlines {
            plane.ring(&mut canvas, outline, 5.0, WHITE);
        }
        for outline in self.outlines {
            plane.ring(&mut canvas, outline, 3.0, OUTLINE);
        }
        self.levels(&mut canvas, &plane, &field)?;
        plane.axes(&mut canvas, self.title, sheet, ["u", "v"], 1.0)?;
        scale.bar(&mut canvas, &bar, sheet - LABEL)?;
        let axis = bar.vertical(scale.high, scale.low);
        for &level in self.contours.iter().filter(|level| (scale.low..scale.high).contains(*level)) {
            canvas.fill((bar.x, axis.pixel(level) as i32 - 1), (bar.width, 3), BLACK);
        }
        Ok(canvas)
    }

    /// A number on every contour, as far from the others and from the frame as it goes.
    fn levels(&self, canvas: &mut Canvas, plane: &Plane, field: &Field<'_>) -> Result<()> {
        let mut placed: Vec<(f64, f64)> = Vec::new();
        // High levels are the shortest lines: they choose first.
        let mut order: Vec<f64> = self.contours.to_vec();
        order.sort_by(|a, b| b.total_cmp(a));
        for level in order {
            let text = if level.fract() == 0.0 { format!("{level:.0}") } else { format!("{level:.1}") };
            let (width, height) = (text_width(&text, NUMBER)? + 10, NUMBER * 7 / 8);
            let panel = &plane.panel;
            let room = |(x, y): &(f64, f64)| {
                let edge = (x - f64::from(panel.x)).min(f64::from(panel.x + panel.width) - x);
                let side = (y - f64::from(panel.y)).min(f64::from(panel.y + panel.height) - y);
                let others = placed.iter().map(|(a, b)| (x - a).hypot(y - b)).fold(FAR_LABEL, f64::min);
                others.min(edge - 0.5 * f64::from(width)).min(side - 0.5 * f64::from(height))
            };
            let middles = field
                .contour(level)
                .into_iter()
                .map(|[a, b]| plane.pixel([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]));
            let best = middles.map(|point| (room(&point), point)).max_by(|a, b| a.0.total_cmp(&b.0));
            let Some((_, (x, y))) = best.filter(|(room, _)| *room > f64::from(width)) else { continue };
            placed.push((x, y));
            let (x, y) = (x as i32, y as i32);
            canvas.fill((x - width / 2, y - height / 2), (width, height), WHITE);
            canvas.text(&text, NUMBER, (x, y), Place::Centre)?;
        }
        Ok(())
    }

    /// Checked values on their grid.
    fn field(&self) -> Result<Field<'_>> {
        let (cols, rows) = (self.u.len(), self.v.len());
        if cols < 2 || rows < 2 {
            return Err(Error::Empty(FIGURE));
        }
        for (at, count) in [cols, rows].into_iter().enumerate() {
            if count > MOST {
                return fault(
                    FIGURE,
                    "side of the grid",
                    count as f64,
                    at,
                    "at most 4096 directions are drawn",
                );
            }
        }
        same_length(FIGURE, self.directivity_dbi.len(), cols * rows)?;
        let [x, y] = [("u", self.u), ("v", self.v)].map(|(name, axis)| {
            let step = (axis[axis.len() - 1] - axis[0]) / (axis.len() - 1) as f64;
            let even = |at: &usize| (axis[*at] - axis[0] - *at as f64 * step).abs() <= 1e-6 * step;
            match (0..axis.len()).find(|at| !even(at)) {
                Some(at) => fault(FIGURE, name, axis[at], at, "it must rise in equal steps"),
                None => Ok([axis[0], step]),
            }
        });
        Ok(Field { cols, values: self.directivity_dbi, x: x?, y: y? })
    }
}

/// The value between the four nearest directions; none where one of them has none.
fn bilinear(field: &Field<'_>, point: [f64; 2]) -> Option<f64> {
    let rows = field.values.len() / field.cols;
    let along = |at: f64, [first, step]: [f64; 2], count: usize| {
        let place = ((at - first) / step).clamp(0.0, (count - 1) as f64);
        let low = (place as usize).min(count - 2);
        (low, place - low as f64)
    };
    let ((col, s), (row, t)) = (along(point[0], field.x, field.cols), along(point[1], field.y, rows));
    let at = |c: usize, r: usize| field.values[r * field.cols + c];
    let low = at(col, row) * (1.0 - s) + at(col + 1, row) * s;
    let high = at(col, row + 1) * (1.0 - s) + at(col + 1, row + 1) * s;
    let value = low * (1.0 - t) + high * t;
    // Minus infinity times zero is no number: a null is the lowest colour.
    let nothing =
        [at(col, row), at(col + 1, row), at(col, row + 1), at(col + 1, row + 1)].iter().any(|v| v.is_nan());
    (!nothing).then(|| if value.is_nan() { f64::NEG_INFINITY } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(count: usize, reach: f64) -> Vec<f64> {
        (0..count).map(|i| reach * (2.0 * i as f64 / (count - 1) as f64 - 1.0)).collect()
    }

    #[test]
    fn colours_lie_where_the_values_are() {
        let (u, v) = (axis(41, 0.2), axis(21, 0.1));
        // Rises with v: high values stand above.
        let values: Vec<f64> = v.iter().flat_map(|v| vec![200.0 * v; 41]).collect();
        let square = [[-0.05, -0.05], [0.05, -0.05], [0.05, 0.05], [-0.05, 0.05]];
        let figure = Figure {
            title: "test",
            u: &u,
            v: &v,
            directivity_dbi: &values,
            contours: &[10.0],
            outlines: &[&square],
            range_db: 40.0,
        };
        let canvas = figure.draw().unwrap();
        let plane = Plane::new(FIGURE, [-0.205, 0.205], [-0.105, 0.105]).unwrap();
        let pixel = |point| {
            let (x, y) = plane.pixel(point);
            canvas.pixel(x as i32, y as i32)
        };
        assert_eq!(pixel([0.0, -0.05]), OUTLINE);
        // The number hides a piece of it.
        let dark = (0..40).filter(|i| pixel([-0.19 + 0.002 * f64::from(*i), 0.05]) == BLACK).count();
        assert!(dark > 20, "{dark} of the contour at 10 dBi");
        let RGBColor(high, ..) = pixel([0.15, 0.09]);
        let RGBColor(low, ..) = pixel([0.15, -0.09]);
        assert!(high > low + 100, "{high} {low}");
    }

    #[test]
    fn nonsense_is_refused() {
        let (u, v) = (axis(5, 0.2), axis(5, 0.2));
        let values = vec![1.0; 25];
        let figure = |u: &[f64], values: &[f64], range_db: f64| {
            Figure { title: "", u, v: &v, directivity_dbi: values, contours: &[], outlines: &[], range_db }
                .draw()
                .err()
        };
        assert!(figure(&u, &values, 30.0).is_none());
        assert!(matches!(figure(&u[..1], &values, 30.0), Some(Error::Empty { .. })));
        assert!(matches!(figure(&u, &values[1..], 30.0), Some(Error::Length { .. })));
        assert!(matches!(figure(&u, &[f64::NAN; 25], 30.0), Some(Error::NothingFinite { .. })));
        assert!(matches!(figure(&u, &values, 0.0), Some(Error::Axis { name: "range", .. })));
        let crooked = [0.0, 1.0, 2.0, 3.5, 4.0];
        assert!(matches!(figure(&crooked, &values, 30.0), Some(Error::Axis { name: "u", at: 3, .. })));
        assert!(matches!(figure(&[0.0; 5], &values, 30.0), Some(Error::Axis { name: "range of x", .. })));
        let mut holes = values.clone();
        holes[3] = f64::NAN;
        holes[20] = f64::NEG_INFINITY;
        assert!(figure(&u, &holes, 30.0).is_none());
    }
}
