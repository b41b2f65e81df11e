//! NVRTC, the CUDA compiler as a library: the step `kernels` runs it over every kernel. No card and no driver is needed.
//!
//! The loader's own NVRTC is taken where it is of the right version; else NVIDIA's Python package, which is nothing but
//! the library, is unpacked below `target`.

use crate::step::Outcome;
use crate::{command, pip};
use anyhow::{Context, Result};

/// The compiler decides on registers and spills: the version is fixed.
const PACKAGE: (&str, &str) = ("nvidia_cuda_nvrtc", "13.0.88");
/// Where the package has its libraries.
const LIBRARIES: &str = "target/nvrtc/nvidia/cu13/lib";
const LIBRARY: &str = "libnvrtc.so.13";

/// All packages are named, so that what `unit` has built serves again.
const COMPILE: &str = "cargo test --workspace --test compile -- --nocapture";

/// Compiles and checks every kernel.
pub fn compile_kernels() -> Result<Outcome> {
    if is_known_to_the_loader() {
        command::run(&format!("NEARFIELD_REQUIRE_NVRTC=1 {COMPILE}"))?;
        return Ok(Outcome::Done);
    }
    install()?;
    // Tests run in their package's folder, so that this is how they see it.
    command::run(&format!("NEARFIELD_REQUIRE_NVRTC=1 LD_LIBRARY_PATH=../{LIBRARIES} {COMPILE}"))?;
    Ok(Outcome::Done)
}

fn is_known_to_the_loader() -> bool {
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let listed = command::output("/sbin/ldconfig -p").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(LIBRARY).is_file()) || lists(&listed, LIBRARY)
}

/// Whether the loader's list, lines such as `libm.so.6 (libc6,x86-64) => /lib/libm.so.6`, has a library.
fn lists(list: &str, library: &str) -> bool {
    list.lines().any(|line| line.split_whitespace().next() == Some(library))
}

/// Unpacks the library, under the name that programs ask for first: no other version of this machine answers then.
fn install() -> Result<()> {
    let otherwise = || {
        format!(
            "Without a registry, put the folder of a {LIBRARY} (CUDA toolkit 13.0) into LD_LIBRARY_PATH, and repeat \
             the step"
        )
    };
    pip::install("target/nvrtc", "--no-deps", &[PACKAGE]).with_context(otherwise)?;
    command::run(&format!("ln -sf {LIBRARY} {LIBRARIES}/libnvrtc.so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_list_is_read_by_whole_names() {
        let list = "2 libs found in cache `/etc/ld.so.cache'
	libnvrtc.so.13 (libc6,x86-64) => /opt/cuda/lib64/libnvrtc.so.13
	libnvrtc-builtins.so.12.4 (libc6,x86-64) => /opt/libnvrtc.so.12/libnvrtc-builtins.so.12.4";
        assert!(lists(list, "libnvrtc.so.13"));
        assert!(!lists(list, "libnvrtc.so.12") && !lists(list, "libnvrtc.so.1") && !lists("", LIBRARY));
    }
}
