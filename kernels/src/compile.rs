//! NVRTC: a source and its constants to machine code for one architecture.

use crate::error::{Error, Version};
use crate::program::{Define, HEADERS, Program};
use cudarc::nvrtc::sys;
use std::ffi::{CStr, CString, c_char};

/// What the compiler makes of a program.
#[derive(Debug, Clone, PartialEq)]
pub struct Compiled {
    /// The machine code, an ELF file.
    pub cubin: Vec<u8>,
    /// The intermediate code, which lists parameters.
    pub ptx: String,
    /// What the compiler said: warnings, registers, spills.
    pub log: String,
}

/// Version of the compiler; fails where there is none.
pub fn version() -> Result<Version, Error> {
    // SAFETY: loads the compiler's library, whose initialisers are safe to run at any time.
    if !unsafe { sys::is_culib_present() } {
        return Err(Error::NoNvrtc);
    }
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the call only writes the two numbers.
    unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) }.result().map_err(|_| Error::NoNvrtc)?;
    let number = |n| u32::try_from(n).unwrap_or(0);
    Ok(Version { major: number(major), minor: number(minor) })
}

/// The options for `arch`, such as `sm_90`; part of what a cached result is known by.
pub fn options(arch: &str, defines: &[Define]) -> Vec<String> {
    let mut options = vec![
        format!("--gpu-architecture={arch}"),
        "--std=c++17".into(),
        "--device-as-default-execution-space".into(),
        "--ptxas-options=-v".into(),
        "--generate-line-info".into(),
        "--extra-device-vectorization".into(),
    ];
    options.extend(defines.iter().map(|(name, value)| format!("--define-macro={name}={value}")));
    options
}

/// Compiles `program` with `defines` for `arch`.
pub fn compile(program: &Program, arch: &str, defines: &[Define]) -> Result<Compiled, Error> {
    version()?;
    let error = |log: String| Error::Compile { module: program.name, arch: arch.into(), log };
    let session = Session::new(program).map_err(error)?;
    let compiled = session.compile(&options(arch, defines));
    let log = session.log();
    compiled.map_err(|problem| error(if log.is_empty() { problem } else { log.clone() }))?;
    let cubin = session.bytes(sys::nvrtcGetCUBINSize, sys::nvrtcGetCUBIN).map_err(error)?;
    let ptx = session.bytes(sys::nvrtcGetPTXSize, sys::nvrtcGetPTX).map_err(error)?;
    Ok(Compiled { cubin, ptx: text(&ptx), log })
}

struct Session {
    program: sys::nvrtcProgram,
    /// Texts that the compiler may look at until the program is destroyed.
    _texts: Vec<CString>,
}

type Size = unsafe fn(sys::nvrtcProgram, *mut usize) -> sys::nvrtcResult;
type Get = unsafe fn(sys::nvrtcProgram, *mut c_char) -> sys::nvrtcResult;

impl Session {
    fn new(program: &Program) -> Result<Self, String> {
        let own = |text: &str| CString::new(text).map_err(|e| e.to_string());
        let mut texts = vec![own(program.source)?, own(&format!("{}.cu", program.name))?];
        for (name, header) in HEADERS {
            texts.extend([own(header)?, own(name)?]);
        }
        let pointers: Vec<*const c_char> = texts.iter().map(|t| t.as_ptr()).collect();
        let headers: Vec<_> = pointers[2..].iter().step_by(2).copied().collect();
        let names: Vec<_> = pointers[3..].iter().step_by(2).copied().collect();
        let count = i32::try_from(headers.len()).map_err(|e| e.to_string())?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: all texts end with a zero and live as long as the session; the lists have `count` entries.
        let made = unsafe {
            sys::nvrtcCreateProgram(
                &raw mut raw,
                pointers[0],
                pointers[1],
                count,
                headers.as_ptr(),
                names.as_ptr(),
            )
        };
        done(made)?;
        Ok(Self { program: raw, _texts: texts })
    }

    fn compile(&self, options: &[String]) -> Result<(), String> {
        let options: Vec<CString> = options
            .iter()
            .map(|o| CString::new(o.as_str()).map_err(|e| e.to_string()))
            .collect::<Result<_, _>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).map_err(|e| e.to_string())?;
        // SAFETY: `count` texts that end with a zero and outlive the call.
        done(unsafe { sys::nvrtcCompileProgram(self.program, count, pointers.as_ptr()) })
    }

    fn log(&self) -> String {
        self.bytes(sys::nvrtcGetProgramLogSize, sys::nvrtcGetProgramLog)
            .map_or(String::new(), |log| text(&log))
    }

    fn bytes(&self, size: Size, get: Get) -> Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: writes one number.
        done(unsafe { size(self.program, &raw mut length) })?;
        let mut bytes = vec![0; length];
        // SAFETY: the compiler writes the `length` bytes that it just announced.
        done(unsafe { get(self.program, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once.
        let _ = unsafe { sys::nvrtcDestroyProgram(&raw mut self.program) };
    }
}

fn done(result: sys::nvrtcResult) -> Result<(), String> {
    if result == sys::nvrtcResult::NVRTC_SUCCESS {
        return Ok(());
    }
    // SAFETY: the compiler returns a static text that ends with a zero.
    let text = unsafe { CStr::from_ptr(sys::nvrtcGetErrorString(result)) };
    Err(text.to_string_lossy().into_owned())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned()
}
