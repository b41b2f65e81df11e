//! A port as the card has it.

use super::plan::{Fields, Plan};
use super::tables::{self, Number};
use crate::error::Error;
use crate::terminals::Terminals;
use kernels::dgtd;

/// The running sums of [`Terminals`] on the card: those of the sheet's field.
pub struct RunningPort(dgtd::Terminals);

impl<T: Number> Plan<T> {
    /// Running sums that go on from those of the terminals.
    pub fn terminals(&mut self, terminals: &Terminals) -> Result<RunningPort, Error> {
        let gaps = tables::gaps(&self.design, &self.places, true);
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
            let numbers = tables::generator(port, fields.time, [0.0, dt]);
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
