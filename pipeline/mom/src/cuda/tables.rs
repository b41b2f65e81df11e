//! Mesh, equation and Hankel functions as the card is told.

use crate::cells::{Cell, Mesh, Node};
use crate::curve::Piece;
use crate::equation::Equation;
use crate::hankel::{INTERVALS, SERIES};
use crate::lcn::Lcn;
use crate::settings::{self, Settings};
use crate::{kress, pulse};
use kernels::abi::{Mom, MomCell, MomHankel, MomNode};
use kernels::mom::{Method, Rules, Tables};
use num_complex::Complex;
use numerics::parallel;
use std::sync::Arc;

type C = Complex<f64>;

/// The polynomials of `hankel.rs`.
pub fn hankel() -> MomHankel {
    let last = &INTERVALS[INTERVALS.len() - 1];
    MomHankel {
        intervals: INTERVALS,
        series: SERIES,
        short_powers: last.powers.map(|powers| std::array::from_fn(|at| powers[at] as f32)),
    }
}

/// What kernels are told of an equation; launchers count.
pub fn numbers(equation: &Equation, settings: &Settings) -> Mom {
    let two = |value: C| [value.re, value.im];
    Mom {
        hankel: hankel(),
        k: equation.k,
        parts: equation.operators().map(two),
        jump: two(equation.jump()),
        reach: settings.near * settings.wavelength,
        count: 0,
        cells: 0,
    }
}

/// The method, and what its kernels read.
pub fn tables(equation: &Equation, mesh: &Mesh, settings: &Settings) -> (Method, Tables) {
    let node = |node: &Node| MomNode { point: node.point, normal: node.normal, weight: node.weight };
    let mut tables = Tables {
        nodes: mesh.nodes.iter().map(node).collect(),
        cells: Vec::new(),
        terms: Vec::new(),
        rules: Vec::new(),
        interpolation: Vec::new(),
        ends: Vec::new(),
        diagonal: Vec::new(),
        firsts: Vec::new(),
        differences: Vec::new(),
    };
    let method = match settings.method {
        settings::Method::Pulse => {
            tables.ends = mesh.cells.iter().map(ends).collect();
            tables.diagonal =
                parallel::map(mesh.cells.len(), &|at| pulse::own_entry(equation, mesh, &mesh.cells[at]));
            Method::Pulse
        }
        // Kapur and Rokhlin's rule is refused before.
        settings::Method::Kress | settings::Method::KapurRokhlin(_) => {
            (tables.diagonal, tables.differences) = kress::tables(equation, mesh);
            tables.firsts = mesh.cells.iter().map(|cell| mesh.bodies[cell.body] as u32).collect();
            Method::Kress
        }
        settings::Method::Lcn(nodes) => {
            tables.diagonal = vec![C::ZERO; mesh.nodes.len()];
            let lcn = Lcn::new(mesh, *equation, 0.0);
            let [own, part] = lcn.rules();
            tables.rules = [&mesh.rule, own, part]
                .into_iter()
                .flat_map(|rule| rule.pairs())
                .map(|(x, w)| [x, w])
                .collect();
            tables.interpolation = lcn.interpolation().to_vec();
            (tables.cells, tables.terms) = cells(mesh);
            Method::Lcn(Rules { nodes, own: own.nodes.len(), part: part.nodes.len() })
        }
    };
    (method, tables)
}

fn ends(cell: &Cell) -> [f64; 4] {
    let [[x0, y0], [x1, y1]] = cell.ends;
    [x0, y0, x1, y1]
}

/// Cells, and the terms of their series, each series once.
fn cells(mesh: &Mesh) -> (Vec<MomCell>, Vec<[f64; 4]>) {
    let mut terms: Vec<[f64; 4]> = Vec::new();
    let mut last: Option<(Arc<Vec<[f64; 4]>>, u32)> = None;
    let mut of = |cell: &Cell| {
        let (kind, numbers, series) = match &cell.piece {
            Piece::Segment { from, to } => (0, [from[0], from[1], to[0], to[1]], None),
            Piece::Circle { centre, radius } => (1, [centre[0], centre[1], *radius, 0.0], None),
            Piece::Series(series) => (2, [0.0; 4], Some(series)),
            // Refused before: the kernels do not know them.
            Piece::Cubic(_) | Piece::Ellipse { .. } => (0, [f64::NAN; 4], None),
        };
        let first_term = series.map_or(0, |series| match &last {
            Some((same, first)) if Arc::ptr_eq(same, series) => *first,
            _ => {
                let first = terms.len() as u32;
                terms.extend(series.iter());
                last = Some((Arc::clone(series), first));
                first
            }
        });
        MomCell {
            middle: cell.middle,
            half: cell.half,
            ends: cell.ends,
            length: cell.length,
            numbers,
            kind,
            first_term,
            terms: series.map_or(0, |series| series.len() as u32),
            first: cell.first as u32,
        }
    };
    (mesh.cells.iter().map(&mut of).collect(), terms)
}
