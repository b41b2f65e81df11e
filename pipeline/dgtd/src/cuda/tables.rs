//! Elements in blocks of the card's, with their matrices, geometry, media and neighbours.

use super::Number;
use crate::Material;
use crate::cpu::order::{absorbing_axes, along_a_curve};
use crate::design::{Design, Outside};
use kernels::dgtd::{AXES_BITS, FACE, FACE_NUMBERS, GEOMETRY, Layout, TABLE_BITS, Tables, memories};
use numerics::vec3::Vec3;

/// The place of every element, the first place in a block of matched layers, and what the card is sent. A place without an element has itself for neighbours and rates of zero.
pub fn arranged<T: Number>(design: &Design, layout: &Layout) -> (Vec<usize>, usize, Tables<T>) {
    let order = along_a_curve(design);
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, element)| places[*element as usize] = place);
    let lanes = layout.lanes;
    let count = order.len().next_multiple_of(lanes);
    let sigma = |place: usize| {
        let element = order.get(place);
        element
            .zip(design.absorber.as_ref())
            .map_or(Vec3::ZERO, |(element, absorber)| absorber.sigma_of(*element))
    };
    let first = (0..count).find(|place| sigma(*place) != Vec3::ZERO).unwrap_or(count);
    let first_matched = first / lanes * lanes;
    let mut tables = Tables {
        derivatives: derivatives(design, layout),
        lift: lift(design, layout),
        geometry: vec![T::zero(); count * GEOMETRY],
        neighbours: (0..count * 4)
            .map(|at| (at / (4 * lanes) * lanes + at % lanes) as u32)
            .map(itself)
            .collect(),
        wet: vec![0; count * 4],
        delays: Vec::new(),
        face_nodes: design.element.face_nodes.iter().flatten().map(|node| *node as u8).collect(),
        seen: seen(design),
        sigma: vec![T::zero(); (count - first_matched) * 3],
        starts: starts(design, &order[first_matched.min(order.len())..], lanes),
    };
    for (place, element) in order.iter().enumerate() {
        put(&mut tables, design, layout, place, *element as usize, &places);
    }
    for place in first_matched..count {
        let at = (place - first_matched) / lanes * 3 * lanes + place % lanes;
        (0..3).for_each(|axis| tables.sigma[at + axis * lanes] = T::of(sigma(place)[axis]));
    }
    (places, first_matched, tables)
}

/// Axes of the blocks of these elements, all that one of them has, and how many memories come before theirs.
fn starts(design: &Design, elements: &[u32], lanes: usize) -> Vec<u32> {
    let axes = |block: &[u32]| block.iter().fold(0, |axes, it| axes | absorbing_axes(design, *it));
    let mut before = 0;
    let start = |block| {
        let (axes, first) = (axes(block), before);
        before += memories(axes);
        first << AXES_BITS | axes
    };
    elements.chunks(lanes).map(start).collect()
}

fn itself(place: u32) -> u32 {
    place << TABLE_BITS
}

/// Geometry and neighbours of an element.
fn put<T: Number>(
    tables: &mut Tables<T>,
    design: &Design,
    layout: &Layout,
    place: usize,
    element: usize,
    places: &[usize],
) {
    let (lanes, cell) = (layout.lanes, &design.cells[element]);
    let (block, lane) = (place / lanes, place % lanes);
    let mut numbers = Vec::with_capacity(GEOMETRY);
    numbers.extend(cell.axes.iter().flat_map(|axis| axis.to_array()));
    let material = &cell.material;
    numbers.extend([material.permittivity.recip(), material.permeability.recip()]);
    numbers.push(material.loss() / material.permittivity);
    for (face, side) in cell.sides.iter().enumerate() {
        let flux = design.flux(element, face);
        numbers.extend(side.normal.to_array());
        numbers.extend([flux.electric, flux.magnetic, flux.image].as_flattened());
        let at = (block * 4 + face) * lanes + lane;
        tables.neighbours[at] = match side.outside {
            Outside::Element(neighbour) => {
                let table = 6 * u32::from(neighbour.face) + u32::from(neighbour.permutation);
                itself(places[neighbour.element as usize] as u32) | table
            }
            Outside::Boundary(_) => itself(place as u32) | (6 * face as u32),
        };
        if let (Some(wave), true) = (&design.wave, side.incident != 0.0) {
            // Factors are 1 and -1.
            tables.wet[at] = (tables.delays.len() as i32 + 1) * side.incident.signum() as i32;
            let nodes = design.element.face_nodes[face].iter();
            tables.delays.extend(nodes.map(|node| wave.delay(design.place(element, *node))));
        }
    }
    debug_assert_eq!(numbers.len(), FACE + 4 * FACE_NUMBERS);
    for (number, value) in numbers.into_iter().enumerate() {
        tables.geometry[(block * GEOMETRY + number) * lanes + lane] = T::of(value);
    }
}

/// D_r, D_s and D_t, tile by tile.
fn derivatives<T: Number>(design: &Design, layout: &Layout) -> Vec<T> {
    let Layout { nodes, rows, tiles, .. } = *layout;
    let pitch = layout.pitch();
    let entry = |at: usize| {
        let (tile, column, axis, row) =
            (at / pitch / nodes, at / pitch % nodes, at % pitch / rows, at % pitch % rows);
        let row = tile * rows + row;
        if axis < 3 && row < nodes { design.element.derivatives[axis][(row, column)] } else { 0.0 }
    };
    (0..tiles * nodes * pitch).map(|at| T::of(entry(at))).collect()
}

/// LIFT, tile by tile.
fn lift<T: Number>(design: &Design, layout: &Layout) -> Vec<T> {
    let Layout { nodes, rows, tiles, .. } = *layout;
    let traces = layout.traces();
    let entry = |at: usize| {
        let (tile, column, row) = (at / rows / traces, at / rows % traces, at % rows);
        let row = tile * rows + row;
        if row < nodes { design.element.lift[(row, column)] } else { 0.0 }
    };
    (0..tiles * traces * rows).map(|at| T::of(entry(at))).collect()
}

/// Of every place half the volume of its element over that of the reference element, 4/3, times eps and times mu; 0 where there is no element.
pub fn scales(design: &Design, places: &[usize], count: usize) -> Vec<f64> {
    let mut scales = vec![[0.0; 2]; count];
    for (cell, place) in design.cells.iter().zip(places) {
        let Material { permittivity, permeability, .. } = cell.material;
        scales[*place] = [permittivity, permeability].map(|medium| 0.375 * cell.volume * medium);
    }
    scales.into_flattened()
}

/// Nodes of a neighbour's face as ours meet them, `[face][permutation][node]`.
fn seen(design: &Design) -> Vec<u8> {
    let element = &design.element;
    let of = |face: usize| element.permuted.iter().flatten().map(move |i| element.face_nodes[face][*i] as u8);
    (0..4).flat_map(of).collect()
}
