//! Polarisations of dispersive media on the card.

use super::plan::{Fields, Plan};
use super::tables::Number;
use crate::dispersion::Polarisation;
use crate::error::Error;
use crate::reference::pole_energies;

impl<T: Number> Plan<T> {
    /// Polarisations of dispersive media, `[element][node][pole]`.
    pub fn polarisations(&mut self, fields: &Fields<T>) -> Result<Vec<Polarisation>, Error> {
        let (Some(poles), Some(polarised)) = (&self.poles, &fields.polarised) else { return Ok(Vec::new()) };
        let all = self.stream.values(polarised)?;
        let vector = |pole: usize, first: usize, node: usize| {
            [0, 1, 2].map(|axis| all[poles.place(pole, first + axis, node)].to_f64()).into()
        };
        let each = self.polarising();
        Ok(each
            .map(|(node, pole)| Polarisation { p: vector(pole, 0, node), j: vector(pole, 3, node) })
            .collect())
    }

    /// Puts them back.
    pub fn polarise(&mut self, fields: &mut Fields<T>, polarisations: &[Polarisation]) -> Result<(), Error> {
        Error::check_length("polarisations", polarisations.len(), self.design.polarisations())?;
        let (Some(poles), Some(polarised)) = (&self.poles, &mut fields.polarised) else { return Ok(()) };
        let mut all = vec![T::zero(); polarised.len()];
        for ((node, pole), Polarisation { p, j }) in self.polarising().zip(polarisations) {
            for (component, value) in p.to_array().into_iter().chain(j.to_array()).enumerate() {
                all[poles.place(pole, component, node)] = T::of(value);
            }
        }
        self.stream.upload(&all, polarised)?;
        Ok(())
    }

    /// Energy of all poles, V^2 m.
    pub(super) fn polarised_energy(&mut self, fields: &Fields<T>) -> Result<f64, Error> {
        let polarisations = self.polarisations(fields)?;
        Ok(pole_energies(&self.design, &polarisations))
    }

    /// Node, counted through all elements of dispersive media, and pole of all polarisations.
    fn polarising(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let (nodes, dispersion) = (self.layout.nodes, self.design.dispersion.as_ref());
        let (count, most) = dispersion.map_or((0, 0), |it| (it.elements.len() * nodes, it.most));
        (0..count).flat_map(move |node| (0..most).map(move |pole| (node, pole)))
    }
}
