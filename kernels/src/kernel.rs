//! Kernels ready to run: loaded, checked against their Rust signature, with a launch that the card can do.

use crate::cache;
use crate::call::Call;
use crate::device::{Device, check};
use crate::error::{Error, size32};
use crate::program::{Define, Program, Signature};
use crate::stream::Stream;
use cudarc::driver::{result, sys};
use std::ffi::CString;
use std::sync::Arc;

/// A compiled program on a card.
#[derive(Debug, Clone)]
pub struct Module(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    raw: sys::CUmodule,
    program: &'static Program,
    device: Device,
}

// SAFETY: a module is a handle; the driver's calls on it are thread-safe.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

/// Blocks, threads and shared memory of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Geometry {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block, along x.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared: u32,
}

impl Geometry {
    /// With checked numbers.
    pub(crate) fn new(grid: [usize; 3], threads: usize, shared: usize) -> Result<Self, Error> {
        let [x, y, z] = grid.map(|blocks| size32("blocks", blocks));
        let (threads, shared) = (size32("threads", threads)?, size32("shared memory", shared)?);
        Ok(Self { grid: [x?, y?, z?], threads, shared })
    }
}

/// A kernel with its launch.
#[derive(Debug, Clone)]
pub struct Kernel {
    pub(crate) function: sys::CUfunction,
    pub(crate) geometry: Geometry,
    signature: &'static Signature,
    module: Module,
}

// SAFETY: a function is a handle into a module, which `module` keeps loaded.
unsafe impl Send for Kernel {}
// SAFETY: as above.
unsafe impl Sync for Kernel {}

impl Module {
    /// Compiles `program` for the card, or takes it from the cache, and loads it.
    pub fn load(device: &Device, program: &'static Program, defines: &[Define]) -> Result<Self, Error> {
        let properties = device.properties();
        let cubin = cache::cubin(program, &properties.arch(), defines, properties.driver)?;
        device.bind()?;
        // SAFETY: the image is a complete ELF file from the compiler (the cache checks its sum); the driver copies it.
        let raw = unsafe { result::module::load_data(cubin.as_ptr().cast()) };
        let raw = check(format!("loading module {} on {}", program.name, properties.name), raw)?;
        Ok(Self(Arc::new(Loaded { raw, program, device: device.clone() })))
    }

    /// A kernel of this module with a launch that is checked here once, not at every launch.
    pub fn prepare(&self, signature: &'static Signature, geometry: Geometry) -> Result<Kernel, Error> {
        let Loaded { raw, program, device } = &*self.0;
        let (module, kernel) = (program.name, signature.name);
        let missing = || Error::NoKernel { module, kernel };
        let name = CString::new(kernel).map_err(|_| missing())?;
        device.bind()?;
        // SAFETY: the module is loaded and stays so while the kernel holds it.
        let function = unsafe { result::module::get_function(*raw, name) }.map_err(|_| missing())?;
        let kernel = Kernel { function, geometry, signature, module: self.clone() };
        kernel.check_parameters()?;
        kernel.check_geometry()?;
        Ok(kernel)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if self.device.bind().is_ok() {
            // SAFETY: loaded once, unloaded once; the driver waits for its kernels.
            let _ = unsafe { result::module::unload(self.raw) };
        }
    }
}

impl Kernel {
    /// Queues the kernel.
    pub(crate) fn launch(&self, stream: &mut Stream, mut call: Call) -> Result<(), Error> {
        self.check_call(&call)?;
        let Geometry { grid, threads, shared } = self.geometry;
        stream.device().bind()?;
        call.memories.iter().for_each(|memory| stream.keep(memory));
        let mut pointers = call.pointers();
        // SAFETY: the arguments have the types of the signature, which was compared with the kernel;
        // pointers are of live memory, which the driver does not free before the work in the stream is
        // done.
        let launched = unsafe {
            result::launch_kernel(
                self.function,
                (grid[0], grid[1], grid[2]),
                (threads, 1, 1),
                shared,
                stream.raw,
                &mut pointers,
            )
        };
        check(
            format!("launching kernel {} of module {}", self.signature.name, self.signature.module),
            launched,
        )
    }

    /// A call is of this kernel, or of one with the same parameters.
    pub(crate) fn check_call(&self, call: &Call) -> Result<(), Error> {
        if call.signature.parameters == self.signature.parameters {
            return Ok(());
        }
        Err(self.argument("list", format!("it is of kernel {}", call.signature.name)))
    }

    fn argument(&self, argument: &str, problem: String) -> Error {
        let Signature { module, name, .. } = *self.signature;
        Error::Argument { module, kernel: name, argument: argument.into(), problem }
    }

    /// The compiled kernel has the parameters of the signature.
    fn check_parameters(&self) -> Result<(), Error> {
        for (index, parameter) in self.signature.parameters.iter().enumerate() {
            let (mut offset, mut size) = (0, 0);
            // SAFETY: the function is loaded; the call writes two numbers.
            let got =
                unsafe { sys::cuFuncGetParamInfo(self.function, index, &raw mut offset, &raw mut size) };
            if got.result().is_err() || size != parameter.size() {
                let problem = format!("{} bytes in Rust, {size} in the compiled kernel", parameter.size());
                return Err(self.argument(parameter.name(), problem));
            }
        }
        let (mut offset, mut size, count) = (0, 0, self.signature.parameters.len());
        // SAFETY: as above.
        match unsafe { sys::cuFuncGetParamInfo(self.function, count, &raw mut offset, &raw mut size) } {
            sys::CUresult::CUDA_SUCCESS => {
                Err(self.argument("list", format!("the kernel has more than {count}")))
            }
            _ => Ok(()),
        }
    }

    fn attribute(&self, attribute: sys::CUfunction_attribute) -> Result<usize, Error> {
        // SAFETY: the function is loaded.
        let value = unsafe { result::function::get_function_attribute(self.function, attribute) };
        check("cuFuncGetAttribute", value).map(|v| usize::try_from(v).unwrap_or(0))
    }

    fn set(&self, what: &str, attribute: sys::CUfunction_attribute, value: i32) -> Result<(), Error> {
        let Signature { module, name: kernel, .. } = *self.signature;
        // SAFETY: the function is loaded.
        let set = unsafe { result::function::set_function_attribute(self.function, attribute, value) };
        check(format!("{what} for kernel {kernel} of module {module}"), set)
    }

    /// The card can do the launch; large shared memory is enabled.
    fn check_geometry(&self) -> Result<(), Error> {
        let properties = self.module.0.device.properties();
        let Geometry { grid, threads, shared } = self.geometry;
        // What the source declares by itself.
        let fixed = self.attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?;
        let most_threads =
            self.attribute(sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?;
        let limits = [
            ("threads a block", threads as usize, most_threads.min(properties.threads)),
            ("bytes of shared memory a block", fixed + shared as usize, properties.shared_memory),
            ("blocks along x", grid[0] as usize, i32::MAX as usize),
            ("blocks along y", grid[1] as usize, 65_535),
            ("blocks along z", grid[2] as usize, 65_535),
            ("for the compute capability x 10", self.signature.capability as usize, {
                (properties.capability.major * 10 + properties.capability.minor) as usize
            }),
        ];
        let Signature { module, name: kernel, .. } = *self.signature;
        for (what, asked, limit) in limits {
            if asked > limit || asked == 0 && what.starts_with("blocks") {
                let device = properties.name.clone();
                return Err(Error::Geometry { module, kernel, what, asked, limit, device });
            }
        }
        let bytes = i32::try_from(shared)
            .map_err(|_| Error::Size { what: "shared memory", value: shared as usize })?;
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // The limit is the function's, which another launch of this module may have raised.
        if self.attribute(which)? < shared as usize {
            self.set(&format!("{shared} bytes of shared memory"), which, bytes)?;
        }
        // All of the cache as shared memory: else the next kernel of a graph could not begin beside this one.
        self.share(100)
    }

    /// So many per cent of the first cache as shared memory; the rest is a cache.
    fn share(&self, percent: i32) -> Result<(), Error> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT;
        self.set("the share of shared memory", which, percent)
    }

    /// The same kernel, with no more shared memory than so many blocks need: it reads tables that a cache helps with.
    pub(crate) fn cached(self, percent: i32) -> Result<Self, Error> {
        self.share(percent)?;
        Ok(self)
    }

    /// The same kernel in clusters of more blocks than every card has.
    pub(crate) fn in_large_clusters(self) -> Result<Self, Error> {
        let which = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        self.set("large clusters", which, 1)?;
        Ok(self)
    }
}
