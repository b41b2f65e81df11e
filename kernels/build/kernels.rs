//! Kernels of `cuda/*.cu`: their prototypes, and the calls that follow from them.
//!
//! ```text
//! extern "C" __global__ /* hot */ void __launch_bounds__(256)
//!     turn(const pair* from, pair* to, u32 count, const Work s) {
//! ```
//! A `hot` kernel must not spill registers, which the build checks; kernels of clusters need compute
//! capability 9.0.
//!
//! | parameter | of the call |
//! |---|---|
//! | `const X*`, `X*` | `impl Reads<X>`, `impl Writes<X>`; of vectors the number that they consist of |
//! | number | by value |
//! | structure of `abi` | by reference |

use super::numbers::{is_name, number};
use super::structures::Known;
use std::fmt::Write;

/// What every prototype begins with.
pub const START: &str = "extern \"C\" __global__";

/// Types of sources, and what arrays of them are arrays of; T is what a source is compiled for.
const TYPES: &[(&str, &str)] = &[
    ("Real", "T"),
    ("real", "T"),
    ("Pair", "T"),
    ("pair", "T"),
    ("Complex", "T"),
    ("complex", "T"),
    ("Vector", "T"),
    ("Sample", "T"),
    ("Parcel", "u64"),
    ("Point", "u8"),
    ("Totals", "f64"),
];

pub struct Kernel {
    name: String,
    is_hot: bool,
    has_clusters: bool,
    parameters: Vec<Parameter>,
}

struct Parameter {
    name: String,
    /// As `program::Parameter` has it.
    kind: String,
    /// Type of the call's parameter.
    rust: String,
    /// What the call does with it.
    given: String,
}

/// All kernels of a source.
pub fn parse(file: &str, text: &str, known: &Known) -> Result<Vec<Kernel>, String> {
    let kernel = |(at, _): (usize, &str)| {
        let problem = |what| format!("cuda/{file}:{}: {what}", text[..at].lines().count() + 1);
        let prototype = text[at + START.len()..].split('{').next().unwrap_or_default();
        Kernel::parse(prototype, known).map_err(problem)
    };
    text.match_indices(START).map(kernel).collect()
}

impl Kernel {
    fn parse(prototype: &str, known: &Known) -> Result<Self, String> {
        let (head, list) = prototype.rsplit_once('(').ok_or("no list of parameters")?;
        let list = list.trim_end().strip_suffix(')').ok_or("not a prototype of a kernel")?;
        let name = head.split_whitespace().last().unwrap_or_default().to_owned();
        if !is_name(&name) {
            return Err(format!("`{name}` is no name of a kernel"));
        }
        Ok(Self {
            name,
            is_hot: head.contains("/* hot */"),
            has_clusters: head.contains("__cluster_dims__"),
            parameters: list
                .split(',')
                .map(|text| Parameter::parse(text, known))
                .collect::<Result<_, _>>()?,
        })
    }

    /// Signature and call, of a kernel of some source.
    pub fn rust(&self, module: &str) -> String {
        let Self { name, is_hot, has_clusters, parameters } = self;
        let capability = if *has_clusters { 90 } else { 80 };
        let constant = name.to_uppercase();
        let is_generic = parameters.iter().any(|p| p.rust.ends_with("<T>"));
        let generics = if is_generic { "<T: Plain<Unit = T>>" } else { "" };
        let list = |part: fn(&Parameter) -> String| parameters.iter().map(part).collect::<String>();
        format!(
            "/// `{name}` of `cuda/{module}.cu`.\npub const {constant}: Signature = Signature {{ module: \"{module}\", \
             name: \"{name}\", hot: {is_hot}, capability: {capability}, parameters: &[{}] }};\n\
             /// Its call.\npub fn {name}{generics}({}) -> Call {{\n    Call::of(&{constant}){}\n}}\n",
            list(|p| p.kind.clone() + ", "),
            list(|p| format!("{}: {}, ", p.name, p.rust)),
            list(|p| p.given.clone()),
        )
    }
}

impl Parameter {
    fn parse(text: &str, known: &Known) -> Result<Self, String> {
        let words = text.split_whitespace().filter(|w| !["__restrict__", "__grid_constant__"].contains(w));
        let words: Vec<&str> = words.collect();
        let (is_constant, words) = match words.split_first() {
            Some((&"const", rest)) => (true, rest),
            _ => (false, &words[..]),
        };
        let [kind, name] = *words else { return Err(format!("`{}` is no parameter", text.trim())) };
        if !is_name(name) {
            return Err(format!("`{name}` is no name of a parameter"));
        }
        let number = |kind: &str| number(kind).map(|(rust, ..)| rust.to_owned());
        let structure = |kind: &str| known.header(kind).map(|header| format!("crate::abi::{header}::{kind}"));
        let unknown = || format!("unknown type `{kind}`");
        let (rust, given, program) = if let Some(kind) = kind.strip_suffix('*') {
            let of_source = TYPES.iter().find(|(cuda, _)| *cuda == kind).map(|(_, rust)| (*rust).to_owned());
            let unit = number(kind).or(of_source).or(structure(kind)).ok_or_else(unknown)?;
            let unit = unit.trim_start_matches('[').split(';').next().unwrap_or_default();
            let (view, program) = if is_constant { ("Reads", "Input") } else { ("Writes", "Output") };
            let program = format!("Parameter::{program}(\"{name}\")");
            (format!("impl {view}<{unit}>"), format!(".pointer({name}.pointer())"), program)
        } else {
            let size = |rust: &str| format!("Parameter::Value(\"{name}\", size_of::<{rust}>())");
            match (number(kind), structure(kind)) {
                (Some(rust), _) => (rust.clone(), format!(".value(&{name})"), size(&rust)),
                (_, Some(rust)) => (format!("&{rust}"), format!(".value({name})"), size(&rust)),
                _ => return Err(unknown()),
            }
        };
        Ok(Self { name: name.to_owned(), kind: program, rust, given })
    }
}

/// A source with its kernels.
pub fn program(name: &str, path: &str, kernels: &[Kernel]) -> String {
    let mut text = format!(
        "/// `cuda/{name}.cu`.\npub const {}: Program = Program {{ name: \"{name}\", \
         source: include_str!(r\"{path}\"), samples: &[&[]], kernels: &[",
        name.to_uppercase()
    );
    for kernel in kernels {
        let _ = write!(text, "&super::{}, ", kernel.name.to_uppercase());
    }
    text + "] };\n"
}
