use super::super::{Padding, reference};
use super::*;

type C = Complex<f64>;

fn field(rows: usize, cols: usize) -> Vec<C> {
    let value = |i: usize| {
        let (y, x) = ((i / cols) as f64 - 3.0, (i % cols) as f64 - 10.0);
        let r = (x * x + y * y + 9.0).sqrt();
        // Something that no model predicts, as noise would be, at 1e-3 of the peak.
        C::from_polar(3.0 / r, -0.4 * r) + 1e-3 * C::cis((i * i % 1009) as f64)
    };
    (0..rows * cols).map(value).collect()
}

/// The same condition as for LPBP: 1e6 against 1e-16.
const TOLERANCE: f64 = 1e-10;

#[test]
fn as_by_definition_and_symmetric() {
    for (rows, cols, grid_rows, grid_cols) in [(32, 32, 96, 96), (9, 18, 24, 33)] {
        let grid = Grid::new(Aperture { rows, cols, pitch: 0.02 }, grid_rows, grid_cols).unwrap();
        let values = field(rows, cols);
        let ours = extend(&values, &grid, 6).unwrap();
        let hologram = reference::Array { rows, cols, values: values.clone() };
        let expected = reference::padded(&hologram, &grid, Padding::Plpbp { order: 6 }).values;
        let turned =
            Grid::new(Aperture { rows: cols, cols: rows, pitch: 0.02 }, grid_cols, grid_rows).unwrap();
        let turned = transposed(&extend(&transposed(&values, cols), &turned, 6).unwrap(), grid_rows);
        for ((a, b), c) in ours.iter().zip(&expected).zip(&turned) {
            assert!((a - b).norm() <= TOLERANCE, "{a} {b}");
            assert!((a - c).norm() <= TOLERANCE, "{a} {c}");
        }
    }
}

#[test]
fn borders_are_those_of_lpbp() {
    let grid = Grid::triple(Aperture::CAMERA).unwrap();
    let values = field(32, 32);
    let (planar, plain) = (extend(&values, &grid, 8).unwrap(), lpbp::extend(&values, &grid, 8).unwrap());
    let inside = |i: usize| (32..64).contains(&i);
    let mut corners = 0.0f64;
    for (i, (a, b)) in planar.iter().zip(&plain).enumerate() {
        if inside(i / 96) || inside(i % 96) {
            assert!((a - b).norm() <= TOLERANCE, "{i}: {a} {b}");
        } else {
            corners = corners.max((a - b).norm());
        }
    }
    assert!(corners > 1e-6, "corners differ by {corners:e} only");
}
