use super::*;
use crate::colour_map::{colour, cyclic, diverging};
use crate::raster::{HATCH, NO_DATA};
use num_complex::Complex;
use plotters::style::RGBColor;

/// 8 x 8: the first row 0, -5, -10 ... dB with phases of 0, 45, 90 ... degrees, the others likewise.
fn ladder() -> Vec<Complex<f64>> {
    let value = |i: i32| {
        Complex::from_polar(
            10f64.powf(-0.25 * f64::from(i % 8)),
            f64::from(i % 8) / 8.0 * std::f64::consts::TAU,
        )
    };
    (0..64).map(value).collect()
}

fn complex(values: &[Complex<f64>], rows: usize, cols: usize) -> Panel<'_> {
    let values = Values::Complex { values, reference: Reference::Maximum };
    Panel { title: "field", grid: Grid::centred(rows, cols, 0.02), values }
}

/// Middle of a cell of an 8 x 8 map in a column and a row of the figure.
fn middle(column: i32, row: i32, cell: (i32, i32)) -> (i32, i32) {
    let (x, y) = (column * COLUMN + LEFT, TOP + HEAD + row * (SIDE + NUMBERS));
    (x + 72 * cell.0 + 36, y + 72 * cell.1 + 36)
}

#[test]
fn level_above_and_phase_below() {
    let values = ladder();
    let figure = Figure::new("1 kHz", vec![complex(&values, 8, 8), complex(&values, 8, 8)]);
    let canvas = figure.draw().unwrap();
    for column in 0..2 {
        for i in 0..8 {
            let (x, y) = middle(column, 0, (i, 3));
            // 5 dB a pixel over 30 dB.
            assert_eq!(canvas.pixel(x, y), colour(1.0 - f64::from(i) / 6.0), "{i}");
            let (x, y) = middle(column, 1, (i, 3));
            let full = cyclic(f64::from(i) / 8.0);
            match i {
                // To -20 dB the phase has its full colour, at -30 dB it has gone.
                0..=4 => assert_eq!(canvas.pixel(x, y), full, "{i}"),
                5 => assert!(canvas.pixel(x, y) != full && canvas.pixel(x, y) != RGBColor(240, 240, 240)),
                _ => assert_eq!(canvas.pixel(x, y), RGBColor(240, 240, 240), "{i}"),
            }
        }
    }
    // The phase's bar starts below with -180 degrees, which is +180 above.
    let x = LEFT + SIDE + BAR_GAP + BAR_WIDTH / 2;
    let y = TOP + HEAD + SIDE + NUMBERS;
    assert_eq!(canvas.pixel(x, y + SIDE / 2), cyclic(-0.5 / f64::from(SIDE)));
}

#[test]
fn signed_fields_are_symmetric_about_white() {
    let values: Vec<f64> = (0..64).map(|i| if i % 2 == 0 { -2e-6 } else { 1e-6 }).collect();
    let values = Values::Signed { values: &values, quantity: "active intensity", unit: "W/m²" };
    let panel = Panel { title: "I", grid: Grid::centred(8, 8, 0.02), values };
    let canvas = Figure::new("", vec![panel]).draw().unwrap();
    let at = |col| middle(0, 0, (col, 0));
    assert_eq!(canvas.pixel(at(0).0, at(0).1), diverging(0.0));
    assert_eq!(canvas.pixel(at(1).0, at(1).1), diverging(0.75));
}

#[test]
fn what_is_no_number_is_hatched() {
    let mut values = ladder();
    values[9] = Complex::new(f64::NAN, 0.0);
    values[10] = Complex::new(0.0, f64::INFINITY);
    values[11] = Complex::new(0.0, 0.0);
    let canvas = Figure::new("", vec![complex(&values, 8, 8)]).draw().unwrap();
    for row in 0..2 {
        for col in [1, 2] {
            let (x, y) = middle(0, row, (col, 1));
            let found: Vec<RGBColor> = (0..12).map(|i| canvas.pixel(x + i, y)).collect();
            assert!(
                found.contains(&HATCH) && found.iter().all(|c| [HATCH, NO_DATA].contains(c)),
                "{found:?}"
            );
        }
    }
    let (x, y) = middle(0, 0, (3, 1));
    assert_eq!(canvas.pixel(x, y), colour(0.0));
}

#[test]
fn odd_shapes_and_silence_are_drawn() {
    for (rows, cols) in [(1, 1), (1, 64), (64, 1), (1, 4096), (12, 7), (128, 128)] {
        let values: Vec<Complex<f64>> = (0..rows * cols).map(|i| Complex::new(1.0, i as f64)).collect();
        let decibels: Vec<f64> = (0..rows * cols).map(|i| -(i as f64)).collect();
        let mut figure = Figure::new("a long title ".repeat(20).leak(), vec![complex(&values, rows, cols)]);
        let values = Values::Decibels { values: &decibels, quantity: "uncertainty" };
        figure.panels.push(Panel { title: "dB", grid: Grid::centred(rows, cols, 1e-3).refined(1), values });
        for pixels in [Pixels::Auto, Pixels::Squares, Pixels::Smooth] {
            figure.pixels = pixels;
            figure.draw().unwrap();
        }
    }
    let silent = [Complex::new(0.0, 0.0); 4];
    let canvas = Figure::new("", vec![complex(&silent, 2, 2)]).draw().unwrap();
    assert_eq!(canvas.pixel(LEFT + 10, TOP + HEAD + 10), colour(0.0));
    let zeros = Values::Signed { values: &[0.0; 4], quantity: "I", unit: "" };
    let canvas =
        Figure::new("", vec![Panel { title: "", grid: Grid::centred(2, 2, 1.0), values: zeros }]).draw();
    assert_eq!(canvas.unwrap().pixel(LEFT + 10, TOP + HEAD + 10), diverging(0.5));
}

#[test]
fn nonsense_is_refused() {
    let refused = |panels: Vec<Panel<'_>>| Figure::new("", panels).draw().err().unwrap();
    let one = [Complex::new(1.0, 0.0); 4];
    assert!(matches!(refused(vec![]), Error::Empty { .. }));
    assert!(matches!(refused(vec![complex(&[], 0, 0)]), Error::Empty { .. }));
    assert!(matches!(refused(vec![complex(&one, 2, 3)]), Error::Length { found: 4, expected: 6, .. }));
    assert!(matches!(refused(vec![complex(&one, 2, 2); 9]), Error::Axis { name: "number of fields", .. }));
    let nan = [Complex::new(f64::NAN, 0.0); 4];
    assert!(matches!(refused(vec![complex(&nan, 2, 2)]), Error::NothingFinite(_, 4)));
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut panel = complex(&one, 2, 2);
        panel.values = Values::Complex { values: &one, reference: Reference::Effective { value, name: "" } };
        assert!(matches!(refused(vec![panel]), Error::Axis { name: "reference", .. }), "{value}");
        panel = complex(&one, 2, 2);
        panel.grid.pitch_m = value;
        assert!(matches!(refused(vec![panel]), Error::Axis { name: "pitch", .. }), "{value}");
        let mut figure = Figure::new("", vec![complex(&one, 2, 2)]);
        figure.range_db = value;
        assert!(matches!(figure.draw(), Err(Error::Axis { name: "range", .. })), "{value}");
    }
    let mut panel = complex(&one, 2, 2);
    panel.grid.first_m[1] = f64::NAN;
    assert!(matches!(refused(vec![panel]), Error::Axis { name: "first pixel", at: 1, .. }));
}
