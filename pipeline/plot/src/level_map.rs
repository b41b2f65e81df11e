//! The level at every microphone as a picture of the array, in true proportion.
//!
//! One square a microphone, x to the right and y down in metres, centred on the array. Colours run from the
//! lowest to the highest level, rounded outwards to whole decibels, over 1 dB at least and 60 dB at most;
//! lower levels, down to minus infinity, take the lowest colour. NaN and plus infinity are no levels: they
//! are hatched, and the figure says so.

use std::path::Path;

use super::canvas::{Canvas, LABEL, TICK};
use super::colour_map::colour;
use super::grid::Grid;
use super::panel::Panel;
use super::raster::{Scale, draw_key, paint};
use super::{Error, Result};

const FIGURE: &str = "level map";

/// Pixels that the longer side of the array takes, about.
const SIDE: usize = 1152;

/// Widest range of the colours in decibels.
const RANGE_DB: f64 = 60.0;

const LEFT: i32 = 200;
const TOP: i32 = 110;
const BOTTOM: i32 = 150;
/// Between the map and the colour bar, and the bar's own width.
const BAR_GAP: i32 = 60;
const BAR_WIDTH: i32 = 48;
/// Right of the bar: ticks, numbers, label.
const RIGHT: i32 = 210;
/// Least distance between numbers along the map.
const TICK_SPACING: f64 = 130.0;
/// Least height of map and bar together: room for the bar's label.
const LEAST_HEIGHT: i32 = 420;

/// Draws `level_db`, row by row from the top left, for `rows` x `cols` microphones `pitch_m` metres apart,
/// into a PNG file.
pub fn level_map(
    path: impl AsRef<Path>,
    title: &str,
    rows: usize,
    cols: usize,
    pitch_m: f64,
    level_db: &[f32],
) -> Result<()> {
    draw(title, rows, cols, pitch_m, level_db)?.save(path.as_ref())
}

/// Levels at the lowest and the highest colour.
pub(super) fn range<T: Copy + Into<f64>>(level_db: &[T]) -> Option<(f64, f64)> {
    let finite = || level_db.iter().map(|&v| v.into()).filter(|v| v.is_finite());
    let (low, high) = (finite().reduce(f64::min)?.floor(), finite().reduce(f64::max)?.ceil());
    Some((low.max(high - RANGE_DB).min(high - 1.0), high))
}

pub(super) fn is_level(level: f64) -> bool {
    level.is_finite() || level == f64::NEG_INFINITY
}

fn draw(title: &str, rows: usize, cols: usize, pitch_m: f64, level_db: &[f32]) -> Result<Canvas> {
    let grid = Grid::centred(rows, cols, pitch_m);
    grid.check(FIGURE, level_db.len())?;
    let (low, high) = range(level_db).ok_or(Error::NothingFinite(FIGURE, level_db.len()))?;
    let scale = Scale { low, high, unit: 1.0, step: None, label: "level (dBFS)".into(), colour };
    let cell = (SIDE / rows.max(cols)).max(1) as i32;
    let (width, height) = (cell * cols as i32, cell * rows as i32);
    let body = height.max(LEAST_HEIGHT);
    let map = Panel { x: LEFT, y: TOP + (body - height) / 2, width, height };
    let bar = Panel { x: LEFT + width + BAR_GAP, y: TOP, width: BAR_WIDTH, height: body };
    let sheet = bar.x + BAR_WIDTH + RIGHT;
    let mut canvas = Canvas::new(sheet, TOP + body + BOTTOM);
    let colour_of = |&level: &f32| is_level(level.into()).then(|| colour(scale.part(level.into())));
    let colours: Vec<_> = level_db.iter().map(colour_of).collect();
    paint(&mut canvas, &map, |place| colours[grid.index(place)]);
    map.frame(&mut canvas, title, map.y - TOP / 2, sheet)?;
    draw_axes(&mut canvas, &map, &grid)?;
    scale.bar(&mut canvas, &bar, sheet - LABEL)?;
    if colours.contains(&None) {
        draw_key(&mut canvas, &bar)?;
    }
    Ok(canvas)
}

fn draw_axes(canvas: &mut Canvas, map: &Panel, grid: &Grid) -> Result<()> {
    let ((left, right), (top, bottom)) = (grid.x_m(), grid.y_m());
    let x = map.horizontal(left, right, false);
    map.below(canvas, &x, &x.ticks(TICK_SPACING, 1.0), "x (m)")?;
    let y = map.vertical(top, bottom);
    // Numbers are lower than wide: a low map has room for three.
    let spacing = TICK_SPACING.min(f64::from(map.height) / 3.0).max(1.2 * f64::from(TICK));
    map.left(canvas, &y, &y.ticks(spacing, 1.0), ("y (m)", LABEL))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::{HATCH, NO_DATA};
    use plotters::style::{BLACK, RGBColor};

    /// Middle of a cell of a 4 x 8 map: 144-pixel cells.
    fn middle(row: i32, col: i32) -> (i32, i32) {
        (LEFT + 144 * col + 72, TOP + 144 * row + 72)
    }

    fn levels() -> Vec<f32> {
        (0..32).map(|i| -40.0 + i as f32).collect()
    }

    #[test]
    fn cells_have_the_colours_of_their_levels() {
        let canvas = draw("test", 4, 8, 0.02, &levels()).unwrap();
        for (row, col) in [(0, 0), (0, 7), (2, 3), (3, 7)] {
            let (x, y) = middle(row, col);
            // -40 to -9 dB: whole decibels, so the range is the data's own.
            assert_eq!(canvas.pixel(x, y), colour(f64::from(8 * row + col) / 31.0), "{row} {col}");
        }
        // The bar: highest above, lowest below, to within one pixel of its height.
        let x = LEFT + 8 * 144 + BAR_GAP + BAR_WIDTH / 2;
        assert_eq!(canvas.pixel(x, TOP), colour(1.0 - 0.5 / 576.0));
        assert_eq!(canvas.pixel(x, TOP + 575), colour(0.5 / 576.0));
    }

    #[test]
    fn what_is_no_level_is_hatched_and_minus_infinity_is_lowest() {
        let mut values = levels();
        values[9] = f32::NAN;
        values[10] = f32::NEG_INFINITY;
        values[11] = f32::INFINITY;
        let canvas = draw("test", 4, 8, 0.02, &values).unwrap();
        for col in [1, 3] {
            let (x, y) = middle(1, col);
            let found: Vec<RGBColor> = (0..12).map(|i| canvas.pixel(x + i, y)).collect();
            assert_eq!(found.iter().filter(|&&c| c == HATCH).count(), 2);
            assert_eq!(found.iter().filter(|&&c| c == NO_DATA).count(), 10);
        }
        let (x, y) = middle(1, 2);
        assert_eq!(canvas.pixel(x, y), colour(0.0));
    }

    #[test]
    fn ranges_are_whole_decibels_neither_tiny_nor_huge() {
        assert_eq!(range(&[-20.4, -3.2, f64::NAN]), Some((-21.0, -3.0)));
        assert_eq!(range(&[-3.0f32, -3.0]), Some((-4.0, -3.0)));
        assert_eq!(range(&[-300.0, -3.0, f32::NEG_INFINITY]), Some((-63.0, -3.0)));
        assert_eq!(range(&[f32::NAN, f32::INFINITY]), None);
    }

    #[test]
    fn nonsense_is_refused() {
        let refused = |rows, cols, pitch, values: &[f32]| draw("", rows, cols, pitch, values).err().unwrap();
        assert!(matches!(refused(0, 0, 0.02, &[]), Error::Empty { .. }));
        assert!(matches!(refused(2, 2, 0.02, &[f32::NAN; 4]), Error::NothingFinite(_, 4)));
        assert!(matches!(refused(2, 2, 0.02, &[0.0; 5]), Error::Length { found: 5, expected: 4, .. }));
        assert!(matches!(refused(5000, 1, 0.02, &[0.0; 5000]), Error::Axis { .. }));
        for pitch in [0.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(refused(1, 1, pitch, &[0.0]), Error::Axis { name: "pitch", .. }));
        }
    }

    #[test]
    fn extreme_shapes_are_drawn() {
        let title = "a long title that has to be made smaller to fit the sheet it stands on";
        // Pixels of a cell: a whole number, and never none.
        for (rows, cols, cell) in [(1, 1, 1152), (1, 64, 18), (64, 1, 18), (1, 4096, 1)] {
            let mut values = vec![0.0; rows * cols];
            values[rows * cols - 1] = -10.0;
            let canvas = draw(title, rows, cols, 1e-3, &values).unwrap();
            let (width, height) = (cell * cols as i32, cell * rows as i32);
            // Low maps stand in the middle of the bar's height.
            let top = TOP + (LEAST_HEIGHT - height).max(0) / 2;
            let (right, bottom) = (LEFT + width, top + height);
            // A level alone has the highest colour.
            let last = colour(if rows * cols == 1 { 1.0 } else { 0.0 });
            assert_eq!(canvas.pixel(right - cell, bottom - cell), last, "{rows} x {cols}");
            assert_eq!(canvas.pixel(right - 1, bottom - 1), last, "{rows} x {cols}");
            if rows * cols > 1 {
                assert_eq!(canvas.pixel(LEFT, top), colour(1.0), "{rows} x {cols}");
            }
            let frame = [(LEFT - 1, top - 1), (right, top), (LEFT, bottom), (right, bottom)];
            assert!(frame.iter().all(|(x, y)| canvas.pixel(*x, *y) == BLACK), "{rows} x {cols}");
        }
    }
}
