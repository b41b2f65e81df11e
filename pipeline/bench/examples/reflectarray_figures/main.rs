//! What the synthesis of reflectarrays reaches, beside what others reached.
//!
//! - `fronts`: whole fronts (D_mean, D_min) for every case of `front_boundary.csv`, row by row beside it.
//! - `tables`: tables 2, 4, 5 and 6 of the paper redone. Its masks are not published: ours are other ones, so that its figures stand beside ours and are
//!   not compared with them.
//!
//! Designs are optimised at the usual step of `[sampling]` and scored at half of it, boundaries included. Run from the repository's root, with the
//! folder of the coverages: `cargo run --release --package nearfield-bench --example reflectarray_figures -- fronts ../shared/data/reflectarray`; with `--json`
//! one object a line.

mod arrays;
mod fronts;
mod tables;

use serde_json::Value;
use std::path::Path;

/// Results for people or for programs.
struct Report {
    json: bool,
}

impl Report {
    fn row(&self, text: &str, row: &Value) {
        if self.json {
            println!("{row}");
        } else {
            println!("{text}");
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args().skip(1).partition(|a| a == "--json");
    let report = Report { json: !options.is_empty() };
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["fronts", folder] => fronts::run(&report, Path::new(folder)),
        ["tables", folder] => tables::run(&report, Path::new(folder)),
        _ => {
            Err("Usage: reflectarray_figures [--json] fronts|tables FOLDER, the folder of coverage_*.json"
                .into())
        }
    }
}
