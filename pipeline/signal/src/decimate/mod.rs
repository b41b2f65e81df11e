//! Bits of all channels to samples of all channels: the array's decimator.
//!
//! Input is rows, one time sample of all channels each, as the array sends them; output is frames, one sample of
//! every channel in grid order, as integer codes with full scale [`FULL_SCALE`]. The default chain gives the very
//! integers of [`dsp_core::decimator`].
//!
//! [`ArrayDecimator`] runs any designed rate on the host; [`cuda`] is the default chain on a card, and [`Plan`] is either.

mod cpu;
pub mod cuda;
mod error;
mod general;
mod multiply_add;
mod rows;
pub mod single;
mod split;
mod wide;

pub use cpu::ArrayDecimator;
pub use dsp_core::decimator::FULL_SCALE;
pub use error::DecimateError;
pub use rows::ROWS;

use crate::filter_design::Design;
use dsp_core::Progress;
use dsp_core::pdm::TileLayout;
use kernels::Device;

/// Codes as parts of full scale. They have 25 bits at most, and full scale is a power of two: exact.
pub fn full_scale_parts(codes: &[i32]) -> Vec<f32> {
    codes.iter().map(|&code| code as f32 / FULL_SCALE as f32).collect()
}

/// The decimator of a whole array on the device that was chosen when the plan was made, from host memory to host memory.
pub enum Plan {
    /// All cores of the current rayon pool.
    Cpu(ArrayDecimator),
    /// A card, for the default chain.
    Cuda(Box<cuda::ArrayDecimator>),
}

impl Plan {
    /// A decimator on the CPU for `design` and an array of `layout`; every channel has been idle for ever.
    pub fn on_cpu(design: &Design, layout: &TileLayout) -> Result<Self, DecimateError> {
        Ok(Self::Cpu(ArrayDecimator::new(design, layout)?))
    }

    /// The same on a card.
    pub fn on_cuda(device: &Device, design: &Design, layout: &TileLayout) -> Result<Self, DecimateError> {
        Ok(Self::Cuda(Box::new(cuda::ArrayDecimator::new(device, design, layout)?)))
    }

    /// Channels of a frame.
    pub fn channels(&self) -> usize {
        match self {
            Self::Cpu(decimator) => decimator.channels(),
            Self::Cuda(decimator) => decimator.channels(),
        }
    }

    /// Rows for one frame.
    pub fn rate(&self) -> usize {
        match self {
            Self::Cpu(decimator) => decimator.rate(),
            Self::Cuda(decimator) => decimator.rate(),
        }
    }

    /// Takes whole groups of [`ROWS`] rows (bytes, as sent) and appends their frames to `frames`; counts rows and frames.
    /// After an error neither `frames` nor the decimator are of use.
    pub fn process(&mut self, rows: &[u8], frames: &mut Vec<i32>) -> Result<Progress, DecimateError> {
        Ok(match self {
            Self::Cpu(decimator) => decimator.process(rows, frames),
            Self::Cuda(decimator) => decimator.process(rows, frames)?,
        })
    }
}
