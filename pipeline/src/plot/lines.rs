//! Curves of one quantity over another, with a legend: an error over the number of coefficients.
//!
//! Axes are linear or logarithmic (between 1, 2 or 5 times powers of ten). A linear axis takes zero in where that is near; the one below ends where the
//! points do, the one at the left at round numbers. Points have marks of three shapes, so that curves can be told apart in grey print; where they lie too close for marks,
//! all curves but the first are dashed, so that one that lies on another hides none of it. A value that is not finite, or not positive on a logarithmic axis, leaves a gap.

use std::path::Path;

use plotters::style::RGBColor;

use super::Error;
use super::axis::{Axis, Tick, nice_step};
use super::canvas::{Canvas, GRID, LABEL, Place, TICK, TITLE, text_width};
use super::line;
use super::panel::Panel;

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

impl Figure<'_> {
    /// Draws the figure into a PNG file.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.draw()?.save(path.as_ref())
    }

    fn draw(&self) -> Result<Canvas, Error> {
        self.check()?;
        let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
        let (xs, ys) = (self.curves.iter().map(|curve| curve.x), self.curves.iter().map(|curve| curve.y));
        let x = self.x.axis(panel.horizontal(0.0, 1.0, false), xs, tight_ends)?;
        let y = self.y.axis(panel.vertical(1.0, 0.0), ys, round_ends)?;
        let names = self.curves.iter().map(|curve| text_width(curve.name, TICK));
        let names = names.collect::<Result<Vec<i32>, Error>>()?.into_iter().max().unwrap_or(0);
        let sheet = LEFT + WIDTH + LEGEND_GAP + SAMPLE + NAME_GAP + names + MARGIN;
        let mut canvas = Canvas::new(sheet, TOP + HEIGHT + BOTTOM);
        let (across, up) = (x.ticks(110.0, 1.0), y.ticks(80.0, 1.0));
        // Minor ticks of many decades would make a grey ground.
        let labelled = |tick: &&Tick| !tick.label.is_empty();
        for x in across.iter().filter(labelled).map(|tick| x.pixel(tick.value).round() as i32) {
            canvas.fill((x, TOP), (2, HEIGHT), GRID);
        }
        for y in up.iter().filter(labelled).map(|tick| y.pixel(tick.value).round() as i32) {
            canvas.fill((LEFT, y), (WIDTH, 2), GRID);
        }
        let marked = self.curves.iter().all(|curve| is_sparse(curve, &x));
        for (at, curve) in self.curves.iter().enumerate() {
            let pen = Pen { at, marked };
            draw_curve(&mut canvas, &panel, curve, (&x, &y), pen);
            draw_name(&mut canvas, curve.name, pen)?;
        }
        panel.frame(&mut canvas, self.title, TITLE, sheet)?;
        panel.below(&mut canvas, &x, &across, self.x.label)?;
        panel.left(&mut canvas, &y, &up, (self.y.label, LABEL))?;
        Ok(canvas)
    }

    fn check(&self) -> Result<(), Error> {
        if self.curves.iter().all(|curve| curve.x.is_empty()) {
            return Err(Error::Empty { figure: FIGURE });
        }
        let fault =
            |name, value, at, expected| Err(Error::Axis { figure: FIGURE, name, value, at, expected });
        if self.curves.len() > MOST_CURVES {
            return fault("number of curves", self.curves.len() as f64, 0, "at most 12 are drawn");
        }
        for Curve { x, y, .. } in &self.curves {
            if x.len() != y.len() {
                return Err(Error::Length { figure: FIGURE, found: y.len(), expected: x.len() });
            }
            let usable = |v: &f64| v.is_finite() && (*v > 0.0 || !self.x.logarithmic);
            if let Some(at) = x.iter().position(|v| !usable(v)) {
                return fault("x", x[at], at, "it must be finite, and above 0 on a logarithmic axis");
            }
            if let Some(at) = x.windows(2).position(|w| w[0] >= w[1]) {
                return fault("x", x[at + 1], at + 1, "the points of a curve must rise");
            }
        }
        Ok(())
    }
}

impl Quantity<'_> {
    /// `unset`, with ends that hold all values; `linear_ends` finds them on a linear axis.
    fn axis<'v>(
        self,
        unset: Axis,
        values: impl Iterator<Item = &'v [f64]> + Clone,
        linear_ends: fn(f64, f64) -> (f64, f64),
    ) -> Result<Axis, Error> {
        let all = || values.clone().flatten().copied();
        let drawn = || all().filter(|&v| self.draws(v));
        let (Some(low), Some(high)) = (drawn().reduce(f64::min), drawn().reduce(f64::max)) else {
            return Err(Error::NothingFinite { figure: FIGURE, count: all().count() });
        };
        let (low, high) = if self.logarithmic { log_ends(low, high) } else { linear_ends(low, high) };
        // Vertical axes have their high end at the first pixel.
        let (from, to) = if unset.from < unset.to { (low, high) } else { (high, low) };
        Ok(Axis { from, to, logarithmic: self.logarithmic, ..unset })
    }

    fn draws(self, value: f64) -> bool {
        value.is_finite() && (value > 0.0 || !self.logarithmic)
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
    for (at, &(x, y)) in points.iter().enumerate().filter(|(_, (_, y))| y.is_finite()) {
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

fn draw_name(canvas: &mut Canvas, name: &str, pen: Pen) -> Result<(), Error> {
    let (x, y) = (LEFT + WIDTH + LEGEND_GAP, TOP + ROW / 2 + ROW * pen.at as i32);
    for pixel in (0..SAMPLE).filter(|pixel| pen.draws(*pixel as usize)) {
        canvas.fill((x + pixel, y - 1), (1, 3), pen.colour());
    }
    if pen.marked {
        draw_mark(canvas, (f64::from(x + SAMPLE / 2), f64::from(y) + 0.5), pen.at);
    }
    canvas.text(name, TICK, (x + SAMPLE + NAME_GAP, y), Place::Right)
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: [f64; 4] = [10.0, 40.0, 200.0, 1000.0];

    fn figure<'a>(logarithmic: bool, curves: &[(&'a [f64], &'a [f64])]) -> Figure<'a> {
        let curves = curves.iter().map(|&(x, y)| Curve { name: "d1", x, y }).collect();
        let quantity = |label| Quantity { label, logarithmic };
        Figure { title: "error", x: quantity("coefficients"), y: quantity("RMSRE (%)"), curves }
    }

    #[test]
    fn marks_stand_on_the_points() {
        let y = [30.0, 9.0, 1.2, 0.15];
        let canvas = figure(true, &[(&X, &y)]).draw().unwrap();
        let panel = Panel { x: LEFT, y: TOP, width: WIDTH, height: HEIGHT };
        // 10 to 1000 and 0.15 to 30 end at these.
        let across = panel.horizontal(5.0, 2000.0, true);
        let up = Axis { logarithmic: true, ..panel.vertical(50.0, 0.1) };
        for (&a, &b) in X.iter().zip(&y) {
            let (x, y) = (across.pixel(a) as i32, up.pixel(b) as i32);
            assert_eq!(canvas.pixel(x, y), COLOURS[0], "{a} {b}");
            assert_ne!(canvas.pixel(x, y - 20), COLOURS[0], "{a} {b}");
        }
    }

    #[test]
    fn ends_are_round_and_hold_the_values() {
        assert_eq!(round_ends(3.0, 57.0), (0.0, 60.0));
        assert_eq!(round_ends(-4.0, 7.0), (-4.0, 8.0));
        assert_eq!(round_ends(-43.0, -18.0), (-45.0, -15.0));
        assert_eq!((round_ends(0.0, 0.0), round_ends(-3.0, -3.0)), ((0.0, 1.0), (-6.0, 0.0)));
        assert_eq!((tight_ends(0.0, 180.0), tight_ends(85.0, 95.0)), ((0.0, 180.0), (85.0, 95.0)));
        assert_eq!((tight_ends(1.0, 361.0), tight_ends(-90.0, -1.0)), ((0.0, 361.0), (-90.0, 0.0)));
        for (low, high, expected) in
            [(1.2, 1.3, (1.0, 2.0)), (10.0, 10.0, (5.0, 20.0)), (3e-9, 0.7, (2e-9, 1.0))]
        {
            let (below, above) = log_ends(low, high);
            assert!(
                (below / expected.0 - 1.0).abs() < 1e-9 && (above / expected.1 - 1.0).abs() < 1e-9,
                "{low} {high}"
            );
        }
    }

    #[test]
    fn a_curve_that_lies_on_another_leaves_it_to_be_seen() {
        let x: Vec<f64> = (0..=180).map(f64::from).collect();
        let y: Vec<f64> = x.iter().map(|x| -30.0 + x.to_radians().sin()).collect();
        let canvas = figure(false, &[(&x, &y), (&x, &y)]).draw().unwrap();
        let found = |colour| {
            let all = (LEFT..LEFT + WIDTH).flat_map(|x| (TOP..TOP + HEIGHT).map(move |y| (x, y)));
            all.filter(|(x, y)| canvas.pixel(*x, *y) == colour).count()
        };
        // Of 1050 columns some three pixels each, 16 of 42 of them the first's.
        assert!(found(COLOURS[0]) > 500 && found(COLOURS[1]) > 1000);
    }

    #[test]
    fn gaps_are_left_open() {
        let y = [3.0, f64::NAN, 0.0, 5.0];
        for logarithmic in [false, true] {
            figure(logarithmic, &[(&X, &y), (&X[..1], &y[..1])]).draw().unwrap();
        }
        let infinite = [3.0, f64::INFINITY, 2.0, 5.0];
        figure(true, &[(&X, &infinite)]).draw().unwrap();
    }

    #[test]
    fn nonsense_is_refused() {
        let refused =
            |logarithmic, x: &[f64], y: &[f64]| figure(logarithmic, &[(x, y)]).draw().err().unwrap();
        assert!(matches!(refused(false, &[], &[]), Error::Empty { .. }));
        assert!(matches!(refused(false, &X, &X[1..]), Error::Length { found: 3, expected: 4, .. }));
        assert!(matches!(refused(true, &[0.0, 1.0], &[1.0; 2]), Error::Axis { name: "x", at: 0, .. }));
        assert!(matches!(refused(false, &[0.0, f64::NAN], &[1.0; 2]), Error::Axis { name: "x", at: 1, .. }));
        assert!(matches!(refused(false, &[0.0, 0.0], &[1.0; 2]), Error::Axis { name: "x", at: 1, .. }));
        assert!(matches!(refused(true, &X, &[-1.0; 4]), Error::NothingFinite { count: 4, .. }));
        let many = vec![(&X[..], &X[..]); 13];
        assert!(matches!(figure(false, &many).draw(), Err(Error::Axis { name: "number of curves", .. })));
    }
}
