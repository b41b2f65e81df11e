//! Device memory, and host memory that the card can reach.
//!
//! | type | where | who reads and writes it |
//! |---|---|---|
//! | [`Buffer`] | device | kernels; the host by copies in the stream |
//! | [`Mapped`] | host, page-locked, in the card's address space | the host while the stream is idle; kernels |
//!
//! Host memory that the card may be writing must not be looked at. [`Idle`] is the proof that it is not: it
//! borrows the stream, so no work can be queued, and none that waits can go on, while it lives.

use crate::allocation::Memory;
use crate::device::check;
use crate::error::{Error, at_least, same};
use crate::plain::Plain;
use crate::stream::{Idle, Stream};
use cudarc::driver::{result, sys};
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

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
        let buffer = Self::unwritten(stream, what, length)?;
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

impl Stream {
    /// Host to device; returns when `values` has been read.
    pub fn upload<T: Plain>(&mut self, values: &[T], buffer: &mut Buffer<T>) -> Result<(), Error> {
        same("upload", values.len(), buffer.len())?;
        self.upload_front(values, buffer)
    }

    /// Host to the first values of a buffer, which may have more; returns when `values` has been read.
    pub fn upload_front<T: Plain>(&mut self, values: &[T], buffer: &mut Buffer<T>) -> Result<(), Error> {
        self.upload_at(values, buffer, 0)
    }

    /// Host to the values of a buffer from `first` on; returns when `values` has been read.
    pub fn upload_at<T: Plain>(
        &mut self,
        values: &[T],
        buffer: &mut Buffer<T>,
        first: usize,
    ) -> Result<(), Error> {
        let to = part("upload", buffer, first, values.len())?;
        self.device().bind()?;
        // SAFETY: the part lies in the buffer, and the copy is over before `values` can go: the stream is waited for.
        let copied = unsafe { result::memcpy_htod_async(to, values, self.raw) };
        check("copying to the card", copied)?;
        self.wait().map(drop)
    }

    /// Device to host; returns when `values` is there.
    pub fn download<T: Plain>(&mut self, buffer: &Buffer<T>, values: &mut [T]) -> Result<(), Error> {
        same("download", values.len(), buffer.len())?;
        self.download_front(buffer, values)
    }

    /// All values of a buffer to the host.
    pub fn values<T: Plain>(&mut self, buffer: &Buffer<T>) -> Result<Vec<T>, Error> {
        // SAFETY: zeros are a value of every plain type.
        let mut values = vec![unsafe { std::mem::zeroed() }; buffer.len()];
        self.download(buffer, &mut values)?;
        Ok(values)
    }

    /// The first values of a buffer, which may have more, to the host; returns when `values` is there.
    pub fn download_front<T: Plain>(&mut self, buffer: &Buffer<T>, values: &mut [T]) -> Result<(), Error> {
        self.download_at(buffer, 0, values)
    }

    /// The values of a buffer from `first` on to the host; returns when `values` is there.
    pub fn download_at<T: Plain>(
        &mut self,
        buffer: &Buffer<T>,
        first: usize,
        values: &mut [T],
    ) -> Result<(), Error> {
        let from = part("download", buffer, first, values.len())?;
        self.device().bind()?;
        // SAFETY: the part lies in the buffer, and the copy is over before `values` can be read: the stream is waited for.
        let copied = unsafe { result::memcpy_dtoh_async(values, from, self.raw) };
        check("copying from the card", copied)?;
        self.wait().map(drop)
    }

    /// Device to device.
    pub fn copy<T: Plain>(&mut self, from: &Buffer<T>, to: &mut Buffer<T>) -> Result<(), Error> {
        same("copy", from.len(), to.len())?;
        self.device().bind()?;
        let (source, target) = (from.memory.address(), to.memory.address());
        self.keep(&from.memory);
        self.keep(&to.memory);
        // SAFETY: both have so many bytes and are not the same, since one is borrowed alone.
        let copied = unsafe { result::memcpy_dtod_async(target, source, from.bytes(), self.raw) };
        check("copying on the card", copied)
    }

    pub(crate) fn fill<T: Plain>(&mut self, buffer: &Buffer<T>, byte: u8) -> Result<(), Error> {
        self.device().bind()?;
        let bytes = buffer.len() * size_of::<T>();
        // SAFETY: the buffer has so many bytes.
        check("cuMemsetD8", unsafe {
            result::memset_d8_async(buffer.memory.address(), byte, bytes, self.raw)
        })
    }
}

/// Address of `length` values of a buffer from `first` on, which must be there.
fn part<T: Plain>(
    what: &'static str,
    buffer: &Buffer<T>,
    first: usize,
    length: usize,
) -> Result<sys::CUdeviceptr, Error> {
    at_least(what, buffer.len(), first.saturating_add(length))?;
    let offset = u64::try_from(first * size_of::<T>()).map_err(|_| Error::Size { what, value: first })?;
    Ok(buffer.memory.address() + offset)
}

/// Page-locked host memory that kernels read and write in place.
#[derive(Debug)]
pub struct Mapped<T> {
    pub(crate) memory: Arc<Memory>,
    length: usize,
    /// Whose work may touch it.
    stream: u64,
    values: PhantomData<T>,
}

impl<T: Plain> Mapped<T> {
    /// `length` zeros that work of `stream` may use.
    pub fn zeros(stream: &Stream, what: &'static str, length: usize) -> Result<Self, Error> {
        let bytes = length.checked_mul(size_of::<T>()).ok_or(Error::Size { what, value: length })?;
        let memory = Memory::on_host(stream.device(), what, bytes)?;
        Ok(Self { memory, length, stream: stream.id(), values: PhantomData })
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The values, while no work is under way.
    ///
    /// # Panics
    /// With the proof of another stream.
    pub fn read<'a>(&'a self, idle: Idle<'a>) -> &'a [T] {
        assert_eq!(self.stream, idle.stream_id(), "host memory is read with its own stream idle");
        // SAFETY: `length` values were allocated and zeroed, every pattern is a value, the driver aligns to 256 bytes;
        // no work reads or writes them while `idle` lives.
        unsafe { std::slice::from_raw_parts(self.memory.address() as *const T, self.length) }
    }
}

impl Mapped<u64> {
    /// The values as numbers that kernels may read at the same time. The stream is borrowed alone: nobody holds the proof that it is
    /// idle while work that waits for these values goes on.
    ///
    /// # Panics
    /// With another stream.
    pub(crate) fn atomics<'a>(&'a self, stream: &'a mut Stream) -> &'a [AtomicU64] {
        assert_eq!(self.stream, stream.id(), "host memory is written with its own stream");
        // SAFETY: `length` values were allocated, zeroed and aligned to 256 bytes, and an atomic number has the layout of a
        // plain one. No plain reference to them lives: `read` gives one only with the stream borrowed.
        unsafe { std::slice::from_raw_parts(self.memory.address() as *const AtomicU64, self.length) }
    }
}

impl Mapped<u32> {
    /// Value `i` while work is under way that will write it.
    pub(crate) fn poll(&self, i: usize) -> u32 {
        assert!(i < self.len(), "signal {i} of {}", self.len());
        // SAFETY: in bounds and aligned; the card writes it in one piece, and a volatile read takes whatever is there.
        unsafe { std::ptr::read_volatile((self.memory.address() as *const u32).add(i)) }
    }
}
