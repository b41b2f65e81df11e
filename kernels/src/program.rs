//! A CUDA source with the kernels in it, and what Rust believes of their parameters.

/// One file of `kernels/cuda`.
#[derive(Debug)]
pub struct Program {
    /// Name of the file without its ending; errors call it the module.
    pub name: &'static str,
    /// The text.
    pub source: &'static str,
    /// Its kernels.
    pub kernels: &'static [&'static Signature],
    /// Constants with which every build without a card compiles it, one set for each use that matters.
    pub samples: &'static [&'static [Define]],
}

/// A constant of a source, given when it is compiled: sizes become literals, loops unroll, arrays stay in registers.
pub type Define = (&'static str, i64);

/// A kernel's name and parameters in order.
#[derive(Debug)]
pub struct Signature {
    /// Name of the source.
    pub module: &'static str,
    /// `extern "C"` name.
    pub name: &'static str,
    /// Whether a spilled register fails the build.
    pub hot: bool,
    /// Lowest compute capability, times ten, that has its instructions.
    pub capability: u32,
    /// Its parameters.
    pub parameters: &'static [Parameter],
}

/// One parameter of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// `const T*`.
    Input(&'static str),
    /// `T*`.
    Output(&'static str),
    /// A number or a structure of `abi`, by value, with its size in bytes.
    Value(&'static str, usize),
}

impl Parameter {
    /// As in the source.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Input(name) | Self::Output(name) | Self::Value(name, _) => name,
        }
    }

    /// Bytes in the list of arguments.
    pub fn size(&self) -> usize {
        match self {
            Self::Input(_) | Self::Output(_) => size_of::<u64>(),
            Self::Value(_, size) => *size,
        }
    }
}

/// Headers that sources include by these names.
pub const HEADERS: &[(&str, &str)] = &[
    ("abi/layout.h", include_str!("../cuda/abi/layout.h")),
    ("abi/cutoff.h", include_str!("../cuda/abi/cutoff.h")),
    ("kfilter.cuh", include_str!("../cuda/kfilter.cuh")),
    ("sums.cuh", include_str!("../cuda/sums.cuh")),
    ("abi/decimate.h", include_str!("../cuda/abi/decimate.h")),
    ("abi/dgtd.h", include_str!("../cuda/abi/dgtd.h")),
    ("dgtd_port.cuh", include_str!("../cuda/dgtd_port.cuh")),
    ("dgtd_poles.cuh", include_str!("../cuda/dgtd_poles.cuh")),
    ("abi/state.h", include_str!("../cuda/abi/state.h")),
    ("abi/hologram.h", include_str!("../cuda/abi/hologram.h")),
    ("abi/stages.h", include_str!("../cuda/abi/stages.h")),
    ("abi/front_end.h", include_str!("../cuda/abi/front_end.h")),
    ("abi/walsh.h", include_str!("../cuda/abi/walsh.h")),
    ("abi/nufft.h", include_str!("../cuda/abi/nufft.h")),
    ("abi/reflectarray.h", include_str!("../cuda/abi/reflectarray.h")),
    ("abi/mom.h", include_str!("../cuda/abi/mom.h")),
    ("lu.cuh", include_str!("../cuda/lu.cuh")),
    ("hankel.cuh", include_str!("../cuda/hankel.cuh")),
    ("mom.cuh", include_str!("../cuda/mom.cuh")),
    ("abi/sbr.h", include_str!("../cuda/abi/sbr.h")),
    ("vectors.cuh", include_str!("../cuda/vectors.cuh")),
    ("sbr_trace.cuh", include_str!("../cuda/sbr_trace.cuh")),
    ("sbr_lists.cuh", include_str!("../cuda/sbr_lists.cuh")),
    ("sbr_cells.cuh", include_str!("../cuda/sbr_cells.cuh")),
    ("sbr_pieces.cuh", include_str!("../cuda/sbr_pieces.cuh")),
    ("sbr.cuh", include_str!("../cuda/sbr.cuh")),
    ("sbr_band.cuh", include_str!("../cuda/sbr_band.cuh")),
    ("sbr_fringe.cuh", include_str!("../cuda/sbr_fringe.cuh")),
    ("sbr_matter.cuh", include_str!("../cuda/sbr_matter.cuh")),
    ("sbr_parts.cuh", include_str!("../cuda/sbr_parts.cuh")),
    ("reflectarray.cuh", include_str!("../cuda/reflectarray.cuh")),
    ("nufft.cuh", include_str!("../cuda/nufft.cuh")),
    ("nufft_plane_double.cuh", include_str!("../cuda/nufft_plane_double.cuh")),
    ("nufft_plane_single.cuh", include_str!("../cuda/nufft_plane_single.cuh")),
    ("nufft_polynomial.cuh", include_str!("../cuda/nufft_polynomial.cuh")),
    ("async.cuh", include_str!("../cuda/async.cuh")),
    ("hadamard.cuh", include_str!("../cuda/hadamard.cuh")),
    ("words.cuh", include_str!("../cuda/words.cuh")),
    ("clocks.cuh", include_str!("../cuda/clocks.cuh")),
    ("holography.cuh", include_str!("../cuda/holography.cuh")),
    ("mail.cuh", include_str!("../cuda/mail.cuh")),
    ("nominal.cuh", include_str!("../cuda/nominal.cuh")),
    ("overlap.cuh", include_str!("../cuda/overlap.cuh")),
    ("results.cuh", include_str!("../cuda/results.cuh")),
    ("ingest.cuh", include_str!("../cuda/ingest.cuh")),
    ("cluster.cuh", include_str!("../cuda/cluster.cuh")),
    ("fft.cuh", include_str!("../cuda/fft.cuh")),
    ("turn.cuh", include_str!("../cuda/turn.cuh")),
    ("lines.cuh", include_str!("../cuda/lines.cuh")),
    ("padding.cuh", include_str!("../cuda/padding.cuh")),
    ("parcel.cuh", include_str!("../cuda/parcel.cuh")),
    ("reciprocal.cuh", include_str!("../cuda/reciprocal.cuh")),
    ("wide.cuh", include_str!("../cuda/wide.cuh")),
    ("complex.cuh", include_str!("../cuda/complex.cuh")),
];
