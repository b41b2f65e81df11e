//! Values that lie in device memory byte for byte as in Rust's.

use num_complex::Complex;

/// A type without padding for which every pattern of bytes is a value.
///
/// # Safety
/// The implementor has a fixed layout (`repr(C)` or a primitive), no padding, no pointers into host memory, and accepts
/// any bytes.
pub unsafe trait Plain: Copy + Send + Sync + 'static {
    /// The number or structure that it consists of: arrays of both are the same to a kernel.
    type Unit;
}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY: a number.
        unsafe impl Plain for $t { type Unit = Self; }
    )* };
}

plain!(u8, u16, u32, u64, i16, i32, i64, f32, f64);

// SAFETY: `repr(C)` of two values of the same type, which has no padding, side by side.
unsafe impl<T: Plain> Plain for Complex<T> {
    type Unit = T::Unit;
}

// SAFETY: values of one type side by side, without gaps.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {
    type Unit = T::Unit;
}

/// `f32` or `f64`: what sources are compiled for that know both.
pub trait Float: Plain<Unit = Self> + sealed::Float {
    /// Size, as such sources are told.
    const BYTES: i64;
}

impl Float for f32 {
    const BYTES: i64 = 4;
}

impl Float for f64 {
    const BYTES: i64 = 8;
}

mod sealed {
    /// Kernels index by the size: no other type may claim to be one of the two.
    pub trait Float {}

    impl Float for f32 {}
    impl Float for f64 {}
}

/// The bytes of a value.
pub(crate) fn bytes<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: `Plain` has no padding, so all bytes are initialised; the slice borrows `value`.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}
