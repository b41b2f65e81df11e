//! Geometry, media and neighbours of the elements of a block.

use super::lane::{LANES, Lane};
use super::layers::{Matched, Remembered};
use super::poles::{Polarised, Pole};
use crate::design::{Cell, Design, Flux, Outside, Side};
use crate::dipole::Source;
use numerics::real::Real;
use numerics::vec3::Vec3;

/// Sixteen elements; a lane without one has no axes and fluxes of zero.
#[derive(Debug, Clone)]
pub struct Block<T> {
    /// x, y, z of the gradients of r, s and t.
    pub axes: [[Lane<T>; 3]; 3],
    /// 1/eps and 1/mu.
    pub inverse: [Lane<T>; 2],
    /// sigma/eps
    pub loss: Lane<T>,
    /// The four faces of the elements.
    pub faces: [Face<T>; 4],
    /// Nodes that see the plane wave.
    pub wet: Vec<Wet>,
    /// Nodes of a port.
    pub gaps: Vec<Gap>,
    /// Lane, rates of the nodes and signal of short currents.
    pub sources: Vec<(usize, Source)>,
    /// Matched layers.
    pub matched: Option<Matched<T>>,
    /// Of dispersive media: as many as one of the elements has.
    pub poles: Vec<Pole<T>>,
}

/// One face of each element.
#[derive(Debug, Clone)]
pub struct Face<T> {
    /// Outwards.
    pub normal: [Lane<T>; 3],
    /// Factors of n x `[H]` and of the tangential `[E]` in the rate of E, with scale and medium.
    pub electric: [Lane<T>; 2],
    /// Factors of n x `[E]` and of the tangential `[H]` in the rate of H.
    pub magnetic: [Lane<T>; 2],
    /// What E and H behind the face are multiplied with: -1 makes an image in a wall, 0 leaves nothing.
    pub image: [Lane<T>; 2],
    /// Block, lane and table of traces of the neighbours; a wall has the element itself.
    pub neighbours: [(u32, u8, u8); LANES],
}

/// A node of a face that sees the plane wave.
#[derive(Debug, Clone, Copy)]
pub struct Wet {
    /// Number among the nodes of the faces.
    pub trace: usize,
    /// Lane of the element.
    pub lane: usize,
    /// Where it is, m.
    pub place: Vec3,
    /// How often the wave is added.
    pub factor: f64,
}

/// A node of a port's sheet.
#[derive(Debug, Clone, Copy)]
pub struct Gap {
    /// Number among the nodes of the faces.
    pub trace: usize,
    /// Lane and node of the element.
    pub own: (usize, usize),
    /// Outwards.
    pub normal: Vec3,
    /// Y+, Y- and G.
    pub factors: [f64; 3],
}

impl<T: Real> Block<T> {
    /// Block number `block` of these elements; `lanes` has the place of every element.
    pub fn new(design: &Design, elements: &[Option<u32>], block: usize, lanes: &[usize]) -> Self {
        let zero = [T::zero(); LANES];
        let face = Face {
            normal: [zero; 3],
            electric: [zero; 2],
            magnetic: [zero; 2],
            image: [zero; 2],
            neighbours: [(block as u32, 0, 0); LANES],
        };
        let mut found = Self {
            axes: [[zero; 3]; 3],
            inverse: [zero; 2],
            loss: zero,
            faces: [0; 4].map(|_| face.clone()),
            wet: Vec::new(),
            gaps: Vec::new(),
            sources: Vec::new(),
            matched: Matched::new(design, elements),
            poles: Pole::of_block(design, elements),
        };
        let named =
            elements.iter().enumerate().filter_map(|(lane, element)| element.map(|it| (lane, it as usize)));
        for (lane, element) in named {
            found.cell(lane, &design.cells[element]);
            let here = design.sources.iter().filter(|source| source.element == element);
            found.sources.extend(here.map(|source| (lane, source.clone())));
            for face in 0..4 {
                let side = &design.cells[element].sides[face];
                found.faces[face].side(lane, side, &design.flux(element, face));
                found.faces[face].neighbours[lane] = match side.outside {
                    Outside::Element(neighbour) => {
                        let at = lanes[neighbour.element as usize];
                        ((at / LANES) as u32, (at % LANES) as u8, 6 * neighbour.face + neighbour.permutation)
                    }
                    Outside::Boundary(_) => (block as u32, lane as u8, 6 * face as u8),
                };
                found.wet(design, lane, element, face);
                found.gaps(design, lane, element, face);
            }
        }
        found
    }

    fn cell(&mut self, lane: usize, cell: &Cell) {
        for (lanes, axis) in self.axes.iter_mut().zip(cell.axes) {
            lanes.iter_mut().zip(axis.to_array()).for_each(|(lanes, value)| lanes[lane] = T::of(value));
        }
        let material = &cell.material;
        self.inverse[0][lane] = T::of(material.permittivity.recip());
        self.inverse[1][lane] = T::of(material.permeability.recip());
        self.loss[lane] = T::of(material.loss() / material.permittivity);
    }

    fn wet(&mut self, design: &Design, lane: usize, element: usize, face: usize) {
        let factor = design.cells[element].sides[face].incident;
        if factor != 0.0 {
            let nodes = design.element.face_nodes[face].iter().enumerate();
            self.wet.extend(nodes.map(|(i, node)| {
                let trace = face * design.element.face_node_count() + i;
                Wet { trace, lane, place: design.place(element, *node), factor }
            }));
        }
    }

    /// Memories of the nodes in matched layers, all zero; blocks without layers have none.
    pub fn unremembered(&self, nodes: usize) -> Vec<Remembered<T>> {
        self.matched.iter().flat_map(|_| vec![Remembered::new(); nodes]).collect()
    }

    /// Polarisations of the nodes, all zero.
    pub fn unpolarised(&self, nodes: usize) -> Vec<Polarised<T>> {
        vec![Polarised::new(); nodes * self.poles.len()]
    }

    fn gaps(&mut self, design: &Design, lane: usize, element: usize, face: usize) {
        let (cell, side) = (&design.cells[element], &design.cells[element].sides[face]);
        if side.sheet > 0.0 {
            let [y, y_own] = [side.beyond.impedance(), cell.material.impedance()].map(f64::recip);
            let nodes = design.element.face_nodes[face].iter().enumerate();
            self.gaps.extend(nodes.map(|(i, node)| Gap {
                trace: face * design.element.face_node_count() + i,
                own: (lane, *node),
                normal: side.normal,
                factors: [y, y_own, side.sheet],
            }));
        }
    }
}

impl<T: Real> Face<T> {
    fn side(&mut self, lane: usize, side: &Side, flux: &Flux) {
        let normal = side.normal.to_array();
        let all = [
            (self.normal.as_mut_slice(), normal.as_slice()),
            (&mut self.electric, &flux.electric),
            (&mut self.magnetic, &flux.magnetic),
            (&mut self.image, &flux.image),
        ];
        for (lanes, values) in all {
            lanes.iter_mut().zip(values).for_each(|(lanes, value)| lanes[lane] = T::of(*value));
        }
    }
}
