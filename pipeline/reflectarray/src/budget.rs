//! Where the feed's power goes: past the aperture, into the elements, and out of them again.
//!
//! Directivity is over the power that is radiated, and elements at half a wavelength can also have phases whose spectrum lies beyond the visible: nothing of that is radiated, nothing of it
//! counts in the directivity, and in a real array it comes back to the elements as a reflection or a loss. These figures show it.
//!
//! ```text
//! A                                                                     area of an element's cell, m^2
//! captured  = A sum_n |f_n|^2 cos(incidence_n)/(2 pi/(2 m + 1))         of the power of a feed cos^m that goes forwards
//! visible   = A/lambda^2 (integral over u^2 + v^2 < 1 of |F|^2 + |F_x|^2)/sum_n |f_n|^2
//! G(u, v)   = 4 pi A/lambda^2 |E|^2/sum_n |f_n|^2 = D R                 gain over the power that reaches the lattice
//! R         = 2 pi A/lambda^2 P/sum_n |f_n|^2
//! ```
//! F is the array factor, F_x its cross-polar twin. Without element losses, and at a pitch of half a wavelength or less, `visible` is the part of the excitations' spectrum that is visible (Parseval): at most 1. At a wider
//! pitch, spectra of neighbouring periods enter the visible and are counted again, so that it can be above 1: grating lobes, and no efficiency. G cannot be above
//! 4 pi N A/lambda^2 for elements that reflect no more than they get (Cauchy and Schwarz). See `docs/math/reflectarray.md`, section 7.

use super::cpu::{Directions, Plan, Scratch};
use super::spacing::Shape;
use super::{Elements, Model, Pattern, Result};
use std::f64::consts::TAU;

/// Where the power goes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget {
    /// A, m^2.
    pub cell: f64,
    /// Part of the feed's power that meets the cells of the elements.
    pub captured: f64,
    /// Part of the power on the lattice whose spectrum is visible.
    pub visible: f64,
    /// Gain over directivity, R.
    pub gain: f64,
}

/// Relative error of the power integrals: far below what a figure shows.
const TOLERANCE: f64 = 1e-9;

impl Budget {
    /// Of elements in rows and columns; `pitch` (m) stands in for the cells of a single row or column.
    pub fn new(model: &Model, elements: &Elements, shape: Shape, pitch: f64) -> Result<Self> {
        let cell = cell(elements, shape, pitch);
        let light = model.light(&elements.x, &elements.y);
        let flux = light.map(|light| light.f.norm_sqr() * light.incidence.cos());
        let (flux, incident) = (flux.sum::<f64>(), incident(model, elements, cell));
        let forwards = TAU / (2.0 * model.feed.exponent + 1.0);
        // du dv is cos(theta) of the solid angle: the power of elements with the field cos^(1/2).
        let even = Model { pattern: Pattern::Cosine { exponent: 0.5 }, ..model.clone() };
        Ok(Self {
            cell,
            captured: cell * flux / forwards,
            visible: power(&even, elements)? / incident,
            gain: power(model, elements)? / incident,
        })
    }

    /// Gain over directivity, dB.
    pub fn gain_db(&self) -> f64 {
        10.0 * self.gain.log10()
    }
}

/// The power P_0 on the lattice in units of P: G = 2 |E|^2/P_0.
pub fn incident(model: &Model, elements: &Elements, cell: f64) -> f64 {
    let light: f64 = model.light(&elements.x, &elements.y).map(|light| light.f.norm_sqr()).sum();
    model.wavelength().powi(2) * light / (TAU * cell)
}

/// P of all elements.
fn power(model: &Model, elements: &Elements) -> Result<f64> {
    let plan = Plan::fixed(model, Directions { u: &[0.0], v: &[0.0] }, &elements.x, &elements.y, TOLERANCE)?;
    let places = plan.places(&elements.x, &elements.y)?;
    Ok(plan.fields(&places, &elements.phase, &mut Scratch::default())?.1)
}

/// Mean area of the quadrilaterals between neighbours, m^2.
fn cell(elements: &Elements, shape: Shape, pitch: f64) -> f64 {
    let Shape { columns, rows } = shape;
    if columns < 2 || rows < 2 {
        return pitch * pitch;
    }
    let at = |column: usize, row: usize| {
        let n = row * columns + column;
        [elements.x[n], elements.y[n]]
    };
    let area = |column: usize, row: usize| {
        let [a, c] = [at(column, row), at(column + 1, row + 1)];
        let [b, d] = [at(column + 1, row), at(column, row + 1)];
        0.5 * ((c[0] - a[0]) * (d[1] - b[1]) - (d[0] - b[0]) * (c[1] - a[1])).abs()
    };
    let all = (1..rows).flat_map(|row| (1..columns).map(move |column| area(column - 1, row - 1)));
    all.sum::<f64>() / ((columns - 1) * (rows - 1)) as f64
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lattice, model, random, scattered};
    use super::super::{Feed, Scattering, ScatteringTable};
    use super::*;
    use num_complex::Complex;

    /// A feed far away above the middle, so that all elements get the same.
    fn even() -> Model {
        Model { feed: Feed::offset(0.0, 1e3, 0.0), ..model() }
    }

    fn budget(phase: impl FnMut(usize) -> f64) -> Budget {
        // Half a wavelength.
        let mut elements = Elements::grid(40, 40, 0.01);
        elements.phase = (0..1600).map(phase).collect();
        Budget::new(&even(), &elements, Shape { columns: 40, rows: 40 }, 0.01).unwrap()
    }

    #[test]
    fn phases_decide_what_is_visible() {
        // In phase: all but the edges' diffraction, of the order of 1/(pi^2 40) of the spectrum along each axis.
        let beam = budget(|_| 0.3);
        assert!(beam.visible > 0.98 && beam.visible < 1.0, "{beam:?}");
        assert!((beam.gain - 1.0).abs() < 0.02 && (beam.cell - 1e-4).abs() < 1e-15, "{beam:?}");
        // A chessboard sends its spectrum to the corners of the period, u = v = 1.
        let board = budget(|n| if (n % 40 + n / 40) % 2 == 0 { 0.0 } else { 0.5 * TAU });
        assert!(board.visible < 0.02, "{board:?}");
        // Phases by chance have an even spectrum: a disc of its square, pi/4, give or take 1/sqrt(1600).
        let mut random = random(5);
        let even = budget(|_| 0.5 * TAU * random());
        assert!((even.visible - 0.25 * 0.5 * TAU).abs() < 0.05, "{even:?}");
    }

    /// The visible part is what sums over directions find, and G = D R is at most that of the area.
    #[test]
    fn figures_are_those_of_their_definitions() {
        for elements in [lattice(), scattered()] {
            let (model, shape) = (model(), Shape { columns: 9, rows: 7 });
            let budget = Budget::new(&model, &elements, shape, 0.01).unwrap();
            let side = 600;
            let step = 2.0 / side as f64;
            let along = |i: usize| (i as f64 + 0.5) * step - 1.0;
            let all = (0..side * side).map(|i| (along(i % side), along(i / side)));
            let (u, v): (Vec<f64>, Vec<f64>) = all.filter(|(u, v)| u * u + v * v < 1.0).unzip();
            let plan =
                Plan::fixed(&model, Directions { u: &u, v: &v }, &elements.x, &elements.y, 1e-9).unwrap();
            let places = plan.places(&elements.x, &elements.y).unwrap();
            let ([co, _], power) = plan.fields(&places, &elements.phase, &mut Scratch::default()).unwrap();
            let beta = model.wavenumber();
            let places = elements.x.iter().zip(&elements.y);
            let light: f64 = places.map(|(x, y)| model.feed.light(beta, *x, *y).f.norm_sqr()).sum();
            let integral: f64 = co.iter().map(|f| f.norm_sqr() * step * step).sum();
            let scale = budget.cell / model.wavelength().powi(2) / light;
            // The edge of the disc is a staircase of half a step.
            assert!((budget.visible - scale * integral).abs() < 0.01, "{budget:?}: {}", scale * integral);
            let highest = co.iter().map(|f| f.norm_sqr()).fold(0.0, f64::max);
            let (gain, directivity) = (2.0 * TAU * scale * highest, 2.0 * highest / power);
            assert!((gain - directivity * budget.gain).abs() < 1e-9 * gain, "{budget:?}");
            assert!(gain < 2.0 * TAU * 63.0 * budget.cell / model.wavelength().powi(2));
        }
    }

    /// A disc that is seen under the half angle t from its axis takes 1 - cos^(2 m + 1)(t).
    #[test]
    fn a_disc_captures_what_it_is_seen_under() {
        let height = 0.5;
        for exponent in [0.0, 3.0, 12.0] {
            let model = Model { feed: Feed::offset(0.0, height, exponent), ..model() };
            let mut square = Elements::grid(201, 201, 0.005);
            let inside: Vec<bool> = square.x.iter().zip(&square.y).map(|(x, y)| x.hypot(*y) < 0.5).collect();
            let keep = |v: &[f64]| v.iter().zip(&inside).filter(|(_, i)| **i).map(|(v, _)| *v).collect();
            (square.x, square.y) = (keep(&square.x), keep(&square.y));
            square.phase = vec![0.0; square.x.len()];
            let one_row = Shape { columns: square.len(), rows: 1 };
            let budget = Budget::new(&model, &square, one_row, 0.005).unwrap();
            let expected = 1.0 - (0.25f64 * 0.5 * TAU).cos().powf(2.0 * exponent + 1.0);
            // The disc's edge again.
            assert!((budget.captured - expected).abs() < 5e-3, "{exponent}: {budget:?} {expected}");
        }
    }

    #[test]
    fn losses_lower_the_gain() {
        let phases: Vec<f64> = (0..24).map(|i| -3.0 + 0.26 * f64::from(i)).collect();
        let co = phases.iter().map(|phase| Complex::from_polar(0.5, *phase)).collect();
        let cross = vec![Complex::default(); 24];
        let table = ScatteringTable { phases, angles: vec![0.0], co, cross };
        let lossy = Model { scattering: Scattering::Table(table), ..model() };
        let shape = Shape { columns: 9, rows: 7 };
        let [full, half] = [model(), lossy].map(|m| Budget::new(&m, &lattice(), shape, 0.01).unwrap());
        assert!(
            (half.gain / full.gain - 0.25).abs() < 1e-9 && (half.visible / full.visible - 0.25).abs() < 1e-9
        );
        assert_eq!(half.captured, full.captured);
        assert!((full.gain_db() - half.gain_db() - 6.0206).abs() < 1e-3);
    }
}
