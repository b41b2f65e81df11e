//! `cargo xtask lines [REVISION]`: lines of Rust and CUDA outside tests, crate by crate, of the working tree or of a
//! commit.
//!
//! Left out are folders and files of tests (`tests`, `testing`, `fuzz`) and modules behind `#[cfg(test)]`. Lines of
//! comments, and lines without anything, are counted apart.

use crate::command;
use anyhow::{Context, Result, ensure};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

/// What is counted: Rust, and CUDA with its headers.
const ENDINGS: [&str; 4] = [".rs", ".cu", ".cuh", ".h"];
/// Where `.h` is CUDA.
const HEADERS: &str = "kernels/";
/// Files and folders of tests.
const TESTS: [&str; 3] = ["tests", "testing", "fuzz"];

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lines {
    code: usize,
    comments: usize,
    blank: usize,
}

impl AddAssign for Lines {
    fn add_assign(&mut self, other: Self) {
        self.code += other.code;
        self.comments += other.comments;
        self.blank += other.blank;
    }
}

pub fn print(revision: Option<&str>) -> Result<()> {
    let list = match revision {
        Some(revision) => command::output(&format!("git ls-tree -r --name-only {revision}"))?,
        None => command::output("git ls-files --cached --others --exclude-standard")?,
    };
    // A file may be gone, and be listed still.
    let names: BTreeSet<&str> = list.lines().filter(|name| revision.is_some() || is_file(name)).collect();
    let counted: Vec<&str> = names.iter().copied().filter(|name| counts(name)).collect();
    let texts = match revision {
        Some(revision) => of_commit(revision, &counted)?,
        None => counted.iter().map(|name| Ok(std::fs::read_to_string(name)?)).collect::<Result<_>>()?,
    };
    let mut crates: BTreeMap<&str, Lines> = BTreeMap::new();
    for (name, text) in counted.iter().zip(&texts) {
        *crates.entry(crate_of(name, &names)).or_default() += lines(text);
    }
    println!("{:<24} {:>7} {:>8} {:>7} {:>7}", "crate", "code", "comments", "both", "blank");
    let mut all = Lines::default();
    for (name, lines) in crates {
        row(name, lines);
        all += lines;
    }
    row("all", all);
    Ok(())
}

fn row(name: &str, Lines { code, comments, blank }: Lines) {
    println!("{name:<24} {code:>7} {comments:>8} {:>7} {blank:>7}", code + comments);
}

fn is_file(name: &str) -> bool {
    std::path::Path::new(name).is_file()
}

/// Whether a file is Rust or CUDA outside tests.
fn counts(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    ENDINGS.iter().any(|ending| name.ends_with(ending))
        && (!name.ends_with(".h") || name.starts_with(HEADERS))
        && !stem.split('/').any(|part| TESTS.contains(&part))
}

/// The nearest folder above a file that has a manifest.
fn crate_of<'a>(name: &'a str, names: &BTreeSet<&str>) -> &'a str {
    let mut folder = name;
    while let Some((above, _)) = folder.rsplit_once('/') {
        if names.contains(format!("{above}/Cargo.toml").as_str()) {
            return above;
        }
        folder = above;
    }
    folder
}

/// The texts of files of a commit.
fn of_commit(revision: &str, names: &[&str]) -> Result<Vec<String>> {
    let mut git = Command::new("git")
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start git")?;
    let mut ask = git.stdin.take().context("its input")?;
    let mut told = BufReader::new(git.stdout.take().context("its output")?);
    let mut texts = Vec::new();
    // One after the other, so that neither side waits for room in a pipe.
    for name in names {
        writeln!(ask, "{revision}:{name}")?;
        let mut header = String::new();
        told.read_line(&mut header)?;
        let size = header.trim_end().rsplit(' ').next().and_then(|size| size.parse().ok());
        let mut bytes = vec![0; size.with_context(|| format!("git cat-file says {header}"))?];
        told.read_exact(&mut bytes)?;
        told.read_exact(&mut [0])?;
        texts.push(String::from_utf8(bytes).with_context(|| (*name).to_owned())?);
    }
    drop(ask);
    ensure!(git.wait()?.success(), "git cat-file failed");
    Ok(texts)
}

/// Counts a file. Layout is rustfmt's: a module ends with a brace as far from the margin as its begin.
fn lines(text: &str) -> Lines {
    let (mut found, mut all) = (Lines::default(), text.lines());
    let mut in_comment = false;
    while let Some(line) = all.next() {
        let trimmed = line.trim();
        if trimmed == "#[cfg(test)]" {
            let item = all.clone().find(|next| !next.trim_start().starts_with("#["));
            if let Some(item) = item.filter(|item| is_module(item)) {
                let end = format!("{}}}", &item[..item.len() - item.trim_start().len()]);
                all.find(|next| **next == end);
                continue;
            }
        }
        in_comment |= trimmed.starts_with("/*");
        match trimmed {
            "" => found.blank += 1,
            _ if in_comment || trimmed.starts_with("//") => found.comments += 1,
            _ => found.code += 1,
        }
        in_comment &= !trimmed.contains("*/");
    }
    found
}

/// Whether a line begins a module of its own file's.
fn is_module(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    words.contains(&"mod") && words.last() == Some(&"{")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_comments_and_blanks_are_told_apart_and_tests_left_out() {
        let text = "//! A.\n\nfn f() {} // b\n/* c\nd */\n#[cfg(test)]\nmod tests {\n    mod x {\n    }\n}\nfn g() {}\n";
        assert_eq!(lines(text), Lines { code: 2, comments: 3, blank: 1 });
        let text = "mod a {\n    #[cfg(test)]\n    mod tests {\n        b\n    }\n    c\n}\n#[cfg(test)]\nmod tests;\n";
        assert_eq!(lines(text), Lines { code: 5, comments: 0, blank: 0 });
    }

    #[test]
    fn files_of_tests_do_not_count() {
        let names = ["sbr/src/cpu.rs", "kernels/cuda/a.cuh", "kernels/cuda/abi/a.h", "xtask/src/main.rs"];
        assert!(names.iter().all(|name| counts(name)));
        let names = [
            "tests/src/lib.rs",
            "sbr/src/bvh/tests.rs",
            "a/src/testing.rs",
            "a/tests/b.rs",
            "boards/rtl/sim/devices.h",
        ];
        assert!(!names.iter().any(|name| counts(name)));
    }

    #[test]
    fn a_file_belongs_to_the_nearest_crate() {
        let names = BTreeSet::from(["a/Cargo.toml", "a/b/Cargo.toml"]);
        assert_eq!(crate_of("a/b/src/x.rs", &names), "a/b");
        assert_eq!(crate_of("a/src/x.rs", &names), "a");
        assert_eq!(crate_of("c/src/x.rs", &names), "c");
    }

    #[test]
    fn a_commit_is_read() {
        let texts = of_commit("HEAD", &["Cargo.toml", "README.md"]);
        if let Ok(texts) = texts {
            assert!(texts.len() == 2 && texts[0].contains("[workspace]"));
        }
    }
}
