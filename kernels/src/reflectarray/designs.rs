//! What all bands share: designs and what is found of them.

use crate::error::{Error, same};
use crate::lbfgs::Round;
use crate::memory::Buffer;
use crate::stream::Stream;

/// What all bands share: designs and what is found of them.
#[derive(Debug)]
pub struct Designs {
    pub(super) count: usize,
    pub(super) elements: usize,
    pub(super) zernike: usize,
    /// Designs that are evaluated; others are left out.
    pub moves: Buffer<u32>,
    /// `[design][unknown]`.
    pub unknowns: Buffer<f64>,
    /// Of every design.
    pub values: Buffer<f64>,
    /// ln of the mean and of the least directivity, of the first band.
    pub scores: Buffer<f64>,
    pub(super) base: Buffer<f64>,
    pub(super) polynomials: Buffer<f64>,
    pub(super) by_phase: Buffer<f64>,
    pub(super) by_coefficient: Buffer<f64>,
}

impl Designs {
    /// `count` designs of `elements` phases: each an unknown, or a sum of the polynomials `[coefficient][element]` on top of `base`,
    /// `[design][element]`, where there are any.
    pub fn new(
        stream: &mut Stream,
        count: usize,
        elements: usize,
        base: &[f64],
        polynomials: &[f64],
    ) -> Result<Self, Error> {
        let zernike = polynomials.len() / elements.max(1);
        same("polynomials", polynomials.len(), zernike * elements)?;
        same("phases", base.len(), if zernike > 0 { count * elements } else { 0 })?;
        let unknowns = if zernike > 0 { zernike } else { elements };
        Ok(Self {
            count,
            elements,
            zernike,
            moves: Buffer::from_slice(stream, "designs that move", &vec![1; count])?,
            unknowns: Buffer::poisoned(stream, "unknowns", count * unknowns)?,
            values: Buffer::poisoned(stream, "values", count)?,
            scores: Buffer::poisoned(stream, "scores", 2 * count)?,
            base: Buffer::from_slice(stream, "phases", base)?,
            polynomials: Buffer::from_slice(stream, "polynomials", polynomials)?,
            by_phase: Buffer::poisoned(stream, "gradients", count * elements)?,
            by_coefficient: Buffer::poisoned(stream, "gradients", count * zernike)?,
        })
    }

    /// Of every design.
    pub fn unknowns(&self) -> usize {
        if self.zernike > 0 { self.zernike } else { self.elements }
    }

    /// Number of designs.
    pub fn count(&self) -> usize {
        self.count
    }

    /// `[design][unknown]`.
    pub fn gradients(&self) -> &Buffer<f64> {
        if self.zernike > 0 { &self.by_coefficient } else { &self.by_phase }
    }

    /// What a round of the optimiser takes.
    pub fn round(&mut self) -> Round<'_> {
        let Self { moves, unknowns: trials, values, by_phase, by_coefficient, zernike, .. } = self;
        let gradients = if *zernike > 0 { by_coefficient } else { by_phase };
        Round { moves, trials, values, gradients }
    }
}
