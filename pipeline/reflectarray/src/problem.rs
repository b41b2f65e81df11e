//! A design as functions of numbers that an optimiser may change, one function for each start.
//!
//! ```text
//! unknowns   phases (each, or coefficients of Zernike's polynomials) | x at the nodes of a map | y there
//! psi_n      = phi_n + beta r_n          phi: the phase of the aperture, psi: the phase of the element that makes it
//! G          = sum over bands w_b G_b + kappa Q
//! ```
//! As phi and not psi is unknown, an element that moves keeps its phase in the aperture: the path from the feed, many times longer than what
//! the move changes in the far field, is made up for.

use super::cpu::{Gradient, Places, Plan, Scratch};
use super::decibels::DECIBELS;
use super::lbfgs::Functions;
use super::mask::Mask;
use super::objective::Objective;
use super::positions::Map;
use super::progress::Score;
use super::score::scores;
use super::spacing::{Shape, penalty};
use super::zernike::Zernike;
use super::{Result, Spacing};
use rayon::prelude::*;

/// How phases are given.
pub enum Phases {
    /// One unknown an element.
    Each,
    /// Coefficients, on top of the phases of each start, `[start][element]`.
    Zernike(Zernike, Vec<f64>),
}

impl Phases {
    /// Unknowns of so many elements.
    pub fn unknowns(&self, elements: usize) -> usize {
        match self {
            Self::Each => elements,
            Self::Zernike(zernike, _) => zernike.len(),
        }
    }

    /// The unknowns that stand for phi, or leave the start's own as they are.
    pub fn start(&self, phi: &[f64]) -> Vec<f64> {
        match self {
            Self::Each => phi.to_vec(),
            Self::Zernike(zernike, _) => vec![0.0; zernike.len()],
        }
    }

    /// phi of so many elements of a start.
    pub fn expand(&self, row: usize, elements: usize, unknowns: &[f64], phi: &mut Vec<f64>) {
        phi.clear();
        match self {
            Self::Each => phi.extend_from_slice(&unknowns[..elements]),
            Self::Zernike(zernike, base) => {
                phi.extend_from_slice(&base[row * elements..][..elements]);
                zernike.expand(&unknowns[..zernike.len()], phi);
            }
        }
    }
}

/// How positions are given.
pub enum Positions {
    /// They stay, tabulated for every band; one list for all starts, or one for each.
    Fixed(Vec<Vec<Places>>),
    /// A smooth map within limits.
    Moving(Moving),
}

/// Elements that move.
pub struct Moving {
    /// The map.
    pub map: Map,
    /// Rows and columns.
    pub shape: Shape,
    /// Limits.
    pub spacing: Spacing,
    /// kappa.
    pub penalty: f64,
    /// Metres for a unit of an unknown.
    pub unit: f64,
    /// Farthest x and y of the plans, m: beyond, a trial is not allowed.
    pub reach: [f64; 2],
}

/// All starts of a stage.
pub struct Problem<'a> {
    /// A plan for every band, and what it counts for.
    pub plans: Vec<(Plan, f64)>,
    /// Phases.
    pub phases: Phases,
    /// Positions.
    pub positions: Positions,
    /// What is minimised.
    pub objective: &'a dyn Objective,
    /// For scores.
    pub mask: &'a Mask,
    slots: Vec<Slot>,
}

/// What a start needs on its way.
#[derive(Default)]
struct Slot {
    scratch: Vec<Scratch>,
    phi: Vec<f64>,
    psi: Vec<f64>,
    /// Of one band: by psi, x and y; and sums over bands by phi, x and y.
    by: [Vec<f64>; 3],
    sums: [Vec<f64>; 3],
    score: Option<Score>,
}

impl<'a> Problem<'a> {
    /// With so many starts.
    pub fn new(
        plans: Vec<(Plan, f64)>,
        phases: Phases,
        positions: Positions,
        objective: &'a dyn Objective,
        mask: &'a Mask,
        starts: usize,
    ) -> Self {
        let slots = (0..starts).map(|_| Slot::default()).collect();
        Self { plans, phases, positions, objective, mask, slots }
    }

    fn elements(&self) -> usize {
        self.plans.first().map_or(0, |(plan, _)| plan.elements())
    }

    /// Unknowns that are phases.
    pub fn phase_unknowns(&self) -> usize {
        self.phases.unknowns(self.elements())
    }

    /// phi of a start.
    pub fn phi(&self, row: usize, unknowns: &[f64]) -> Vec<f64> {
        let mut phi = Vec::new();
        self.phases.expand(row, self.elements(), unknowns, &mut phi);
        phi
    }

    /// The score of the last evaluation of a start, on the optimiser's samples and in the first band.
    pub fn score(&self, row: usize) -> Option<Score> {
        self.slots[row].score
    }

    fn value(&self, row: usize, unknowns: &[f64], gradient: &mut [f64], slot: &mut Slot) -> Result<f64> {
        let n = self.elements();
        self.phases.expand(row, n, unknowns, &mut slot.phi);
        slot.scratch.resize_with(self.plans.len(), Scratch::default);
        slot.by.iter_mut().for_each(|by| by.resize(n, 0.0));
        slot.sums.iter_mut().for_each(|sum| {
            sum.clear();
            sum.resize(n, 0.0);
        });
        let first = self.phase_unknowns();
        let mut value = 0.0;
        let own: Vec<Places>;
        let places = match &self.positions {
            Positions::Fixed(places) => &places[row.min(places.len() - 1)],
            Positions::Moving(moving) => {
                let [x, y] = moving.places(&unknowns[first..]);
                let far = |places: &[f64], reach: f64| places.iter().any(|x| x.abs() > reach);
                if far(&x, moving.reach[0]) || far(&y, moving.reach[1]) {
                    return Ok(f64::INFINITY);
                }
                let [_, by_x, by_y] = &mut slot.sums;
                value += penalty(&x, &y, moving.shape, moving.spacing, moving.penalty, [by_x, by_y]);
                own = self.plans.iter().map(|(plan, _)| plan.places(&x, &y)).collect::<Result<_, _>>()?;
                &own
            }
        };
        value += self.bands(places, slot)?;
        let (phases, positions) = gradient.split_at_mut(first);
        match &self.phases {
            Phases::Each => phases.copy_from_slice(&slot.sums[0]),
            Phases::Zernike(zernike, _) => zernike.collect(&slot.sums[0], phases),
        }
        if let Positions::Moving(moving) = &self.positions {
            for (to, by) in positions.chunks_exact_mut(moving.map.unknowns()).zip(&mut slot.sums[1..]) {
                centre(by);
                moving.map.collect(by, to);
                to.iter_mut().for_each(|by| *by *= moving.unit);
            }
        }
        Ok(value)
    }

    /// The sum over bands, and its gradients.
    fn bands(&self, places: &[Places], slot: &mut Slot) -> Result<f64> {
        let moves = matches!(self.positions, Positions::Moving(_));
        slot.psi.clear();
        slot.psi.extend(places[0].paths().zip(&slot.phi).map(|((path, _), phi)| path + phi));
        let mut value = 0.0;
        for (band, (plan, weight)) in self.plans.iter().enumerate() {
            let [phase, x, y] = &mut slot.by;
            let gradient = Gradient { phase, places: moves.then_some([x, y]) };
            let scratch = &mut slot.scratch[band];
            value +=
                weight * plan.evaluate(&places[band], &slot.psi, self.objective, Some(gradient), scratch)?;
            let parts = if moves { 3 } else { 1 };
            for (sum, by) in slot.sums.iter_mut().zip(&slot.by).take(parts) {
                sum.iter_mut().zip(by).for_each(|(sum, by)| *sum += weight * by);
            }
        }
        if moves {
            // psi follows the path of an element that moves.
            for (i, (_, slopes)) in places[0].paths().enumerate() {
                slot.sums[1][i] += slot.sums[0][i] * slopes[0];
                slot.sums[2][i] += slot.sums[0][i] * slopes[1];
            }
        }
        let dbi: Vec<f64> = slot.scratch[0].directivities().map(|d| DECIBELS * d.ln()).collect();
        slot.score = Some(scores(self.mask, &dbi).1);
        Ok(value)
    }
}

impl Moving {
    /// x and y of the unknowns, m. Their means are zero: the array does not wander under its feed.
    pub fn places(&self, unknowns: &[f64]) -> [Vec<f64>; 2] {
        let metres: Vec<f64> = unknowns.iter().map(|unknown| unknown * self.unit).collect();
        let (x, y) = metres.split_at(self.map.unknowns());
        [x, y].map(|values| {
            let mut places = vec![0.0; self.shape.len()];
            self.map.expand(values, &mut places);
            centre(&mut places);
            places
        })
    }
}

/// Takes the mean away; its own transpose.
fn centre(values: &mut [f64]) {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.iter_mut().for_each(|value| *value -= mean);
}

impl Functions for Problem<'_> {
    fn unknowns(&self) -> usize {
        let moving = match &self.positions {
            Positions::Fixed(_) => 0,
            Positions::Moving(moving) => 2 * moving.map.unknowns(),
        };
        self.phase_unknowns() + moving
    }

    fn evaluate(
        &mut self,
        rows: &[usize],
        points: &[f64],
        values: &mut [f64],
        gradients: &mut [f64],
    ) -> Result<()> {
        let n = self.unknowns();
        let mut slots = std::mem::take(&mut self.slots);
        let mut wanted: Vec<&mut Slot> = slots
            .iter_mut()
            .enumerate()
            .filter(|(row, _)| rows.contains(row))
            .map(|(_, slot)| slot)
            .collect();
        let all = rows
            .par_iter()
            .zip(points.par_chunks(n))
            .zip(values)
            .zip(gradients.par_chunks_mut(n))
            .zip(&mut wanted);
        let done = all.try_for_each(|((((row, point), value), gradient), slot)| {
            *value = self.value(*row, point, gradient, slot)?;
            Ok(())
        });
        self.slots = slots;
        done
    }
}
