//! From CUDA to Rust: the structures of `cuda/abi/*.h` and the parameters of the kernels of `cuda/*.cu`,
//! which own them.
//!
//! | written to `OUT_DIR` | from |
//! |---|---|
//! | `abi.rs` | a module for each header: its constants and structures |
//! | `calls.rs` | a signature and a call for each kernel, a program for each source |
//! | `abi/*.h` | the headers with a check of every size and place at their ends |
//! | `headers.rs` | what sources include, by name |
//!
//! The parser is strict: what it does not know is an error with file and line.

mod kernels;
mod numbers;
mod structures;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};
use structures::Header;

fn main() {
    println!("cargo::rerun-if-changed=cuda");
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let cuda = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda");
    if let Err(problem) = generate(&cuda, &out) {
        println!("cargo::error={problem}");
    }
}

fn generate(cuda: &Path, out: &Path) -> Result<(), String> {
    let write = |name: &str, text: &str| fs::write(out.join(name), text).map_err(|e| format!("{name}: {e}"));
    fs::create_dir_all(out.join("abi")).map_err(|e| e.to_string())?;
    let mut known = structures::Known::default();
    let (mut rust, mut names) = (String::new(), String::new());
    for (name, text) in files(&cuda.join("abi"), "h")? {
        let header = Header::parse(&format!("abi/{name}.h"), &text, &mut known)?;
        rust += &header.rust(&name, &known);
        write(&format!("abi/{name}.h"), &(text + &header.checks(&known)))?;
        let _ = writeln!(
            names,
            "(\"abi/{name}.h\", include_str!(concat!(env!(\"OUT_DIR\"), \"/abi/{name}.h\"))),"
        );
    }
    write("abi.rs", &rust)?;
    let headers = files(cuda, "cuh")?;
    let (mut calls, mut programs) = (String::new(), String::new());
    for (name, text) in files(cuda, "cu")? {
        let mut all = kernels::parse(&format!("{name}.cu"), &text, &known)?;
        for (header, included) in &headers {
            if text.contains(&format!("#include \"{header}.cuh\"")) {
                all.extend(kernels::parse(&format!("{header}.cuh"), included, &known)?);
            }
        }
        calls.extend(all.iter().map(|kernel| kernel.rust(&name)));
        let path = cuda.join(format!("{name}.cu"));
        programs += &kernels::program(&name, &path.display().to_string(), &all);
    }
    let programs =
        format!("/// All sources.\npub mod sources {{\nuse crate::program::Program;\n{programs}}}\n");
    write("calls.rs", &(calls + &programs))?;
    for (name, _) in headers {
        let _ = writeln!(
            names,
            "(\"{name}.cuh\", include_str!(r\"{}\")),",
            cuda.join(format!("{name}.cuh")).display()
        );
    }
    write("headers.rs", &format!("&[\n{names}]"))
}

/// Names without ending and texts of a folder's files of a kind, in order.
fn files(folder: &Path, ending: &str) -> Result<Vec<(String, String)>, String> {
    let problem = |e: std::io::Error| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(problem)? {
        let path = entry.map_err(problem)?.path();
        if path.extension().is_some_and(|e| e == ending) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            files.push((name, fs::read_to_string(&path).map_err(problem)?));
        }
    }
    files.sort();
    Ok(files)
}
