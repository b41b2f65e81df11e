//! A curve over rising x as anti-aliased pixels.
//!
//! A column of pixels shows all values that fall into it, from the lowest to the highest, so that no narrow
//! line is lost.

use plotters::style::RGBColor;

use super::canvas::Canvas;
use super::panel::Panel;

/// Half the width of the line in pixels, and half the height of a round pen of this size one pixel off its
/// middle.
pub const HALF_WIDTH: f64 = 1.6;
const HALF_BESIDE: f64 = 1.25;

/// Highest and lowest pixel of the curve in a column; none where there is no curve.
pub type Column = Option<(f64, f64)>;

/// The columns of `width` pixels that points (x from the panel's left, y from the sheet's top, both in
/// pixels, x rising) joined by straight lines fall into. NaN in y leaves a gap.
pub fn columns(points: &[(f64, f64)], width: i32) -> Vec<Column> {
    let mut columns = vec![None; width as usize];
    for (&(x0, y0), &(x1, y1)) in points.iter().zip(points.iter().skip(1)) {
        // x = 0 on a logarithmic axis is at minus infinity.
        if y0.is_nan() || y1.is_nan() || x1 < 0.0 || !x0.is_finite() {
            continue;
        }
        let at = |x: f64| y0 + (y1 - y0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0);
        let first = x0.max(0.0) as usize;
        let last = (x1 as usize).min(columns.len() - 1);
        for (column, slot) in columns.iter_mut().enumerate().take(last + 1).skip(first) {
            let (a, b) = (at(column as f64), at(column as f64 + 1.0));
            let (upper, lower) = slot.unwrap_or((f64::MAX, f64::MIN));
            *slot = Some((upper.min(a).min(b), lower.max(a).max(b)));
        }
    }
    columns
}

/// Draws the line with a round pen: a column and its neighbours make one vertical stroke, whose ends cover
/// their pixels in part.
pub fn draw_line(canvas: &mut Canvas, panel: &Panel, columns: &[Column], colour: RGBColor) {
    let (top, bottom) = (f64::from(panel.y), f64::from(panel.y + panel.height));
    let at = |column: Option<usize>| column.and_then(|c| columns.get(c).copied().flatten());
    for c in 0..columns.len() {
        let pens =
            [(at(Some(c)), HALF_WIDTH), (at(c.checked_sub(1)), HALF_BESIDE), (at(Some(c + 1)), HALF_BESIDE)];
        let strokes = pens.into_iter().filter_map(|(column, half)| column.map(|(a, b)| (a - half, b + half)));
        let Some((from, to)) = strokes.reduce(|s, t| (s.0.min(t.0), s.1.max(t.1))) else { continue };
        let (from, to) = (from.max(top), to.min(bottom));
        for y in from.floor() as i32..to.ceil() as i32 {
            let cover = to.min(f64::from(y) + 1.0) - from.max(f64::from(y));
            canvas.shade(panel.x + c as i32, y, colour, cover);
        }
    }
}
