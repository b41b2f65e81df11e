//! A signature and a call for each kernel, a program for each source, as `build/` reads them from
//! `kernels/cuda/*.cu`.

use crate::call::{Call, Reads, Writes};
use crate::plain::Plain;
use crate::program::{Parameter, Signature};

include!(concat!(env!("OUT_DIR"), "/calls.rs"));
