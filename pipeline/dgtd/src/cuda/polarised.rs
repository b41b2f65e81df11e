//! Polarisations of dispersive media on the card.

use super::{Fields, Number, Plan};
use crate::Error;
use crate::design::Design;
use crate::dispersion::{Dispersion, Polarisation, Rates};
use kernels::Stream;
use kernels::dgtd::{Mesh, POLE_NUMBERS, Poles};

/// The poles of a design whose elements are at these places.
pub fn sent<T: Number>(
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

impl<T: Number> Plan<T> {
    /// Polarisations of dispersive media, `[element][node][pole]`.
    pub fn polarisations(&mut self, fields: &Fields<T>) -> Result<Vec<Polarisation>, Error> {
        let (Some(poles), Some(polarised)) = (&self.poles, &fields.polarised) else { return Ok(Vec::new()) };
        let mut all = vec![T::nan(); polarised.len()];
        self.stream.download(polarised, &mut all)?;
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
        let (given, needed) = (polarisations.len(), self.polarising().count());
        if given != needed {
            return Err(Error::Length { what: "polarisations", given, needed });
        }
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
        let energies = |it: &Dispersion| it.energies(&self.design, &it.elements, &polarisations);
        Ok(self.design.dispersion.iter().flat_map(energies).sum())
    }

    /// Node, counted through all elements of dispersive media, and pole of all polarisations.
    fn polarising(&self) -> impl Iterator<Item = (usize, usize)> + use<T> {
        let (nodes, dispersion) = (self.layout.nodes, self.design.dispersion.as_ref());
        let (count, most) = dispersion.map_or((0, 0), |it| (it.elements.len() * nodes, it.most));
        (0..count).flat_map(move |node| (0..most).map(move |pole| (node, pole)))
    }
}
