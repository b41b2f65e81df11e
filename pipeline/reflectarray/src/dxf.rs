//! Drawings in DXF R12 (AC1009), ASCII: what every CAD and board program reads.
//!
//! Millimetres. Rectangles are closed polylines: patches on the layer PATCHES, the aperture's edge on APERTURE. Comments (group 999) say the unit and from which side
//! the board is seen.

use super::layout::{Layout, Patch};
use numerics::real::ends;
use std::fmt::Write;

/// Colours of the layers by AutoCAD's numbers: patches yellow, edge white.
const LAYERS: [(&str, u8); 2] = [("PATCHES", 2), ("APERTURE", 7)];

/// The text of a drawing: patches, and an edge at half a cell (m) around their centres. `mirrored` turns x, to show the board from its front.
pub fn write_dxf(layout: &Layout, cell: f64, mirrored: bool) -> String {
    let sign = if mirrored { -1.0 } else { 1.0 };
    let side = if mirrored {
        "seen from the front, x to the left"
    } else {
        "seen from the back, towards the Earth, x to the right"
    };
    let mut text = String::new();
    group(&mut text, 999, &format!("nearfield reflectarray layout, millimetres, {side}"));
    section(&mut text, "HEADER", |text| {
        group(text, 9, "$ACADVER");
        group(text, 1, "AC1009");
    });
    section(&mut text, "TABLES", layers);
    section(&mut text, "ENTITIES", |text| {
        for patch in &layout.patches {
            rectangle(text, LAYERS[0].0, patch, sign);
        }
        if let Some(edge) = edge(&layout.patches, cell) {
            rectangle(text, LAYERS[1].0, &edge, sign);
        }
    });
    group(&mut text, 0, "EOF");
    text
}

/// A code and its value, a line each; codes are right-aligned as in the standard's examples.
fn group(text: &mut String, code: u16, value: &str) {
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{code:>3}\n{value}");
}

fn section(text: &mut String, name: &str, body: impl FnOnce(&mut String)) {
    group(text, 0, "SECTION");
    group(text, 2, name);
    body(text);
    group(text, 0, "ENDSEC");
}

fn layers(text: &mut String) {
    group(text, 0, "TABLE");
    group(text, 2, "LAYER");
    group(text, 70, &LAYERS.len().to_string());
    for (name, colour) in LAYERS {
        group(text, 0, "LAYER");
        group(text, 2, name);
        group(text, 70, "0");
        group(text, 62, &colour.to_string());
        group(text, 6, "CONTINUOUS");
    }
    group(text, 0, "ENDTAB");
}

fn rectangle(text: &mut String, layer: &str, patch: &Patch, sign: f64) {
    group(text, 0, "POLYLINE");
    group(text, 8, layer);
    // Vertices follow; the place is a dummy; closed.
    group(text, 66, "1");
    point(text, [0.0; 2]);
    group(text, 70, "1");
    for [i, j] in [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]] {
        group(text, 0, "VERTEX");
        group(text, 8, layer);
        let [x, y] = [patch.centre[0] + i * patch.sides[0], patch.centre[1] + j * patch.sides[1]];
        point(text, [sign * x, y]);
    }
    group(text, 0, "SEQEND");
    group(text, 8, layer);
}

/// Nanometres are the last digit.
fn point(text: &mut String, [x, y]: [f64; 2]) {
    for (code, value) in [(10, x), (20, y), (30, 0.0)] {
        group(text, code, &format!("{:.6}", 1e3 * value));
    }
}

fn edge(patches: &[Patch], cell: f64) -> Option<Patch> {
    let [x, y] = [0, 1].map(|axis: usize| ends(patches.iter().map(|patch| patch.centre[axis])));
    let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
    let around = Patch { centre: [middle(x), middle(y)], sides: [x, y].map(|[low, high]| high - low + cell) };
    (!patches.is_empty()).then_some(around)
}
