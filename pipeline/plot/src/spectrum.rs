//! Level over frequency as a line.
//!
//! The decibel axis ends at the next ten above the highest level plus 3 dB, and begins at the ten below the
//! level that 1 % of the values do not reach, so that single notches do not flatten the rest; it spans 20 to
//! 160 dB. The line goes out of the frame below.

use std::path::Path;

use plotters::style::RGBColor;

use super::axis::Axis;
use super::canvas::{Canvas, LABEL, Place, STROKE, TICK, TITLE, text_width};
use super::error::{all_rising, fault, same_length};
use super::line::{self, Column, HALF_WIDTH};
use super::panel::Panel;
use super::{Error, Result};

const FIGURE: &str = "spectrum";

const LEFT: i32 = 220;
const TOP: i32 = 90;
const RIGHT: i32 = 60;
const BOTTOM: i32 = 150;
const WIDTH: i32 = 1300;
const HEIGHT: i32 = 750;

/// Rows of mark labels above the frame, at most, and the height of one.
const MARK_ROWS: usize = 3;
const ROW: i32 = TICK + 4;

/// Blue of the line, readable on white and in grey print.
const LINE: RGBColor = RGBColor(30, 80, 160);
/// Lines from the marks.
const MARK: RGBColor = RGBColor(205, 130, 60);
/// Between the end of a mark's line and the spectrum.
const MARK_GAP: f64 = 12.0;

/// Widest logarithmic axis.
const MOST_DECADES: f64 = 1e4;

/// How frequencies are spread over the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FrequencyAxis {
    /// Equal distances for equal differences.
    #[default]
    Linear,
    /// Equal distances for equal ratios, over the highest four decades at most.
    Logarithmic,
}

/// A frequency to point out, with a short name above the frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark<'a> {
    /// Frequency in hertz.
    pub frequency_hz: f64,
    /// What stands above it.
    pub label: &'a str,
}

/// Draws decibels (`quantity` names them on the axis) over rising frequencies in hertz into a PNG file. NaN leaves a gap.
pub fn spectrum(
    path: impl AsRef<Path>,
    title: &str,
    freq_hz: &[f64],
    level_db: &[f64],
    quantity: &str,
    axis: FrequencyAxis,
    marks: &[Mark<'_>],
) -> Result<()> {
    draw(title, freq_hz, level_db, quantity, axis, marks)?.save(path.as_ref())
}

fn draw(
    title: &str,
    freq_hz: &[f64],
    level_db: &[f64],
    quantity: &str,
    kind: FrequencyAxis,
    marks: &[Mark<'_>],
) -> Result<Canvas> {
    let range = frequency_range(freq_hz, level_db.len(), kind)?;
    let labels = place_labels(range, kind, marks)?;
    let rows = labels.iter().filter_map(|label| label.row).max().map_or(0, |row| row + 1);
    let panel = Panel { x: LEFT, y: TOP + ROW * rows, width: WIDTH, height: HEIGHT };
    let frequency = frequency_axis(&panel, range, kind);
    let level = level_axis(&panel, level_range(freq_hz, level_db, range.0)?);
    let mut canvas = Canvas::new(LEFT + WIDTH + RIGHT, panel.y + HEIGHT + BOTTOM);
    let kilo = kind == FrequencyAxis::Linear && range.1 >= 2000.0;
    let (unit, name) = if kilo { (1000.0, "frequency (kHz)") } else { (1.0, "frequency (Hz)") };
    let (across, up) = (frequency.ticks(110.0, unit), level.ticks(80.0, 1.0));
    panel.grid(&mut canvas, (&frequency, &across), (&level, &up));
    let columns = columns(freq_hz, level_db, &frequency, &level);
    line::draw_line(&mut canvas, &panel, &columns, LINE);
    draw_marks(&mut canvas, &panel, &columns, &labels)?;
    panel.frame(&mut canvas, title, TITLE, LEFT + WIDTH + RIGHT)?;
    panel.below(&mut canvas, &frequency, &across, name)?;
    panel.left(&mut canvas, &level, &up, (quantity, LABEL))?;
    Ok(canvas)
}

/// First and last frequency of the axis.
fn frequency_range(freq_hz: &[f64], levels: usize, kind: FrequencyAxis) -> Result<(f64, f64)> {
    same_length(FIGURE, levels, freq_hz.len())?;
    if let Some(at) = freq_hz.iter().position(|f| !(*f >= 0.0 && f.is_finite())) {
        return fault(FIGURE, "frequency", freq_hz[at], at, "it must be finite and not below 0 Hz");
    }
    all_rising(FIGURE, "frequency", freq_hz, "frequencies must rise")?;
    let (Some(&first), Some(&last)) = (freq_hz.first(), freq_hz.last()) else {
        return Err(Error::Empty(FIGURE));
    };
    let positive = freq_hz.iter().copied().find(|&f| f > 0.0).unwrap_or(last);
    let low = match kind {
        FrequencyAxis::Linear => first,
        FrequencyAxis::Logarithmic => positive.max(last / MOST_DECADES),
    };
    if low >= last {
        let expected = "at least two frequencies are needed, above 0 Hz on a logarithmic axis";
        return fault(FIGURE, "frequency", freq_hz[0], 0, expected);
    }
    Ok((low, last))
}

fn frequency_axis(panel: &Panel, (low, high): (f64, f64), kind: FrequencyAxis) -> Axis {
    panel.horizontal(low, high, kind == FrequencyAxis::Logarithmic)
}

/// Lowest and highest level of the axis, for the frequencies from `low_hz`.
fn level_range(freq_hz: &[f64], level_db: &[f64], low_hz: f64) -> Result<(f64, f64)> {
    let shown = freq_hz.iter().zip(level_db).filter(|(f, _)| **f >= low_hz);
    let mut finite: Vec<f64> = shown.map(|(_, &level)| level).filter(|level| level.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let Some(&highest) = finite.last() else {
        return Err(Error::NothingFinite(FIGURE, level_db.len()));
    };
    let top = ((highest + 3.0) / 10.0).ceil() * 10.0;
    let low = (finite[finite.len() / 100] / 10.0).floor() * 10.0;
    Ok((low.clamp(top - 160.0, top - 20.0), top))
}

fn level_axis(panel: &Panel, (low, high): (f64, f64)) -> Axis {
    panel.vertical(high, low)
}

/// The line in every column of the panel.
fn columns(freq_hz: &[f64], level_db: &[f64], frequency: &Axis, level: &Axis) -> Vec<Column> {
    // A little below the frame, so that the line leaves it; minus infinity lies there too.
    let deepest = level.last_pixel + 2.0 * HALF_WIDTH;
    let point =
        |(&f, &l): (&f64, &f64)| (frequency.pixel(f) - frequency.first_pixel, level.pixel(l).min(deepest));
    line::columns(&freq_hz.iter().zip(level_db).map(point).collect::<Vec<_>>(), WIDTH)
}

/// A mark inside the frame: its pixel, and its label with the row above the frame in which there is room for
/// it, if any.
struct Label<'a> {
    text: &'a str,
    x: i32,
    row: Option<i32>,
}

/// Puts every label into the lowest row in which it does not touch the one before; one without room is left
/// out.
fn place_labels<'a>(range: (f64, f64), kind: FrequencyAxis, marks: &'a [Mark<'_>]) -> Result<Vec<Label<'a>>> {
    let inside = |mark: &&Mark<'_>| (range.0..=range.1).contains(&mark.frequency_hz);
    let mut marks: Vec<&Mark<'_>> = marks.iter().filter(inside).collect();
    marks.sort_by(|a, b| a.frequency_hz.total_cmp(&b.frequency_hz));
    // Horizontal places do not depend on the panel's height or on the sheet.
    let axis = frequency_axis(&Panel { x: LEFT, y: 0, width: WIDTH, height: HEIGHT }, range, kind);
    let mut ends = [i32::MIN; MARK_ROWS];
    let mut place = |mark: &&'a Mark<'_>| {
        let half = text_width(mark.label, TICK)? / 2;
        let x = axis.pixel(mark.frequency_hz).round() as i32;
        let free = (0..).zip(&mut ends).find(|(_, end)| label_centre(x, half) - half > **end);
        let row = free.map(|(row, end)| {
            *end = label_centre(x, half) + half + TICK / 3;
            row
        });
        Ok(Label { text: mark.label, x, row })
    };
    marks.iter().map(&mut place).collect()
}

/// Where a label of this half width stands: above its mark, but not beyond the frame's ends.
fn label_centre(x: i32, half: i32) -> i32 {
    x.min(LEFT + WIDTH - half).max(LEFT + half)
}

/// A dashed line from every mark's label down to the spectrum.
fn draw_marks(canvas: &mut Canvas, panel: &Panel, columns: &[Column], labels: &[Label<'_>]) -> Result<()> {
    for label in labels {
        let near = columns.iter().skip((label.x - LEFT - 3).max(0) as usize).take(7).flatten();
        let highest = near.map(|column| column.0).fold(f64::from(panel.y + panel.height), f64::min);
        let end = (highest - MARK_GAP) as i32;
        for y in (panel.y..end).step_by(18) {
            canvas.fill((label.x - 1, y), (3, 10.min(end - y)), MARK);
        }
        if let Some(row) = label.row {
            let y = panel.y - STROKE - TICK * 3 / 5 - ROW * row;
            let half = text_width(label.text, TICK)? / 2;
            canvas.text(label.text, TICK, (label_centre(label.x, half), y), Place::Centre)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
