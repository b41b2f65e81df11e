//! File readers and writers.
//!
//! | module | file |
//! |---|---|
//! | [`sigmf`] | recordings of packed one-bit samples, read and written |
//! | `wav` | samples as 32-bit float WAV, RF64 when large |
//! | `npy` | samples as a NumPy array |
//! | [`npz`] | named arrays in a NumPy archive, written and read |
//! | `hdf5` | samples in Acoular's HDF5 layout |
//! | [`vtu`] | triangles with values on them, for ParaView |
//! | [`ffe`] | far fields, for FEKO |
//! | [`sink`] | chooses among WAV, NPY and HDF5 by the file name |
//! | [`case`] | cases in TOML, built in or written by people |
//! | [`atomic`] | a file that appears under its name only when it is complete |
//!
//! Every failure is an [`enum@Error`] that names the file and, where there is one, the position in it.
#![forbid(unsafe_code)]

pub mod atomic;
pub mod case;
mod error;
pub mod ffe;
mod hdf5;
mod npy;
pub mod npz;
pub mod sigmf;
pub mod sink;
mod stream;
pub mod vtu;
mod wav;

pub use error::{Error, InFile};
