//! Contours of `nearfield mom`.

use pipeline::solvers::mom::contour::{Kind, outline, parse};
use tests::fuzz::{Dialect, Mutator, fuzz};

#[test]
fn contours() {
    let square = "x_m,y_m\n# a square\n0,0\n1,0\n1,1\n0,1\n0,0\n";
    let kite = "0.5,0\n0.1,0.7\n-0.9,0.4\n-0.6,-0.5\n0.2,-0.6\n";
    let seeds = vec![square.as_bytes().to_vec(), kite.as_bytes().to_vec()];
    let mut number = 0;
    fuzz("contours of nearfield mom", Mutator::new(Dialect::Text, seeds), |bytes| {
        number += 1;
        let kind = [Kind::Polygon, Kind::Open, Kind::Smooth][number % 3];
        let Ok(outline) = parse(&String::from_utf8_lossy(bytes)).and_then(|points| outline(points, kind))
        else {
            return false;
        };
        assert_eq!(outline.is_closed(), kind != Kind::Open);
        for piece in outline.pieces() {
            let (point, slope) = (piece.point(0.3), piece.slope(0.3));
            assert!(point.iter().all(|x| x.is_finite()), "{piece:?}");
            // A side of no length would have no normal.
            assert!(kind == Kind::Smooth || slope[0].hypot(slope[1]) > 0.0, "{piece:?}");
        }
        true
    });
}
