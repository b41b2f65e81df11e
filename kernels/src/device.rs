//! The cards of this machine, found at run time: the same program runs with and without them.

use crate::error::{Error, Version};
use cudarc::driver::{result, sys};
use std::sync::Arc;

/// The driver's interface must know cuFuncGetParamInfo.
pub const OLDEST_DRIVER: Version = Version { major: 12, minor: 4 };
/// Kernels count on 99 KiB of shared memory in a block and on asynchronous copies.
pub const OLDEST_CAPABILITY: Version = Version { major: 8, minor: 0 };

/// A card with its primary context; cheap to clone.
#[derive(Debug, Clone)]
pub struct Device(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    raw: sys::CUdevice,
    context: sys::CUcontext,
    properties: Properties,
}

// SAFETY: a primary context may be made current and used from any thread; `Inner` has no other state.
unsafe impl Send for Inner {}
// SAFETY: as above; the driver's calls on a context are thread-safe.
unsafe impl Sync for Inner {}

/// What a launch has to respect.
#[derive(Debug, Clone, PartialEq)]
pub struct Properties {
    /// Place in the driver's list.
    pub ordinal: usize,
    /// Name of the card.
    pub name: String,
    /// Compute capability.
    pub capability: Version,
    /// Version of the driver's interface.
    pub driver: Version,
    /// Bytes of device memory.
    pub memory: usize,
    /// Streaming multiprocessors.
    pub multiprocessors: usize,
    /// Most bytes of shared memory that a block can ask for.
    pub shared_memory: usize,
    /// Most threads of a block.
    pub threads: usize,
}

impl Properties {
    /// The compiler's name of the architecture, such as sm_90.
    pub fn arch(&self) -> String {
        format!("sm_{}{}", self.capability.major, self.capability.minor)
    }

    /// Whether a matrix unit counts bits (before compute capability 10.0).
    pub fn counts_bits(&self) -> bool {
        self.capability.major < 10
    }

    /// Whether blocks can form clusters that share their memories (from compute capability 9.0).
    pub fn clusters(&self) -> bool {
        self.capability.major >= 9
    }
}

/// The driver's answer, with what was being done.
pub(crate) fn check<T>(what: impl Into<String>, result: Result<T, result::DriverError>) -> Result<T, Error> {
    result.map_err(|error| {
        let text = |x: Result<&std::ffi::CStr, _>| {
            x.map_or_else(|_: result::DriverError| "unknown".into(), |s| s.to_string_lossy().into_owned())
        };
        Error::Driver { what: what.into(), name: text(error.error_name()), text: text(error.error_string()) }
    })
}

/// Version of the driver's interface; fails without a driver and with one that is too old.
pub fn driver_version() -> Result<Version, Error> {
    // SAFETY: loads the driver's library, whose initialisers are safe to run at any time.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoDriver);
    }
    let mut number = 0;
    // SAFETY: the call only writes the number; it exists in every driver and needs no context.
    check("cuDriverGetVersion", unsafe { sys::cuDriverGetVersion(&raw mut number) }.result())?;
    let number = u32::try_from(number).unwrap_or(0);
    let found = Version { major: number / 1000, minor: number % 1000 / 10 };
    if found < OLDEST_DRIVER {
        return Err(Error::DriverTooOld { found, needed: OLDEST_DRIVER });
    }
    Ok(found)
}

/// Cards of this machine; fails without a usable driver.
pub fn count() -> Result<usize, Error> {
    driver_version()?;
    check("cuInit", result::init())?;
    let count = check("cuDeviceGetCount", result::device::get_count())?;
    Ok(usize::try_from(count).unwrap_or(0))
}

impl Device {
    /// The card with this number in the driver's list.
    pub fn open(ordinal: usize) -> Result<Self, Error> {
        let count = count()?;
        let missing = Error::NoDevice { ordinal, count };
        let number = i32::try_from(ordinal).map_err(|_| missing.clone())?;
        if ordinal >= count {
            return Err(missing);
        }
        let raw = check("cuDeviceGet", result::device::get(number))?;
        let properties = properties(ordinal, raw)?;
        if properties.capability < OLDEST_CAPABILITY {
            let (device, found) = (properties.name, properties.capability);
            return Err(Error::DeviceTooOld { device, found, needed: OLDEST_CAPABILITY });
        }
        // SAFETY: `raw` is a device of this driver; the context is released once, in `Drop`.
        let context = unsafe { result::primary_ctx::retain(raw) };
        let context = check(format!("opening {}", properties.name), context)?;
        Ok(Self(Arc::new(Inner { raw, context, properties })))
    }

    /// Every card that can be used; none, without an error, where there is no driver.
    pub fn all() -> Vec<Self> {
        (0..count().unwrap_or(0)).filter_map(|ordinal| Self::open(ordinal).ok()).collect()
    }

    /// What the card is.
    pub fn properties(&self) -> &Properties {
        &self.0.properties
    }

    /// Bytes of device memory that are free now.
    pub fn free_memory(&self) -> Result<usize, Error> {
        self.bind()?;
        Ok(check("cuMemGetInfo", result::mem_get_info())?.0)
    }

    /// Refuses what is larger than the memory that is free now, before it is allocated; `what` is for the message.
    pub fn check_room(&self, what: &'static str, bytes: usize) -> Result<(), Error> {
        let free = self.free_memory()?;
        if bytes <= free {
            return Ok(());
        }
        Err(Error::Memory { what, bytes, free, device: self.properties().name.clone() })
    }

    /// Makes the context current on this thread; every call into the driver follows one.
    pub(crate) fn bind(&self) -> Result<(), Error> {
        // SAFETY: the context lives as long as `self`.
        check("cuCtxSetCurrent", unsafe { result::ctx::set_current(self.0.context) })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: retained once in `Device::open`, and nothing that needs it is left: all hold a `Device`.
        let _ = unsafe { result::primary_ctx::release(self.raw) };
    }
}

fn properties(ordinal: usize, raw: sys::CUdevice) -> Result<Properties, Error> {
    use sys::CUdevice_attribute as A;
    let attribute = |attribute| {
        // SAFETY: `raw` is a device of this driver.
        let value = check("cuDeviceGetAttribute", unsafe { result::device::get_attribute(raw, attribute) })?;
        Ok(u32::try_from(value).unwrap_or(0))
    };
    let size = |a| attribute(a).map(|value| value as usize);
    Ok(Properties {
        ordinal,
        name: check("cuDeviceGetName", result::device::get_name(raw))?,
        capability: Version {
            major: attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            minor: attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        },
        driver: driver_version()?,
        // SAFETY: `raw` is a device of this driver.
        memory: check("cuDeviceTotalMem", unsafe { result::device::total_mem(raw) })?,
        multiprocessors: size(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        shared_memory: size(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        threads: size(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
    })
}
