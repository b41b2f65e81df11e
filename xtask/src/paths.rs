//! Every path that the documents name exists.
//!
//! Read are the Markdown files at the top, under `docs/`, and each room's and board's `README.md`; [`mention`] says what counts as
//! a path in them. A code span may count from the root or from its document's folder, a link counts from its
//! document's folder, as a renderer has it. A pattern must match something. Paths that leave the repository and
//! paths into folders that `.gitignore` calls generated (`/target`) are not looked at.

mod mention;

#[cfg(test)]
mod tests;

use crate::step::Outcome;
use anyhow::{Context, Result, ensure};
use mention::{Kind, Mention, mentions};
use std::path::{Component, Path, PathBuf};

/// The documents, as patterns from the root.
const DOCUMENTS: [&str; 4] = ["*.md", "docs/**/*.md", "*/README.md", "boards/*/README.md"];

/// Files that must be there whether a document names them or not.
const REQUIRED: [&str; 6] =
    ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "LICENSE-MIT", "LICENSE-APACHE"];

/// Checks the repository, which is the current folder.
pub fn check() -> Result<Outcome> {
    let complaints = complaints(&std::env::current_dir()?)?;
    for complaint in &complaints {
        println!("{complaint}");
    }
    ensure!(complaints.is_empty(), "{} paths do not exist", complaints.len());
    Ok(Outcome::Done)
}

/// One line for each file that is named but absent, as `document:line: what`.
fn complaints(root: &Path) -> Result<Vec<String>> {
    let absent = REQUIRED.iter().filter(|name| !root.join(name).is_file());
    let mut complaints: Vec<String> = absent.map(|name| format!("{name}: missing")).collect();
    let generated = generated(&std::fs::read_to_string(root.join(".gitignore")).unwrap_or_default());
    for document in DOCUMENTS.iter().map(|pattern| matches(root, pattern)) {
        for document in document? {
            let text = std::fs::read_to_string(root.join(&document))
                .with_context(|| document.display().to_string())?;
            let ghosts =
                mentions(&text).into_iter().filter(|found| is_ghost(root, &document, found, &generated));
            let complain = |ghost: Mention| {
                format!("{}:{}: `{}` does not exist", document.display(), ghost.line, ghost.text)
            };
            complaints.extend(ghosts.map(complain));
        }
    }
    Ok(complaints)
}

/// Whether a mention lies in the repository, is not generated, and leads nowhere.
fn is_ghost(root: &Path, document: &Path, found: &Mention, generated: &[String]) -> bool {
    let folder = document.parent().unwrap_or(Path::new(""));
    let from_folder = normal(&folder.join(&found.path));
    let places = match found.kind {
        Kind::Code => vec![normal(Path::new(&found.path)), from_folder],
        Kind::Link => vec![from_folder],
    };
    let Some(places) = places.into_iter().collect::<Option<Vec<PathBuf>>>() else {
        return false;
    };
    let is_generated = |place: &PathBuf| generated.iter().any(|folder| place.starts_with(folder));
    !places.iter().any(|place| is_generated(place) || exists(root, place))
}

/// The path without `.` and `..`; `None` where it leaves the repository.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            other => normal.push(other),
        }
    }
    Some(normal)
}

fn exists(root: &Path, place: &Path) -> bool {
    let text = place.to_string_lossy();
    if text.contains('*') {
        matches(root, &text).is_ok_and(|found| !found.is_empty())
    } else {
        root.join(place).exists()
    }
}

/// What a pattern matches under `root`, relative to it, in alphabetical order.
fn matches(root: &Path, pattern: &str) -> Result<Vec<PathBuf>> {
    let pattern = format!("{}/{pattern}", glob::Pattern::escape(&root.to_string_lossy()));
    let found = glob::glob(&pattern).with_context(|| pattern.clone())?;
    found.map(|path| Ok(path?.strip_prefix(root)?.to_owned())).collect()
}

/// The folders and files at the top that `.gitignore` excludes by name.
fn generated(gitignore: &str) -> Vec<String> {
    let anchored = gitignore.lines().filter_map(|line| line.trim().strip_prefix('/'));
    anchored.map(|name| name.trim_end_matches('/').to_owned()).filter(|name| !name.is_empty()).collect()
}
