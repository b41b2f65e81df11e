//! Lines continued by linear prediction.

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

/// Lines to be continued at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    /// Places of the measured samples.
    pub input: Strides,
    /// Places of all samples.
    pub output: Strides,
    /// Holograms.
    pub count: usize,
    /// Lines of a hologram.
    pub lines: usize,
    /// Samples added before.
    pub before: usize,
    /// Samples measured.
    pub measured: usize,
    /// Samples in all.
    pub total: usize,
    /// Order of the linear prediction, from 1 to `measured - 1`.
    pub order: usize,
}

impl Lines {
    fn abi(&self) -> Result<abi::Lines, Error> {
        let Self { before, measured, total, order, .. } = *self;
        for (what, given, needed) in [
            ("order of the prediction", order, 1),
            ("measured samples", measured, order.saturating_add(1)),
            ("samples in all", total, before.saturating_add(measured)),
        ] {
            at_least(what, given, needed)?;
        }
        Ok(abi::Lines {
            input: self.input.abi()?,
            output: self.output.abi()?,
            count: size32("holograms", self.count)?,
            lines: size32("lines", self.lines)?,
            before: size32("samples before", before)?,
            measured: size32("measured samples", measured)?,
            total: size32("samples in all", total)?,
            order: size32("order", order)?,
        })
    }
}

/// The kernel for some lines.
#[derive(Debug)]
pub struct Extend<T> {
    kernel: Kernel,
    lines: Lines,
    abi: abi::Lines,
    number: PhantomData<T>,
}

impl<T: Float> Extend<T> {
    /// Prepared for `lines`.
    pub fn new(stages: &Stages<T>, lines: Lines) -> Result<Self, Error> {
        let abi = lines.abi()?;
        let kernel = stages.prepare(&calls::PAD_EXTEND, lines.count.checked_mul(lines.lines))?;
        Ok(Self { kernel, lines, abi, number: PhantomData })
    }

    /// Values of working memory.
    pub fn scratch(&self) -> usize {
        let Lines { count, lines, measured, order, .. } = self.lines;
        count * lines * (2 * (measured - 1) + 3 * order)
    }

    /// Continues every line of `input` into `output`; `scratch` has at least [`Self::scratch`] values.
    pub fn run(
        &self,
        stream: &mut Stream,
        input: &Buffer<Complex<T>>,
        scratch: &mut Buffer<Complex<T>>,
        output: &mut Buffer<Complex<T>>,
    ) -> Result<(), Error> {
        let Lines { count, lines, measured, total, .. } = self.lines;
        self.lines.input.check("input of pad_extend", input.len(), [count, lines, measured])?;
        self.lines.output.check("output of pad_extend", output.len(), [count, lines, total])?;
        at_least("scratch of pad_extend", scratch.len(), self.scratch())?;
        self.kernel.launch(stream, calls::pad_extend(input, scratch, output, &self.abi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_determine_no_model_are_refused() {
        let strides = Strides { first: 0, hologram: 0, line: 0, sample: 1 };
        let good = Lines {
            input: strides,
            output: strides,
            count: 1,
            lines: 1,
            before: 3,
            measured: 5,
            total: 10,
            order: 4,
        };
        assert!(good.abi().is_ok());
        let refused = |lines: Lines| matches!(lines.abi(), Err(Error::Length { .. }));
        assert!(refused(Lines { order: 0, ..good }));
        assert!(refused(Lines { order: 5, ..good }));
        assert!(refused(Lines { total: 7, ..good }));
    }
}
