//! Elements in blocks of the card's, with their matrices, geometry, media and neighbours.

use crate::design::{Design, Outside};
use crate::dispersion::{Dispersion, Rates};
use crate::error::Error;
use crate::order::{absorbing_axes, along_a_curve};
use crate::wave::Pulse;
use crate::{Material, PlaneWave, Port, State};
use kernels::dgtd::{
    AXES_BITS, FACE, FACE_NUMBERS, GEOMETRY, Layout, Mesh, POLE_NUMBERS, Poles, TABLE_BITS, Tables, memories,
};
use kernels::plain::Float;
use kernels::{Stream, abi};
use numerics::real::Real;
use numerics::vec3::Vec3;

/// `f32` or `f64`, here and on the card.
pub trait Number: Real + Float {}

impl Number for f32 {}
impl Number for f64 {}

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

/// The poles of a design whose elements are at these places.
pub fn poles<T: Number>(
    stream: &mut Stream,
    mesh: &Mesh<T>,
    design: &Design,
    dispersion: &Dispersion,
    places: &[usize],
) -> Result<Poles<T>, Error> {
    let places: Vec<u32> = dispersion.elements.iter().map(|it| places[*it as usize] as u32).collect();
    let mut rates = vec![T::zero(); places.len() * dispersion.most * POLE_NUMBERS];
    let each = dispersion.elements.iter().zip(&dispersion.poles);
    for ((element, poles), to) in each.zip(rates.chunks_exact_mut(dispersion.most * POLE_NUMBERS)) {
        let inverse = design.cells[*element as usize].material.permittivity.recip();
        for (Rates { g, r, c, gamma, k }, to) in poles.iter().zip(to.chunks_exact_mut(POLE_NUMBERS)) {
            let numbers = [*g, *r, *c, *gamma, *k, inverse];
            to.iter_mut().zip(numbers).for_each(|(to, number)| *to = T::of(number));
        }
    }
    Ok(mesh.poles(stream, &places, &rates)?)
}

/// A wave as the card is told.
pub fn incident(wave: &PlaneWave) -> abi::Dgtd {
    let (wavenumber, centre, width) = match wave.pulse() {
        Pulse::Sine { wavenumber } => (wavenumber, 0.0, 0.0),
        Pulse::Gauss { centre, width, wavenumber } => (wavenumber, centre, width),
    };
    let State { e, h } = wave.amplitude();
    let (electric, magnetic) = (e.to_array(), h.to_array());
    abi::Dgtd { electric, magnetic, wavenumber, centre, width, ..Default::default() }
}

/// What the generator does at a time, m.
pub fn generator(port: &Port, time: f64, factors: [f64; 2]) -> abi::DgtdPort {
    abi::DgtdPort { field: port.field(time).to_array(), time, factors }
}

/// Nodes of the sheet as both sides see them, those of an element side by side; or each once, in the order of [`Terminals`].
pub fn gaps(design: &Design, places: &[usize], once: bool) -> Vec<abi::DgtdGap> {
    let (nodes, face_nodes) = (design.element.node_count(), design.element.face_node_count());
    let mut found = Vec::new();
    for (element, cell) in design.cells.iter().enumerate() {
        for (face, side) in cell.sides.iter().enumerate().filter(|(_, side)| side.sheet > 0.0) {
            let Outside::Element(neighbour) = side.outside else { continue };
            let other = neighbour.element as usize;
            if once && other < element {
                continue;
            }
            let [y, y_own] = [side.beyond.impedance(), cell.material.impedance()].map(f64::recip);
            let gap = abi::DgtdGap {
                normal: side.normal.to_array(),
                beyond: y,
                both: (y + y_own).recip(),
                share: side.sheet / (y + y_own + side.sheet),
                electric: side.scale * y_own / cell.material.permittivity,
                magnetic: side.scale / cell.material.permeability,
                place: places[element] as u32,
                ..Default::default()
            };
            let seen = &design.element.permuted[neighbour.permutation as usize];
            let others = &design.element.face_nodes[neighbour.face as usize];
            let at = design.element.face_nodes[face].iter().zip(seen);
            found.extend(at.enumerate().map(|(i, (node, seen))| abi::DgtdGap {
                own: (places[element] * nodes + node) as u32,
                other: (places[other] * nodes + others[*seen]) as u32,
                column: (face * face_nodes + i) as u32,
                ..gap
            }));
        }
    }
    found
}
