//! Device memory, and host memory that the card can reach.
//!
//! | type | where | who reads and writes it |
//! |---|---|---|
//! | [`Buffer`] | device | kernels; the host by copies in the stream |
//! | [`Pinned`] | host, page-locked | the host while the stream is idle; copies in graphs |
//! | [`Mapped`] | host, page-locked, in the card's address space | the host while the stream is idle; kernels |
//!
//! Host memory that the card may be writing must not be looked at. [`Idle`] is the proof that it is not: it
//! borrows the stream, so no work can be queued, and none that waits can go on, while it lives.

use crate::device::{Device, check};
use crate::error::Error;
use crate::plain::Plain;
use crate::stream::{Idle, Stream};
use cudarc::driver::{result, sys};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// An allocation; graphs keep those alive that their nodes point to.
#[derive(Debug)]
pub(crate) enum Memory {
    Device { address: sys::CUdeviceptr, device: Device },
    Host { pointer: *mut std::ffi::c_void, device: Device },
}

// SAFETY: both are plain addresses; the driver's calls are thread-safe, and access to what they point to is governed by
// the types below.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    pub(crate) fn on_device(device: &Device, what: &'static str, bytes: usize) -> Result<Arc<Self>, Error> {
        device.bind()?;
        // SAFETY: freed once, in `Drop`; never read before it was written (see `Buffer`).
        let address = unsafe { result::malloc_sync(bytes.max(1)) };
        let address = address.map_err(|error| out_of_memory(error, device, what, bytes))?;
        Ok(Arc::new(Self::Device { address, device: device.clone() }))
    }

    fn on_host(device: &Device, what: &'static str, bytes: usize) -> Result<Arc<Self>, Error> {
        device.bind()?;
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: freed once, in `Drop`.
        let pointer = unsafe { result::malloc_host(bytes.max(1), flags) };
        let pointer = pointer.map_err(|_| {
            let (free, device) = (0, "the host".into());
            Error::Memory { what, bytes, free, device }
        })?;
        // SAFETY: `bytes` bytes were just allocated.
        unsafe { std::ptr::write_bytes(pointer.cast::<u8>(), 0, bytes) };
        Ok(Arc::new(Self::Host { pointer, device: device.clone() }))
    }

    /// Address as the card sees it: with unified addressing, that of the host's memory is the same.
    pub(crate) fn address(&self) -> sys::CUdeviceptr {
        match self {
            Self::Device { address, .. } => *address,
            Self::Host { pointer, .. } => *pointer as sys::CUdeviceptr,
        }
    }
}

fn out_of_memory(error: result::DriverError, device: &Device, what: &'static str, bytes: usize) -> Error {
    match check(format!("allocating {what}"), Err::<(), _>(error)) {
        Err(Error::Driver { name, .. }) if name == "CUDA_ERROR_OUT_OF_MEMORY" => {
            let free = device.free_memory().unwrap_or(0);
            Error::Memory { what, bytes, free, device: device.properties().name.clone() }
        }
        Err(other) => other,
        Ok(()) => unreachable!("an error stays one"),
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let (Self::Device { device, .. } | Self::Host { device, .. }) = &*self;
        // A context that is gone has freed its memory.
        if device.bind().is_err() {
            return;
        }
        // SAFETY: allocated by `on_device` or `on_host` and freed once; the driver waits for work that uses it.
        let _ = unsafe {
            match self {
                Self::Device { address, .. } => result::free_sync(*address),
                Self::Host { pointer, .. } => result::free_host(*pointer),
            }
        };
    }
}

/// Values in device memory.
#[derive(Debug)]
pub struct Buffer<T> {
    pub(crate) memory: Arc<Memory>,
    length: usize,
    values: PhantomData<T>,
}

impl<T: Plain> Buffer<T> {
    /// `length` values with all bytes zero; `what` is for error messages.
    pub fn zeros(stream: &mut Stream, what: &'static str, length: usize) -> Result<Self, Error> {
        Self::filled(stream, what, length, 0)
    }

    /// `length` values with all bytes 0xff: NaN as floating-point numbers, for tests that poison.
    pub fn poisoned(stream: &mut Stream, what: &'static str, length: usize) -> Result<Self, Error> {
        Self::filled(stream, what, length, 0xff)
    }

    /// `length` values that a kernel is to write before anything reads them: whatever the memory holds.
    pub fn unwritten(stream: &Stream, what: &'static str, length: usize) -> Result<Self, Error> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Error::Size { what, value: length })?;
        let memory = Memory::on_device(stream.device(), what, bytes)?;
        Ok(Self { memory, length, values: PhantomData })
    }

    fn filled(stream: &mut Stream, what: &'static str, length: usize, byte: u8) -> Result<Self, Error> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Error::Size { what, value: length })?;
        let memory = Memory::on_device(stream.device(), what, bytes)?;
        let buffer = Self { memory, length, values: PhantomData };
        stream.fill(&buffer, byte)?;
        Ok(buffer)
    }

    /// A copy of `values`.
    pub fn from_slice(stream: &mut Stream, what: &'static str, values: &[T]) -> Result<Self, Error> {
        let mut buffer = Self::zeros(stream, what, values.len())?;
        stream.upload(values, &mut buffer)?;
        Ok(buffer)
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes of device memory.
    pub fn bytes(&self) -> usize {
        self.length * size_of::<T>()
    }

    /// No other buffer that lives has the same.
    pub fn identity(&self) -> u64 {
        self.memory.address()
    }
}

/// Page-locked host memory, for copies.
#[derive(Debug)]
pub struct Pinned<T>(Host<T>);

/// Page-locked host memory that kernels read and write in place.
#[derive(Debug)]
pub struct Mapped<T>(Host<T>);

#[derive(Debug)]
struct Host<T> {
    memory: Arc<Memory>,
    length: usize,
    /// Whose work may touch it.
    stream: u64,
    values: PhantomData<T>,
}

impl<T: Plain> Host<T> {
    fn zeros(stream: &Stream, what: &'static str, length: usize) -> Result<Self, Error> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Error::Size { what, value: length })?;
        let memory = Memory::on_host(stream.device(), what, bytes)?;
        Ok(Self { memory, length, stream: stream.id(), values: PhantomData })
    }

    /// # Panics
    /// With the proof of another stream.
    fn pointer(&self, idle: Idle<'_>) -> *mut T {
        assert_eq!(self.stream, idle.stream_id(), "host memory is read with its own stream idle");
        self.memory.address() as *mut T
    }

    fn read<'a>(&'a self, idle: Idle<'a>) -> &'a [T] {
        // SAFETY: `length` values were allocated and zeroed, every pattern is a value, the driver aligns to 256 bytes;
        // no work reads or writes them while `idle` lives.
        unsafe { std::slice::from_raw_parts(self.pointer(idle), self.length) }
    }

    fn write<'a>(&'a mut self, idle: Idle<'a>) -> &'a mut [T] {
        // SAFETY: as in `read`, and `self` is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(idle), self.length) }
    }
}

macro_rules! host_memory {
    ($name:ident) => {
        impl<T: Plain> $name<T> {
            /// `length` zeros that work of `stream` may use.
            pub fn zeros(stream: &Stream, what: &'static str, length: usize) -> Result<Self, Error> {
                Host::zeros(stream, what, length).map(Self)
            }

            /// Number of values.
            pub fn len(&self) -> usize {
                self.0.length
            }

            /// Whether there are none.
            pub fn is_empty(&self) -> bool {
                self.0.length == 0
            }

            /// The values, while no work is under way.
            pub fn read<'a>(&'a self, idle: Idle<'a>) -> &'a [T] {
                self.0.read(idle)
            }

            /// The values to write, while no work is under way.
            pub fn write<'a>(&'a mut self, idle: Idle<'a>) -> &'a mut [T] {
                self.0.write(idle)
            }

            pub(crate) fn memory(&self) -> &Arc<Memory> {
                &self.0.memory
            }
        }
    };
}

host_memory!(Pinned);
host_memory!(Mapped);

impl Mapped<u64> {
    /// The values as numbers that kernels may read at the same time. The stream is borrowed alone: nobody holds the proof that it is
    /// idle while work that waits for these values goes on.
    ///
    /// # Panics
    /// With another stream.
    pub(crate) fn atomics<'a>(&'a self, stream: &'a mut Stream) -> &'a [AtomicU64] {
        assert_eq!(self.0.stream, stream.id(), "host memory is written with its own stream");
        // SAFETY: `length` values were allocated, zeroed and aligned to 256 bytes, and an atomic number has the layout of a
        // plain one. No plain reference to them lives: `read` and `write` give one only with the stream borrowed.
        unsafe { std::slice::from_raw_parts(self.0.memory.address() as *const AtomicU64, self.0.length) }
    }
}

impl Mapped<u32> {
    /// Value `i` while work is under way that will write it.
    pub(crate) fn poll(&self, i: usize) -> u32 {
        assert!(i < self.len(), "signal {i} of {}", self.len());
        // SAFETY: in bounds and aligned; the card writes it in one piece, and a volatile read takes whatever is there.
        unsafe { std::ptr::read_volatile((self.0.memory.address() as *const u32).add(i)) }
    }
}
