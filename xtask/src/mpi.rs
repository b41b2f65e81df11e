//! The step `mpi`: `nearfield sbr` and `nearfield dgtd` as several processes, where this machine has MPI. It is no tool that everybody must install: the default build does without.

use crate::command;
use crate::step::Outcome;
use anyhow::Result;
use std::path::{Path, PathBuf};

/// What has to be there, and a line that succeeds where it is.
const PROGRAMS: [(&str, &str); 2] = [("mpicc", "mpicc --version"), ("mpirun", "mpirun --version")];
const PACKAGES: &str = "apt-get install libopenmpi-dev openmpi-bin libclang-dev";

/// Builds the program with the feature `mpi`, and runs its tests. All packages are named, so that others keep their
/// features, and only what the feature touches is built again.
pub fn test() -> Result<Outcome> {
    for (name, detect) in PROGRAMS {
        if !command::succeeds(detect) {
            return Ok(Outcome::Skipped(format!("no {name}: {PACKAGES}")));
        }
    }
    let Some(libclang) = libclang() else {
        return Ok(Outcome::Skipped(format!("no libclang, which reads MPI's header: {PACKAGES}")));
    };
    let libclang = libclang.display();
    command::run(&format!(
        "LIBCLANG_PATH={libclang} cargo test --workspace --features nearfield/mpi --test mpi"
    ))?;
    Ok(Outcome::Done)
}

/// The folder of libclang: what the environment says, else the newest that Debian has. The build does not look beyond the first LLVM that it meets, which may have none.
fn libclang() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("LIBCLANG_PATH") {
        return Some(folder.into());
    }
    let versions = std::fs::read_dir("/usr/lib").ok()?.filter_map(|entry| version(&entry.ok()?.path()));
    let folders = versions.map(|(version, folder)| (version, folder.join("lib")));
    let (_, folder) = folders.filter(|(_, folder)| folder.join("libclang.so.1").is_file()).max()?;
    Some(folder)
}

/// The version of a folder `llvm-14`.
fn version(folder: &Path) -> Option<(u32, PathBuf)> {
    let version = folder.file_name()?.to_str()?.strip_prefix("llvm-")?.parse().ok()?;
    Some((version, folder.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_llvm_have_versions_and_others_have_none() {
        assert_eq!(version(Path::new("/usr/lib/llvm-14")), Some((14, "/usr/lib/llvm-14".into())));
        assert!(
            version(Path::new("/usr/lib/llvm-next")).is_none() && version(Path::new("/usr/lib")).is_none()
        );
    }
}
