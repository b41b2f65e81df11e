//! Machine code on disk, so that a program starts in milliseconds the second time.
//!
//! A file's name is a hash of everything that decides its content: source, headers, options, architecture, and the versions of
//! compiler and driver. A file that cannot be read, or whose checksum is wrong, is compiled again; a folder that cannot be
//! written costs the time of a compilation and nothing else.

use crate::compile;
use crate::error::{Error, Version};
use crate::program::{Define, HEADERS, Program};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// First bytes of a cached file.
const MAGIC: &[u8; 8] = b"nearcub1";

/// Where compiled kernels are kept: `$NEARFIELD_CACHE`, else `nearfield` in `$XDG_CACHE_HOME` or `~/.cache`, else nowhere.
pub fn folder() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("NEARFIELD_CACHE")
        .or_else(|| variable("XDG_CACHE_HOME").map(|f| f.join("nearfield")))
        .or_else(|| variable("HOME").map(|f| f.join(".cache/nearfield")))
}

/// The machine code of a program, from the cache or from the compiler.
pub fn cubin(program: &Program, arch: &str, defines: &[Define], driver: Version) -> Result<Vec<u8>, Error> {
    let key = key(program, arch, defines, compile::version()?, driver);
    let file = folder().map(|folder| folder.join(format!("{}-{arch}-{key:016x}.cubin", program.name)));
    if let Some(cubin) = file.as_deref().and_then(read) {
        return Ok(cubin);
    }
    let cubin = compile::compile(program, arch, defines)?.cubin;
    if let Some(file) = file {
        // Without the cache the program still works.
        let _ = write(&file, &cubin);
    }
    Ok(cubin)
}

fn key(program: &Program, arch: &str, defines: &[Define], nvrtc: Version, driver: Version) -> u64 {
    let mut hasher = DefaultHasher::new();
    (program.name, program.source, HEADERS).hash(&mut hasher);
    compile::options(arch, defines).hash(&mut hasher);
    [nvrtc, driver].map(|v| (v.major, v.minor)).hash(&mut hasher);
    hasher.finish()
}

fn checksum(cubin: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    cubin.hash(&mut hasher);
    hasher.finish().to_le_bytes()
}

fn read(file: &Path) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    let (sum, cubin) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<8>()?;
    (*sum == checksum(cubin)).then(|| cubin.to_vec())
}

/// Under a name of its own first: a reader never sees half a file.
fn write(file: &Path, cubin: &[u8]) -> std::io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let temporary = file.with_extension(format!("{}.tmp", std::process::id()));
    let bytes = [MAGIC.as_slice(), &checksum(cubin), cubin].concat();
    let written = std::fs::write(&temporary, bytes).and_then(|()| std::fs::rename(&temporary, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program = Program { name: "x", source: "", kernels: &[], samples: &[] };
    const V: Version = Version { major: 13, minor: 0 };

    #[test]
    fn what_was_written_is_read_and_what_was_damaged_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/x.cubin");
        write(&file, b"code").unwrap();
        assert_eq!(read(&file).unwrap(), b"code");
        let mut bytes = std::fs::read(&file).unwrap();
        for damage in 0..bytes.len() {
            bytes[damage] ^= 1;
            std::fs::write(&file, &bytes).unwrap();
            assert_eq!(read(&file), None, "byte {damage}");
            bytes[damage] ^= 1;
        }
        std::fs::write(&file, &bytes[..10]).unwrap();
        assert_eq!(read(&file), None);
        assert_eq!(read(&folder.path().join("absent")), None);
        let left: Vec<_> = std::fs::read_dir(folder.path().join("new")).unwrap().collect();
        assert_eq!(left.len(), 1, "no temporary file stays");
    }

    #[test]
    fn everything_that_matters_is_in_the_key() {
        let first = key(&PROGRAM, "sm_90", &[("N", 1)], V, V);
        let newer = Version { major: 13, minor: 1 };
        let other = Program { source: " ", ..PROGRAM };
        assert_ne!(first, key(&other, "sm_90", &[("N", 1)], V, V));
        assert_ne!(first, key(&PROGRAM, "sm_80", &[("N", 1)], V, V));
        assert_ne!(first, key(&PROGRAM, "sm_90", &[("N", 2)], V, V));
        assert_ne!(first, key(&PROGRAM, "sm_90", &[("N", 1)], newer, V));
        assert_ne!(first, key(&PROGRAM, "sm_90", &[("N", 1)], V, newer));
        assert_eq!(first, key(&PROGRAM, "sm_90", &[("N", 1)], V, V));
    }
}
