//! Loops that are compiled once for each instruction set, and run with the best that the machine has.
//!
//! Loops over arrays of fixed length become vector instructions when they are inlined into [`dispatch`].

use rustfft::num_traits::Float;
use std::cell::Cell;

/// Work that is compiled once for each instruction set.
pub trait Kernel {
    /// Does it. `FMA`: a fused multiply-add is one instruction; `WIDE`: registers hold 64 bytes.
    fn run<const FMA: bool, const WIDE: bool>(self);
}

struct Compiled<K, const FMA: bool, const WIDE: bool>(K);

impl<K: Kernel, const FMA: bool, const WIDE: bool> pulp::NullaryFnOnce for Compiled<K, FMA, WIDE> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        self.0.run::<FMA, WIDE>();
    }
}

/// Runs `kernel` with the best instruction set of this machine.
pub fn dispatch(kernel: impl Kernel) {
    match arch() {
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V4(simd) => simd.vectorize(Compiled::<_, true, true>(kernel)),
        #[cfg(target_arch = "x86_64")]
        pulp::Arch::V3(simd) => simd.vectorize(Compiled::<_, true, false>(kernel)),
        _ => kernel.run::<false, false>(),
    }
}

struct Closure<F>(F);

impl<F: FnMut()> Kernel for Closure<F> {
    #[inline(always)]
    fn run<const FMA: bool, const WIDE: bool>(mut self) {
        (self.0)();
    }
}

/// [`dispatch`] of a closure, which must be `#[inline(always)]`.
///
/// It is called as `FnMut`: an `FnOnce` is called through a function of its own, without vector instructions.
pub fn vectorised(work: impl FnMut()) {
    dispatch(Closure(work));
}

thread_local! {
    /// What [`choose`] left on this thread.
    static CHOSEN: Cell<Option<pulp::Arch>> = const { Cell::new(None) };
}

/// Sets the instruction set of [`dispatch`] on this thread from now on; none is the best that the machine has.
/// Suites go through all of [`pulp::Arch`] with it: results must not depend on the machine by more than rounding.
pub fn choose(arch: Option<pulp::Arch>) {
    CHOSEN.set(arch);
}

pub(crate) fn arch() -> pulp::Arch {
    CHOSEN.get().unwrap_or_default()
}

/// `a b + c`; fused only where that is an instruction and not a library call.
#[inline(always)]
pub fn multiply_add<T: Float, const FMA: bool>(a: T, b: T, c: T) -> T {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}
