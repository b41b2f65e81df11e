//! Projections onto masks: eq. 18 of the paper, and the method of iterated projections, the comparison that its table 2 has.
//!
//! ```text
//! F_i'   = F_i sqrt(proj(D_i)/D_i)                                the nearest field within the masks
//! a_n'   = a_n + (cell/lambda^2) sum_i domega_i (F_i' - F_i) conj(e_ni)    its excitations: the field elsewhere stays
//! psi_n' = arg(a_n'/f_n)                                          the nearest ones that elements can have
//! ```
//! Each projection is onto the nearest point, but one set is not convex: it ends in the first trap on its way.

use super::cpu::{Directions, Places, Plan, Scratch};
use super::mask::Mask;
use super::objective::{Masks, project};
use super::score::samples;
use super::{Elements, Model, Result};

/// Iterated projections of phases.
pub struct Iterated {
    plan: Plan,
    places: Places,
    /// Least and greatest directivity of every direction.
    masks: Masks,
    /// cell domega/lambda^2 of every direction.
    weights: Vec<f64>,
    scratch: Scratch,
}

impl Iterated {
    /// For elements whose cells have an area (m^2) each; the levels of the mask are absolute, dBi.
    pub fn new(model: &Model, elements: &Elements, mask: &Mask, cell: f64) -> Result<Self> {
        mask.check()?;
        let (u, v) = samples(mask);
        let plan = Plan::fixed(model, Directions { u: &u, v: &v }, &elements.x, &elements.y, TOLERANCE)?;
        let places = plan.places(&elements.x, &elements.y)?;
        let weight = cell / model.wavelength().powi(2) * mask.solid_angle / mask.interior() as f64;
        // Boundaries have no area.
        let inside =
            mask.regions.iter().flat_map(|region| (0..region.len()).map(move |i| i < region.interior));
        let weights = inside.map(|inside| if inside { weight } else { 0.0 }).collect();
        Ok(Self { plan, places, masks: Masks::new(mask, 0.0), weights, scratch: Scratch::default() })
    }

    /// Directivities at the directions of the mask, as they were before the last step.
    pub fn directivities(&self) -> impl Iterator<Item = f64> {
        self.scratch.directivities()
    }

    /// One step of both projections.
    pub fn step(&mut self, phase: &mut [f64]) -> Result<()> {
        let Self { plan, places, masks, weights, scratch } = self;
        let factor = |i: usize, directivity: f64| {
            let nearest = project(directivity, masks.lower[i], masks.upper[i]);
            weights[i] * ((nearest / directivity).sqrt() - 1.0)
        };
        let turns = plan.corrections(places, phase, &factor, scratch)?;
        phase.iter_mut().zip(turns).for_each(|(phase, turn)| *phase += turn);
        Ok(())
    }
}

/// Relative error of fields: far below what a step changes.
const TOLERANCE: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::super::objective::Objective;
    use super::super::testing::{lattice, model, sky};
    use super::super::{Mask, Region};
    use super::*;

    #[test]
    fn levels_are_projected() {
        assert_eq!([0.5, 1.5, 3.0].map(|level| project(level, 1.0, 2.0)), [1.0, 1.5, 2.0]);
    }

    /// The masks' functional falls from step to step, here to less than half.
    #[test]
    fn steps_go_towards_the_masks() {
        let (u, v) = sky(8, 0.0, 0.0, 0.2);
        let interior = u.len();
        let region = Region { u, v, interior, lower_dbi: Some(15.0), weight: 1.0, ..Region::default() };
        let mask = Mask { regions: vec![region], solid_angle: 0.18 };
        let mut elements = lattice();
        let mut iterated = Iterated::new(&model(), &elements, &mask, 1e-4).unwrap();
        let functional = |iterated: &mut Iterated, phase: &[f64]| {
            let Iterated { plan, places, scratch, .. } = iterated;
            let masks = Masks::new(&mask, 0.0);
            plan.evaluate(places, phase, &masks as &dyn Objective, None, scratch).unwrap()
        };
        let first = functional(&mut iterated, &elements.phase);
        let mut before = first;
        for step in 0..60 {
            iterated.step(&mut elements.phase).unwrap();
            let after = functional(&mut iterated, &elements.phase);
            // Boundaries of the non-convex set let it rise a little now and then.
            assert!(after < 1.02 * before, "step {step}: {before} {after}");
            before = after;
        }
        assert!(before < 0.5 * first, "{first} {before}");
    }
}
