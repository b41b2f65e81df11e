//! The array factor at the directions, and back: by moments where directions are few and near each other, by a NUFFT of type 3 where
//! they fill the sky; whichever takes fewer multiply-adds.

use super::super::design::Lattice;
use super::super::{Error, Model, Result};
use super::moments::{self, Moments};
use super::series::{Split, fit};
use nufft::cpu::type_3;
use nufft::{Settings, Sign};
use num_complex::Complex;
use std::cmp::Ordering;

type C = Complex<f64>;

/// Directions, as cosines.
#[derive(Debug, Clone, Copy)]
pub struct Directions<'a> {
    /// u.
    pub u: &'a [f64],
    /// v.
    pub v: &'a [f64],
}

impl Directions<'_> {
    pub(super) fn check(self) -> Result<()> {
        if self.u.len() != self.v.len() {
            return Err(Error::Length { what: "array of v", given: self.v.len(), needed: self.u.len() });
        }
        let wrong = self
            .u
            .iter()
            .zip(self.v)
            .position(|(u, v)| u.hypot(*v).partial_cmp(&1.0) != Some(Ordering::Less));
        wrong.map_or(Ok(()), |index| {
            let given = format!("direction {index}, u {}, v {}", self.u[index], self.v[index]);
            Err(Error::invalid(given, "u^2 + v^2 must be below 1"))
        })
    }
}

/// What does not depend on positions.
pub enum Far {
    /// Few moments.
    Moments(Moments),
    /// Many directions.
    Nufft(Nufft),
}

/// Frequencies of type 3.
pub struct Nufft {
    /// beta u, beta v, rad/m.
    targets: [Vec<f64>; 2],
    settings: Settings,
}

/// What follows from positions.
pub enum Tables {
    /// Polynomials, and the carrier at the elements where it is not 1.
    Moments(moments::Tables, Vec<C>),
    /// A plan with points and targets.
    Nufft(Box<type_3::Plan<f64>>),
}

/// Memory of a run.
#[derive(Default)]
pub struct Room {
    moments: moments::Room,
    carried: Split,
    points: Vec<C>,
    targets: Vec<C>,
    /// With the fine grid that it is for: elements that move change it.
    scratch: Option<(Vec<usize>, type_3::Scratch<f64>)>,
}

/// The memory that a plan needs, renewed where it was another's.
fn memory<'r>(
    room: &'r mut Option<(Vec<usize>, type_3::Scratch<f64>)>,
    plan: &type_3::Plan<f64>,
) -> &'r mut type_3::Scratch<f64> {
    let grid = plan.fine_grid();
    if room.as_ref().is_some_and(|(old, _)| *old != grid) {
        *room = None;
    }
    &mut room.get_or_insert_with(|| (grid, plan.scratch())).1
}

/// What a multiply-add of a NUFFT costs beside one of the moments, which come in long rows.
const SLOWER: f64 = 4.0;

/// Multiply-adds of type 3, roughly: windows of both ends, and FFTs of a grid as wide as the aperture times the directions, with room.
fn work(beta: f64, directions: Directions<'_>, count: usize, reach: [f64; 2], tolerance: f64) -> f64 {
    let width = 2.0 - tolerance.log10();
    let halves = [moments::middle(directions.u)[1], moments::middle(directions.v)[1]];
    let n = [0, 1].map(|axis: usize| 4.0 * beta * reach[axis] * halves[axis] / std::f64::consts::PI + width);
    let fine = 4.0 * n[0] * n[1];
    SLOWER * (2.0 * (count + directions.u.len()) as f64 * width * width + 5.0 * fine * fine.log2())
}

impl Far {
    /// For elements within `reach` (m), on a lattice or not.
    pub fn new(
        model: &Model,
        directions: Directions<'_>,
        count: usize,
        reach: [f64; 2],
        lattice: Option<&Lattice>,
        tolerance: f64,
    ) -> Result<Self> {
        let (beta, Directions { u, v }) = (model.wavenumber(), directions);
        let moments = Moments::new(beta, u, v, reach, tolerance);
        let lines = lattice.map(|lattice| [lattice.x.len(), lattice.y.len()]);
        if moments.work(count, lines) <= work(beta, directions, count, reach, tolerance) {
            return Ok(Self::Moments(moments));
        }
        let scaled = |values: &[f64]| values.iter().map(|u| beta * u).collect();
        Ok(Self::Nufft(Nufft {
            targets: [scaled(u), scaled(v)],
            settings: Settings::new(tolerance, Sign::Positive),
        }))
    }

    /// Tables of elements; on a lattice they are `[row][column]` with padded rows.
    pub fn tables(&self, lattice: Option<&Lattice>, x: &[f64], y: &[f64]) -> Result<Tables> {
        match self {
            Self::Moments(moments) => {
                let tables =
                    lattice.map_or_else(|| moments.scattered(x, y), |lattice| moments.lattice(lattice));
                let carrier = x.iter().zip(y).map(|(x, y)| moments.carrier(*x, *y)).collect();
                Ok(Tables::Moments(tables, carrier))
            }
            Self::Nufft(nufft) => {
                let mut plan = type_3::Plan::new(2, &nufft.settings)?;
                plan.set_points(&[x, y], &[&nufft.targets[0], &nufft.targets[1]])?;
                Ok(Tables::Nufft(Box::new(plan)))
            }
        }
    }

    /// F of a.
    pub fn forward(
        &self,
        tables: &Tables,
        index: &[usize],
        a: &Split,
        field: &mut Split,
        room: &mut Room,
    ) -> Result<()> {
        match (self, tables) {
            (Self::Moments(moments), Tables::Moments(tables, carrier)) => {
                fit(&mut room.carried, a.re.len());
                let Room { moments: inner, carried, .. } = room;
                for (&at, carrier) in index.iter().zip(carrier) {
                    carried.set(at, a.at(at) * carrier);
                }
                moments.forward(tables, carried, field, inner);
            }
            (_, Tables::Nufft(plan)) => {
                let Room { points, targets, scratch, .. } = room;
                points.clear();
                points.extend(index.iter().map(|&at| a.at(at)));
                targets.resize(plan.targets(), C::default());
                plan.execute(points, targets, memory(scratch, plan))?;
                targets.iter().enumerate().for_each(|(at, value)| field.set(at, *value));
            }
            (Self::Nufft(_), Tables::Moments(..)) => return Err(Error::Places),
        }
        Ok(())
    }

    /// sum_i h_i conj(e_ni) at the elements, and its slopes by x and y.
    pub fn back(
        &self,
        tables: &Tables,
        index: &[usize],
        h: &Split,
        adjoint: &mut Split,
        mut slopes: Option<&mut [Split; 2]>,
        room: &mut Room,
    ) -> Result<()> {
        match (self, tables) {
            (Self::Moments(moments), Tables::Moments(tables, carrier)) => {
                moments.backward(tables, h, adjoint, slopes.as_deref_mut(), &mut room.moments);
                let tilt = moments.carrier_slope();
                for (&at, carrier) in index.iter().zip(carrier) {
                    let value = adjoint.at(at) * carrier.conj();
                    adjoint.set(at, value);
                    for (slope, tilt) in slopes.iter_mut().flat_map(|slopes| slopes.iter_mut()).zip(tilt) {
                        slope.set(at, slope.at(at) * carrier.conj() - tilt * value);
                    }
                }
            }
            (Self::Nufft(nufft), Tables::Nufft(plan)) => {
                let Room { points, targets, scratch, .. } = room;
                let scratch = memory(scratch, plan);
                points.resize(plan.points(), C::default());
                targets.clear();
                targets.extend((0..plan.targets()).map(|at| h.at(at)));
                plan.execute_adjoint(targets, points, scratch)?;
                scatter(points, index, adjoint);
                for (axis, slope) in slopes.into_iter().flatten().enumerate() {
                    let waves = nufft.targets[axis].iter().enumerate();
                    targets.clear();
                    targets.extend(waves.map(|(at, beta)| h.at(at) * C::new(0.0, -beta)));
                    plan.execute_adjoint(targets, points, scratch)?;
                    scatter(points, index, slope);
                }
            }
            _ => return Err(Error::Places),
        }
        Ok(())
    }
}

fn scatter(values: &[C], index: &[usize], to: &mut Split) {
    for (value, &at) in values.iter().zip(index) {
        to.set(at, *value);
    }
}
