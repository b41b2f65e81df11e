//! A port as the card has it.

use super::{Fields, Number, Plan};
use crate::design::{Design, Outside};
use crate::port::Terminals;
use crate::{Error, Port};
use kernels::{abi, dgtd};

/// The running sums of [`Terminals`] on the card: those of the sheet's field.
pub struct RunningPort(dgtd::Terminals);

impl<T: Number> Plan<T> {
    /// Running sums that go on from those of the terminals.
    pub fn terminals(&mut self, terminals: &Terminals) -> Result<RunningPort, Error> {
        let gaps = gaps(&self.design, &self.places, true);
        let Terminals { wavenumbers, fields, .. } = terminals;
        Ok(RunningPort(self.mesh.terminals(&mut self.stream, &gaps, wavenumbers, fields)?))
    }

    /// Adds a step of length `dt`, m, that has just ended: the generator to the terminals, the field to what is on the card.
    pub fn add_port(
        &mut self,
        running: &mut RunningPort,
        terminals: &mut Terminals,
        fields: &Fields<T>,
        dt: f64,
    ) -> Result<(), Error> {
        terminals.add_source(fields.time, dt);
        if let Some(port) = &self.design.port {
            let numbers = told(port, fields.time, [0.0, dt]);
            running.0.add(&mut self.stream, &fields.on_card, &numbers)?;
        }
        Ok(())
    }

    /// Brings the sums of the field to the terminals.
    pub fn finish_port(&mut self, running: &RunningPort, terminals: &mut Terminals) -> Result<(), Error> {
        terminals.fields = running.0.sums(&mut self.stream)?;
        Ok(())
    }
}

/// What the generator does at a time, m.
pub fn told(port: &Port, time: f64, factors: [f64; 2]) -> abi::DgtdPort {
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
