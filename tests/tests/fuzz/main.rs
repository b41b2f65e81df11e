//! Hostile input, parser by parser. `cargo xtask fuzz` runs these with a million inputs each.

mod meshes;
mod parsers;
