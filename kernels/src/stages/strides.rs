//! Where the samples of lines are in an array.

use crate::abi::stages as abi;
use crate::error::{Error, at_least};

/// Sample n of line i of hologram h lies at `first + h hologram + i line + n sample`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strides {
    /// Place of the first sample.
    pub first: usize,
    /// Step from one hologram to the next.
    pub hologram: usize,
    /// Step from one line to the next.
    pub line: usize,
    /// Step from one sample to the next.
    pub sample: usize,
}

impl Strides {
    pub(super) fn abi(&self) -> Result<abi::Strides, Error> {
        let number = |value| u64::try_from(value).map_err(|_| Error::Size { what: "stride", value });
        Ok(abi::Strides {
            first: number(self.first)?,
            hologram: number(self.hologram)?,
            line: number(self.line)?,
            sample: number(self.sample)?,
        })
    }

    /// Values that an array must have for all samples to lie in it: `[holograms, lines, samples]`, none of them 0.
    fn reach(&self, counts: [usize; 3]) -> Option<usize> {
        let steps = [self.hologram, self.line, self.sample];
        let mut last = self.first;
        for (step, count) in steps.into_iter().zip(counts) {
            last = last.checked_add(step.checked_mul(count.checked_sub(1)?)?)?;
        }
        last.checked_add(1)
    }

    /// Refuses an array that does not hold all samples.
    pub(super) fn check(&self, what: &'static str, given: usize, counts: [usize; 3]) -> Result<(), Error> {
        let needed = self.reach(counts).unwrap_or(usize::MAX);
        at_least(what, given, needed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIDES: Strides = Strides { first: 5, hologram: 100, line: 10, sample: 2 };

    #[test]
    fn an_array_must_hold_the_last_sample() {
        // 5 + 2 x 100 + 3 x 10 + 4 x 2 = 243 is the last place.
        assert_eq!(STRIDES.reach([3, 4, 5]), Some(244));
        assert!(STRIDES.check("x", 244, [3, 4, 5]).is_ok());
        let short = Error::Length { what: "x", given: 243, needed: 244 };
        assert_eq!(STRIDES.check("x", 243, [3, 4, 5]), Err(short));
        assert_eq!(STRIDES.reach([3, 0, 5]), None);
        assert_eq!(Strides { hologram: usize::MAX, ..STRIDES }.reach([3, 4, 5]), None);
    }
}
