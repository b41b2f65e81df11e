//! The definition: the semi-discrete equations of Maxwell, node by node, in `f64`.
//!
//! Times are c t, m; H is multiplied by the impedance of vacuum, V/m; eps and mu are relative.
//! ```text
//! eps dE/dt = +curl H - sigma E + LIFT n x (Z+ [H] - alpha n x [E])/(Z+ + Z-)
//! mu  dH/dt = -curl E           + LIFT n x (-Y+ [E] - alpha n x [H])/(Y+ + Y-)        [q] = q+ - q-
//! ```
//! q- is the field of the element itself, q+ that of what is behind the face:
//!
//! | behind the face | E+ | H+ | alpha |
//! |---|---|---|---|
//! | an element | its E | its H | that of the settings |
//! | PEC | -E- | H- | that of the settings |
//! | PMC | E- | -H- | that of the settings |
//! | absorbing | 0 | 0 | 1 |
//! | incident | that of the wave | that of the wave | 1 |
//!
//! A node of a dispersive medium has its [poles](super::dispersion) beside that, one of the matched layers its [memories](super::pml): both add to the rates of the node alone.
//!
//! A face of a [`port`] has the flux of a sheet, a `dipole`(super::dipole) adds to the rates of its element.
//!
//! On a Huygens surface the wave is added to q+ on the side of the total field and taken from it on the other.

use super::design::{Cell, Design, Outside, Side};
use super::dispersion::{Dispersion, Polarisation, Rates};
use super::matrix::Matrix;
use super::port;
use super::settings::Boundary;
use super::state::State;
use numerics::vec3::Vec3;

/// dE/dt and dH/dt, V/m^2, at all nodes at a time, m.
pub fn rates(design: &Design, fields: &[State], time: f64) -> Vec<State> {
    let elements = 0..design.cells.len();
    let mut found: Vec<State> =
        elements.flat_map(|element| element_rates(design, fields, element, time)).collect();
    for source in &design.sources {
        let first = source.element * design.element.node_count();
        for (state, rate) in found[first..].iter_mut().zip(&source.rates) {
            state.e += *rate * source.pulse.at(time);
        }
    }
    found
}

/// The rates of one element.
fn element_rates(design: &Design, fields: &[State], element: usize, time: f64) -> Vec<State> {
    let (nodes, cell) = (design.element.node_count(), &design.cells[element]);
    let own = &fields[element * nodes..][..nodes];
    let mut fluxes = Vec::new();
    for face in 0..4 {
        let node_fluxes = 0..design.element.face_node_count();
        fluxes.extend(node_fluxes.map(|i| flux(design, fields, element, face, i, time)));
    }
    (0..nodes)
        .map(|node| {
            let lift = design.element.lift.row(node);
            let curl = curl(design, cell, own, node);
            let sum = |part: fn(&State) -> Vec3| {
                lift.iter().zip(&fluxes).fold(Vec3::ZERO, |sum, (weight, flux)| sum + part(flux) * *weight)
            };
            let material = &cell.material;
            State {
                e: (curl.h - own[node].e * material.loss() + sum(|flux| flux.e))
                    * material.permittivity.recip(),
                h: (-curl.e + sum(|flux| flux.h)) * material.permeability.recip(),
            }
        })
        .collect()
}

/// Curls of E and H at a node.
fn curl(design: &Design, cell: &Cell, own: &[State], node: usize) -> State {
    let mut found = State::default();
    for (matrix, axis) in design.element.derivatives.iter().zip(cell.axes) {
        for (weight, state) in matrix.row(node).iter().zip(own) {
            found.e += axis.cross(state.e) * *weight;
            found.h += axis.cross(state.h) * *weight;
        }
    }
    found
}

/// What is lifted at node `i` of a face, with the scale of the face.
fn flux(design: &Design, fields: &[State], element: usize, face: usize, i: usize, time: f64) -> State {
    let (nodes, cell) = (design.element.node_count(), &design.cells[element]);
    let (side, node) = (&cell.sides[face], design.element.face_nodes[face][i]);
    let own = fields[element * nodes + node];
    let mut other = beyond(design, fields, side, own, i);
    if let (Some(wave), true) = (&design.wave, side.incident != 0.0) {
        let wave = wave.at(design.place(element, node), time);
        other.e += wave.e * side.incident;
        other.h += wave.h * side.incident;
    }
    let (e, h, n) = (other.e - own.e, other.h - own.h, side.normal);
    let (z, z_own) = (side.beyond.impedance(), cell.material.impedance());
    if let (Some(port), true) = (&design.port, side.sheet > 0.0) {
        let (jump, factors) = (State { e, h }, [z.recip(), z_own.recip(), side.sheet]);
        let step = port::step(n, own, jump, factors, port.field(time));
        return State { e: step * (side.scale / z_own), h: n.cross(step) * -side.scale };
    }
    let alpha = match side.outside {
        Outside::Boundary(Boundary::Absorbing | Boundary::Incident) => 1.0,
        _ => design.upwinding,
    };
    State {
        e: n.cross(h * z - n.cross(e) * alpha) * (side.scale / (z + z_own)),
        h: n.cross(-e * z.recip() - n.cross(h) * alpha) * (side.scale / (z.recip() + z_own.recip())),
    }
}

/// The field behind a face, without the plane wave.
fn beyond(design: &Design, fields: &[State], side: &Side, own: State, i: usize) -> State {
    match side.outside {
        Outside::Element(neighbour) => {
            let place = design.element.permuted[neighbour.permutation as usize][i];
            let node = design.element.face_nodes[neighbour.face as usize][place];
            fields[neighbour.element as usize * design.element.node_count() + node]
        }
        Outside::Boundary(Boundary::Pec) => State { e: -own.e, h: own.h },
        Outside::Boundary(Boundary::Pmc) => State { e: own.e, h: -own.h },
        Outside::Boundary(Boundary::Absorbing | Boundary::Incident) => State::default(),
    }
}

/// Half the integral of eps E^2 + mu H^2, V^2 m; times the permittivity of vacuum it is the energy, J.
pub fn energy(design: &Design, fields: &[State]) -> f64 {
    half_product(design, fields, fields)
}

/// The energy of each of some elements, ascending, with that of the poles of dispersive media; fields and
/// polarisations are those of these elements only.
pub fn total_energies(
    design: &Design,
    elements: &[u32],
    fields: &[State],
    polarisations: &[Polarisation],
) -> Vec<f64> {
    let (mass, nodes) = (design.element.mass(), design.element.node_count());
    let width = design.dispersion.as_ref().map_or(1, |it| it.width(nodes));
    let mut polarised = polarisations.chunks(width);
    let each = elements.iter().zip(fields.chunks(nodes));
    each.map(|(element, own)| {
        let fields = in_element(&mass, &design.cells[*element as usize], own, own);
        let dispersion = design.dispersion.as_ref().filter(|it| !it.of(*element).is_empty());
        match dispersion.and_then(|it| Some((it, polarised.next()?))) {
            Some((dispersion, own)) => fields + pole_energy(design, dispersion, &mass, *element, own),
            None => fields,
        }
    })
    .collect()
}

/// The energy of all elements with that of the poles, V^2 m.
pub fn total_energy(design: &Design, fields: &[State], polarisations: &[Polarisation]) -> f64 {
    let elements: Vec<u32> = (0..design.cells.len() as u32).collect();
    total_energies(design, &elements, fields, polarisations).iter().sum()
}

/// Half the integral of eps E.E' + mu H.H' of two fields: of a field and its rates it is half the energy's rate.
pub fn half_product(design: &Design, one: &[State], other: &[State]) -> f64 {
    let (mass, nodes) = (design.element.mass(), design.element.node_count());
    let each = design.cells.iter().zip(one.chunks(nodes).zip(other.chunks(nodes)));
    each.map(|(cell, (one, other))| in_element(&mass, cell, one, other)).sum()
}

fn in_element(mass: &Matrix, cell: &Cell, one: &[State], other: &[State]) -> f64 {
    let mut sum = 0.0;
    for (row, a) in one.iter().enumerate() {
        for (weight, b) in mass.row(row).iter().zip(other) {
            let material = &cell.material;
            sum += weight * (material.permittivity * a.e.dot(b.e) + material.permeability * a.h.dot(b.h));
        }
    }
    // The reference element has the volume 4/3.
    0.5 * sum * 0.75 * cell.volume
}

/// Energy of the poles of all elements, which have polarisations `[element][node][pole]`, V^2 m.
pub(crate) fn pole_energies(design: &Design, polarisations: &[Polarisation]) -> f64 {
    let Some(dispersion) = &design.dispersion else { return 0.0 };
    let (mass, width) = (design.element.mass(), dispersion.width(design.element.node_count()));
    let each = dispersion.elements.iter().zip(polarisations.chunks(width));
    each.map(|(element, own)| pole_energy(design, dispersion, &mass, *element, own)).sum()
}

/// Energy of the poles of an element: half the integral of P^2/delta, or of J^2/c + k P^2/c, V^2 m.
fn pole_energy(
    design: &Design,
    dispersion: &Dispersion,
    mass: &Matrix,
    element: u32,
    own: &[Polarisation],
) -> f64 {
    let mut sum = 0.0;
    for (pole, rates) in dispersion.of(element).iter().enumerate() {
        let [of_p, of_j] = rates.stiffness();
        let nodes = || own.iter().skip(pole).step_by(dispersion.most);
        for (row, a) in nodes().enumerate() {
            for (weight, b) in mass.row(row).iter().zip(nodes()) {
                sum += weight * (of_p * a.p.dot(b.p) + of_j * a.j.dot(b.j));
            }
        }
    }
    // The reference element has the volume 4/3.
    0.5 * sum * 0.75 * design.cells[element as usize].volume
}

/// Takes the currents of polarisation from the rates of the fields, and returns the rates of the
/// polarisations, `[element][node][pole]`; nothing without dispersive media.
pub fn polarise(
    design: &Design,
    fields: &[State],
    polarisations: &[Polarisation],
    rates: &mut [State],
) -> Vec<Polarisation> {
    let Some(dispersion) = &design.dispersion else { return Vec::new() };
    let nodes = design.element.node_count();
    let mut found = vec![Polarisation::default(); polarisations.len()];
    for (at, (element, poles)) in dispersion.elements.iter().zip(&dispersion.poles).enumerate() {
        let permittivity = design.cells[*element as usize].material.permittivity;
        for node in 0..nodes {
            let (place, first) = (*element as usize * nodes + node, (at * nodes + node) * dispersion.most);
            for (pole, Rates { g, r, c, gamma, k }) in poles.iter().enumerate() {
                let (e, Polarisation { p, j }) = (fields[place].e, polarisations[first + pole]);
                let current = e * *g - p * *r + j;
                rates[place].e += current * -permittivity.recip();
                found[first + pole] = Polarisation { p: current, j: e * *c - j * *gamma - p * *k };
            }
        }
    }
    found
}
