//! Calls of kernels: arguments with the types that the prototypes in `cuda/*.cu` give them. `build/` makes
//! a function for each kernel that takes its parameters in their order.

use crate::allocation::Memory;
use crate::memory::{Buffer, Mapped};
use crate::plain::{Plain, bytes};
use crate::program::Signature;
use std::ffi::c_void;
use std::sync::Arc;

/// Arguments of a kernel, copied, with what they point to.
#[derive(Debug, Clone)]
pub struct Call {
    pub signature: &'static Signature,
    words: Vec<u64>,
    offsets: Vec<usize>,
    pub memories: Vec<Arc<Memory>>,
}

impl Call {
    pub fn of(signature: &'static Signature) -> Self {
        Self { signature, words: Vec::new(), offsets: Vec::new(), memories: Vec::new() }
    }

    pub fn pointer(mut self, Pointer(memory): Pointer) -> Self {
        self.offsets.push(8 * self.words.len());
        self.words.push(memory.as_ref().map_or(0, |memory| memory.address()));
        self.memories.extend(memory);
        self
    }

    pub fn value<T: Plain>(mut self, value: &T) -> Self {
        self.offsets.push(8 * self.words.len());
        for chunk in bytes(value).chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.words.push(u64::from_ne_bytes(word));
        }
        self
    }

    /// The list that the driver wants.
    pub fn pointers(&mut self) -> Vec<*mut c_void> {
        let base = self.words.as_mut_ptr().cast::<u8>();
        // SAFETY: every offset lies within `words`.
        self.offsets.iter().map(|offset| unsafe { base.add(*offset) }.cast()).collect()
    }
}

/// Where a kernel reads or writes, whatever its type; none where it does not follow the pointer in this use.
pub struct Pointer(pub Option<Arc<Memory>>);

/// A pointer that the kernel does not follow in this use.
pub const UNUSED: Pointer = Pointer(None);

/// What a kernel takes as `const T*`.
pub trait Reads<T> {
    fn pointer(self) -> Pointer;
}

/// What a kernel takes as `T*`.
pub trait Writes<T> {
    fn pointer(self) -> Pointer;
}

impl<T> Reads<T> for Pointer {
    fn pointer(self) -> Pointer {
        self
    }
}

impl<T> Writes<T> for Pointer {
    fn pointer(self) -> Pointer {
        self
    }
}

impl<T, R: Reads<T>> Reads<T> for Option<R> {
    fn pointer(self) -> Pointer {
        self.map_or(UNUSED, Reads::pointer)
    }
}

impl<T: Plain> Reads<T::Unit> for &Buffer<T> {
    fn pointer(self) -> Pointer {
        Pointer(Some(Arc::clone(&self.memory)))
    }
}

impl<T: Plain> Writes<T::Unit> for &mut Buffer<T> {
    fn pointer(self) -> Pointer {
        Pointer(Some(Arc::clone(&self.memory)))
    }
}

impl<T: Plain> Writes<T::Unit> for &mut Mapped<T> {
    fn pointer(self) -> Pointer {
        Pointer(Some(Arc::clone(&self.memory)))
    }
}

impl<T: Plain> Buffer<T> {
    /// The same to a kernel that takes other types, or whose atomic additions run beside those of other
    /// streams.
    pub(crate) fn untyped(&self) -> Pointer {
        Pointer(Some(Arc::clone(&self.memory)))
    }
}
