//! The paths that a Markdown text names.
//!
//! A link to a place without a scheme is a path. A code span is one if it is a single word with a slash inside, made
//! of the letters that paths here are made of, each part two letters or longer and not a number: `docs/measured/`
//! is, `m/s`, `N/2`, `/time_data`, `../shared` and `cargo run` are not. A line number may follow (`src/a.rs:12`).
//! `<name>` in it stands for any name. Indented and fenced code is not looked at.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// A path as a document names it.
#[derive(Debug, PartialEq, Eq)]
pub struct Mention {
    /// Line of the document, from 1.
    pub line: usize,
    /// As written.
    pub text: String,
    /// The path or pattern meant.
    pub path: String,
    /// How it is written.
    pub kind: Kind,
}

/// How a path is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Between backticks.
    Code,
    /// Behind a link or an image.
    Link,
}

/// All paths that the text names, in its order.
pub fn mentions(markdown: &str) -> Vec<Mention> {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).into_offset_iter();
    let mention = |(event, range): (Event<'_>, std::ops::Range<usize>)| {
        let (kind, text) = match event {
            Event::Code(text) => (Kind::Code, text),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => (Kind::Link, dest_url),
            _ => return None,
        };
        let path = match kind {
            Kind::Code => path_in_code(&text)?,
            Kind::Link => path_in_link(&text)?,
        };
        let line = 1 + markdown[..range.start].matches('\n').count();
        Some(Mention { line, text: text.into_string(), path, kind })
    };
    events.filter_map(mention).collect()
}

fn path_in_link(target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next()?;
    // A scheme (https:), or an item of the crate (crate::cic).
    let elsewhere = path.is_empty() || path.contains(':') || path.starts_with('/');
    (!elsewhere).then(|| path.to_owned())
}

fn path_in_code(text: &str) -> Option<String> {
    let path = without_placeholders(without_line(text));
    let is_word = |c: char| c.is_ascii_alphanumeric() || "_-.+*{},/".contains(c);
    if path.starts_with('/') || path.starts_with("../") || !path.contains('/') || !path.chars().all(is_word) {
        return None;
    }
    let is_part = |part: &str| part == "*" || (part.len() > 1 && part.parse::<f64>().is_err());
    path.strip_suffix('/').unwrap_or(&path).split('/').all(is_part).then_some(path)
}

/// `src/a.rs:12`, `src/a.rs:12:3` and `src/a.rs:12-20` without the numbers.
fn without_line(text: &str) -> &str {
    match text.split_once(':') {
        Some((path, at)) if at.chars().all(|c| c.is_ascii_digit() || ":-".contains(c)) => path,
        _ => text,
    }
}

/// `docs/<name>.md` as `docs/*.md`.
fn without_placeholders(text: &str) -> String {
    let mut pieces = text.split('<');
    let mut path = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        path.push('*');
        path += piece.split_once('>').map_or(piece, |(_, after)| after);
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_spans_that_are_paths() {
        let same =
            ["docs/measured/", "pipeline/src/io/sigmf.rs", ".ci/run", "tests/tests/*.rs", "docs/**/*.md"];
        for text in same {
            assert_eq!(path_in_code(text).as_deref(), Some(text));
        }
        for text in ["src/a.rs:12", "src/a.rs:12:3", "src/a.rs:12-20"] {
            assert_eq!(path_in_code(text).as_deref(), Some("src/a.rs"));
        }
        assert_eq!(path_in_code("docs/<what>/<name>.md").as_deref(), Some("docs/*/*.md"));
    }

    #[test]
    fn code_spans_that_are_not() {
        let others = [
            "m/s",
            "N/2",
            "f_s / 32",
            "10/20",
            "/time_data",
            "../shared/data",
            "https://a.org/b",
            "Cargo.toml",
            "cargo run",
            "dsp_core::cic",
            "sin(x)/x",
            "a/",
            "",
        ];
        for text in others {
            assert_eq!(path_in_code(text), None, "{text:?}");
        }
    }

    #[test]
    fn links_that_are_paths() {
        assert_eq!(path_in_link("../README.md#use").as_deref(), Some("../README.md"));
        assert_eq!(path_in_link("LICENSE").as_deref(), Some("LICENSE"));
        for target in ["#use", "https://a.org/b", "mailto:a@b.org", "crate::cic", "/a/b", ""] {
            assert_eq!(path_in_link(target), None, "{target:?}");
        }
    }

    #[test]
    fn a_text_gives_its_paths_with_their_lines() {
        let text = "# `not/here`\n\nSee [`src/aa.rs`](docs/bb.md) and\n![picture](cc.png), [d][d].\n\n\
                    ```text\nsrc/fenced.rs `src/fenced.rs`\n```\n\n| x |\n|---|\n| `src/ee.rs:7` |\n\n[d]: dd.md\n";
        let found: Vec<_> = mentions(text).into_iter().map(|m| (m.line, m.path, m.kind)).collect();
        let expected = [
            (1, "not/here", Kind::Code),
            (3, "docs/bb.md", Kind::Link),
            (3, "src/aa.rs", Kind::Code),
            (4, "cc.png", Kind::Link),
            (4, "dd.md", Kind::Link),
            (12, "src/ee.rs", Kind::Code),
        ];
        assert_eq!(found, expected.map(|(line, path, kind)| (line, path.to_owned(), kind)));
    }
}
