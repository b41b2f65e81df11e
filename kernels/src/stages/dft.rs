//! Discrete Fourier transforms of lines by their definition.

use super::compiled::Stages;
use super::strides::Strides;
use crate::abi::stages as abi;
use crate::calls;
use crate::error::{Error, at_least, size32};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use num_complex::Complex;
use std::marker::PhantomData;
use std::ops::Range;

/// Indices into a table of twiddles are added in 32 bits.
const LONGEST: usize = 1 << 31;

/// Which way a transform goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Direction {
    /// exp(-j ..): all N wavenumbers, from the samples in this range; the others are zero.
    Forward(Range<usize>),
    /// exp(+j ..) without 1/N: samples in this range of a grid u times finer, from all N wavenumbers.
    Inverse(Range<usize>),
}

/// Lines to be transformed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transform {
    /// Which way.
    pub direction: Direction,
    /// Places of the N values of a line.
    pub input: Strides,
    /// Places of the values that are kept.
    pub output: Strides,
    /// Holograms.
    pub count: usize,
    /// Lines of a hologram.
    pub lines: usize,
    /// N.
    pub length: usize,
    /// u: the table has N u twiddles, exp(-j 2 pi i/(N u)).
    pub refinement: usize,
    /// Place of the first of them.
    pub table: usize,
}

impl Transform {
    /// Inputs and outputs.
    fn ranges(&self) -> (Range<usize>, Range<usize>) {
        match &self.direction {
            Direction::Forward(samples) => (samples.clone(), 0..self.length),
            Direction::Inverse(samples) => (0..self.length, samples.clone()),
        }
    }

    /// Length of the table.
    fn long(&self) -> usize {
        self.length.saturating_mul(self.refinement)
    }

    fn abi(&self) -> Result<abi::Dft, Error> {
        let (inputs, outputs) = self.ranges();
        let most = if let Direction::Forward(_) = self.direction { self.length } else { self.long() };
        for (what, range, most) in
            [("samples of a line", &inputs, self.length), ("kept values of a line", &outputs, most)]
        {
            if range.is_empty() || range.end > most {
                return Err(Error::Length { what, given: range.end, needed: most });
            }
        }
        if self.long() > LONGEST {
            return Err(Error::Size { what: "refined length of a line", value: self.long() });
        }
        Ok(abi::Dft {
            input: self.input.abi()?,
            output: self.output.abi()?,
            count: size32("holograms", self.count)?,
            lines: size32("lines", self.lines)?,
            length: size32("length", self.length)?,
            refinement: size32("refinement", self.refinement)?,
            table: size32("place of the twiddles", self.table)?,
            from: size32("first sample", inputs.start)?,
            terms: size32("samples", inputs.len())?,
            first: size32("first kept value", outputs.start)?,
            kept: size32("kept values", outputs.len())?,
            reserved: 0,
        })
    }
}

/// The kernel for some lines.
#[derive(Debug)]
pub struct Dft<T> {
    kernel: Kernel,
    transform: Transform,
    abi: abi::Dft,
    number: PhantomData<T>,
}

impl<T: Float> Dft<T> {
    /// Prepared for `transform`.
    pub fn new(stages: &Stages<T>, transform: Transform) -> Result<Self, Error> {
        let abi = transform.abi()?;
        let signature = match transform.direction {
            Direction::Forward(_) => &calls::TRANSFORM,
            Direction::Inverse(_) => &calls::PROPAGATE_INVERSE,
        };
        let lines = transform.count.checked_mul(transform.lines);
        let values = lines.and_then(|lines| lines.checked_mul(transform.ranges().1.len()));
        Ok(Self { kernel: stages.prepare(signature, values)?, transform, abi, number: PhantomData })
    }

    /// Transforms every line of `input` into `output`.
    pub fn run(
        &self,
        stream: &mut Stream,
        input: &Buffer<Complex<T>>,
        twiddles: &Buffer<Complex<T>>,
        output: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let Transform { count, lines, table, .. } = self.transform;
        let (inputs, outputs) = self.transform.ranges();
        self.transform.input.check("input of a transform", input.len(), [count, lines, inputs.end])?;
        self.transform.output.check("output of a transform", output.len(), [count, lines, outputs.len()])?;
        at_least("twiddles", twiddles.len(), table.saturating_add(self.transform.long()))?;
        // That of the inverse has the same parameters.
        self.kernel.launch(stream, calls::transform(input, twiddles, output, &self.abi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_must_lie_in_their_line() {
        let strides = Strides { first: 0, hologram: 0, line: 0, sample: 1 };
        let with = |direction| Transform {
            direction,
            input: strides,
            output: strides,
            count: 1,
            lines: 1,
            length: 9,
            refinement: 2,
            table: 0,
        };
        assert!(with(Direction::Forward(3..9)).abi().is_ok());
        assert!(with(Direction::Inverse(3..18)).abi().is_ok());
        let refused = |direction| matches!(with(direction).abi(), Err(Error::Length { .. }));
        assert!(refused(Direction::Forward(3..10)));
        assert!(refused(Direction::Forward(3..3)));
        assert!(refused(Direction::Inverse(3..19)));
        let long = Transform { length: LONGEST / 2 + 1, ..with(Direction::Forward(0..1)) };
        assert!(matches!(long.abi(), Err(Error::Size { .. })));
    }
}
