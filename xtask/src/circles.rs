//! No two files of a crate need each other, not even around other files: a reader can begin at the bottom.
//!
//! Read are the paths that files name, in `use` declarations and elsewhere. A name that a file hands on by `use`
//! belongs to the file that defines it. A folder's file and the files in the folder count like all others. Tests may
//! use what they like.

mod graph;
mod tokens;

use crate::step::Outcome;
use anyhow::{Context, Result, ensure};
use graph::{Graph, Path as Module};
use std::collections::BTreeMap;
use std::path::Path;

/// The sources of the crates, as patterns from the root.
const SOURCES: [&str; 2] = ["*/src", "pipeline/*/src"];

/// Files and folders that only tests see.
const TESTS: [&str; 3] = ["tests", "testing", "fuzz"];

/// Checks all crates of the repository, which is the current folder.
pub fn check() -> Result<Outcome> {
    let mut count = 0;
    for sources in SOURCES.iter().map(|pattern| glob::glob(pattern)) {
        for source in sources? {
            let source = source?;
            let graph = graph::graph(&files(&source)?);
            for circle in graph::circles(&graph) {
                count += 1;
                println!("{}: {} files need one another", source.display(), circle.len());
                circle.iter().for_each(|module| println!("   {}", arrows(&graph, &circle, module)));
            }
        }
    }
    ensure!(count == 0, "{count} circles of files");
    Ok(Outcome::Done)
}

/// The files of a crate by module.
fn files(source: &Path) -> Result<BTreeMap<Module, String>> {
    let mut files = BTreeMap::new();
    for file in glob::glob(&format!("{}/**/*.rs", source.display()))? {
        let file = file?;
        let mut module: Module = file
            .strip_prefix(source)?
            .with_extension("")
            .iter()
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        module.pop_if(|last| last == "mod");
        // A program beside a library uses it as others do.
        let is_root = module == ["lib"] || module == ["main"] && !source.join("lib.rs").is_file();
        if is_root {
            module.clear();
        }
        if !module.iter().any(|part| TESTS.contains(&part.as_str())) {
            let text = std::fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            files.insert(module, text);
        }
    }
    Ok(files)
}

/// What a file of a circle takes from the others.
fn arrows(graph: &Graph, circle: &[&Module], module: &Module) -> String {
    let name = |module: &Module| if module.is_empty() { "lib".to_owned() } else { module.join("::") };
    let there = graph[module].iter().filter(|other| circle.contains(other));
    format!("{} -> {}", name(module), there.map(name).collect::<Vec<_>>().join(", "))
}
