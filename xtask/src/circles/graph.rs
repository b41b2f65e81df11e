//! Which file of a crate takes something from which other file.

use super::tokens::{tokens, without_tests};
use std::collections::{BTreeMap, BTreeSet};

/// A module's path in its crate; empty for `lib.rs`.
pub type Path = Vec<String>;

/// Files by module, and the modules that each takes something from.
pub type Graph = BTreeMap<Path, BTreeSet<Path>>;

/// A chain of re-exports is followed so far.
const LONGEST_CHAIN: usize = 9;

/// What the files of a crate say.
#[derive(Default)]
struct Crate {
    /// What each file names, as paths from the crate's root.
    named: BTreeMap<Path, Vec<Path>>,
    /// What each file takes and so hands on, to its children at least, under which name; and where that is.
    handed_on: BTreeMap<(Path, String), Path>,
}

/// The graph of a crate, from its files as modules and texts.
pub fn graph(files: &BTreeMap<Path, String>) -> Graph {
    let texts: BTreeMap<&Path, _> =
        files.iter().map(|(module, text)| (module, without_tests(&tokens(text)))).collect();
    let of_tests = |module: &Path| {
        (0..module.len()).any(|at| {
            texts.get(&module[..at].to_vec()).is_some_and(|(_, names)| names.contains(&module[at].as_str()))
        })
    };
    let mut all = Crate::default();
    for module in files.keys().filter(|module| !of_tests(module)) {
        all.named.insert(module.clone(), Vec::new());
    }
    for (module, (tokens, _)) in texts.iter().filter(|(module, _)| !of_tests(module)) {
        all.read(module, tokens);
    }
    let arrows = |(module, named): (&Path, &Vec<Path>)| {
        let homes = named.iter().filter_map(|path| all.home(path, 0)).filter(|home| home != module);
        (module.clone(), homes.collect())
    };
    all.named.iter().map(arrows).collect()
}

impl Crate {
    /// Adds what a file names.
    fn read(&mut self, module: &Path, tokens: &[&str]) {
        let mut at = 0;
        while at < tokens.len() {
            let begins = at == 0 || tokens[at - 1] != "::";
            if tokens[at] == "use" {
                let length = tokens[at..].iter().position(|token| *token == ";").unwrap_or(0);
                let mut named = Vec::new();
                tree(&[], &tokens[at + 1..at + length.max(1)], &mut named);
                for (path, name) in named {
                    let Some(path) = self.rooted(module, &path) else { continue };
                    self.handed_on.insert((module.clone(), name), path.clone());
                    self.named.entry(module.clone()).or_default().push(path);
                }
                at += length.max(1);
                continue;
            }
            let path = path_at(&tokens[at..]);
            if begins && path.len() > 1 {
                let path = self.rooted(module, &path);
                self.named.entry(module.clone()).or_default().extend(path);
            }
            at += 1;
        }
    }

    /// A path as a module writes it, from the root; none if it leads out of the crate.
    fn rooted(&self, module: &Path, path: &[String]) -> Option<Path> {
        let supers = path.iter().take_while(|part| *part == "super").count();
        let child = || [module, &path[..1]].concat();
        match path.first()?.as_str() {
            "crate" => Some(path[1..].to_vec()),
            "self" => Some([module, &path[1..]].concat()),
            "super" => Some([module.get(..module.len().checked_sub(supers)?)?, &path[supers..]].concat()),
            _ if self.named.contains_key(&child()) => Some([module, path].concat()),
            _ => None,
        }
    }

    /// The file that defines what a path names.
    fn home(&self, path: &[String], chain: usize) -> Option<Path> {
        let length = (0..=path.len()).rev().find(|length| self.named.contains_key(&path[..*length]))?;
        let module = path[..length].to_vec();
        let name = path.get(length).map(|name| (module.clone(), name.clone()));
        match name.and_then(|name| self.handed_on.get(&name)) {
            Some(target) if chain < LONGEST_CHAIN => {
                self.home(&[target, &path[length + 1..]].concat(), chain + 1)
            }
            _ => Some(module),
        }
    }
}

/// The words of a path at the begin of `tokens`.
fn path_at(tokens: &[&str]) -> Path {
    let is_word = |token: &str| token.starts_with(|sign: char| sign.is_alphabetic() || sign == '_');
    let words = tokens.iter().step_by(2).take_while(|token| is_word(token)).count();
    let links = tokens.iter().skip(1).step_by(2).take_while(|token| **token == "::").count();
    tokens.iter().step_by(2).take(words.min(links + 1)).map(|word| (*word).to_owned()).collect()
}

/// Paths of a `use` tree, each with the name that it has from then on.
fn tree(prefix: &[&str], tokens: &[&str], found: &mut Vec<(Path, String)>) {
    if let Some(open) = tokens.iter().position(|token| *token == "{") {
        let prefix = [prefix, &tokens[..open]].concat();
        let inside = &tokens[open + 1..tokens.len().saturating_sub(1)];
        let mut depth = 0;
        let parts = inside.split(|token| {
            depth += i32::from(*token == "{") - i32::from(*token == "}");
            depth == 0 && *token == ","
        });
        parts.filter(|part| !part.is_empty()).for_each(|part| tree(&prefix, part, found));
        return;
    }
    let all = [prefix, tokens].concat();
    let (path, name) = match all.iter().position(|token| *token == "as") {
        Some(at) => (&all[..at], all.get(at + 1)),
        None => (&all[..], None),
    };
    let mut path: Path = path.iter().filter(|token| **token != "::").map(|word| (*word).to_owned()).collect();
    if path.len() > 1 && path.last().is_some_and(|word| word == "self") {
        path.pop();
    }
    if let Some(last) = path.last().cloned() {
        found.push((path, name.map_or(last, |name| (*name).to_owned())));
    }
}

/// Groups of files that reach one another, by arrows in both directions.
pub fn circles(graph: &Graph) -> Vec<Vec<&Path>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        graph.keys().map(|module| (module, reached(graph, module))).collect();
    let mut circles: Vec<Vec<&Path>> = Vec::new();
    for (module, there) in &reached {
        let group: Vec<&Path> = there
            .iter()
            .copied()
            .filter(|other| other == module || reached[other].contains(module))
            .collect();
        if group.len() > 1 && group.first() == Some(module) {
            circles.push(group);
        }
    }
    circles
}

/// A module and all that it needs, directly or not.
fn reached<'a>(graph: &'a Graph, from: &'a Path) -> BTreeSet<&'a Path> {
    let (mut found, mut ahead) = (BTreeSet::new(), vec![from]);
    while let Some(module) = ahead.pop() {
        if found.insert(module) {
            ahead.extend(graph.get(module).into_iter().flatten());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let path = |name: &str| name.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let files = files.iter().map(|(name, text)| (path(name), (*text).to_owned())).collect();
        let graph = graph(&files);
        circles(&graph)
            .iter()
            .map(|group| group.iter().map(|m| m.join("::")).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn a_planted_circle_is_found() {
        let circle =
            [("", "mod a; mod b;"), ("a", "use crate::b::B; struct A;"), ("b", "struct B(super::a::A);")];
        assert_eq!(found(&circle), ["a b"]);
        let line = [("", "mod a; mod b;"), ("a", "use crate::b::B;"), ("b", "struct B; // use crate::a::A;")];
        assert!(found(&line).is_empty());
    }

    #[test]
    fn a_long_circle_through_a_tree_of_names_is_found() {
        let files = [
            ("", ""),
            ("a", "use crate::{b::{self, B as Other}, x::Y};"),
            ("b", "fn f() { crate::c::g::<u8>() }"),
            ("c", "pub(crate) use super::{a::A};"),
            ("x", "use std::fs;"),
        ];
        assert_eq!(found(&files), ["a b c"]);
    }

    #[test]
    fn parents_and_children_make_circles_too() {
        let files = [("", ""), ("a", "mod b; use b::B; struct A;"), ("a::b", "use super::A; struct B;")];
        assert_eq!(found(&files), ["a a::b"]);
        let files = [("", "mod a; fn f() { a::g() }"), ("a", "use crate::f;")];
        assert_eq!(found(&files), [" a"]);
    }

    #[test]
    fn names_that_are_handed_on_belong_to_the_file_that_defines_them() {
        let files = [
            ("", "pub use error::Error; pub use plan::Plan; mod error; mod plan;"),
            ("error", "pub enum Error {}"),
            ("plan", "use crate::Error; pub struct Plan;"),
        ];
        assert!(found(&files).is_empty());
    }

    #[test]
    fn what_only_tests_see_is_left_out() {
        let files = [
            ("", ""),
            ("a", "#[cfg(test)] mod oracle; #[cfg(test)] mod tests { use crate::b::B; } struct A;"),
            ("a::oracle", "use crate::b::B;"),
            ("b", "use crate::a::A; use crate::a::oracle;"),
        ];
        assert!(found(&files).is_empty());
    }
}
