//! The linker scripts of every board: its memory, the sections of its architecture, defmt's texts.

fn main() {
    println!("cargo::rustc-link-search={}", std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default());
    // The script of its own: its memory, or everything.
    let own = ["memory.x", "link.x"].into_iter().filter(|script| std::path::Path::new(script).exists());
    own.for_each(|script| println!("cargo::rerun-if-changed={script}"));
    for script in ["link.x", "defmt.x"] {
        println!("cargo::rustc-link-arg-bins=-T{script}");
    }
}
