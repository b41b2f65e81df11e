//! Allocations on cards and on the host, freed with the last that uses them.

use crate::device::{Device, check};
use crate::error::Error;
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// An allocation; graphs keep those alive that their nodes point to.
#[derive(Debug)]
pub(crate) enum Memory {
    Device { address: sys::CUdeviceptr, device: Device },
    Host { pointer: *mut std::ffi::c_void, device: Device },
}

// SAFETY: both are plain addresses; the driver's calls are thread-safe, and access to what they point to is governed by
// the types of memory.rs.
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

    pub(crate) fn on_host(device: &Device, what: &'static str, bytes: usize) -> Result<Arc<Self>, Error> {
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
