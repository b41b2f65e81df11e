//! A plane in true proportion: x to the right, y up, with strokes, discs and names on it.

use plotters::style::RGBColor;

use super::Result;
use super::axis::Axis;
use super::canvas::{Canvas, LABEL, Place, TICK, widest};
use super::error::fault;
use super::panel::Panel;

/// Pixels of the longer side.
const SIDE: f64 = 1152.0;
/// Least height: room for a colour bar's label.
const LEAST: i32 = 420;
pub const LEFT: i32 = 230;
pub const TOP: i32 = 110;
const BOTTOM: i32 = 150;
/// Least distance between numbers.
const TICK_SPACING: f64 = 170.0;

/// Between plane and bar, the bar, and right of it.
const BAR_GAP: i32 = 60;
const BAR_WIDTH: i32 = 48;
const RIGHT: i32 = 230;
/// Before and behind a legend, and from its marks to its names.
const LEGEND_GAP: i32 = 50;
const NAME_GAP: i32 = 45;

/// Where the plane lies on the sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    pub panel: Panel,
    pub x: Axis,
    pub y: Axis,
}

impl Plane {
    /// A plane of these ranges, left and low ends first; refused unless they rise between finite numbers.
    pub fn new(figure: &'static str, x: [f64; 2], y: [f64; 2]) -> Result<Self> {
        for (name, [low, high]) in [("range of x", x), ("range of y", y)] {
            if !(low.is_finite() && high.is_finite() && low < high) {
                return fault(figure, name, low, 0, "it must rise between finite numbers");
            }
        }
        let (wide, high) = (x[1] - x[0], y[1] - y[0]);
        let scale = SIDE / wide.max(high);
        let pixels = |length: f64| ((scale * length).round() as i32).max(LEAST);
        let panel = Panel { x: LEFT, y: TOP, width: pixels(wide), height: pixels(high) };
        // A side that was widened to the least shows more of the plane.
        let stretch = |[low, high]: [f64; 2], pixels: i32| {
            let (middle, half) = (0.5 * (low + high), 0.5 * f64::from(pixels) / scale);
            [middle - half, middle + half]
        };
        let ([left, right], [bottom, top]) = (stretch(x, panel.width), stretch(y, panel.height));
        Ok(Self { panel, x: panel.horizontal(left, right, false), y: panel.vertical(top, bottom) })
    }

    /// Height of a sheet that holds it.
    pub fn sheet_height(&self) -> i32 {
        TOP + self.panel.height + BOTTOM
    }

    /// Right edge.
    pub fn right(&self) -> i32 {
        self.panel.x + self.panel.width
    }

    /// The colour bar beside it, and the width of a sheet that holds both.
    pub fn bar(&self) -> (Panel, i32) {
        let bar = Panel { x: self.right() + BAR_GAP, width: BAR_WIDTH, ..self.panel };
        (bar, bar.x + BAR_WIDTH + RIGHT)
    }

    /// Pixels of a point.
    pub fn pixel(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        (self.x.pixel(x), self.y.pixel(y))
    }

    /// Pixels of a length.
    pub fn length(&self, length: f64) -> f64 {
        length * f64::from(self.panel.width) / (self.x.to - self.x.from)
    }

    /// The point at a place, from 0 to 1 across and down.
    pub fn point(&self, (s, t): (f64, f64)) -> [f64; 2] {
        [self.x.from + s * (self.x.to - self.x.from), self.y.from + t * (self.y.to - self.y.from)]
    }

    /// Frame, title, ticks and labels; `unit` is what the numbers count.
    pub fn axes(
        &self,
        canvas: &mut Canvas,
        title: &str,
        sheet: i32,
        labels: [&str; 2],
        unit: f64,
    ) -> Result<()> {
        self.panel.frame(canvas, title, TOP / 2, sheet)?;
        self.panel.below(canvas, &self.x, &self.x.ticks(TICK_SPACING, unit), labels[0])?;
        // Numbers are lower than wide.
        let spacing = TICK_SPACING.min(f64::from(self.panel.height) / 5.0);
        self.panel.left(canvas, &self.y, &self.y.ticks(spacing, unit), (labels[1], LABEL))
    }

    /// A line with round ends, cut at the frame.
    pub fn stroke(&self, canvas: &mut Canvas, a: [f64; 2], b: [f64; 2], half_width: f64, colour: RGBColor) {
        let ((ax, ay), (bx, by)) = (self.pixel(a), self.pixel(b));
        let along = (bx - ax, by - ay);
        let squared = along.0 * along.0 + along.1 * along.1;
        let cover = |x: f64, y: f64| {
            let part = if squared > 0.0 { ((x - ax) * along.0 + (y - ay) * along.1) / squared } else { 0.0 };
            let t = part.clamp(0.0, 1.0);
            half_width + 0.5 - (x - ax - t * along.0).hypot(y - ay - t * along.1)
        };
        let (low, high) = ((ax.min(bx), ay.min(by)), (ax.max(bx), ay.max(by)));
        self.shade(canvas, low, high, half_width + 1.0, colour, cover);
    }

    /// A closed outline.
    pub fn ring(&self, canvas: &mut Canvas, points: &[[f64; 2]], half_width: f64, colour: RGBColor) {
        for (a, b) in points.iter().zip(points.iter().cycle().skip(1)) {
            self.stroke(canvas, *a, *b, half_width, colour);
        }
    }

    /// A disc of a radius in pixels.
    pub fn disc(&self, canvas: &mut Canvas, centre: [f64; 2], radius: f64, colour: RGBColor) {
        let (cx, cy) = self.pixel(centre);
        self.shade(canvas, (cx, cy), (cx, cy), radius + 1.0, colour, |x, y| {
            radius + 0.5 - (x - cx).hypot(y - cy)
        });
    }

    /// A square of a side in pixels.
    pub fn square(&self, canvas: &mut Canvas, centre: [f64; 2], side: f64, colour: RGBColor) {
        let (cx, cy) = self.pixel(centre);
        let half = 0.5 * side;
        self.shade(canvas, (cx, cy), (cx, cy), half + 1.0, colour, |x, y| {
            half + 0.5 - (x - cx).abs().max((y - cy).abs())
        });
    }

    /// Mixes a colour into the pixels around a box, as far as `cover` (limited to 0 to 1) says; nothing outside the frame.
    fn shade(
        &self,
        canvas: &mut Canvas,
        low: (f64, f64),
        high: (f64, f64),
        reach: f64,
        colour: RGBColor,
        cover: impl Fn(f64, f64) -> f64,
    ) {
        let Panel { x, y, width, height } = self.panel;
        let range = |from: f64, to: f64, first: i32, count: i32| {
            let inside = |p: f64| p.clamp(f64::from(first), f64::from(first + count)) as i32;
            inside(from - reach)..inside(to + reach + 1.0)
        };
        for py in range(low.1, high.1, y, height) {
            for px in range(low.0, high.0, x, width) {
                let part = cover(f64::from(px) + 0.5, f64::from(py) + 0.5);
                if part > 0.0 {
                    canvas.shade(px, py, colour, part.min(1.0));
                }
            }
        }
    }
}

/// Names beside the plane, from its top, each with a dot of its colour.
pub fn legend(canvas: &mut Canvas, plane: &Plane, rows: &[(RGBColor, &str)]) -> Result<()> {
    const RADIUS: i32 = 11;
    for (at, (colour, name)) in rows.iter().enumerate() {
        let (x, y) = (plane.right() + LEGEND_GAP, plane.panel.y + 30 + 62 * at as i32);
        for (dx, dy) in (-RADIUS..=RADIUS).flat_map(|dx| (-RADIUS..=RADIUS).map(move |dy| (dx, dy))) {
            let cover = (f64::from(RADIUS) - f64::from(dx).hypot(f64::from(dy))).clamp(0.0, 1.0);
            canvas.shade(x + RADIUS + dx, y + dy, *colour, cover);
        }
        canvas.text(name, TICK, (x + NAME_GAP, y), Place::Right)?;
    }
    Ok(())
}

/// Width that the names take beside the plane.
pub fn legend_width(names: &[&str]) -> Result<i32> {
    Ok(LEGEND_GAP + NAME_GAP + widest(names.iter().copied(), TICK)? + LEGEND_GAP)
}
