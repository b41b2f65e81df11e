//! `layout.dxf` as another program reads it: the crate dxf. Every patch has its centre, its sides and its layer by `elements.csv` and the table of sizes, both read here once more.

use dxf::Drawing;
use dxf::entities::{EntityType, Polyline};
use dxf::enums::AcadVersion;
use pipeline::reflectarray::case::{self, Case};
use pipeline::reflectarray::dxf::write_dxf;
use pipeline::reflectarray::files::write_elements;
use pipeline::reflectarray::layout::layout;
use std::f64::consts::TAU;
use std::path::Path;

/// Coordinates are written to a nanometre, in millimetres; a side has two of them.
const ROUNDING: f64 = 1.1e-6;

/// A table of patches that are not square, with phases that fall.
const SIZES: &str =
    "phase_rad,width_m,height_m\n3.0,2e-3,3e-3\n1.5,3e-3,4.5e-3\n0.2,5e-3,6e-3\n-2.9,6.5e-3,7e-3\n";

/// Sides (m) of a phase: the rows of a table, linear between them; the nearest end beyond.
fn sides(rows: &[[f64; 3]], phase: f64) -> [f64; 2] {
    let turned = (-2..=2).map(|turn| phase + TAU * f64::from(turn));
    let within = |phase: &f64| {
        let between = |pair: &&[[f64; 3]]| (pair[0][0] - phase) * (pair[1][0] - phase) <= 0.0;
        rows.windows(2).find(between).map(|pair| {
            let t = (phase - pair[0][0]) / (pair[1][0] - pair[0][0]);
            [1, 2].map(|i| pair[0][i] + t * (pair[1][i] - pair[0][i]))
        })
    };
    let nearest = || {
        let off = |row: &[f64; 3]| (row[0] - phase - TAU * ((row[0] - phase) / TAU).round()).abs();
        let ends = [rows[0], rows[rows.len() - 1]];
        let end = if off(&ends[0]) < off(&ends[1]) { ends[0] } else { ends[1] };
        [end[1], end[2]]
    };
    turned.clone().find_map(|phase| within(&phase)).unwrap_or_else(nearest)
}

/// Numbers of a CSV file with three columns.
fn numbers(text: &str) -> Vec<[f64; 3]> {
    let row = |line: &str| {
        let fields: Vec<f64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        [fields[0], fields[1], fields[2]]
    };
    text.lines().skip(1).map(row).collect()
}

/// Least and greatest x and y of a closed polyline with four corners that are those of a rectangle.
fn rectangle(polyline: &Polyline) -> [[f64; 2]; 2] {
    assert!(polyline.is_closed());
    let corners: Vec<[f64; 3]> =
        polyline.vertices().map(|v| [v.location.x, v.location.y, v.location.z]).collect();
    assert_eq!(corners.len(), 4);
    let ends = [0, 1].map(|axis: usize| {
        let all = || corners.iter().map(|corner| corner[axis]);
        [all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max)]
    });
    for (at, corner) in corners.iter().enumerate() {
        assert!(corner[2] == 0.0 && (0..2).all(|axis| ends[axis].contains(&corner[axis])), "{corner:?}");
        // From corner to corner along one side at a time.
        let next = corners[(at + 1) % 4];
        assert!((corner[0] == next[0]) != (corner[1] == next[1]), "{corner:?} {next:?}");
    }
    ends
}

/// Writes both files of a case with moved elements and phases all over the turn, and compares them.
fn compare(case: &Case, rows: &[[f64; 3]], folder: &Path) {
    let layout_case = case.layout.as_ref().unwrap();
    let mut elements = case.elements();
    // Patches of a regular grid have no room to move.
    let reach = if case.spacing.is_some() { 0.02 * case.pitch } else { 0.0 };
    for at in 0..elements.len() {
        let angle = at as f64;
        elements.x[at] += reach * angle.sin();
        elements.y[at] += reach * (1.7 * angle).cos();
        elements.phase[at] = 0.5 * TAU * (0.37 * angle).sin();
    }
    write_elements(&folder.join("elements.csv"), &elements).unwrap();
    let made = layout(&elements, &layout_case.settings).unwrap();
    assert_eq!(made.narrowed, 0);
    let text = write_dxf(&made, case.pitch, layout_case.mirrored);
    assert!(text.lines().nth(1).unwrap().contains("millimetres"), "R12 has no variable for units");
    std::fs::write(folder.join("layout.dxf"), text).unwrap();

    let drawing = Drawing::load_file(folder.join("layout.dxf")).unwrap();
    assert_eq!(drawing.header.version, AcadVersion::R12);
    let layers: Vec<&str> = drawing.layers().map(|layer| layer.name.as_str()).collect();
    assert!(["PATCHES", "APERTURE"].iter().all(|name| layers.contains(name)), "{layers:?}");
    let polylines: Vec<(&str, [[f64; 2]; 2])> = drawing
        .entities()
        .map(|entity| match &entity.specific {
            EntityType::Polyline(polyline) => (entity.common.layer.as_str(), rectangle(polyline)),
            other => panic!("{other:?}"),
        })
        .collect();
    let placed = numbers(&std::fs::read_to_string(folder.join("elements.csv")).unwrap());
    assert_eq!((polylines.len(), placed.len()), (elements.len() + 1, elements.len()));
    let sign = if layout_case.mirrored { -1.0 } else { 1.0 };
    for ([x, y, phase], (layer, [across, up])) in placed.iter().zip(&polylines) {
        assert_eq!(*layer, "PATCHES");
        let [width, height] = sides(rows, phase + layout_case.settings.offset);
        let found = [across[0] + across[1], up[0] + up[1], across[1] - across[0], up[1] - up[0]];
        let expected = [2.0 * sign * x, 2.0 * y, width, height].map(|metres| 1e3 * metres);
        let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < ROUNDING, "({x}, {y}) m, {phase} rad: {found:?} mm, not {expected:?}");
    }
    let (layer, [across, up]) = polylines[elements.len()];
    assert_eq!(layer, "APERTURE");
    let inside = |ends: [f64; 2], own: &[f64; 2]| ends[0] < own[0] && own[1] < ends[1];
    assert!(polylines[..elements.len()].iter().all(|(_, [x, y])| inside(across, x) && inside(up, y)));
}

#[test]
fn patches_of_a_built_in_case() {
    let (tables, folder) = case::load(Path::new("europe-71")).unwrap();
    let case = tables.resolve(&folder).unwrap();
    let table = &case.layout.as_ref().unwrap().settings.table;
    let rows: Vec<[f64; 3]> = table.rows().iter().map(|(phase, [x, y])| [*phase, *x, *y]).collect();
    compare(&case, &rows, tempfile::tempdir().unwrap().path());
}

#[test]
fn patches_of_a_table_of_one_s_own_from_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("sizes.csv"), SIZES).unwrap();
    let text = case::BUILT_IN[1].1;
    let (head, _) = text.split_once("[layout]").unwrap();
    for view in ["back", "front"] {
        let layout = format!(
            "[layout]\ntable = \"sizes.csv\"\noutside = \"nearest\"\nview = \"{view}\"\noffset_deg = 40.0\n"
        );
        let case = case::case(&format!("{head}{layout}"), folder.path()).unwrap();
        compare(&case, &numbers(SIZES), folder.path());
    }
}
