//! Numbers of CUDA and what they are in Rust.

/// Name in CUDA, name in Rust, bytes, alignment in CUDA.
const NUMBERS: &[(&str, &str, usize, usize)] = &[
    ("u8", "u8", 1, 1),
    ("i32", "i32", 4, 4),
    ("u32", "u32", 4, 4),
    ("i64", "i64", 8, 8),
    ("u64", "u64", 8, 8),
    ("float", "f32", 4, 4),
    ("double", "f64", 8, 8),
    ("int2", "[i32; 2]", 8, 8),
    ("uint2", "[u32; 2]", 8, 8),
    ("float2", "[f32; 2]", 8, 8),
    ("double2", "[f64; 2]", 16, 16),
    ("float4", "[f32; 4]", 16, 16),
    ("double4", "[f64; 4]", 32, 16),
];

/// Name in Rust, bytes, alignment.
pub fn number(cuda: &str) -> Option<(&'static str, usize, usize)> {
    NUMBERS
        .iter()
        .find(|(name, ..)| *name == cuda)
        .map(|(_, rust, size, alignment)| (*rust, *size, *alignment))
}

/// A name that both languages take for a name.
pub fn is_name(text: &str) -> bool {
    const KEYWORDS: &[&str] = &[
        "as", "box", "crate", "dyn", "fn", "final", "impl", "in", "let", "loop", "match", "mod", "move",
        "mut", "override", "priv", "pub", "ref", "self", "super", "trait", "type", "unsafe", "use", "where",
        "yield",
    ];
    !KEYWORDS.contains(&text)
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
