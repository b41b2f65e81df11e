//! Contours of `nearfield mom`.

use pipeline::mom::Error;
use pipeline::mom::contour::{Kind, lines, outline, parse, svg};
use pipeline::mom::curve::Outline;
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

/// Whether outlines are some; if so, every piece must be fit for nodes.
fn is_fit(outlines: Result<Vec<Outline>, Error>) -> bool {
    let Ok(outlines) = outlines else { return false };
    assert!(!outlines.is_empty());
    for piece in outlines.iter().flat_map(Outline::pieces) {
        let (point, slope) = (piece.point(0.3), piece.slope(0.3));
        assert!(point.iter().all(|x| x.is_finite()), "{piece:?}");
        assert!(slope[0].hypot(slope[1]) > 0.0, "{piece:?}");
    }
    true
}

#[test]
fn drawings() {
    let seeds = [
        "<svg>\n<g transform=\"translate(1,2) scale(2)\">\n<path d=\"M1 1 L3 1 H5 V3 C5 5 4 6 3 6 S2 5 2 4 Q1.5 3.5 1.5 3 T1.25 2 A1 1 0 0 0 1 1.5 Z\"/>\n</g>\n</svg>",
        "<svg>\n<path transform=\"rotate(30 1 1)\" d=\"m0 0 a2 1 90 1 0 0 2 z m9,9 l1,0 0,1\"/>\n<path d=\"M20 20 c0 1 1 2 2 2\"/></svg>",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut number = 0;
    fuzz("drawings of nearfield mom", Mutator::new(Dialect::Text, seeds), |bytes| {
        number += 1;
        let kind = [Kind::Polygon, Kind::Open][number % 2];
        is_fit(svg::parse(&String::from_utf8_lossy(bytes), kind, 0.001))
    });
}

#[test]
fn lines_of_meshes() {
    let nodes = "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 3 0 0\n6 4 0 0\n";
    let two = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n6\n{nodes}$EndNodes\n$Elements\n5\n1 1 2 0 1 1 2\n2 1 2 0 1 3 2\n3 1 2 0 1 3 4\n4 1 2 0 1 4 1\n5 1 2 0 2 5 6\n$EndElements\n"
    );
    let four = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n1 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n$Elements\n1 3 1 3\n1 1 1 3\n1 1 2\n2 2 3\n3 3 1\n$EndElements\n";
    let seeds = vec![two.into_bytes(), four.as_bytes().to_vec()];
    let mut number = 0;
    fuzz("lines of nearfield mom", Mutator::new(Dialect::Text, seeds), |bytes| {
        number += 1;
        is_fit(lines::parse(bytes, [Kind::Open, Kind::Polygon][number % 2], 1.0))
    });
}
