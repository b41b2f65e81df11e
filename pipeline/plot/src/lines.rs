//! Curves of one quantity over another, with a legend: an error over the number of coefficients.
//!
//! Axes are linear or logarithmic (between 1, 2 or 5 times powers of ten). A linear axis takes zero in where that is near; the one below ends where the
//! points do, the one at the left at round numbers. Points have marks of three shapes, so that curves can be told apart in grey print; where they lie too close for marks,
//! all curves but the first are dashed, so that one that lies on another hides none of it. A value that is not finite, or not positive on a logarithmic axis, leaves a gap; below the least that is asked for a curve leaves the frame.

#[cfg(test)]
mod tests;

use plotters::style::RGBColor;

use super::axis::{Axis, Tick, nice_step};
use super::canvas::{Canvas, LABEL, Place, TICK, TITLE, widest};
use super::error::{all_rising, fault, same_length};
use super::line;
use super::panel::Panel;
use super::{Error, Result};

const FIGURE: &str = "curves";

const LEFT: i32 = 220;
const TOP: i32 = 90;
const BOTTOM: i32 = 150;
const WIDTH: i32 = 1050;
const HEIGHT: i32 = 750;
/// The legend: before it, its lines' length, between line and name, after it, the height of a line.
const LEGEND_GAP: i32 = 40;
const SAMPLE: i32 = 80;
const NAME_GAP: i32 = 20;
const MARGIN: i32 = 40;
const ROW: i32 = 60;

/// Half the size of a mark in pixels.
const MARK: f64 = 9.0;

/// Dark enough for thin lines on white, and apart in lightness or hue.
const COLOURS: [RGBColor; 6] = [
    RGBColor(30, 80, 160),
    RGBColor(205, 95, 40),
    RGBColor(40, 140, 90),
    RGBColor(150, 60, 140),
    RGBColor(95, 95, 95),
    RGBColor(180, 140, 20),
];
const MOST_CURVES: usize = 12;

/// Least mean distance of a curve's points that have marks, pixels.
const MARK_SPACING: f64 = 3.0 * MARK;
/// Pixels that are drawn and left out, of curves without marks: the first is not broken.
const DASHES: [[usize; 2]; 4] = [[1, 0], [26, 16], [9, 11], [44, 13]];

/// Curves in one frame.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// What stands above.
    pub title: &'a str,
    /// The axis below.
    pub x: Quantity<'a>,
    /// The axis at the left.
    pub y: Quantity<'a>,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve<'a>>,
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Quantity<'a> {
    /// Name and unit.
    pub label: &'a str,
    /// Equal distances for equal ratios.
    pub logarithmic: bool,
    /// Lower values lie beyond the frame, through which the curve goes to them.
    pub least: f64,
}

/// A curve.
#[derive(Clone, Copy, Debug)]
pub struct Curve<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// Where its points are; rising.
    pub x: &'a [f64],
    /// Their values, one for each `x`.
    pub y: &'a [f64],
}

saved!(Figure<'_>);

impl Figure<'_> {
    fn draw(&self) -> Result<Canvas> {
        self.check()?;
        let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
        let (xs, ys) = (self.curves.iter().map(|curve| curve.x), self.curves.iter().map(|curve| curve.y));
        let x = self.x.axis(panel.horizontal(0.0, 1.0, false), xs, tight_ends)?;
        let y = self.y.axis(panel.vertical(1.0, 0.0), ys, round_ends)?;
        let names = widest(self.curves.iter().map(|curve| curve.name), TICK)?;
        let sheet = LEFT + WIDTH + LEGEND_GAP + SAMPLE + NAME_GAP + names + MARGIN;
        let mut canvas = Canvas::new(sheet, TOP + HEIGHT + BOTTOM);
        let (across, up) = (x.ticks(110.0, 1.0), y.ticks(80.0, 1.0));
        // Minor ticks of many decades would make a grey ground.
        let [major_x, major_y] = [&across, &up]
            .map(|ticks| ticks.iter().filter(|tick| !tick.label.is_empty()).cloned().collect::<Vec<Tick>>());
        panel.grid(&mut canvas, (&x, &major_x), (&y, &major_y));
        let marked = self.curves.iter().all(|curve| is_sparse(curve, &x));
        for (at, curve) in self.curves.iter().enumerate() {
            let pen = Pen { at, marked };
            let floored: Vec<f64> = curve.y.iter().map(|value| self.y.floored(*value, &y)).collect();
            draw_curve(&mut canvas, &panel, &Curve { y: &floored, ..*curve }, (&x, &y), pen);
            draw_name(&mut canvas, curve.name, pen)?;
        }
        panel.frame(&mut canvas, self.title, TITLE, sheet)?;
        panel.below(&mut canvas, &x, &across, self.x.label)?;
        panel.left(&mut canvas, &y, &up, (self.y.label, LABEL))?;
        Ok(canvas)
    }

    fn check(&self) -> Result<()> {
        if self.curves.iter().all(|curve| curve.x.is_empty()) {
            return Err(Error::Empty(FIGURE));
        }
        if self.curves.len() > MOST_CURVES {
            return fault(FIGURE, "number of curves", self.curves.len() as f64, 0, "at most 12 are drawn");
        }
        for Curve { x, y, .. } in &self.curves {
            same_length(FIGURE, y.len(), x.len())?;
            let usable = |v: &f64| v.is_finite() && (*v > 0.0 || !self.x.logarithmic);
            if let Some(at) = x.iter().position(|v| !usable(v)) {
                return fault(FIGURE, "x", x[at], at, "it must be finite, and above 0 on a logarithmic axis");
            }
            all_rising(FIGURE, "x", x, "the points of a curve must rise")?;
        }
        Ok(())
    }
}

impl<'a> Quantity<'a> {
    /// Equal distances for equal differences; all values are seen.
    pub fn linear(label: &'a str) -> Self {
        Self { label, logarithmic: false, least: f64::NEG_INFINITY }
    }

    /// Equal distances for equal ratios; all positive values are seen.
    pub fn logarithmic(label: &'a str) -> Self {
        Self { logarithmic: true, ..Self::linear(label) }
    }

    /// The same down to a value.
    pub fn down_to(self, least: f64) -> Self {
        Self { least, ..self }
    }

    /// What is drawn for a value that is too low for an axis: one as far below it as the axis is long, so that the way there leaves the frame.
    fn floored(self, value: f64, axis: &Axis) -> f64 {
        let floor = if self.logarithmic { self.least } else { self.least - (axis.to - axis.from).abs() };
        // No number stays none.
        if value < floor { floor } else { value }
    }

    /// `unset`, with ends that hold all values; `linear_ends` finds them on a linear axis.
    fn axis<'v>(
        self,
        unset: Axis,
        values: impl Iterator<Item = &'v [f64]> + Clone,
        linear_ends: fn(f64, f64) -> (f64, f64),
    ) -> Result<Axis> {
        let all = || values.clone().flatten().copied();
        let drawn = || all().filter(|&v| self.draws(v));
        let (Some(low), Some(high)) = (drawn().reduce(f64::min), drawn().reduce(f64::max)) else {
            return Err(Error::NothingFinite(FIGURE, all().count()));
        };
        let (low, high) = if self.logarithmic { log_ends(low, high) } else { linear_ends(low, high) };
        // Vertical axes have their high end at the first pixel.
        let (from, to) = if unset.from < unset.to { (low, high) } else { (high, low) };
        Ok(Axis { from, to, logarithmic: self.logarithmic, ..unset })
    }

    fn draws(self, value: f64) -> bool {
        value.is_finite() && value >= self.least && (value > 0.0 || !self.logarithmic)
    }
}

/// Zero is taken in where it lies this near to values of one sign, in their span.
const NEAR_ZERO: f64 = 0.25;

/// The ends of the values, with zero where it is near.
fn tight_ends(low: f64, high: f64) -> (f64, f64) {
    if high <= low {
        return round_ends(low, high);
    }
    let near = NEAR_ZERO * (high - low);
    (
        if (0.0..=near).contains(&low) { 0.0 } else { low },
        if (-near..=0.0).contains(&high) { 0.0 } else { high },
    )
}

/// The next ends on a round step, with zero where it is near.
fn round_ends(low: f64, high: f64) -> (f64, f64) {
    if high <= low {
        // One value stands between zero and its double, or at the foot of a unit.
        return if low == 0.0 {
            (0.0, 1.0)
        } else {
            (low.min(2.0 * low).min(0.0), low.max(2.0 * low).max(0.0))
        };
    }
    let (low, high) = tight_ends(low, high);
    let (step, _) = nice_step((high - low) / 6.0);
    // An end on a step stays there, whatever rounding makes of the quotient.
    ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step)
}

/// The next 1, 2 or 5 times a power of ten outwards, not the same twice.
fn log_ends(low: f64, high: f64) -> (f64, f64) {
    let (above, _) = nice_step(high * (1.0 + 1e-6));
    // The smallest nice number above v mirrors the largest below 1/v.
    let (below, _) = nice_step((1.0 + 1e-6) / low);
    (1.0 / below, above)
}

/// How a curve is drawn: its number, and whether it has marks.
#[derive(Clone, Copy)]
struct Pen {
    at: usize,
    marked: bool,
}

impl Pen {
    fn colour(self) -> RGBColor {
        COLOURS[self.at % COLOURS.len()]
    }

    /// Whether the line is drawn so many pixels from its beginning.
    fn draws(self, pixel: usize) -> bool {
        let [on, off] = DASHES[self.at % DASHES.len()];
        self.marked || pixel % (on + off) < on
    }
}

/// Whether the marks of a curve's points stay apart.
fn is_sparse(curve: &Curve<'_>, x: &Axis) -> bool {
    let [first, .., last] = curve.x else { return true };
    x.pixel(*last) - x.pixel(*first) >= MARK_SPACING * (curve.x.len() - 1) as f64
}

fn draw_curve(canvas: &mut Canvas, panel: &Panel, curve: &Curve<'_>, (x, y): (&Axis, &Axis), pen: Pen) {
    let gap = |value: f64| if value.is_finite() { value } else { f64::NAN };
    // The logarithm of what is not positive is not finite.
    let point = |(&a, &b): (&f64, &f64)| (x.pixel(a) - f64::from(panel.x), gap(y.pixel(b)));
    let points: Vec<(f64, f64)> = curve.x.iter().zip(curve.y).map(point).collect();
    let mut columns = line::columns(&points, panel.width);
    // Dashes are measured along the curve, so that a steep part loses no more of it than a level one.
    let mut length = 0.0;
    for slot in &mut columns {
        let step = slot.map_or(1.0, |(upper, lower): (f64, f64)| 1f64.hypot(lower - upper));
        if !pen.draws(length as usize) {
            *slot = None;
        }
        length += step;
    }
    line::draw_line(canvas, panel, &columns, pen.colour());
    // A point with gaps on both sides is seen by its mark alone.
    let alone = |at: usize| {
        let seen = |at: Option<usize>| at.and_then(|at| points.get(at)).is_some_and(|(_, y)| y.is_finite());
        !seen(at.checked_sub(1)) && !seen(Some(at + 1))
    };
    let bottom = f64::from(panel.y + panel.height);
    for (at, &(x, y)) in points.iter().enumerate().filter(|(_, (_, y))| y.is_finite() && *y <= bottom) {
        if pen.marked || alone(at) {
            draw_mark(canvas, (x + f64::from(panel.x), y), pen.at);
        }
    }
}

/// A disc, a square or a diamond.
fn draw_mark(canvas: &mut Canvas, (x, y): (f64, f64), at: usize) {
    let reach = MARK.ceil() as i32 + 2;
    for py in y as i32 - reach..=y as i32 + reach {
        for px in x as i32 - reach..=x as i32 + reach {
            let (dx, dy) = ((f64::from(px) + 0.5 - x).abs(), (f64::from(py) + 0.5 - y).abs());
            let distance = match at % 3 {
                0 => dx.hypot(dy),
                1 => dx.max(dy) + 0.1 * MARK,
                _ => (dx + dy) * 0.8,
            };
            canvas.shade(px, py, COLOURS[at % COLOURS.len()], (MARK + 0.5 - distance).clamp(0.0, 1.0));
        }
    }
}

fn draw_name(canvas: &mut Canvas, name: &str, pen: Pen) -> Result<()> {
    let (x, y) = (LEFT + WIDTH + LEGEND_GAP, TOP + ROW / 2 + ROW * pen.at as i32);
    for pixel in (0..SAMPLE).filter(|pixel| pen.draws(*pixel as usize)) {
        canvas.fill((x + pixel, y - 1), (1, 3), pen.colour());
    }
    if pen.marked {
        draw_mark(canvas, (f64::from(x + SAMPLE / 2), f64::from(y) + 0.5), pen.at);
    }
    canvas.text(name, TICK, (x + SAMPLE + NAME_GAP, y), Place::Right)
}
