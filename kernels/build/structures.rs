//! Structures and constants of `cuda/abi/*.h`.
//!
//! ```text
//! // Words of a structure.
//! struct Name {
//!     u32 count, other;    // words of fields
//!     double places[N][2]; // likewise
//! };
//! const u32 FLAG = 1;      // words of a number
//! constexpr u32 N = 4;     // words of a length, as is #define N 4
//! ```
//! Every structure, field and constant has words, every line is one of these, and no structure has gaps.

use super::numbers::{is_name, number};
use std::collections::HashMap;
use std::fmt::Write;

/// What headers so far have defined.
#[derive(Default)]
pub struct Known {
    structures: HashMap<String, Structure>,
    lengths: HashMap<String, usize>,
}

pub struct Header {
    order: Vec<String>,
    constants: Vec<Constant>,
}

struct Constant {
    name: String,
    kind: &'static str,
    value: usize,
    words: String,
}

pub struct Structure {
    header: String,
    words: String,
    fields: Vec<Field>,
    size: usize,
    alignment: usize,
    has_equality: bool,
    has_default: bool,
}

struct Field {
    name: String,
    rust: String,
    offset: usize,
    words: String,
}

impl Known {
    /// The header of a structure.
    pub fn header(&self, structure: &str) -> Option<&str> {
        self.structures.get(structure).map(|structure| structure.header.as_str())
    }

    fn length(&self, text: &str) -> Result<usize, String> {
        text.split('+').map(str::trim).try_fold(0, |sum, term| {
            let value = term.parse().ok().or_else(|| self.lengths.get(term).copied());
            value.map(|value| sum + value).ok_or_else(|| format!("unknown length `{term}`"))
        })
    }
}

impl Structure {
    fn new(header: &str, words: String) -> Self {
        let header = header.trim_start_matches("abi/").trim_end_matches(".h").to_owned();
        let (fields, has_equality, has_default) = (Vec::new(), true, true);
        Self { header, words, fields, size: 0, alignment: 1, has_equality, has_default }
    }

    /// `double a[3], b`, as the declaration of fields.
    fn add(&mut self, declaration: &str, words: &str, known: &Known) -> Result<(), String> {
        let (kind, names) = declaration.split_once(' ').ok_or("a field without a name")?;
        let (plain, bytes, alignment) = match (number(kind), known.structures.get(kind)) {
            (Some((rust, bytes, alignment)), _) => (rust.to_owned(), bytes, alignment),
            (None, Some(other)) => {
                self.has_equality &= other.has_equality;
                self.has_default &= other.has_default;
                let path = if other.header == self.header {
                    String::new()
                } else {
                    format!("super::{}::", other.header)
                };
                (path + kind, other.size, other.alignment)
            }
            _ => return Err(format!("unknown type `{kind}`")),
        };
        self.has_equality &= !plain.contains("f32") && !plain.contains("f64");
        for name in names.split(',').map(str::trim) {
            let (name, dimensions) = name.split_at(name.find('[').unwrap_or(name.len()));
            if !is_name(name) || words.is_empty() {
                return Err(format!("`{name}`: {}", if words.is_empty() { "no words" } else { "no name" }));
            }
            let (mut rust, mut size) = (plain.clone(), bytes);
            for dimension in dimensions.split('[').skip(1).collect::<Vec<_>>().into_iter().rev() {
                let count = known.length(dimension.strip_suffix(']').ok_or("a bracket is not closed")?)?;
                (rust, size) = (format!("[{rust}; {count}]"), size * count);
                self.has_default &= count <= 32;
            }
            if !self.size.is_multiple_of(alignment) {
                return Err(format!("a gap before `{name}`"));
            }
            self.fields.push(Field {
                name: name.to_owned(),
                rust,
                offset: self.size,
                words: words.to_owned(),
            });
            (self.size, self.alignment) = (self.size + size, self.alignment.max(alignment));
        }
        Ok(())
    }

    fn rust(&self, name: &str) -> String {
        let mut derives = "Debug, Clone, Copy, PartialEq".to_owned();
        derives += if self.has_equality { ", Eq" } else { "" };
        derives += if self.has_default { ", Default" } else { "" };
        let mut text =
            format!("/// {}\n#[derive({derives})]\n#[repr(C)]\npub struct {name} {{\n", self.words);
        for Field { name, rust, words, .. } in &self.fields {
            let _ = writeln!(text, "    /// {words}\n    pub {name}: {rust},");
        }
        let _ = writeln!(text, "}}\nconst _: () = {{\n    assert!(size_of::<{name}>() == {});", self.size);
        for Field { name: field, offset, .. } in &self.fields {
            let _ = writeln!(text, "    assert!(std::mem::offset_of!({name}, {field}) == {offset});");
        }
        text + &format!(
            "}};\n// SAFETY: `repr(C)` of numbers without padding: the places above leave no gap.\n\
             unsafe impl crate::plain::Plain for {name} {{ type Unit = Self; }}\n"
        )
    }
}

impl Header {
    /// Adds what a header defines to what is known.
    pub fn parse(file: &str, text: &str, known: &mut Known) -> Result<Self, String> {
        let mut header = Self { order: Vec::new(), constants: Vec::new() };
        if file == "abi/layout.h" {
            return Ok(header);
        }
        let (mut above, mut open) = (String::new(), None::<(String, Structure)>);
        for (line, text) in text.lines().enumerate() {
            let (code, comment) = text.split_once("//").map_or((text, ""), |(code, words)| (code, words));
            let code = code.trim();
            if code.is_empty() {
                above = if text.is_empty() { String::new() } else { format!("{above} {}", comment.trim()) };
                continue;
            }
            let words = sentence(if comment.is_empty() { &above } else { comment });
            let problem = |what: String| format!("cuda/{file}:{}: {what}", line + 1);
            if let Some(name) = code.strip_prefix("struct ").and_then(|code| code.strip_suffix(" {")) {
                open = Some((name.to_owned(), Structure::new(file, words)));
            } else if code == "};" {
                let (name, structure) = open.take().ok_or_else(|| problem("closes nothing".into()))?;
                header.close(name, structure, known).map_err(problem)?;
            } else if let Some((_, structure)) = &mut open {
                let declaration = code.strip_suffix(';').ok_or_else(|| problem("not a field".into()))?;
                structure.add(declaration, &words, known).map_err(problem)?;
            } else if !code.starts_with("#include ") && code != "#pragma once" {
                header.constants(code, &words, known).map_err(problem)?;
            }
            above.clear();
        }
        Ok(header)
    }

    fn close(&mut self, name: String, structure: Structure, known: &mut Known) -> Result<(), String> {
        if structure.words.is_empty() || !structure.size.is_multiple_of(structure.alignment) {
            return Err(format!("{name} has no words, or a gap at its end"));
        }
        self.order.push(name.clone());
        known.structures.insert(name, structure);
        Ok(())
    }

    fn constants(&mut self, code: &str, words: &str, known: &mut Known) -> Result<(), String> {
        let (kind, list) = if let Some(list) = code.strip_prefix("const u32 ") {
            ("u32", list.trim_end_matches(';').to_owned())
        } else if let Some(list) = code.strip_prefix("constexpr u32 ") {
            ("usize", list.trim_end_matches(';').to_owned())
        } else if let Some(list) = code.strip_prefix("#define ") {
            ("usize", list.replacen(' ', " = ", 1))
        } else {
            return Err(format!("not understood: {code}"));
        };
        for item in list.split(',') {
            let (name, value) = item.split_once('=').ok_or("a constant without a value")?;
            let (name, value) = (name.trim().to_owned(), known.length(value)?);
            if !is_name(&name) || words.is_empty() {
                return Err(format!("`{name}` is no name or has no words"));
            }
            known.lengths.insert(name.clone(), value);
            self.constants.push(Constant { name, kind, value, words: words.to_owned() });
        }
        Ok(())
    }

    /// A module with all of it.
    pub fn rust(&self, name: &str, known: &Known) -> String {
        if self.order.is_empty() {
            return String::new();
        }
        let mut text = format!("/// `cuda/abi/{name}.h`.\npub mod {name} {{\n");
        for Constant { name, kind, value, words } in &self.constants {
            let _ = writeln!(text, "/// {words}\npub const {name}: {kind} = {value};");
        }
        text.extend(self.order.iter().map(|name| known.structures[name].rust(name)));
        text + "}\n"
    }

    /// The same sizes and places as the compiler of CUDA must find them.
    pub fn checks(&self, known: &Known) -> String {
        let mut text = String::new();
        for name in &self.order {
            let Structure { fields, size, .. } = &known.structures[name];
            let _ = writeln!(text, "NEARFIELD_SIZE({name}, {size});");
            for Field { name: field, offset, .. } in fields {
                let _ = writeln!(text, "NEARFIELD_FIELD({name}, {field}, {offset});");
            }
        }
        text
    }
}

/// A comment as a sentence of documentation.
fn sentence(comment: &str) -> String {
    let words = comment.trim();
    let first = words.split(' ').next().unwrap_or_default().trim_end_matches([',', ':']);
    let begins = first.len() > 1 && first.chars().all(|c| c.is_ascii_lowercase());
    let mut text = String::new();
    let mut is_code = false;
    for (i, c) in words.chars().enumerate() {
        is_code ^= c == '`';
        text += if !is_code && matches!(c, '[' | ']' | '<' | '*' | '_') { "\\" } else { "" };
        text.push(if i == 0 && begins { c.to_ascii_uppercase() } else { c });
    }
    text + if words.is_empty() || words.ends_with('.') { "" } else { "." }
}
