//! cuFFT: the transform of whole arrays along all their axes, in place or to another one.

use crate::allocation::Memory;
use crate::error::{Error, same};
use crate::memory::Buffer;
use crate::plain::Float;
use crate::stream::Stream;
use cudarc::cufft::{result, sys};
use num_complex::Complex;
use std::ffi::c_int;
use std::marker::PhantomData;
use std::sync::Arc;

/// A plan of cuFFT with its memory.
#[derive(Debug, Clone)]
pub struct Fft<T> {
    plan: Arc<Planned<T>>,
    /// cuFFT's work area.
    work: Arc<Memory>,
}

/// A plan of cuFFT that has no memory yet.
#[derive(Debug)]
pub struct Planned<T> {
    handle: Handle,
    length: usize,
    work_bytes: usize,
    values: PhantomData<T>,
}

#[derive(Debug)]
struct Handle(sys::cufftHandle);

// SAFETY: a plan is a handle; cuFFT allows its use from any thread, one at a time, and every use needs the stream alone.
unsafe impl Send for Handle {}
// SAFETY: as above.
unsafe impl Sync for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { result::destroy(self.0) };
    }
}

fn check<V>(what: &'static str, answer: Result<V, result::CufftError>) -> Result<V, Error> {
    answer.map_err(|error| Error::Library { what, library: "cuFFT", code: format!("{:?}", error.0) })
}

/// Whether the library is on this machine.
pub fn is_present() -> bool {
    // SAFETY: loads the library, whose initialisers are safe to run at any time.
    unsafe { sys::is_culib_present() }
}

impl<T: Float> Planned<T> {
    /// For `count` arrays of `sides`, one behind the other; the last of 1 to 3 sides is contiguous.
    pub fn new(stream: &Stream, sides: &[usize], count: usize) -> Result<Self, Error> {
        if !is_present() {
            return Err(Error::NoCufft);
        }
        let numbers = |n: &usize| {
            c_int::try_from(*n).map_err(|_| Error::Size { what: "side of a transform", value: *n })
        };
        let batch = numbers(&count)?;
        let mut numbers = sides.iter().map(numbers).collect::<Result<Vec<_>, _>>()?;
        let (rank, null) = (numbers.len(), std::ptr::null_mut());
        if !(1..=3).contains(&rank) {
            return Err(Error::Size { what: "sides of a transform", value: rank });
        }
        let kind = match T::BYTES {
            4 => sys::cufftType::CUFFT_C2C,
            _ => sys::cufftType::CUFFT_Z2Z,
        };
        stream.device().bind()?;
        let handle = Handle(check("cufftCreate", result::create())?);
        // SAFETY: the plan is alive and has no sizes yet. It is not to allocate: what it takes is counted and refused like the rest.
        check("cufftSetAutoAllocation", unsafe { result::set_auto_allocation(handle.0, false) })?;
        // SAFETY: the plan is alive, and is made once; it has `rank` sides, and no layout of its own.
        let made = unsafe {
            result::make_plan_many(
                handle.0,
                c_int::try_from(rank).unwrap_or(0),
                numbers.as_mut_ptr(),
                null,
                1,
                0,
                null,
                1,
                0,
                kind,
                batch,
            )
        };
        let work_bytes = check("planning a transform", made)?;
        Ok(Self { handle, length: count * sides.iter().product::<usize>(), work_bytes, values: PhantomData })
    }

    /// Bytes that it needs beside the array.
    pub fn work_bytes(&self) -> usize {
        self.work_bytes
    }

    /// Gives it its memory.
    pub fn allocated(self, stream: &Stream) -> Result<Fft<T>, Error> {
        let work = Memory::on_device(stream.device(), "work area of a transform", self.work_bytes)?;
        // SAFETY: as many bytes as the plan wants, which live as long as the plan is used: `Fft` has both.
        let given = unsafe { result::set_work_area(self.handle.0, work.address() as *mut _) };
        check("cufftSetWorkArea", given)?;
        Ok(Fft { plan: Arc::new(self), work })
    }
}

impl<T: Float> Fft<T> {
    /// For `count` arrays of `sides`, one behind the other; the last of 1 to 3 sides is contiguous.
    pub fn new(stream: &Stream, sides: &[usize], count: usize) -> Result<Self, Error> {
        Planned::new(stream, sides, count)?.allocated(stream)
    }

    /// Bytes of its work area.
    pub fn work_bytes(&self) -> usize {
        self.plan.work_bytes
    }

    /// With exp(+i ..) if `positive`, else exp(-i ..); nothing is divided.
    pub fn execute(
        &self,
        stream: &mut Stream,
        values: &mut Buffer<Complex<T>>,
        positive: bool,
    ) -> Result<(), Error> {
        let to = Arc::clone(&values.memory);
        self.transform(stream, [&to, &to], [values.len(); 2], positive)
    }

    /// The same to another array.
    pub fn execute_to(
        &self,
        stream: &mut Stream,
        from: &Buffer<Complex<T>>,
        to: &mut Buffer<Complex<T>>,
        positive: bool,
    ) -> Result<(), Error> {
        self.transform(stream, [&from.memory, &to.memory], [from.len(), to.len()], positive)
    }

    fn transform(
        &self,
        stream: &mut Stream,
        [from, to]: [&Arc<Memory>; 2],
        lengths: [usize; 2],
        positive: bool,
    ) -> Result<(), Error> {
        for given in lengths {
            same("transform", given, self.plan.length)?;
        }
        stream.device().bind()?;
        stream.keep(from);
        stream.keep(to);
        stream.keep(&self.work);
        stream.keep(&self.plan);
        let (plan, from, to) = (self.plan.handle.0, from.address(), to.address());
        let direction: c_int = if positive { 1 } else { -1 };
        // SAFETY: plan and stream are alive, and of the same card.
        check("cufftSetStream", unsafe { result::set_stream(plan, stream.raw.cast()) })?;
        // SAFETY: both arrays have as many values of this type as the plan, in device memory that outlives the work; they may be one.
        let done = unsafe {
            match T::BYTES {
                4 => result::exec_c2c(plan, from as *mut _, to as *mut _, direction),
                _ => result::exec_z2z(plan, from as *mut _, to as *mut _, direction),
            }
        };
        check("a transform", done)
    }
}
