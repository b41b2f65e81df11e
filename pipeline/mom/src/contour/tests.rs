use super::check::{area, sample};
use super::*;
use crate::curve::{Piece, dot, minus};
use std::f64::consts::TAU;

fn polygon(text: &str) -> Result<Outline, Error> {
    parse(text).and_then(|points| outline(points, Kind::Polygon))
}

#[test]
fn files_have_names_comments_and_either_sense() {
    let square = polygon("x_m,y_m\n# a square\n0,0\n1,0\n\n1, 1\n0,1\n0,0\n").unwrap();
    assert_eq!(square.pieces().len(), 4);
    let turned = polygon("0,0\n0,1\n1,1\n1,0\n").unwrap();
    for outline in [square, turned] {
        // Outward normals: (t_y, -t_x) points away from the middle.
        for piece in outline.pieces() {
            let (point, slope) = (piece.point(0.5), piece.slope(0.5));
            assert!(dot([slope[1], -slope[0]], minus(point, [0.5, 0.5])) > 0.0);
        }
    }
}

#[test]
fn what_is_no_body_is_refused_by_its_number() {
    assert!(matches!(polygon("0,0\n1,0\nx,1\n"), Err(Error::Drawing { line: 3, .. })));
    assert!(matches!(polygon("0,0\n1,0\n1,1,1\n"), Err(Error::Drawing { line: 3, .. })));
    assert!(matches!(polygon("a,b\nc,d\n0,0\n"), Err(Error::Drawing { line: 2, .. })));
    assert!(matches!(polygon("0,0\n1,0\n1,nan\n"), Err(Error::Drawing { line: 3, .. })));
    assert!(matches!(polygon("0,0\n1,0\n"), Err(Error::Value { given, .. }) if given == "2"));
    assert!(matches!(polygon("0,0\n1,0\n1,0\n0,1\n"), Err(Error::Duplicate { first: 2, second: 3, .. })));
    let bow = polygon("0,0\n1,1\n1,0\n0,1\n");
    assert!(matches!(bow, Err(Error::Meeting { first: 1, second: 3, at: [0.5, 0.5], .. })), "{bow:?}");
    assert!(matches!(polygon("0,0\n2,0\n1,0\n1,1\n"), Err(Error::Meeting { .. })));
    assert!(matches!(polygon("0,0\n2,0\n2,2\n1,0\n0,2\n"), Err(Error::Meeting { .. })));
    assert!(polygon("0,0\n1,0\n2,0\n").is_err());
}

#[test]
fn smooth_contours_go_through_their_points() {
    let points: Vec<Point> = (0..16)
        .map(|i| {
            let t = TAU * f64::from(i) / 16.0;
            [t.cos() + 0.65 * (2.0 * t).cos() - 0.65, 1.5 * t.sin()]
        })
        .collect();
    let kite = outline(points.clone(), Kind::Smooth).unwrap();
    for (i, point) in points.iter().enumerate() {
        let off = minus(kite.smooth().unwrap().point(i as f64 / 16.0), *point);
        assert!(off[0].hypot(off[1]) < 1e-14);
    }
}

#[test]
fn bodies_must_not_meet() {
    let circle = |x: f64| Outline::circle([x, 0.0], 1.0).unwrap();
    assert!(check_bodies(&[circle(0.0), circle(3.0)]).is_ok());
    assert!(matches!(
        check_bodies(&[circle(0.0), circle(1.5)]),
        Err(Error::Meeting { what: "bodies", first: 1, second: 2, .. })
    ));
}

#[test]
fn a_long_last_side_is_noticed() {
    let arc = |turn: f64| {
        let point = |i| [(turn * f64::from(i) / 40.0).cos(), (turn * f64::from(i) / 40.0).sin()];
        outline((0..40).map(point).collect(), Kind::Polygon).unwrap()
    };
    assert!(suspicious_gap(&arc(TAU)).is_none());
    assert!(suspicious_gap(&arc(0.5 * TAU)).is_some());
}

fn drawing(path: &str) -> Result<Vec<Outline>, Error> {
    svg::parse(
        &format!("<svg xmlns=\"http://www.w3.org/2000/svg\">\n<path d=\"{path}\"/>\n</svg>"),
        Kind::Polygon,
        1.0,
    )
}

fn near(a: Point, b: Point) -> bool {
    (a[0] - b[0]).hypot(a[1] - b[1]) < 1e-12
}

/// Every command in both cases: the same shape, y turned up.
#[test]
fn paths_may_be_absolute_or_relative() {
    let absolute = "M1 1 L3 1 H5 V3 C5 5 4 6 3 6 S2 5 2 4 Q1.5 3.5 1.5 3 T1.25 2 A1 1 0 0 0 1 1.5 Z";
    let relative = "m1,1 l2,0h2v2c0,2-1,3-2,3s-1-1-1-2q-.5-.5-.5-1t-.25-1a1,1,0,00-.25-.5z";
    let [first, second] = [absolute, relative].map(|text| drawing(text).unwrap());
    assert_eq!((first.len(), first[0].pieces().len()), (1, 9));
    for (a, b) in first[0].pieces().iter().zip(second[0].pieces()) {
        for u in [0.0, 0.4, 1.0] {
            assert!(near(a.point(u), b.point(u)), "{a:?} {b:?}");
        }
    }
    // The path runs clockwise on the screen, as y points down there: counter-clockwise here.
    for (piece, next) in first[0].pieces().iter().zip(first[0].pieces().iter().cycle().skip(1)) {
        assert!(near(piece.point(1.0), next.point(0.0)), "{piece:?} {next:?}");
    }
    let points = sample(&first[0]);
    assert!(
        area(&points) > 0.0 && points.iter().all(|[x, y]| (0.5..5.1).contains(x) && (-6.1..-0.9).contains(y))
    );
}

/// Arcs lie on their ellipse, are the large or the small one, and turn either way; radii that are too short are stretched.
#[test]
fn arcs_are_those_of_the_flags() {
    for (flags, middle) in
        [("0 1", [1.0, 1.0]), ("0 0", [1.0, 1.0]), ("1 1", [1.0, 1.0]), ("1 0", [1.0, 1.0])]
    {
        let text = format!("M0 0 A1 1 0 {flags} 2 0 L1 -7 Z");
        // A half circle has its flags' side only: up the screen (negative y there) with 1.
        let found =
            drawing(&text.replace("L1 -7", if flags.ends_with('1') { "L1 7" } else { "L1 -7" })).unwrap();
        let arc = found[0].pieces().iter().find(|piece| matches!(piece, Piece::Ellipse { .. })).unwrap();
        let [x, y] = arc.point(0.5);
        assert!((x - middle[0]).abs() < 1e-12 && (y.abs() - middle[1]).abs() < 1e-12, "{flags}: {x} {y}");
        assert_eq!(y > 0.0, flags.ends_with('1'), "{flags}");
    }
    // A quarter of a circle of radius 1, and the other three.
    for (flags, turn) in [("0 1", 0.25), ("1 1", 0.75)] {
        let found = drawing(&format!("M1 0 A1 1 0 {flags} 0 1 Z")).unwrap();
        let Some(Piece::Ellipse { turn: found, .. }) =
            found[0].pieces().iter().find(|piece| !matches!(piece, Piece::Segment { .. }))
        else {
            panic!()
        };
        assert!((found.abs() - turn * TAU).abs() < 1e-12, "{flags}: {found}");
    }
    // Half axes 2 and 1, turned by 90 degrees; and stretched from 1 to 2.
    for text in ["M0 -2 A2 1 90 0 1 0 2 A2 1 90 0 1 0 -2", "M0 -2 A1 .5 90 0 1 0 2 A1 .5 90 0 1 0 -2"] {
        let found = drawing(text).unwrap();
        for [x, y] in sample(&found[0]) {
            assert!((x * x + y * y / 4.0 - 1.0).abs() < 1e-12, "{text}: {x} {y}");
        }
    }
}

#[test]
fn transforms_and_scale_are_applied() {
    let text = r#"<svg><defs><path d="M0 0"/></defs><g transform="translate(10) rotate(90)"><g transform="scale(2,1)">
        <path d="M0 0 L1 0 L1 1 Z M5 5 h1 v1 z" transform="skewX(0) matrix(1 0 0 1 0 0), translate(1, 2)"/></g></g></svg>"#;
    let found = svg::parse(text, Kind::Polygon, 0.5).unwrap();
    assert_eq!(found.len(), 2);
    // (0, 0) -> (1, 2) -> (2, 2) -> turned by 90 degrees (-2, 2) -> (8, 2) -> half, y up.
    let points = sample(&found[0]);
    assert!(points.iter().any(|point| near(*point, [4.0, -1.0])), "{points:?}");
    // (1, 1) -> (2, 3) -> (4, 3) -> (-3, 4) -> (7, 4).
    assert!(points.iter().any(|point| near(*point, [3.5, -2.0])), "{points:?}");
    assert!(area(&points) > 0.0);
}

#[test]
fn what_is_no_drawing_is_refused_with_its_place() {
    let path = |text: &str| drawing(text).unwrap_err();
    for (text, command, expected) in [
        ("L1 1", 1, "begins with M"),
        ("M0 0 L1", 2, "no finite number"),
        ("M0 0 L1 1 X2 2", 3, "no command"),
        ("M0 0 1 0 1 1e999", 3, "no finite number"),
        ("M0 0 A1 1 0 2 0 1 1", 2, "0 or 1"),
        ("M0 0 L1 1 Z 5", 4, "a command should stand here"),
        ("M0 0 Lnan 1", 2, "no finite number"),
    ] {
        match path(text) {
            Error::Path { line: 2, command: found, reason, .. } => {
                assert_eq!(found, command, "{text}: {reason}");
                assert!(reason.contains(expected), "{text}: {reason}");
            }
            other => panic!("{text}: {other}"),
        }
    }
    assert!(matches!(
        path("M0 0 L1 1 L1 0 L0 1 Z"),
        Error::Meeting { what: "pieces", first: 1, second: 3, .. }
    ));
    assert!(matches!(
        path("M0 0 C3 3 -2 3 1 0 Z"),
        Error::Meeting { what: "pieces", first: 1, second: 1, .. }
    ));
    assert!(matches!(path("M0 0 C1 1 0 1 1 0 Z"), Error::Cusp { piece: 1, .. }));
    assert!(matches!(path("M0 0 L1 0 Z"), Error::Meeting { .. } | Error::Flat { .. }));
    assert!(matches!(path("M0 0"), Error::Empty) && matches!(path(""), Error::Empty));
    assert!(matches!(
        path("M1e300 0 L1e308 1e308 L0 1e308 Z M0 0"),
        Error::Flat { .. } | Error::Value { .. }
    ));
    let whole = |text: &str| svg::parse(text, Kind::Polygon, 1.0).unwrap_err();
    assert!(matches!(whole("<svg>\n<rect width=\"1\"/></svg>"), Error::Drawing { line: 2, .. }));
    assert!(matches!(
        whole("<svg><path d=\"M0 0 1 0 1 1z\" transform=\"turn(3)\"/></svg>"),
        Error::Drawing { line: 1, .. }
    ));
    assert!(
        matches!(whole("<svg>\n<g>"), Error::Drawing { .. }) && matches!(whole(""), Error::Drawing { .. })
    );
    assert!(matches!(whole(&"<g>".repeat(100_000)), Error::Drawing { .. }));
    assert!(matches!(svg::parse("<svg/>", Kind::Smooth, 1.0), Err(Error::Drawing { .. })));
}

/// Without Z a path is a sheet if sheets are asked for, and else closed by a line.
#[test]
fn paths_without_an_end_are_sheets_or_closed() {
    let text = "<svg><path d=\"M0 0 C0 1 1 2 2 2\"/></svg>";
    let sheet = svg::parse(text, Kind::Open, 1.0).unwrap();
    assert!(!sheet[0].is_closed() && sheet[0].pieces().len() == 1);
    let closed = svg::parse(text, Kind::Polygon, 1.0).unwrap();
    assert!(closed[0].is_closed() && closed[0].pieces().len() == 2);
}

const SQUARE_2: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n7\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 3 0 0\n6 4 0 0\n7 5 1 0\n$EndNodes\n$Elements\n";

fn mesh(elements: &[&str]) -> Vec<u8> {
    let lines: String =
        elements.iter().enumerate().map(|(at, line)| format!("{} {line}\n", at + 1)).collect();
    format!("{SQUARE_2}{}\n{lines}$EndElements\n", elements.len()).into_bytes()
}

/// Lines in any order and sense, points and triangles among them, of the second order and of the first.
#[test]
fn lines_of_a_mesh_are_chained() {
    let square =
        ["15 2 0 1 1", "1 2 0 1 3 2", "1 2 0 1 1 2", "8 2 0 1 3 4 7", "2 2 0 1 1 2 3", "1 2 0 1 4 1"];
    let found = lines::parse(&mesh(&square), Kind::Polygon, 2.0).unwrap();
    assert_eq!(found.len(), 1);
    let points = sample(&found[0]);
    assert!(points.len() == 4 && (area(&points) - 4.0).abs() < 1e-15, "{points:?}");
    let sheet = [&square[..], &["1 2 0 1 6 5", "1 2 0 1 6 7"]].concat();
    let ends = lines::parse(&mesh(&sheet), Kind::Polygon, 1.0);
    assert!(matches!(ends, Err(Error::OpenChain { .. })), "{ends:?}");
    let both = lines::parse(&mesh(&sheet), Kind::Open, 1.0).unwrap();
    assert_eq!(both.iter().map(Outline::is_closed).collect::<Vec<_>>(), [false, true]);
    let cross = [&square[..], &["1 2 0 1 1 3"]].concat();
    assert!(matches!(
        lines::parse(&mesh(&cross), Kind::Polygon, 1.0),
        Err(Error::Branching { lines: 3, .. })
    ));
    assert!(matches!(lines::parse(&mesh(&["15 2 0 1 1"]), Kind::Polygon, 1.0), Err(Error::Empty)));
    let missing = lines::parse(&mesh(&["1 2 0 1 1 9"]), Kind::Polygon, 1.0).unwrap_err().to_string();
    assert!(missing.contains("line 16") && missing.contains("node 9"), "{missing}");
    let lifted = String::from_utf8(mesh(&square)).unwrap().replace("3 1 1 0", "3 1 1 0.5");
    assert!(matches!(
        lines::parse(lifted.as_bytes(), Kind::Polygon, 1.0),
        Err(Error::OutOfPlane { node: 2, z: 0.5 })
    ));
    let twice = mesh(&["1 2 0 1 1 2", "1 2 0 1 2 1"]);
    assert!(lines::parse(&twice, Kind::Polygon, 1.0).is_err());
    let point = mesh(&["1 2 0 1 1 1"]);
    assert!(lines::parse(&point, Kind::Polygon, 1.0).is_err());
}
