//! Poles of dispersive media in a block: the lanes of [`dispersion`](crate::dispersion).

use super::lane::{LANES, Lane, Six, zero};
use crate::design::Design;
use crate::dispersion::{Polarisation, Rates};
use numerics::real::Real;
use numerics::simd::multiply_add;

/// What a pole has at a node, and the residuals of that.
#[derive(Debug, Clone)]
pub struct Polarised<T> {
    /// Px, Py, Pz, Jx, Jy, Jz.
    values: Six<T>,
    /// Of the Runge-Kutta scheme.
    residual: Six<T>,
}

impl<T: Real> Polarised<T> {
    /// Nothing.
    pub fn new() -> Self {
        Self { values: zero(), residual: zero() }
    }

    /// The polarisation of a lane.
    pub fn at(&self, lane: usize) -> Polarisation {
        let of = |first: usize| [0, 1, 2].map(|axis| self.values[first + axis][lane].to_f64()).into();
        Polarisation { p: of(0), j: of(3) }
    }

    /// Replaces it.
    pub fn set(&mut self, lane: usize, Polarisation { p, j }: &Polarisation) {
        let values = p.to_array().into_iter().chain(j.to_array());
        self.values.iter_mut().zip(values).for_each(|(lanes, value)| lanes[lane] = T::of(value));
    }
}

/// One pole of each element of a block; lanes without one have zeros.
#[derive(Debug, Clone)]
pub struct Pole<T> {
    /// g, r, c, gamma and k.
    rates: [Lane<T>; 5],
    /// 1/eps
    inverse: Lane<T>,
}

impl<T: Real> Pole<T> {
    /// The poles of a block of these elements.
    pub fn of_block(design: &Design, elements: &[Option<u32>]) -> Vec<Self> {
        let Some(dispersion) = &design.dispersion else { return Vec::new() };
        let zero = [T::zero(); LANES];
        let mut found: Vec<Self> = Vec::new();
        for (lane, element) in elements.iter().enumerate().filter_map(|(lane, it)| it.map(|it| (lane, it))) {
            let inverse = design.cells[element as usize].material.permittivity.recip();
            for (number, Rates { g, r, c, gamma, k }) in dispersion.of(element).iter().enumerate() {
                if number == found.len() {
                    found.push(Self { rates: [zero; 5], inverse: zero });
                }
                let pole = &mut found[number];
                pole.inverse[lane] = T::of(inverse);
                let rates = [*g, *r, *c, *gamma, *k];
                pole.rates.iter_mut().zip(rates).for_each(|(lanes, rate)| lanes[lane] = T::of(rate));
            }
        }
        found
    }

    /// Takes the current of polarisation at a node from the rates of E, and takes P and J through a stage with factors a, b and dt.
    #[inline(always)]
    pub fn polarise<const FMA: bool>(
        &self,
        fields: &Six<T>,
        rates: &mut Six<T>,
        polarised: &mut Polarised<T>,
        [a, b, dt]: [T; 3],
    ) {
        let [g, r, c, gamma, k] = &self.rates;
        for axis in 0..3 {
            // Copies of whole lanes, as in the kernel.
            let (field, mut rate) = (fields[axis], rates[axis]);
            let mut values = [polarised.values[axis], polarised.values[3 + axis]];
            let mut residual = [polarised.residual[axis], polarised.residual[3 + axis]];
            for lane in 0..LANES {
                let [p, j] = [values[0][lane], values[1][lane]];
                let relaxed = multiply_add::<T, FMA>(-r[lane], p, j);
                let current = multiply_add::<T, FMA>(g[lane], field[lane], relaxed);
                let pulled = multiply_add::<T, FMA>(-gamma[lane], j, -(k[lane] * p));
                let change = [current, multiply_add::<T, FMA>(c[lane], field[lane], pulled)];
                rate[lane] = multiply_add::<T, FMA>(-self.inverse[lane], current, rate[lane]);
                for kind in 0..2 {
                    let sum = multiply_add::<T, FMA>(a, residual[kind][lane], dt * change[kind]);
                    residual[kind][lane] = sum;
                    values[kind][lane] = multiply_add::<T, FMA>(b, sum, values[kind][lane]);
                }
            }
            rates[axis] = rate;
            for kind in 0..2 {
                polarised.values[3 * kind + axis] = values[kind];
                polarised.residual[3 * kind + axis] = residual[kind];
            }
        }
    }
}
