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
pub const HEADERS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/headers.rs"));
