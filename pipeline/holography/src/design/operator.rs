//! k-filter x propagator on a padded grid, evaluated once for each distinct k_r.
//!
//! A grid of 96 x 96 has 9216 wavenumbers but about a tenth as many radii, because k_r only depends on |i n_y| and
//! |j n_x|. A change of filter is therefore cheap enough to happen for every hologram.

use super::super::error::Error;
use super::filter::{KFilter, vertical_wavenumber};
use super::grid::Grid;
use super::medium::Medium;
use num_complex::Complex;
use numerics::real::{Real, rounded};
use std::f64::consts::TAU;

/// The distinct radial wavenumbers of a grid.
#[derive(Debug, Clone)]
pub struct Radii {
    rows: usize,
    cols: usize,
    /// k_r, rad/m, ascending.
    values: Vec<f64>,
    /// Index into `values`, `[|i|][|j|]` with i = 0..=rows/2, j = 0..=cols/2.
    index: Vec<u32>,
}

impl Radii {
    /// Of all wavenumbers of `grid`.
    pub fn new(grid: &Grid) -> Self {
        let (rows, cols) = (grid.rows, grid.cols);
        // k_r^2 = (2 pi/(n_y n_x d))^2 ((i n_x)^2 + (j n_y)^2): whole numbers compare exactly.
        let squares: Vec<u128> = (0..=rows / 2)
            .flat_map(|i| (0..=cols / 2).map(move |j| square(i, cols) + square(j, rows)))
            .collect();
        let mut distinct = squares.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let unit = TAU / (rows as f64 * cols as f64 * grid.aperture.pitch);
        let place = |square: &u128| distinct.partition_point(|other| other < square) as u32;
        Self {
            rows,
            cols,
            index: squares.iter().map(place).collect(),
            values: distinct.iter().map(|&square| unit * (square as f64).sqrt()).collect(),
        }
    }

    /// k_r, rad/m, ascending.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Lines of a table of one half of the grid, i = 0..=rows/2; line i also serves -i.
    pub fn half_rows(&self) -> usize {
        self.rows / 2 + 1
    }

    /// Index of the radius at row i and column j of the grid, in the order of the DFT.
    pub fn at(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.min(self.rows - i), j.min(self.cols - j));
        self.index[i * (self.cols / 2 + 1) + j] as usize
    }

    /// Index of the radius at |i|, |j|: `[i = 0..=rows/2][j = 0..=cols/2]`.
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// Writes one value for each radius to its places in a table of [`Self::half_rows`] lines.
    pub fn spread<T: Copy>(&self, values: &[T], table: &mut [T]) {
        let lines = table.chunks_exact_mut(self.cols).zip(self.index.chunks_exact(self.cols / 2 + 1));
        for (line, index) in lines {
            let negative = (self.cols - 1) / 2;
            for (place, &r) in line.iter_mut().zip(index) {
                *place = values[r as usize];
            }
            for (place, &r) in line.iter_mut().rev().zip(&index[1..]).take(negative) {
                *place = values[r as usize];
            }
        }
    }
}

fn square(i: usize, other: usize) -> u128 {
    let product = i as u128 * other as u128;
    product * product
}

/// The part of the operator that does not change with the filter: one frequency, one distance.
#[derive(Debug, Clone)]
pub struct Operator {
    distance: f64,
    /// One for each radius.
    waves: Vec<Wave>,
}

/// What propagation does to a plane wave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wave {
    /// kappa z.
    pub growth: f64,
    /// exp(j Re(k_z) z).
    pub phase: Complex<f64>,
    /// k_z/(rho c k), m/(s Pa).
    pub admittance: Complex<f64>,
}

/// What the result is: pressure, or normal velocity of the same wave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Sound pressure, Pa.
    Pressure,
    /// Particle velocity along +z, away from the source, m/s: each plane wave times k_z/(rho c k).
    NormalVelocity,
}

/// Largest filter x propagator: its square is still a number of `T`.
pub fn largest<T: Real>() -> f64 {
    T::max_value().to_f64().sqrt()
}

impl Operator {
    /// For wavenumber k (rad/m) and a distance towards the source (m; negative: away from it).
    pub fn new(radii: &Radii, medium: &Medium, k: f64, distance: f64) -> Self {
        let impedance = medium.density * medium.speed_of_sound * k;
        let wave = |&radial: &f64| {
            let kz = vertical_wavenumber(k, radial);
            Wave {
                growth: -kz.im * distance,
                phase: Complex::cis(kz.re * distance),
                admittance: kz / impedance,
            }
        };
        Self { distance, waves: radii.values.iter().map(wave).collect() }
    }

    /// What it does to the wave of each radius, without a filter.
    pub fn waves(&self) -> &[Wave] {
        &self.waves
    }

    /// Refuses a filter that is not usable, or whose product with the propagator is beyond [`largest`].
    pub fn check<T: Real>(&self, radii: &Radii, filter: &KFilter) -> Result<(), Error> {
        filter.check()?;
        let mut waves = self.waves.iter().zip(&radii.values);
        waves.try_for_each(|(wave, &radial)| self.size::<T>(filter, wave, radial).map(drop))
    }

    /// Filter x growth of one wave, if it is not beyond [`largest`].
    fn size<T: Real>(&self, filter: &KFilter, wave: &Wave, radial: f64) -> Result<f64, Error> {
        let (size, limit) = (filter.gain_times_exp(radial, wave.growth), largest::<T>());
        if size > limit {
            return Err(Error::Overflow {
                standoff: self.distance,
                wavenumber: radial,
                exponent: filter.gain(radial).ln() + wave.growth,
                limit: limit.ln(),
            });
        }
        Ok(size)
    }

    /// Filter x propagator x `scale` for each radius.
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn evaluate<T: Real>(
        &self,
        radii: &Radii,
        filter: &KFilter,
        (field, scale): (Field, f64),
        values: &mut [Complex<T>],
    ) -> Result<(), Error> {
        filter.check()?;
        for ((value, wave), &radial) in values.iter_mut().zip(&self.waves).zip(&radii.values) {
            let mut h = wave.phase * (self.size::<T>(filter, wave, radial)? * scale);
            if field == Field::NormalVelocity {
                h *= wave.admittance;
            }
            *value = rounded(h);
        }
        Ok(())
    }
}
