//! The CPU's plan: objective and gradient of elements.
//!
//! | stage | does |
//! |---|---|
//! | `light` | what the feed brings to the elements, and tables of their positions |
//! | `excite` | a_n = f_n S(psi_n) |
//! | `far` | F at the directions, by moments or by a NUFFT of type 3 |
//! | `power` | P and S a |
//! | `weigh` | the objective, and what it says of every direction |
//! | `back` | from directions back to the elements |
//! | `gradient` | by phases, and by positions |
//!
//! A plan is for one frequency. One evaluation runs on one thread: a batch of starts is dealt to threads, each with a [`Scratch`].

mod dense;
mod far;
mod gridding;
mod moments;
mod power;
mod series;
mod turn;

use super::design::Lattice;
use super::objective::Objective;
use super::{Error, Light, Model, Result, Scattering, reference};
use dense::padded;
pub use far::Directions;
use far::Far;
use num_complex::Complex;
use power::{Convolution, Power, Series};
use series::{Split, fit};

type C = Complex<f64>;

/// For one model, one set of directions, and elements that stay or move.
pub struct Plan {
    model: Model,
    /// Where elements are, if they are fixed.
    lattice: Option<Lattice>,
    count: usize,
    /// Index of every element in arrays of elements, and their length: rows of a lattice are padded.
    index: Vec<usize>,
    room: usize,
    reach: [f64; 2],
    /// g^2.
    gains: Vec<f64>,
    far: Far,
    power: Power,
}

/// Positions of the elements, and what follows from them.
pub struct Places {
    light: Vec<Light>,
    f: Vec<C>,
    far: far::Tables,
    /// Empty on a lattice.
    power: Vec<gridding::Spot>,
}

/// Memory of a run. What is in it does not matter.
#[derive(Default)]
pub struct Scratch {
    phase: Vec<f64>,
    /// a, co-polar and cross-polar.
    parts: [Split; 2],
    /// da/dpsi and da/dangle of both, where elements have a table.
    by_phase: [Vec<C>; 2],
    by_angle: [Vec<C>; 2],
    /// S a of both, and its slopes.
    radiated: [Split; 2],
    radiated_slopes: [[Split; 2]; 2],
    field: Split,
    levels: Vec<f64>,
    total: f64,
    slopes: Vec<f64>,
    adjoint: Split,
    adjoint_slopes: [Split; 2],
    far: far::Room,
    power: power::Room,
}

impl Scratch {
    /// Co-polar directivities of the last evaluation.
    pub fn directivities(&self) -> impl Iterator<Item = f64> {
        self.levels.iter().map(|level| 2.0 * level / self.total)
    }
}

impl Places {
    /// beta r of every element: what it has to add for all of them to be in phase, rad; and its slopes by x and y.
    pub fn paths(&self) -> impl Iterator<Item = (f64, [f64; 2])> {
        self.light.iter().map(|light| (light.path, light.log_slope.map(|slope| -slope.im)))
    }
}

/// Where a gradient goes.
pub struct Gradient<'a> {
    /// By phases.
    pub phase: &'a mut [f64],
    /// By x and y; only of elements that can move.
    pub places: Option<[&'a mut [f64]; 2]>,
}

impl Plan {
    /// For elements that stay at (x, y), m: on a lattice much faster than anywhere.
    pub fn fixed(
        model: &Model,
        directions: Directions<'_>,
        x: &[f64],
        y: &[f64],
        tolerance: f64,
    ) -> Result<Self> {
        let farthest = |values: &[f64]| values.iter().fold(0.0, |far: f64, x| far.max(x.abs()));
        let reach = [farthest(x), farthest(y)];
        check_places(x, y, reach)?;
        Self::new(model, directions, x.len(), reach, Lattice::of(x, y), tolerance)
    }

    /// For `count` elements anywhere within `reach` (m) of the centre, along x and y.
    pub fn moving(
        model: &Model,
        directions: Directions<'_>,
        count: usize,
        reach: [f64; 2],
        tolerance: f64,
    ) -> Result<Self> {
        Self::new(model, directions, count, reach, None, tolerance)
    }

    fn new(
        model: &Model,
        directions: Directions<'_>,
        count: usize,
        reach: [f64; 2],
        lattice: Option<Lattice>,
        tolerance: f64,
    ) -> Result<Self> {
        model.check()?;
        directions.check()?;
        let Directions { u, v } = directions;
        if count == 0 || u.is_empty() {
            let given = format!("{count} elements and {} directions", u.len());
            return Err(Error::invalid(given, "both must be there"));
        }
        // Half a wavelength, so that a single element has an aperture.
        let reach = reach.map(|reach| reach.max(0.25 * model.wavelength()));
        let even = lattice.and_then(|lattice| lattice.pitch().map(|pitch| (lattice, pitch)));
        let power = match &even {
            Some((lattice, pitch)) => Power::Convolution(Convolution::new(model, lattice, *pitch)),
            None => Power::Series(Series::new(model, count, reach, tolerance)?),
        };
        let lattice = even.map(|(lattice, _)| lattice);
        let far = Far::new(model, directions, count, reach, lattice.as_ref(), tolerance)?;
        let gains = u.iter().zip(v).map(|(u, v)| reference::gain(model.pattern, *u, *v)).collect();
        let (index, room) = match &lattice {
            Some(lattice) => {
                let (columns, wide) = (lattice.x.len(), padded(lattice.x.len()));
                let index =
                    lattice.place.iter().map(|place| place / columns * wide + place % columns).collect();
                (index, lattice.y.len() * wide)
            }
            None => ((0..count).collect(), padded(count)),
        };
        Ok(Self { model: model.clone(), lattice, count, index, room, reach, gains, far, power })
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.count
    }

    /// Number of directions.
    pub fn directions(&self) -> usize {
        self.gains.len()
    }

    /// Takes positions; those of a fixed plan must be its own.
    pub fn places(&self, x: &[f64], y: &[f64]) -> Result<Places> {
        for given in [x.len(), y.len()] {
            if given != self.count {
                return Err(Error::Length { what: "array of positions", given, needed: self.count });
            }
        }
        check_places(x, y, self.reach)?;
        let light: Vec<Light> = self.model.light(x, y).collect();
        let mut f = vec![C::default(); self.room];
        self.index.iter().zip(&light).for_each(|(&at, light)| f[at] = light.f);
        let power = match &self.power {
            Power::Convolution(_) => Vec::new(),
            Power::Series(series) => series.spots(x, y),
        };
        Ok(Places { light, f, far: self.far.tables(self.lattice.as_ref(), x, y)?, power })
    }

    /// Value of the objective at the phases psi (rad), and its gradient if asked for.
    pub fn evaluate(
        &self,
        places: &Places,
        phase: &[f64],
        objective: &dyn Objective,
        gradient: Option<Gradient<'_>>,
        scratch: &mut Scratch,
    ) -> Result<f64> {
        let moves = gradient.as_ref().is_some_and(|gradient| gradient.places.is_some());
        let power = self.radiate(places, phase, moves, scratch)?;
        scratch.slopes.resize(self.directions(), 0.0);
        let (value, by_power) = objective.value(&scratch.levels, power, &mut scratch.slopes);
        if let Some(gradient) = gradient {
            self.back(places, moves, scratch)?;
            self.gradient(places, by_power, gradient, scratch);
        }
        Ok(value)
    }

    /// Directivities at the directions, co-polar.
    pub fn directivity(&self, places: &Places, phase: &[f64], scratch: &mut Scratch) -> Result<Vec<f64>> {
        self.radiate(places, phase, false, scratch)?;
        Ok(scratch.directivities().collect())
    }

    /// E at the directions, co-polar and cross-polar, and P.
    pub fn fields(
        &self,
        places: &Places,
        phase: &[f64],
        scratch: &mut Scratch,
    ) -> Result<([Vec<C>; 2], f64)> {
        let power = self.radiate(places, phase, false, scratch)?;
        let mut fields = [Vec::new(), Vec::new()];
        for (part, field) in fields.iter_mut().enumerate() {
            if part < self.parts() {
                let Scratch { parts, field, far, .. } = &mut *scratch;
                self.far.forward(&places.far, &self.index, &parts[part], field, far)?;
            } else {
                scratch.field = Split::new(padded(self.directions()));
            }
            let values = scratch.field.re.iter().zip(&scratch.field.im).zip(&self.gains);
            field.extend(values.map(|((re, im), gain)| C::new(*re, *im) * gain.sqrt()));
        }
        Ok((fields, power))
    }

    /// What elements turn by when every F_i changes by `factor(i, D_i)` of itself: arg(1 + (sum_i dF_i conj(e_ni))/a_n), rad.
    pub fn corrections(
        &self,
        places: &Places,
        phase: &[f64],
        factor: &dyn Fn(usize, f64) -> f64,
        scratch: &mut Scratch,
    ) -> Result<Vec<f64>> {
        self.radiate(places, phase, false, scratch)?;
        scratch.slopes = scratch.directivities().enumerate().map(|(i, d)| factor(i, d)).collect();
        self.back(places, false, scratch)?;
        let turn = |&at: &usize| {
            let (a, change) = (scratch.parts[0].at(at), scratch.adjoint.at(at));
            if a.norm_sqr() > 0.0 { (1.0 + change / a).arg() } else { 0.0 }
        };
        Ok(self.index.iter().map(turn).collect())
    }

    /// 2 where elements have something cross-polar.
    fn parts(&self) -> usize {
        if matches!(self.model.scattering, Scattering::PhaseOnly) { 1 } else { 2 }
    }

    /// Stages `excite`, `far` and `power`: levels at the directions, and P.
    fn radiate(&self, places: &Places, phase: &[f64], moves: bool, scratch: &mut Scratch) -> Result<f64> {
        if phase.len() != self.count {
            return Err(Error::Length { what: "array of phases", given: phase.len(), needed: self.count });
        }
        self.excite(places, phase, scratch);
        let Scratch { parts, radiated, radiated_slopes, field, levels, far, power, .. } = scratch;
        fit(field, padded(self.directions()));
        self.far.forward(&places.far, &self.index, &parts[0], field, far)?;
        levels.clear();
        let values = field.re.iter().zip(&field.im).zip(&self.gains);
        levels.extend(values.map(|((re, im), gain)| gain * (re * re + im * im)));
        let mut total = 0.0;
        for part in 0..self.parts() {
            let (a, sa, slopes) = (&parts[part], &mut radiated[part], &mut radiated_slopes[part]);
            fit(sa, a.re.len());
            slopes.iter_mut().for_each(|slope| fit(slope, a.re.len()));
            total += self.power.run(&places.power, a, sa, moves.then_some(slopes), power);
        }
        scratch.total = total;
        Ok(total)
    }

    /// Stage `excite`.
    fn excite(&self, places: &Places, phase: &[f64], scratch: &mut Scratch) {
        scratch.parts.iter_mut().take(self.parts()).for_each(|part| fit(part, self.room));
        if matches!(self.model.scattering, Scattering::PhaseOnly) {
            scratch.phase.resize(self.room, 0.0);
            self.index.iter().zip(phase).for_each(|(&at, phase)| scratch.phase[at] = *phase);
            return turn::excite(&places.f, &scratch.phase, &mut scratch.parts[0]);
        }
        scratch.by_phase.iter_mut().chain(&mut scratch.by_angle).for_each(|slopes| slopes.clear());
        for ((&at, phase), light) in self.index.iter().zip(phase).zip(&places.light) {
            let both = self.model.scattering.slopes(*phase, light.incidence);
            for (part, slopes) in both.iter().enumerate() {
                let [value, by_phase, by_angle] = slopes.map(|slope| slope * light.f);
                scratch.parts[part].set(at, value);
                scratch.by_phase[part].push(by_phase);
                scratch.by_angle[part].push(by_angle);
            }
        }
    }

    /// Stage `back`: h_i = dG/d|E_i|^2 g_i^2 F_i, and its sums at the elements.
    fn back(&self, places: &Places, moves: bool, scratch: &mut Scratch) -> Result<()> {
        let Scratch { field, slopes, adjoint, adjoint_slopes, far, .. } = scratch;
        let weights = slopes.iter().zip(&self.gains).map(|(slope, gain)| slope * gain);
        for ((weight, re), im) in weights.zip(&mut field.re).zip(&mut field.im) {
            (*re, *im) = (weight * *re, weight * *im);
        }
        fit(adjoint, self.room);
        adjoint_slopes.iter_mut().for_each(|slope| fit(slope, self.room));
        self.far.back(&places.far, &self.index, field, adjoint, moves.then_some(adjoint_slopes), far)
    }

    /// Stage `gradient`: by psi 2 Re conj(b) da/dpsi, by x 2 Re (conj(b) da/dx + conj(a) db/dx), b = back + dG/dP S a.
    fn gradient(&self, places: &Places, by_power: f64, gradient: Gradient<'_>, scratch: &Scratch) {
        let Gradient { phase: by_phase, places: mut by_place } = gradient;
        by_phase.fill(0.0);
        by_place.iter_mut().flatten().for_each(|by| by.fill(0.0));
        for part in 0..self.parts() {
            let back = if part == 0 { 1.0 } else { 0.0 };
            for (n, &at) in self.index.iter().enumerate() {
                let a = scratch.parts[part].at(at);
                let b = scratch.radiated[part].at(at) * by_power + scratch.adjoint.at(at) * back;
                let (turn, tilt) = match scratch.by_phase[part].get(n) {
                    Some(turn) => (*turn, scratch.by_angle[part][n]),
                    None => (C::new(-a.im, a.re), C::default()),
                };
                by_phase[n] += 2.0 * (b.conj() * turn).re;
                for (axis, by) in by_place.iter_mut().flatten().enumerate() {
                    let light = &places.light[n];
                    let moved = a * light.log_slope[axis] + tilt * light.incidence_slope[axis];
                    let bent = scratch.radiated_slopes[part][axis].at(at) * by_power
                        + scratch.adjoint_slopes[axis].at(at) * back;
                    by[n] += 2.0 * (b.conj() * moved + a.conj() * bent).re;
                }
            }
        }
    }
}

fn check_places(x: &[f64], y: &[f64], reach: [f64; 2]) -> Result<()> {
    // Rounding of positions that lie on the edge.
    let most = reach.map(|reach| reach * (1.0 + 1e-12));
    let wrong = x.iter().zip(y).position(|(x, y)| !(x.abs() <= most[0] && y.abs() <= most[1]));
    wrong.map_or(Ok(()), |index| {
        let given = format!("element {index} at ({}, {}) m", x[index], y[index]);
        Err(Error::invalid(given, format!("it must be a number and lie within {reach:?} m of the centre")))
    })
}

#[cfg(test)]
mod tests;
