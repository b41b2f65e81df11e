//! Tables of the card's kernels: directions line by line, and what every one of them asks for.

use super::super::design::{Convolution, Lattice};
use super::super::objective::SoftMinimum;
use super::super::{Error, Model, Result, Scattering, reference};
use kernels::reflectarray::{Goal, Tables};
use num_complex::Complex;
use numerics::special::{bessel, terms};

type C = Complex<f64>;

/// Directions with the same v one after the other, and the different u and v.
pub struct Layout<'a> {
    u: &'a [f64],
    v: &'a [f64],
    /// Directions, by rising v, then u.
    order: Vec<usize>,
    different: [Vec<f64>; 2],
    /// Number of its u and v, of each direction in the new order.
    places: [Vec<u32>; 2],
}

impl<'a> Layout<'a> {
    /// For directions in any order.
    pub fn new(u: &'a [f64], v: &'a [f64]) -> Self {
        let mut order: Vec<usize> = (0..u.len()).collect();
        order.sort_by(|&a, &b| v[a].total_cmp(&v[b]).then(u[a].total_cmp(&u[b])));
        let different = [u, v].map(|values| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values.dedup_by(|a, b| a.total_cmp(b).is_eq());
            values
        });
        let number = |all: &[f64], value: f64| {
            all.binary_search_by(|other| other.total_cmp(&value)).unwrap_or_default() as u32
        };
        let places = [
            order.iter().map(|&i| number(&different[0], u[i])).collect(),
            order.iter().map(|&i| number(&different[1], v[i])).collect(),
        ];
        Self { u, v, order, different, places }
    }

    /// Tables of one band; phases are those of the `first` one.
    pub fn tables(
        &self,
        model: &Model,
        first: &Model,
        [x, y]: [&[f64]; 2],
        tolerance: f64,
    ) -> Result<Tables> {
        model.check()?;
        if !matches!(model.scattering, Scattering::PhaseOnly) {
            return Err(Error::NotOnCard("elements with a scattering table"));
        }
        let (lattice, pitch) = rows(x, y)?;
        let beta = model.wavenumber();
        let farthest =
            |lines: &[f64]| lines.iter().fold(0.25 * model.wavelength(), |far, x| far.max(x.abs()));
        let reach = [farthest(&lattice.x), farthest(&lattice.y)];
        let middle = [0, 1].map(|axis: usize| middle(&self.different[axis]));
        let terms = [0, 1].map(|axis: usize| terms(beta * reach[axis] * middle[axis][1], 0.5 * tolerance));
        let convolution = Convolution::new(model, &lattice, pitch);
        let light = |x: f64, y: f64| {
            let path = first.feed.light(first.wavenumber(), x, y).path;
            model.feed.light(beta, x, y).f * C::from_polar(1.0, path)
        };
        let carrier = |x: f64, y: f64| C::from_polar(1.0, beta * (middle[0][0] * x + middle[1][0] * y));
        let polynomials = |lines: &[f64], axis: usize| {
            lines.iter().flat_map(|x| chebyshev(x / reach[axis], terms[axis])).collect()
        };
        let waves = |axis: usize| {
            let wave = |u: &f64| {
                let values = bessel(beta * reach[axis] * (u - middle[axis][0]), terms[axis]);
                values
                    .into_iter()
                    .take(terms[axis])
                    .enumerate()
                    .map(|(k, j)| if k == 0 { j } else { 2.0 * j })
            };
            self.different[axis].iter().flat_map(wave).collect()
        };
        let places = || x.iter().zip(y);
        Ok(Tables {
            columns: lattice.x.len(),
            rows: lattice.y.len(),
            grid: convolution.n,
            terms,
            amplitude: places().map(|(x, y)| light(*x, *y)).collect(),
            carrier: places().map(|(x, y)| carrier(*x, *y)).collect(),
            polynomials: [polynomials(&lattice.x, 0), polynomials(&lattice.y, 1)],
            waves: [waves(0), waves(1)],
            weights: convolution.by_rows(),
            places: self.places.clone(),
            gains: self.order.iter().map(|&i| reference::gain(model.pattern, self.u[i], self.v[i])).collect(),
        })
    }

    /// What is minimised, in the new order.
    pub fn goal(&self, objective: &SoftMinimum, weight: f64) -> Goal {
        let ordered = |values: &[f64]| self.order.iter().map(|&i| values[i]).collect();
        Goal {
            lower: ordered(&objective.lower),
            upper: self.order.iter().map(|&i| objective.upper[i]).collect(),
            shares: ordered(&objective.shares),
            mean: objective.mean,
            sharpness: objective.sharpness,
            weight,
        }
    }
}

/// The lattice of elements that lie on one row by row, and its pitches.
fn rows(x: &[f64], y: &[f64]) -> Result<(Lattice, [f64; 2])> {
    let lattice =
        Lattice::of(x, y).filter(|lattice| lattice.place.iter().enumerate().all(|(i, at)| i == *at));
    let lattice = lattice.filter(|lattice| lattice.x.len() * lattice.y.len() == x.len());
    let pitch = lattice.as_ref().and_then(Lattice::pitch);
    lattice.zip(pitch).ok_or(Error::NotOnCard("elements that are not on an even lattice"))
}

/// Middle and half width of rising values.
fn middle(values: &[f64]) -> [f64; 2] {
    let (low, high) = (values.first().copied().unwrap_or(0.0), values.last().copied().unwrap_or(0.0));
    [0.5 * (low + high), 0.5 * (high - low)]
}

/// T_0(t) to T_(terms - 1)(t).
fn chebyshev(t: f64, terms: usize) -> Vec<f64> {
    let mut values = vec![1.0, t];
    for k in 2..terms {
        values.push(2.0 * t * values[k - 1] - values[k - 2]);
    }
    values.truncate(terms);
    values
}
