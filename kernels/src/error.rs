//! What can go wrong between Rust and the card, with what to do about it.

use numerics::failure::{Failure, Kind};

/// An error of this crate; kernels and arguments are named as in the CUDA source.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Error {
    /// The driver's library is not on this machine.
    #[error("no NVIDIA driver: libcuda.so was not found; install the driver, or use --device cpu")]
    NoDriver,
    /// The driver's library does not know what this crate calls.
    #[error(
        "the NVIDIA driver is too old: it supports CUDA {found}, and CUDA {needed} is needed; update the driver, or use \
         --device cpu"
    )]
    DriverTooOld {
        /// Version of the driver's interface, such as 12.2.
        found: Version,
        /// Oldest that will do.
        needed: Version,
    },
    /// No such card.
    #[error("no CUDA device {ordinal}: this machine has {count}; `nearfield doctor` lists them")]
    NoDevice {
        /// Number asked for.
        ordinal: usize,
        /// Devices there are.
        count: usize,
    },
    /// A card that the kernels are not written for.
    #[error("{device} has compute capability {found}, and {needed} is needed; use --device cpu")]
    DeviceTooOld {
        /// Name of the card.
        device: String,
        /// Its compute capability.
        found: Version,
        /// Lowest that will do.
        needed: Version,
    },
    /// The run-time compiler is not on this machine.
    #[error(
        "NVRTC was not found: libnvrtc.so comes with the CUDA toolkit, or with `pip install nvidia-cuda-nvrtc`, whose \
         lib folder goes into LD_LIBRARY_PATH"
    )]
    NoNvrtc,
    /// The library of transforms is not on this machine.
    #[error(
        "cuFFT was not found: libcufft.so comes with the CUDA toolkit, or with `pip install nvidia-cufft`, whose lib folder goes \
         into LD_LIBRARY_PATH"
    )]
    NoCufft,
    /// The libraries of dense matrices are not on this machine.
    #[error(
        "cuSOLVER or cuBLAS was not found: libcusolver.so and libcublas.so come with the CUDA toolkit, or with `pip install \
         nvidia-cusolver nvidia-cublas`, whose lib folders go into LD_LIBRARY_PATH"
    )]
    NoCusolver,
    /// cuFFT, cuSOLVER or cuBLAS refused a call.
    #[error("{what}: {library} says {code}")]
    Library {
        /// What was being done.
        what: &'static str,
        /// Name of the library.
        library: &'static str,
        /// Name of the error.
        code: String,
    },
    /// A matrix without LU factors.
    #[error("the matrix is singular: pivot {pivot} of {size} is zero")]
    SingularMatrix {
        /// From 0.
        pivot: usize,
        /// Rows.
        size: usize,
    },
    /// A kernel's source does not compile for this card.
    #[error("module {module} does not compile for {arch}:\n{log}")]
    Compile {
        /// Name of the source.
        module: &'static str,
        /// Architecture, such as sm_90.
        arch: String,
        /// What the compiler said.
        log: String,
    },
    /// A module without the kernel that its launcher names.
    #[error("module {module} has no kernel {kernel}")]
    NoKernel {
        /// Name of the source.
        module: &'static str,
        /// Name of the kernel.
        kernel: &'static str,
    },
    /// An argument that does not fit its parameter.
    #[error("module {module}, kernel {kernel}, argument {argument}: {problem}")]
    Argument {
        /// Name of the source.
        module: &'static str,
        /// Name of the kernel.
        kernel: &'static str,
        /// Name of the parameter.
        argument: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A launch that the card cannot do.
    #[error("module {module}, kernel {kernel}: {asked} {what}, and {device} has {limit}")]
    Geometry {
        /// Name of the source.
        module: &'static str,
        /// Name of the kernel.
        kernel: &'static str,
        /// What there is too much of.
        what: &'static str,
        /// How much was asked for.
        asked: usize,
        /// How much there can be.
        limit: usize,
        /// Name of the card.
        device: String,
    },
    /// More memory than there is.
    #[error("{what}: {bytes} bytes do not fit the {free} bytes that are free on {device}")]
    Memory {
        /// What it was for.
        what: &'static str,
        /// Bytes asked for.
        bytes: usize,
        /// Bytes free.
        free: usize,
        /// Name of the card, or "the host".
        device: String,
    },
    /// A copy between buffers of different lengths.
    #[error("{what}: {given} values given, {needed} needed")]
    Length {
        /// What was copied.
        what: &'static str,
        /// Values given.
        given: usize,
        /// Values needed.
        needed: usize,
    },
    /// A number that does not fit its type on the card.
    #[error("{what} = {value} does not fit 32 bits")]
    Size {
        /// What the number is.
        what: &'static str,
        /// Its value.
        value: usize,
    },
    /// The driver refused a call.
    #[error("{what}: the CUDA driver says {name}, {text}")]
    Driver {
        /// What was being done.
        what: String,
        /// Name of the error, such as CUDA_ERROR_ILLEGAL_ADDRESS.
        name: String,
        /// Its explanation.
        text: String,
    },
}

impl Failure for Error {
    fn kind(&self) -> Kind {
        match self {
            Self::SingularMatrix { .. } => Kind::Run,
            _ => Kind::Device,
        }
    }
}

/// Major and minor version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// A size as a 32-bit number, or an error that names it.
pub fn size32(what: &'static str, value: usize) -> Result<u32, Error> {
    u32::try_from(value).map_err(|_| Error::Size { what, value })
}

/// Just as many as are needed.
pub(crate) fn same(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given == needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

/// As many as are needed, or more.
pub(crate) fn at_least(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given >= needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

/// No more than there may be.
pub(crate) fn at_most(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given <= needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

/// A place among so many.
pub(crate) fn below(what: &'static str, given: usize, needed: usize) -> Result<(), Error> {
    if given < needed { Ok(()) } else { Err(Error::Length { what, given, needed }) }
}

/// Refuses the first of (what, given, needed) that differs.
pub(crate) fn lengths(checks: &[(&'static str, usize, usize)]) -> Result<(), Error> {
    checks.iter().try_for_each(|&(what, given, needed)| same(what, given, needed))
}
