//! What is called of cuBLAS and cuSOLVER, as `cublas_api.h` and `cusolverDn.h` declare it.
//!
//! cudarc declares all of both libraries, and compiling that took longer than compiling the rest of it.

use crate::error::Error;
use crate::plain::Float;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// `cublasHandle_t`, `cusolverDnHandle_t`.
pub type Handle = *mut c_void;
/// An address in device memory.
type Address = u64;

/// `cublasOperation_t`: as it is, and conjugated and transposed.
pub const PLAIN: c_int = 0;
pub const ADJOINT: c_int = 2;
/// `CUBLAS_SIDE_LEFT`.
pub const LEFT: c_int = 0;
/// Fill mode and diagonal: upper with `CUBLAS_DIAG_NON_UNIT`, lower with `CUBLAS_DIAG_UNIT`.
pub const UPPER: [c_int; 2] = [1, 0];
pub const UNIT_LOWER: [c_int; 2] = [0, 1];
/// `cudaDataType`: complex numbers of 32 and 64 bits.
pub const SHORT: c_int = 4;
pub const LONG: c_int = 5;
/// `cublasComputeType_t`: with 32 bits, also with factors rounded to TF32, and with 64 bits.
pub const IN_32: c_int = 68;
pub const IN_TF32: c_int = 77;
pub const IN_64: c_int = 70;
/// `CUBLAS_GEMM_DEFAULT`.
pub const ANY_WAY: c_int = -1;

macro_rules! library {
    ($name:ident, $file:literal, { $($function:ident($($argument:ty),*);)* }) => {
        #[doc = concat!("Functions of ", $file, " by their names there. Each gives a status.")]
        #[allow(non_snake_case, missing_docs)]
        #[derive(Debug)]
        pub struct $name {
            $(pub $function: unsafe extern "C" fn($($argument),*) -> c_int,)*
        }

        impl $name {
            /// The library, looked for once; none where it is not on this machine.
            pub fn get() -> Option<&'static Self> {
                static FOUND: OnceLock<Option<$name>> = OnceLock::new();
                FOUND.get_or_init(Self::find).as_ref()
            }

            fn find() -> Option<Self> {
                let names = cudarc::get_lib_name_candidates($file);
                // SAFETY: its initialisers are safe to run at any time.
                let open = |name| unsafe { libloading::Library::new(name) }.ok();
                // It stays open as long as the program runs, and so do its functions.
                let library = Box::leak(Box::new(names.into_iter().find_map(open)?));
                // SAFETY: the types are those of the headers, with addresses of device memory as numbers.
                Some(unsafe { Self { $($function: *library.get(stringify!($function)).ok()?,)* } })
            }
        }
    };
}

library!(Solver, "cusolver", {
    cusolverDnCreate(*mut Handle);
    cusolverDnDestroy(Handle);
    cusolverDnSetStream(Handle, *mut c_void);
    cusolverDnCgetrf(Handle, c_int, c_int, Address, c_int, Address, Address, Address);
    cusolverDnZgetrf(Handle, c_int, c_int, Address, c_int, Address, Address, Address);
    cusolverDnCgetrf_bufferSize(Handle, c_int, c_int, Address, c_int, *mut c_int);
    cusolverDnZgetrf_bufferSize(Handle, c_int, c_int, Address, c_int, *mut c_int);
});

library!(Blas, "cublas", {
    cublasCreate_v2(*mut Handle);
    cublasDestroy_v2(Handle);
    cublasSetStream_v2(Handle, *mut c_void);
    cublasCtrsm_v2(
        Handle, c_int, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, Address, c_int
    );
    cublasZtrsm_v2(
        Handle, c_int, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, Address, c_int
    );
    cublasZgemm_v2(
        Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, Address, c_int, *const c_void,
        Address, c_int
    );
    cublasZgemm3m(
        Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, Address, c_int, *const c_void,
        Address, c_int
    );
    cublasGemmEx(
        Handle, c_int, c_int, c_int, c_int, c_int, *const c_void, Address, c_int, c_int, Address, c_int, c_int,
        *const c_void, Address, c_int, c_int, c_int, c_int
    );
});

/// What a function of a library said.
pub fn check(what: &'static str, library: &'static str, status: c_int) -> Result<(), Error> {
    if status == 0 { Ok(()) } else { Err(Error::Library { what, library, code: format!("status {status}") }) }
}

/// A real factor as cuBLAS reads it: with instructions that want this alignment.
#[repr(C, align(16))]
pub struct Factor([f64; 2], [f32; 2]);

impl Factor {
    pub fn new(value: f64) -> Self {
        Self([value, 0.0], [value as f32, 0.0])
    }

    /// For complex numbers of this type.
    pub fn of<T: Float>(&self) -> *const c_void {
        if T::BYTES == 4 { self.1.as_ptr().cast() } else { self.0.as_ptr().cast() }
    }
}
