//! Linear systems on a card: [`solve`](crate::solve) there, with the same measure of what was reached.

use super::card::Card;
use crate::error::Error;
use crate::settings::Solver;
use crate::solve::{ACCEPTED, MOST_STEPS, Operand, REFINED, estimate, nan_max};
use kernels::Buffer;
use kernels::dense::{Crout, Lu, Norms, Panels};
use num_complex::Complex;

type C = Complex<f64>;
type Single = Complex<f32>;

enum Factors {
    Lu(Lu<f64>),
    /// Whether products have factors of 11 bits.
    Short(Lu<f32>, bool),
    Crout(Crout),
}

/// A matrix and its factors.
pub struct System {
    /// Where they are.
    pub card: Card,
    size: usize,
    matrix: Buffer<C>,
    factors: Factors,
    norms: Norms,
    /// Greatest row sum of magnitudes.
    row_norm: f64,
}

/// Solutions and what vouches for them.
pub struct Solved {
    /// Column by column.
    pub values: Buffer<C>,
    /// As in [`solve::Solved`](crate::solve::Solved).
    pub backward_error: f64,
    /// Of refinement.
    pub steps: usize,
}

impl System {
    /// Factors a matrix that is given column by column. Refinement begins with the fastest factors, and takes better ones where they do not do.
    pub fn new(mut card: Card, matrix: Buffer<C>, size: usize, solver: Solver) -> Result<Self, Error> {
        let norms = card.library.norms(size);
        let factors = match solver {
            Solver::Refine => Factors::Short(short(&mut card, &norms, &matrix, size, true)?, true),
            Solver::Lu => {
                let copy = copy(&mut card.stream, &matrix)?;
                let Card { stream, library } = &mut card;
                let factors = library.factor(stream, copy, size, true, Panels::Fastest);
                Factors::Lu(factors.map_err(singular)?)
            }
            Solver::Crout => {
                let copy = copy(&mut card.stream, &matrix)?;
                Factors::Crout(Crout::new(&mut card.stream, &card.library, copy, size).map_err(singular)?)
            }
            Solver::Hodlr => return Err(Error::not_compressed("matrices on a card")),
        };
        let row_norm = norms.row_sums(&mut card.stream, &matrix)?.into_iter().fold(0.0, nan_max);
        Ok(Self { card, size, matrix, factors, norms, row_norm })
    }

    /// A^-1 B, for B column by column.
    pub fn solve(&mut self, right: &Buffer<C>) -> Result<Solved, Error> {
        let solved = self.attempt(right)?;
        if solved.backward_error < ACCEPTED || !matches!(self.factors, Factors::Short(..)) {
            return Ok(solved);
        }
        if let Factors::Short(_, true) = self.factors {
            let factors = short(&mut self.card, &self.norms, &self.matrix, self.size, false)?;
            self.factors = Factors::Short(factors, false);
            return self.solve(right);
        }
        let condition = self.condition(&vec![1.0; self.size])?;
        Err(Error::Stalled { backward: solved.backward_error, steps: solved.steps, condition })
    }

    /// With the factors that there are.
    fn attempt(&mut self, right: &Buffer<C>) -> Result<Solved, Error> {
        let Card { stream, library } = &mut self.card;
        let values = match &self.factors {
            Factors::Lu(factors) => library.solve(stream, &self.norms, factors, right)?,
            Factors::Crout(factors) => library.solve_crout(stream, factors, right, false)?,
            Factors::Short(..) => return self.refine(right),
        };
        let (_, _, backward_error) = self.residual(&values, right)?;
        Ok(Solved { values, backward_error, steps: 0 })
    }

    /// Residuals in 64 bits, corrections by factors in 32, until rounding.
    fn refine(&mut self, right: &Buffer<C>) -> Result<Solved, Error> {
        let stream = &mut self.card.stream;
        let mut values = Buffer::zeros(stream, "currents", right.len())?;
        // Nothing is the first solution: its residual is the right-hand side.
        let (mut rest, mut scales) = (copy(stream, right)?, self.norms.greatest(stream, right)?);
        let (mut backward_error, mut steps) = (f64::INFINITY, 0);
        let mut narrow = Buffer::unwritten(stream, "corrections", right.len())?;
        loop {
            self.correct(&rest, &scales, &mut narrow, &mut values)?;
            let before = backward_error;
            (rest, scales, backward_error) = self.residual(&values, right)?;
            let gains = backward_error < 0.5 * before;
            if backward_error <= REFINED || !gains || steps == MOST_STEPS {
                return Ok(Solved { values, backward_error, steps });
            }
            steps += 1;
        }
    }

    /// Adds what 32-bit factors give for residuals.
    fn correct(
        &mut self,
        rest: &Buffer<C>,
        scales: &Buffer<f64>,
        narrow: &mut Buffer<Single>,
        values: &mut Buffer<C>,
    ) -> Result<(), Error> {
        let Card { stream, library } = &mut self.card;
        self.norms.narrow(stream, rest, Some(scales), narrow)?;
        if let Factors::Short(factors, _) = &self.factors {
            let corrections = library.solve(stream, &self.norms, factors, narrow)?;
            self.norms.add(stream, &corrections, scales, values)?;
        }
        Ok(())
    }

    /// B - A X, its norms, and the worst backward error.
    fn residual(
        &mut self,
        values: &Buffer<C>,
        right: &Buffer<C>,
    ) -> Result<(Buffer<C>, Buffer<f64>, f64), Error> {
        let Card { stream, library } = &mut self.card;
        let columns = right.len() / self.size;
        let mut rest = copy(stream, right)?;
        let sides = [self.size, self.size, columns];
        library.multiply(stream, [&self.matrix, values], &mut rest, sides, [-1.0, 1.0])?;
        let scales = self.norms.greatest(stream, &rest)?;
        let (of_values, of_right) =
            (self.norms.greatest(stream, values)?, self.norms.greatest(stream, right)?);
        let mut host = |buffer: &Buffer<f64>| -> Result<Vec<f64>, Error> { Ok(stream.values(buffer)?) };
        let (rests, values, rights) = (host(&scales)?, host(&of_values)?, host(&of_right)?);
        let error = |j: usize| rests[j] / (self.row_norm * values[j] + rights[j]);
        let worst = (0..columns).map(error).fold(0.0, nan_max);
        Ok((rest, scales, worst))
    }

    /// Estimate of the condition, as on the processor.
    pub fn condition(&mut self, diagonal: &[f64]) -> Result<f64, Error> {
        let sums = self.norms.column_sums(&mut self.card.stream, &self.matrix, diagonal)?;
        let norm = sums.iter().zip(diagonal).map(|(sum, d)| sum / d).fold(0.0, nan_max);
        let size = self.size;
        Ok(norm * estimate(size, diagonal, |right, operand| self.apply_inverse(right, operand))?)
    }

    /// What the factors give for one right-hand side, without refinement.
    fn apply_inverse(&mut self, right: &[C], operand: Operand) -> Result<Vec<C>, Error> {
        let Card { stream, library } = &mut self.card;
        let mut values = Buffer::from_slice(stream, "right-hand side", right)?;
        let adjoint = operand == Operand::Adjoint;
        match &self.factors {
            Factors::Lu(factors) if adjoint => {
                values = library.solve_adjoint(stream, &self.norms, factors, &values)?;
            }
            Factors::Lu(factors) => values = library.solve(stream, &self.norms, factors, &values)?,
            Factors::Crout(factors) => values = library.solve_crout(stream, factors, &values, adjoint)?,
            Factors::Short(factors, _) => {
                let scales = self.norms.greatest(stream, &values)?;
                let mut narrow = Buffer::zeros(stream, "right-hand side", right.len())?;
                self.norms.narrow(stream, &values, Some(&scales), &mut narrow)?;
                let found = match operand {
                    Operand::Matrix => library.solve(stream, &self.norms, factors, &narrow)?,
                    Operand::Adjoint => library.solve_adjoint(stream, &self.norms, factors, &narrow)?,
                };
                values = Buffer::zeros(stream, "solution", right.len())?;
                self.norms.add(stream, &found, &scales, &mut values)?;
            }
        }
        Ok(stream.values(&values)?)
    }
}

fn copy(stream: &mut kernels::Stream, from: &Buffer<C>) -> Result<Buffer<C>, Error> {
    let mut to = Buffer::unwritten(stream, "a copy", from.len())?;
    stream.copy(from, &mut to)?;
    Ok(to)
}

/// Factors of the matrix in 32 bits.
fn short(
    card: &mut Card,
    norms: &Norms,
    matrix: &Buffer<C>,
    size: usize,
    tensor: bool,
) -> Result<Lu<f32>, Error> {
    let Card { stream, library } = card;
    let mut narrow = Buffer::unwritten(stream, "32-bit factors", size * size)?;
    norms.narrow(stream, matrix, None, &mut narrow)?;
    library.factor(stream, narrow, size, tensor, Panels::Fastest).map_err(singular)
}

/// A pivot that is zero is the equation's fault.
fn singular(error: kernels::Error) -> Error {
    match error {
        kernels::Error::SingularMatrix { pivot, size } => {
            Error::Singular { pivot, unknowns: size, value: 0.0 }
        }
        other => other.into(),
    }
}
